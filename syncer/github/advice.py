"""What to do when GitHub refuses, in words. One sentence says what happened, one what helps."""

from __future__ import annotations

import re

from syncer.github.exchange import Exchange

__all__ = [
    "BAD_CREDENTIALS",
    "FORBIDDEN",
    "NOT_FOUND",
    "NO_GRAPHQL",
    "REDIRECTED",
    "SINGLE_SIGN_ON",
    "server_version",
]

BAD_CREDENTIALS = (
    "GitHub does not accept the token: it is wrong, expired or revoked. "
    "Set GITHUB_TOKEN (or GH_TOKEN) to a valid one."
)
SINGLE_SIGN_ON = (
    "The organisation wants single sign-on (SAML) for this token. "
    "Authorise the token for the organisation in GitHub's token settings (Configure SSO)."
)
FORBIDDEN = (
    "The token may not read this. Give it read access to the repository's contents, issues and "
    "pull requests (for a classic token: the scope repo)."
)
NOT_FOUND = (
    "GitHub finds no such repository, or hides it from this token. "
    "Check the spelling of OWNER/NAME, and that the token may see the repository."
)
NO_GRAPHQL = (
    "There is no GraphQL to be had at this address (status {status}). "
    "Check GITHUB_GRAPHQL_URL or GITHUB_API_URL."
)
REDIRECTED = (
    "The address redirects (status {status}), and a token is not sent after it. "
    "Check GITHUB_GRAPHQL_URL or GITHUB_API_URL."
)


def server_version(exchange: Exchange) -> str:
    """The version that an Enterprise Server tells, as the end of a sentence; else nothing."""
    version = exchange.headers.get("x-github-enterprise-version", "")
    known = re.fullmatch(r"[\w.@-]{1,60}", version, re.ASCII)
    return f" (server version {version})" if known else ""
