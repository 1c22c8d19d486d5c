from __future__ import annotations

import pytest

from syncer.errors import ConfigError
from syncer.github.access import Endpoint, endpoint_from_env, graphql_address, token_from_env
from tests.github.support import SECRET


@pytest.mark.parametrize(
    ("base", "address"),
    [
        ("https://ghe.example/api/v3", "https://ghe.example/api/graphql"),
        ("https://ghe.example/api/v3/", "https://ghe.example/api/graphql"),
        ("https://ghe.example", "https://ghe.example/api/graphql"),
        ("https://ghe.example/", "https://ghe.example/api/graphql"),
        ("https://api.github.com", "https://api.github.com/graphql"),
        ("https://api.github.com/", "https://api.github.com/graphql"),
        ("https://ghe.example:8443/api/v3", "https://ghe.example:8443/api/graphql"),
        ("https://proxy.example/code/api/v3", "https://proxy.example/code/api/graphql"),
        ("https://api.octo.ghe.com", "https://api.octo.ghe.com/graphql"),
        ("http://127.0.0.1:8080/api/v3", "http://127.0.0.1:8080/api/graphql"),
    ],
)
def test_the_graphql_address_is_derived_from_the_rest_base(base, address):
    assert graphql_address(base, "GITHUB_API_URL") == address


@pytest.mark.parametrize(
    "base",
    [
        "ghe.example",
        "ghe.example/api/v3",
        "/api/v3",
        "https://",
        "https://ghe.example/api",
        "https://ghe.example/api/v4",
        "https://api.ghe.example",
        "https://github.com",
        "https://octo.ghe.com",
        "https://www.github.com",
        "https://ghe example/api/v3",
        "https://api.github.com/api/v3",
        "http://ghe.example/api/v3",
        "ftp://ghe.example/api/v3",
        "https://ghe.example:99999/api/v3",
        "https://ghe.example/api/v3?x=1",
        "https://ghe.example/api/v3#x",
    ],
)
def test_an_unclear_or_unsafe_base_is_refused_by_the_name_of_its_variable(base):
    with pytest.raises(ConfigError, match="GITHUB_API_URL"):
        graphql_address(base, "GITHUB_API_URL")


@pytest.mark.parametrize("variable", ["GITHUB_GRAPHQL_URL", "GITHUB_API_URL"])
def test_a_secret_inside_an_address_is_refused_and_not_shown(variable):
    address = f"https://user:{SECRET}@ghe.example/api/graphql"

    with pytest.raises(ConfigError) as caught:
        endpoint_from_env({variable: address})

    assert SECRET not in str(caught.value)
    assert variable in str(caught.value)


def test_without_a_variable_it_is_github_itself():
    assert endpoint_from_env({}) == Endpoint(url="https://api.github.com/graphql")
    assert endpoint_from_env({"GITHUB_GRAPHQL_URL": " ", "GITHUB_API_URL": ""}) == Endpoint()


def test_a_given_graphql_address_outweighs_the_rest_base():
    env = {
        "GITHUB_GRAPHQL_URL": "https://ghe.example/api/graphql",
        "GITHUB_API_URL": "https://api.github.com",
    }

    assert endpoint_from_env(env).url == "https://ghe.example/api/graphql"


def test_a_slash_at_the_end_of_a_graphql_address_is_dropped():
    env = {"GITHUB_GRAPHQL_URL": "https://api.github.com/graphql/"}

    assert endpoint_from_env(env).url == "https://api.github.com/graphql"


@pytest.mark.parametrize(
    "address",
    [
        "https://ghe.example/api/v3/graphql",
        "https://ghe.example",
        "https://ghe.example/api/v3",
        "http://ghe.example/api/graphql",
    ],
)
def test_a_graphql_address_that_cannot_be_one_is_refused(address):
    with pytest.raises(ConfigError, match="GITHUB_GRAPHQL_URL"):
        endpoint_from_env({"GITHUB_GRAPHQL_URL": address})


@pytest.mark.parametrize("host", ["127.0.0.1:1", "127.8.8.8", "[::1]:1", "localhost"])
def test_a_token_may_go_unencrypted_to_this_machine(host):
    env = {"GITHUB_GRAPHQL_URL": f"http://{host}/graphql"}

    assert endpoint_from_env(env).host == host


def test_the_first_set_variable_gives_the_token():
    assert token_from_env({"GITHUB_TOKEN": "a", "GH_TOKEN": "b"}).reveal() == "a"
    assert token_from_env({"GITHUB_TOKEN": " ", "GH_TOKEN": "b\n"}).reveal() == "b"


def test_no_token_is_a_matter_of_settings():
    with pytest.raises(ConfigError, match="GITHUB_TOKEN"):
        token_from_env({})
