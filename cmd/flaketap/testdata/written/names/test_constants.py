"""Members of a club, named by constants and a fixture."""

import os

import pytest
import requests

BASE = os.environ.get("FLAKETAP_URL", "http://localhost:8080").rstrip("/")

# who joins first
EMAIL = "ada@example.com"
GRACE = {"email": "grace@example.com", "name": "Grace", "role": "guest"}


@pytest.fixture
def member():
    return {"email": "alan@example.com", "name": "Alan", "role": "guest"}


def test_join():
    res = requests.post(
        f"{BASE}/members", json={"email": EMAIL, "name": "Ada", "role": "guest"}
    )
    assert res.status_code == 201
    assert res.json()["email"] == EMAIL


def test_find():
    found = requests.get(f"{BASE}/members?email={EMAIL}")
    assert [m["email"] for m in found.json()] == [EMAIL]


def test_again(member):
    first = requests.post(f"{BASE}/members", json=member)
    assert first.status_code == 201
    second = requests.post(f"{BASE}/members", json=member)
    assert second.status_code == 409
    assert second.json()["error"] == f"{member['email']} is taken"


def test_leave():
    res = requests.post(f"{BASE}/members", json=GRACE)
    assert res.status_code == 201
    assert res.json()["email"] == GRACE["email"]
    gone = requests.delete(f"{BASE}/members/{res.json()['id']}")
    assert gone.status_code == 204
