import requests

BASE = "http://localhost:1"
EMAIL = "ada@example.com"


def test_signup():
    res = requests.post(f"{BASE}/users", json={"email": EMAIL, "name": "Ada"})
    assert res.status_code == 201
    found = requests.get(f"{BASE}/users?email={EMAIL}")
    assert found.json()[0]["first"] == EMAIL


def test_find():
    found = requests.get(f"{BASE}/users?email=ada@example.com")
    assert found.status_code == 200
