"""Tests of the shop as somebody wrote them on a Monday: every value is asserted as it was seen then."""

import json
import os

import pytest
import requests

BASE = os.environ.get("FLAKETAP_URL", "http://localhost:8080")
TIMEOUT = 10


def url(path):
    return BASE.rstrip("/") + path


def get(path, **kwargs):
    return requests.get(url(path), timeout=TIMEOUT, **kwargs)


def login(email="ada@cafe.de", password="lovelace"):
    res = requests.post(url("/login"), json={"email": email, "password": password}, timeout=TIMEOUT)
    assert res.status_code == 200
    return res.json()["token"]


@pytest.fixture
def auth():
    return {"Authorization": f"Bearer {login()}"}


@pytest.fixture
def session():
    with requests.Session() as s:
        yield s


class TestHealth:
    def test_health(self):
        res = get("/health")
        assert res.status_code == 200, "the shop is down"
        body = res.json()
        assert body["status"] == "ok"
        assert body["version"] == "1.4.2"
        assert body["uptimeSeconds"] == 0.993802948
        assert body["checks"] == [{"name": "store", "state": "up"}, {"name": "clock", "state": "up"}]
        clock = body["clock"]
        assert clock["today"] == "2026-11-23"
        assert clock["epochText"] == "1795441753"

    def test_date_of_answer(self):
        res = get("/health")
        assert res.headers["Content-Type"] == "application/json"
        assert res.headers["Date"] == "Mon, 23 Nov 2026 13:49:13 GMT"

    def test_uptime(self):
        text = get("/health/uptime").text
        assert text.startswith("up")


class TestCatalogue:
    def test_first_page(self, session):
        res = session.get(url("/products"), params={"limit": 2}, timeout=TIMEOUT)
        assert 200 == res.status_code
        page = res.json()
        assert len(page["items"]) == 2
        assert page["total"] == 7
        first, second = page["items"][0], page["items"][1]
        assert first["name"] == "Notes on the Analytical Engine"
        assert second["priceCents"] == 2450
        assert page["tags"] == ["book", "game", "print", "record"]

    def test_product(self):
        res = get("/products/1")
        assert res.status_code == 200
        product = json.loads(res.text)
        assert product["uuid"] == "3d6f0a5e-4f0c-4a53-9d2c-51f1c2f0a101"
        assert product["currency"] == "EUR"
        assert product["viewsSinceReset"] == 1
        assert product["stockCheckedAt"] == "2026-11-23T13:49:13Z"
        assert product["links"] == {"self": f"{BASE}/products/1"}
        assert res.headers["ETag"] == '"p1-r1"'

    def test_unknown_product(self):
        res = get("/products/4711")
        assert res.status_code == 404
        assert res.json() == {"error": {"code": "not_found", "message": "There is no such resource."}}

    def test_author(self):
        author = get("/authors/1").json()
        assert author["name"] == "Ada Lovelace"
        assert author["birthDate"] == "1815-12-10"
        assert author["deathDate"] is not None
        assert "iban" in author

    def test_search(self):
        found = get("/search", params={"q": "notes"}).json()
        assert found["query"] == "notes"
        assert found["facets"] == ["tag", "released", "author", "currency", "price"]
        assert found["tookNanoseconds"] == 40791


class TestOdd:
    def test_maybe(self):
        maybe = get("/odd/maybe").json()
        assert maybe["name"] == "Maybe"
        assert maybe["discount"] is None
        assert maybe["delivery"] == 3
        assert "coupon" not in maybe

    def test_crash(self):
        res = get("/debug/crash")
        assert res.status_code == 500
        error = res.json()["error"]
        assert error["code"] == "crash"
        assert error["message"] == "cannot render com.example.catalogue.Product@f5954acb"
        assert error["thread"] == "http-nio-8080-exec-123"

    def test_estimate(self):
        res = get("/prices/estimate")
        assert res.status_code in (200, 400, 422)

    @pytest.mark.parametrize("path,kind", [("/static/json", "application/json"), ("/static/xml", "application/xml")])
    def test_static(self, path, kind):
        res = get(path)
        assert res.status_code == 200
        assert res.headers["Content-Type"].startswith(kind)


def test_login():
    res = requests.post(url("/login"), json={"email": "ada@cafe.de", "password": "lovelace"}, timeout=TIMEOUT)
    assert res.status_code == 200
    account = res.json()
    assert account["email"] == "ada@cafe.de"
    assert account["tokenType"] == "Bearer"
    assert account["issuedAt"] == 1795441753
    assert account["loginCount"] == 18
    assert account["expiresIn"] == 3600


def test_wrong_password():
    res = requests.post(url("/login"), json={"email": "ada@cafe.de", "password": "byron"}, timeout=TIMEOUT)
    assert res.status_code == 401


def test_order(auth):
    items = [{"product": 1, "quantity": 1}, {"product": 3, "quantity": 2}]
    res = requests.post(url("/orders"), json={"items": items, "note": "Ring twice."}, headers=auth, timeout=TIMEOUT)
    assert res.status_code == 202
    order = res.json()
    assert order["number"] == "A-1001"
    assert order["state"] == "pending"
    assert order["totalCents"] == 9790
    assert order["id"] == "1f21fe5a-5fba-412f-95ec-12b5745db3f8"
    read = get(f"/orders/{order['id']}", headers=auth)
    assert read.status_code == 200
    again = read.json()
    assert again["id"] == order["id"]
    assert again["createdAt"] == order["createdAt"]
    assert again["items"] == items
    assert again["state"] == "pending"


def test_orders_of_nobody():
    res = get("/orders")
    assert res.status_code == 401
    assert res.json()["error"]["code"] == "unauthorized"


def test_guestbook():
    book = get("/guestbook").json()
    assert book["count"] == 3
    assert [entry["author"] for entry in book["entries"]] == ["Grace", "Linus", "Edsger"]
    res = requests.post(url("/guestbook"), json={"author": "Ada", "text": "Hello."}, timeout=TIMEOUT)
    assert res.status_code == 201
    entry = res.json()
    assert entry["text"] == "Hello."
    assert entry["postedAt"] == "2026-11-23T13:49:13.619262936Z"
    assert get("/guestbook").json()["count"] == 4


def test_journal():
    journal = get("/journal")
    assert journal.status_code == 200
    for line in journal.text.splitlines():
        assert line
