import requests

BASE = "http://localhost:1"


def test_signup():
    payload = {"email": "ada@example.com", "name": "Ada"}
    res = requests.post(f"{BASE}/users", json=payload)
    assert res.status_code == 201
    assert res.json()["email"] == "ada@example.com"
    found = requests.get(f"{BASE}/users?email=ada@example.com")
    assert found.json()[0]["email"] == "ada@example.com"
    assert found.json()[0]["first"] == "ada@example.com"
    login = requests.post(f"{BASE}/login", json={"email": "ada@example.com"})
    assert login.status_code == 200
