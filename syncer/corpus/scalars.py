r"""Values on one line of text: JSON that YAML 1.1 and 1.2 readers read alike.

YAML allows fewer characters than JSON and breaks lines at more of them, so everything outside its
printable set stands as a `\u` escape, which both languages share.
"""

from __future__ import annotations

import re

import msgspec

__all__ = ["flow"]

_encoder = msgspec.json.Encoder()
# YAML 1.1 §4.1 printable characters, without NEL, LS and PS (line breaks there) and without the
# byte order mark. The encoder has already escaped the controls below U+0020.
_UNSAFE = re.compile(
    "[^\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)


def flow(value: object) -> str:
    """`value` as JSON on one line that is also a YAML flow value of the same meaning."""
    text = _encoder.encode(value).decode()
    if text.isascii() and "\x7f" not in text:
        return text
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
