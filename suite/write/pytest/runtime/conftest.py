"""Where the API is, how it is reset, and what the tests share."""

import os

import flaketap_recorded as recorded
import pytest
from flaketap_checks import Bound
from flaketap_client import Api, reset

pytest_plugins = ["flaketap_setups", "flaketap_mocks"]
pytest.register_assert_rewrite("flaketap_common")

# What the API refused, and how often, for the end of the report.
REFUSALS = {}


def pytest_terminal_summary(terminalreporter):
    """Say once, where tests failed, which credential the API refused."""
    if terminalreporter.stats.get("failed") or terminalreporter.stats.get("error"):
        for why, answers in REFUSALS.items():
            terminalreporter.write_line(f"{why} (answers: {answers})", red=True)


@pytest.fixture(scope="session")
def api():
    """The API under test: FLAKETAP_URL, or the recorded one; FLAKETAP_RESET resets it before the first test."""
    if os.environ.get("FLAKETAP_RESET"):
        reset(os.environ["FLAKETAP_RESET"])
    client = Api(os.environ.get("FLAKETAP_URL") or recorded.TARGET, recorded.headers())
    yield client
    client.close()
    REFUSALS.update(client.refusals)


@pytest.fixture(scope="session")
def shared():
    """What tests share: the values that set-ups gave which are sent once."""
    return Bound(recorded.BOUND)


@pytest.fixture
def bound(shared):
    """Ids, tokens and other values of one test that an answer gave and later requests use."""
    return Bound(recorded.BOUND, shared)
