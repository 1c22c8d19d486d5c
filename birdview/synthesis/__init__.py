"""What happened, in words that rest on quotes: cut, map, reduce, check, show.

`synthesise` is the whole of it; `Binding` is a model to hand to it, `bind` finds one by name.
"""

from __future__ import annotations

from birdview.synthesis.bindings import Binding, bind
from birdview.synthesis.budget import Budget
from birdview.synthesis.claims import Category, Checked, Claim, ClaimDraft, Refusal, Texts, check
from birdview.synthesis.fragments import Fragment, fragments_of, sources_of
from birdview.synthesis.limits import Limits
from birdview.synthesis.prompts import Generate, Prompt
from birdview.synthesis.synthesise import Synthesised, present, synthesise

__all__ = [
    "Binding",
    "Budget",
    "Category",
    "Checked",
    "Claim",
    "ClaimDraft",
    "Fragment",
    "Generate",
    "Limits",
    "Prompt",
    "Refusal",
    "Synthesised",
    "Texts",
    "bind",
    "check",
    "fragments_of",
    "present",
    "sources_of",
    "synthesise",
]
