"""The one door to GitHub: what is asked and told (`answers`), and `GitHub`, who asks."""

from syncer.github.access import Endpoint, endpoint_from_env, token_from_env
from syncer.github.client import GitHub, price
from syncer.github.governor import Governor
from syncer.github.pace import Bounds
from syncer.github.retry import Patience
from syncer.github.throttle import Limits
from syncer.github.token import Credentials, Token, TokenSource

__all__ = [
    "Bounds",
    "Credentials",
    "Endpoint",
    "GitHub",
    "Governor",
    "Limits",
    "Patience",
    "Token",
    "TokenSource",
    "endpoint_from_env",
    "price",
    "token_from_env",
]
