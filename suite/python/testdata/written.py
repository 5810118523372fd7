import os
import json
import pytest
import requests
from urllib.parse import urljoin

BASE = os.environ.get("SHOP_URL", "http://localhost:8080")
HEADERS = {"Accept": "application/json"}


def url(path):
    return BASE + path


def login(email="ada@cafe.de", password="lovelace"):
    res = requests.post(url("/login"), json={"email": email, "password": password})
    assert res.status_code == 200
    return res.json()["token"]


@pytest.fixture
def token():
    return login()


@pytest.fixture
def session():
    s = requests.Session()
    yield s
    s.close()


class TestProducts:
    def test_list(self, session):
        r = session.get(f"{BASE}/products", params={"limit": 2}, headers=HEADERS)
        assert r.status_code == 200, "list must work"
        body = r.json()
        assert len(body["products"]) == 2
        first = body["products"][0]
        assert first["name"] == "Coffee"
        assert "price" in first
        assert r.headers["X-Request-Id"] == "abc"

    def test_one(self):
        res = requests.get(url("/products/1"))
        assert 200 == res.status_code
        data = json.loads(res.text)
        assert data == {"id": 1, "name": "Coffee",
                        "stock": 3}
        for x in data["tags"]:
            assert x == "hot"
        if data["id"]:
            assert data["id"] == 1


def test_order(token):
    res = requests.post(url("/orders"), json={"items": [{"product": 1}]}, headers={"Authorization": f"Bearer {token}"})
    assert res.status_code == 202
    order = res.json()
    got = requests.get(url(f"/orders/{order['id']}"), headers={"Authorization": "Bearer " + token})
    assert got.json()["id"] == order["id"]
    assert got.json()["createdAt"] == "2026-01-01T00:00:00Z"
    with pytest.raises(KeyError):
        order["nope"]
    assert requests.get(url("/health")).ok


@pytest.mark.parametrize("n,name", [(1, "a"), (2, "b")])
def test_many(n, name):
    r = requests.get(url(f"/products/{n}"))
    assert r.status_code == 200
    assert r.json()["name"] == name
