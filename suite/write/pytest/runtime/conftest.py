"""Where the API is, how it is reset, and what the tests share."""

import os
import subprocess
import urllib.request

import flaketap_recorded as recorded
import pytest
from flaketap_checks import Bound
from flaketap_client import Api

pytest_plugins = ["flaketap_setups"]
pytest.register_assert_rewrite("flaketap_common")


def reset(how):
    """Reset the API: POST to a URL, or run a shell command."""
    if how.startswith(("http://", "https://")):
        with urllib.request.urlopen(urllib.request.Request(how, data=b"", method="POST"), timeout=60):
            return
    subprocess.run(how, shell=True, check=True, timeout=60)


@pytest.fixture(scope="session")
def api():
    """The API under test: FLAKETAP_URL, or the recorded one; FLAKETAP_RESET resets it before the first test."""
    if os.environ.get("FLAKETAP_RESET"):
        reset(os.environ["FLAKETAP_RESET"])
    client = Api(os.environ.get("FLAKETAP_URL") or recorded.TARGET, recorded.HEADERS)
    yield client
    client.close()


@pytest.fixture(scope="session")
def shared():
    """What tests share: the values that logins gave."""
    return Bound(recorded.BOUND)


@pytest.fixture
def bound(shared):
    """Ids, tokens and other values of one test that an answer gave and later requests use."""
    return Bound(recorded.BOUND, shared)
