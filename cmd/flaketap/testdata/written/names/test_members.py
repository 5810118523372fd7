import os

import requests

BASE = os.environ["FLAKETAP_URL"]


def join(email, name):
    return requests.post(f"{BASE}/members", json={"email": email, "name": name, "role": "guest"})


def test_joins():
    res = join("ada@example.com", "Ada")
    assert res.status_code == 201
    assert res.json()["email"] == "ada@example.com"
    assert res.json()["name"] == "Ada"
    found = requests.get(f"{BASE}/members?email=ada@example.com")
    assert found.status_code == 200
    assert found.json()[0]["email"] == "ada@example.com"


def test_twice():
    member = {"email": "grace@example.com", "name": "Grace", "role": "guest"}
    first = requests.post(f"{BASE}/members", json=member)
    assert first.status_code == 201
    second = requests.post(f"{BASE}/members", json=member)
    assert second.status_code == 409
    assert second.json()["error"] == "grace@example.com is taken"


def test_leaves():
    res = join("alan@example.com", "Alan")
    assert res.status_code == 201
    gone = requests.delete(f"{BASE}/members/{res.json()['id']}")
    assert gone.status_code == 204


def test_role():
    res = requests.post(f"{BASE}/members", json={"email": "e@x.org", "name": "Eve", "role": "king"})
    assert res.status_code == 400
