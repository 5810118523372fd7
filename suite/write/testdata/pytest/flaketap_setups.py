"""What tests share, sent once for all of them."""

import pytest
from flaketap_client import in_json, secret


@pytest.fixture(scope="session")
def post_login(api, shared):
    """POST /login: sent once, for all tests."""
    bound = shared
    res = api.send(
        "POST",
        "/login",
        headers=[("Content-Type", "application/json")],
        body='{"password":"' + in_json(secret("ANN_PASSWORD")) + '"}',
    )
    bound.take("token", res, "/body/token")
    assert res.status == 200
