"""Where GitHub is and with what token, from variables as GitHub Actions sets them."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_address

from msgspec import Struct
from yarl import URL

from syncer.errors import ConfigError
from syncer.github.token import Token

__all__ = ["Endpoint", "endpoint_from_env", "graphql_address", "token_from_env"]

_GRAPHQL, _REST = "GITHUB_GRAPHQL_URL", "GITHUB_API_URL"
_TOKENS = ("GITHUB_TOKEN", "GH_TOKEN")


class Endpoint(Struct, frozen=True, kw_only=True):
    """The address that every request is posted to; checked when made by this module."""

    url: str = "https://api.github.com/graphql"

    @property
    def host(self) -> str:
        """Host and port, for messages."""
        return URL(self.url).host_port_subcomponent or ""


def token_from_env(env: Mapping[str, str]) -> Token:
    """The token of GITHUB_TOKEN, else GH_TOKEN. Raises ConfigError where neither is set."""
    for name in _TOKENS:
        if text := env.get(name, "").strip():
            return Token(text)
    raise ConfigError(
        "no token: set GITHUB_TOKEN (or GH_TOKEN) to a token that may read the repository's "
        "contents, issues and pull requests"
    )


def endpoint_from_env(env: Mapping[str, str]) -> Endpoint:
    """GITHUB_GRAPHQL_URL as it stands, else derived from GITHUB_API_URL, else github.com.

    Raises ConfigError naming the variable when an address is unclear or unsafe.
    """
    if text := env.get(_GRAPHQL, "").strip():
        return Endpoint(url=_given(text, _GRAPHQL))
    if text := env.get(_REST, "").strip():
        return Endpoint(url=graphql_address(text, _REST))
    return Endpoint()


def graphql_address(base: str, variable: str) -> str:
    """The GraphQL address that belongs to the REST address `base`, port kept.

    An Enterprise Server has `/api/v3` beside `/api/graphql`; github.com and its data-residency
    sites have a host `api.…` of their own. The site's own address is taken as well.
    https://docs.github.com/enterprise-server/graphql/guides/forming-calls-with-graphql
    """
    url = _checked(base, variable)
    host, path = url.host or "", url.path.rstrip("/")
    if _is_hosted(host):
        if not host.startswith("api.") or path:
            raise ConfigError(f"{variable}: {host} is a site; its REST address is https://api.…")
        return str(url.with_path("/graphql"))
    if path.endswith("/api/v3"):
        return str(url.with_path(path.removesuffix("/v3") + "/graphql"))
    if path or host.startswith("api."):
        raise ConfigError(
            f"{variable}: it is unclear where GraphQL is answered beside {host}{path}; "
            f"give an address that ends in /api/v3, or set {_GRAPHQL}"
        )
    return str(url.with_path("/api/graphql"))


def _given(text: str, variable: str) -> str:
    url = _checked(text, variable)
    path = url.path.rstrip("/")
    if not path.endswith("/graphql") or path.endswith("/v3/graphql"):
        raise ConfigError(
            f"{variable}: {path or '/'} is no GraphQL path; it ends in /graphql, "
            "on an Enterprise Server in /api/graphql"
        )
    return str(url.with_path(path))


def _is_hosted(host: str) -> bool:
    return host == "github.com" or host.endswith((".github.com", ".ghe.com"))


def _checked(text: str, variable: str) -> URL:
    url = _parsed(text)
    host = None if url is None else url.host
    if url is None or host is None:
        raise ConfigError(f"{variable}: this is no address of the form https://host/path")
    if url.user or url.password or url.query_string or url.fragment:
        raise ConfigError(f"{variable}: the address must be bare, without user, query or fragment")
    if url.scheme != "https" and not (url.scheme == "http" and is_loopback(host)):
        raise ConfigError(f"{variable}: a token is sent over https only, except to this machine")
    return url


def _parsed(text: str) -> URL | None:
    if not text.isprintable() or " " in text:
        return None
    try:
        url = URL(text)
        _ = url.port  # read here, for it is only now that a wrong one is refused
    except ValueError:
        return None
    return url


def is_loopback(host: str) -> bool:
    """Whether `host` is this machine itself."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
