import pytest
import requests

BASE = "http://localhost:1"


@pytest.fixture
def user():
    return {"email": "ada@example.com", "name": "Ada"}


def test_signup(user):
    res = requests.post(f"{BASE}/users", json=user)
    assert res.status_code == 201
    assert res.json()["email"] == user["email"]
    found = requests.get(f"{BASE}/users?email={user['email']}")
    assert found.json()[0]["email"] == "ada@example.com"


def test_names(user):
    assert user["name"] == "Ada"
