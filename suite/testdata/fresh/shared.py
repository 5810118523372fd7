import requests

BASE = "http://localhost:1"

# who signs up
USER = {"email": "ada@example.com", "name": "Ada"}


def find(email):
    return requests.get(f"{BASE}/users?email={email}")


class TestUsers:
    def test_signup(self):
        res = requests.post(f"{BASE}/users", json=USER)
        assert res.status_code == 201
        assert res.json() == USER
        found = find(USER["email"])
        assert found.json()[0]["email"] == USER["email"]
