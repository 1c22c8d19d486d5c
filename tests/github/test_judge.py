from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncer.errors import (
    ContractError,
    CursorRefusedError,
    RefusedError,
    SyncError,
    ThrottledError,
    TooHeavyError,
    TransientError,
    UndefinedFieldError,
)
from syncer.github.exchange import Exchange
from syncer.github.judge import EndedTokenError, judge
from syncer.github.surrogates import opened
from syncer.github.wire import Envelope
from tests.github.support import SECRET, answer, refusal

SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes."
WRONG = "Something went wrong while executing your query. This may be the result of a timeout."


def judged(exchange: Exchange) -> Envelope | SyncError:
    return judge(exchange, opened(exchange.body)[0])


def failure(exchange: Exchange) -> SyncError:
    found = judged(exchange)
    assert isinstance(found, SyncError)
    return found


def error(message: str = "", **fields: object) -> dict[str, object]:
    return {"message": message} | fields


HTML = b"<!DOCTYPE html><html>Unicorn!</html>"


# -- the wire and the status


@pytest.mark.parametrize(
    ("body", "form"),
    [
        (HTML, "an HTML page"),
        (b"", "an empty body"),
        (b'{"data": {"a', "a JSON text, cut or odd,"),
        (b"[]", "a JSON text, cut or odd,"),
        (b"Bad Gateway", "a plain text"),
        (b'"text"', "a plain text"),
    ],
)
def test_a_body_that_is_no_answer_may_pass_and_its_form_is_named(body, form):
    found = failure(answer(body=body))

    assert type(found) is TransientError
    assert form in str(found)
    assert "200" in str(found)


@pytest.mark.parametrize("status", [502, 504, 413])
@pytest.mark.parametrize("body", [HTML, b""])
def test_a_gateway_that_gave_up_was_asked_for_too_much(status, body):
    found = failure(answer(status=status, body=body))

    assert type(found) is TooHeavyError
    assert str(status) in str(found)


@pytest.mark.parametrize("status", [500, 503, 520, 599, 202, 204, 408])
def test_other_broken_servers_may_recover(status):
    assert type(failure(answer(status=status, body=HTML))) is TransientError


@pytest.mark.parametrize("status", [301, 302, 307, 308, 404, 410, 451])
def test_an_address_that_answers_no_graphql_is_refused_with_the_variable_to_check(status):
    found = failure(answer(status=status, body=HTML))

    assert type(found) is RefusedError
    assert "GITHUB_GRAPHQL_URL" in str(found)


@pytest.mark.parametrize("status", [400, 415, 422])
def test_a_request_that_github_cannot_read_is_our_own_fault(status):
    assert type(failure(refusal(status, "Problems parsing JSON"))) is ContractError


# -- refusals: each says what to do


def test_bad_credentials_name_the_token_that_was_sent():
    found = failure(answer(status=401, body=b'{"message": "Bad credentials"}', serial=3))

    assert isinstance(found, EndedTokenError)
    assert found.serial == 3
    assert "GITHUB_TOKEN" in str(found)


REFUSED = {
    "credentials": refusal(401, "Bad credentials"),
    "single sign-on": refusal(
        403, "Resource protected by organization SAML enforcement.", x_github_sso="required; url=x"
    ),
    "permission": refusal(403, "Resource not accessible by personal access token"),
    "not found": answer({"repository": None}, error("Could not resolve", type="NOT_FOUND")),
}


@pytest.mark.parametrize("exchange", REFUSED.values(), ids=REFUSED)
def test_a_refusal_is_never_tried_again(exchange):
    assert isinstance(failure(exchange), RefusedError)


def test_every_refusal_has_words_of_its_own():
    assert len({str(failure(exchange)) for exchange in REFUSED.values()}) == len(REFUSED)


@pytest.mark.parametrize(
    "exchange",
    [
        answer(
            None, error("Resource protected by organization SAML enforcement", type="FORBIDDEN")
        ),
        answer(None, error("no", type="FORBIDDEN"), headers={"x-github-sso": "required"}),
        answer(None, error("no", type="FORBIDDEN", extensions={"saml_failure": True})),
        refusal(403, "protected by SAML"),
    ],
    ids=["words", "header", "mark", "status"],
)
def test_single_sign_on_is_told_from_a_missing_permission(exchange):
    assert "single sign-on" in str(failure(exchange))


# -- limits


@pytest.mark.parametrize(
    ("exchange", "primary"),
    [
        (refusal(403, SECONDARY, x_ratelimit_remaining="4300"), False),
        (refusal(429, SECONDARY, x_ratelimit_remaining="4300"), False),
        (refusal(403, "You have triggered an abuse detection mechanism"), False),
        (refusal(403, "", retry_after="60"), False),
        (refusal(429), False),
        (refusal(503, "", retry_after="5"), False),
        (answer(status=403, body=b"<html>secondary rate limit</html>"), False),
        (answer(None, error(SECONDARY)), False),
        (answer(None, error(SECONDARY, type="RATE_LIMITED")), False),
        (refusal(403, "API rate limit exceeded for user ID 1."), True),
        (refusal(403, "", x_ratelimit_remaining="0"), True),
        (refusal(429, "", x_ratelimit_remaining="0"), True),
        (answer(None, error("x", type="RATE_LIMITED")), True),
        (answer(None, error("x", type="RATE_LIMIT")), True),
        (answer(None, error("x", code="graphql_rate_limit")), True),
        (answer(None, error("x", extensions={"code": "RATE_LIMITED"})), True),
        (answer(None, error("API rate limit already exceeded for user ID 1.")), True),
        (answer({"a0": []}, error("x", type="RATE_LIMITED", path=["a0", 0])), True),
    ],
    ids=str,
)
def test_a_limit_is_told_from_a_refusal_wherever_it_stands(exchange, primary):
    found = failure(exchange)

    assert isinstance(found, ThrottledError)
    assert found.primary is primary


