
=== function
import requests


def test_0():
    """Reads."""
    # the fourth
    res = requests.get("http://localhost:1/items/4", timeout=5)
    assert res.status_code == 200
    assert res.json()["at"] == "x"
---
import requests


def test_0(request):
    """Reads."""
    # flaketap: /items/4 was made by POST /items; by the recording's data flow, not tried; State
    setup_0 = requests.post("http://localhost:1/items", json={"a": "b"}, timeout=5)
    # flaketap: the set-up has to succeed
    assert setup_0.status_code == 201
    setup_itemId = str(setup_0.json()["id"])
    request.addfinalizer(
        lambda: requests.delete(f"http://localhost:1/items/{setup_itemId}", timeout=5)
    )

    # the fourth
    res = requests.get(f"http://localhost:1/items/{setup_itemId}", timeout=5)
    assert res.status_code == 200
    # flaketap: /body/at: "x" as written; failed in 1 of 2, seen "y"; Unk
    assert isinstance(res.json()["at"], str)

=== case
import os
import unittest
import requests

URL = os.environ["URL"]


class ItemTest(unittest.TestCase):
    def get(self, path):
        return requests.get(f"{URL}{path}")

    def test_0(self):
        self.assertEqual(self.get("/items/4").status_code, 200)
---
import os
import unittest
import requests

URL = os.environ["URL"]


class ItemTest(unittest.TestCase):
    def get(self, path):
        return requests.get(f"{URL}{path}")

    def test_0(self):
        # flaketap: /items/4 was made by POST /items; by the recording's data flow, not tried; State
        setup_0 = requests.post(f"{URL}/items", json={"a": "b"})
        # flaketap: the set-up has to succeed
        self.assertEqual(setup_0.status_code, 201)
        setup_itemId = str(setup_0.json()["id"])
        self.addCleanup(requests.delete, f"{URL}/items/{setup_itemId}")

        self.assertEqual(self.get(f"/items/{setup_itemId}").status_code, 200)

=== async
import httpx
import pytest


@pytest.mark.asyncio
async def test_0(client: httpx.AsyncClient):
    res = await client.get("/items/4")
    assert res.status_code == 200
---
refused: the suite has no place or no words for what it takes

=== local
import httpx


def test_0():
    with httpx.Client(base_url="http://localhost:1") as client:
        assert client.get("/items/4").status_code == 200
---
refused: with which client, and to which base URL, the test sends its requests is not known at its head

=== auth
import requests


def test_0():
    res = requests.get("http://localhost:1/items/4", auth=("ada", "secret"))
    assert res.status_code == 200
---
refused: with which client, and to which base URL, the test sends its requests is not known at its head

=== shared
import requests

state = {}


def test_make():
    state["id"] = requests.post("http://localhost:1/items", json={"a": "b"}).json()["id"]


def test_0():
    res = requests.get("http://localhost:1/items/4")
    assert res.json()["id"] == state["id"]
---
refused: it shares the variable state with other tests

=== several
import pytest
import requests


@pytest.mark.parametrize("n", [1, 2])
def test_0(n):
    res = requests.get("http://localhost:1/items/4")
    assert res.status_code == 200
---
refused: the test runs with several values

=== handed on
import requests

state = {}


def test_read():
    assert requests.get("http://localhost:1/" + state["id"]).status_code == 200


def test_0():
    res = requests.get("http://localhost:1/items/4")
    assert res.status_code == 200
    state["id"] = res.json()["id"]
---
refused: it shares the variable state with other tests