def test_a_limit_outweighs_every_other_error_of_the_answer():
    exchange = answer(None, error(type="FORBIDDEN"), error(WRONG), error(type="RATE_LIMITED"))

    assert isinstance(failure(exchange), ThrottledError)


# -- errors inside an answer


@pytest.mark.parametrize(
    "found",
    [
        error(type="RESOURCE_LIMITS_EXCEEDED"),
        error(type="MAX_NODE_LIMIT_EXCEEDED"),
        error(extensions={"code": "MAX_NODE_LIMIT_EXCEEDED"}),
        error(WRONG),
        error("timedout"),
        error("Timeout on validation of query"),
    ],
    ids=str,
)
def test_a_size_that_github_cannot_answer_is_too_heavy(found):
    assert type(failure(answer(None, found))) is TooHeavyError


@pytest.mark.parametrize(
    "found",
    [
        error("`Y3Vyc29yOnYyOpHOEKo5gw==` does not appear to be a valid cursor."),
        error(type="INVALID_CURSOR_ARGUMENTS"),
    ],
    ids=str,
)
def test_a_refused_cursor_is_named_as_one(found):
    assert type(failure(answer(None, found))) is CursorRefusedError


LACKING = {
    "by code": error(
        extensions={
            "code": "undefinedField",
            "typeName": "PullRequestReviewThread",
            "fieldName": "subjectType",
        },
        path=["query Batch", "a0", "subjectType"],
    ),
    "by words": error("Field 'subjectType' doesn't exist on type 'PullRequestReviewThread'"),
}


@pytest.mark.parametrize("found", LACKING.values(), ids=LACKING)
def test_a_field_that_an_older_server_lacks_is_named(found):
    exchange = answer(body=json.dumps({"errors": [error("unused"), found]}).encode())

    lack = failure(exchange)

    assert isinstance(lack, UndefinedFieldError)
    assert (lack.type_name, lack.field_name) == ("PullRequestReviewThread", "subjectType")


def test_a_needed_field_stops_with_its_name_and_the_servers_version():
    found = error("Field 'isResolved' doesn't exist on type 'PullRequestReviewThread'")
    headers = {"x-github-enterprise-version": "enterprise-server@3.4.1"}

    ours = failure(answer(None, found, LACKING["by code"], headers=headers))

    assert type(ours) is ContractError
    assert "PullRequestReviewThread.isResolved" in str(ours)
    assert "enterprise-server@3.4.1" in str(ours)


def test_a_document_that_does_not_validate_is_our_own_fault():
    found = error("x", extensions={"code": "argumentNotAccepted"})

    assert type(failure(answer(None, found))) is ContractError


@pytest.mark.parametrize("found", [error(), error("Loading"), error(type="INTERNAL"), {}], ids=str)
def test_an_error_that_explains_nothing_may_pass(found):
    assert type(failure(answer(None, found))) is TransientError


@pytest.mark.parametrize("data", [None, {}], ids=["null", "empty"])
def test_an_answer_without_data_and_without_an_error_may_pass(data):
    assert type(failure(answer(data))) is TransientError


def test_an_error_with_a_path_leaves_the_rest_standing():
    exchange = answer({"a0": [None]}, error(type="FORBIDDEN", path=["a0", 0]))

    assert isinstance(judged(exchange), Envelope)


def test_an_error_with_a_path_spoils_an_answer_without_data():
    exchange = answer(None, error(type="FORBIDDEN", path=["a0", 0]))

    assert isinstance(failure(exchange), RefusedError)


def test_an_answer_without_errors_stands():
    assert isinstance(judged(answer({"a0": []})), Envelope)


# -- laws

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
errors = st.dictionaries(
    st.sampled_from(["message", "type", "path", "extensions", "code", "locations"]), json_values
)
bodies = st.binary(max_size=60) | st.builds(
    lambda data, errors: json.dumps({"data": data, "errors": errors}).encode(),
    json_values,
    json_values | st.lists(errors, max_size=3),
)


@given(st.integers(100, 599), bodies)
def test_whatever_comes_is_judged_without_quoting_it(status, body):
    exchange = answer(status=status, body=body.replace(b"}", SECRET.encode() + b"}"))

    found = judged(exchange)

    assert isinstance(found, Envelope | SyncError)
    assert not isinstance(found, SyncError) or SECRET not in str(found)


@pytest.mark.parametrize("status", [200, 400, 401, 403, 404, 429, 500, 502])
def test_no_message_quotes_what_the_server_said(status):
    said = json.dumps(
        {"message": SECRET, "errors": [error(SECRET, type=f"{SECRET}!", code=f" {SECRET}")]}
    )

    assert SECRET not in str(failure(answer(status=status, body=said.encode())))
