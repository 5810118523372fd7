"""Tests that lean on each other: each reads what one before it has made."""

import os
import unittest

import httpx
import pytest
import requests

BASE = os.environ.get("FLAKETAP_URL", "http://localhost:8080")
TIMEOUT = 10


def url(path):
    return BASE + path


def get(path, **kwargs):
    return requests.get(url(path), timeout=TIMEOUT, **kwargs)


@pytest.fixture
def client():
    with httpx.Client(base_url=BASE, timeout=TIMEOUT) as c:
        yield c


created = {}


class TestProducts:
    def test_create(self):
        """A product gets the next number."""
        res = requests.post(f"{BASE}/products", json={"name": "Pen", "tag": "book", "priceCents": 120}, timeout=TIMEOUT)
        assert res.status_code == 201
        assert res.json()["name"] == "Pen"

    def test_read(self):
        """What was made is there."""

        # by its number
        res = requests.get(f"{BASE}/products/8", timeout=TIMEOUT)
        assert res.status_code == 200
        product = res.json()
        assert product["id"] == 8
        assert product["name"] == "Pen"
        assert product["priceCents"] == 120

    def test_read_by_helper(self):
        res = get("/products/8")
        assert res.status_code == 200
        assert res.json()["tag"] == "book"

    def test_review(self):
        path = "/products/8/reviews"
        res = requests.post(BASE + path, json={"author": "Ada", "stars": 5, "text": "Writes well."}, timeout=TIMEOUT)
        assert res.status_code == 201

    def test_reviewed(self):
        res = requests.get(BASE + "/products/8/reviews", timeout=TIMEOUT)
        assert res.status_code == 200
        assert res.json()["averageStars"] == 5

    def test_share(self):
        res = requests.post(url("/products"), json={"name": "Ink", "tag": "print", "priceCents": 5}, timeout=TIMEOUT)
        created["id"] = res.json()["id"]
        assert res.status_code == 201

    def test_shared(self):
        res = get(f"/products/{created.get('id', 0)}")
        assert res.status_code == 200


@pytest.mark.parametrize("number", [8])
def test_several(number):
    res = requests.put(f"{BASE}/products/8", json={"name": "Pen", "tag": "book", "priceCents": 120}, timeout=TIMEOUT)
    assert res.status_code == 200


def test_price(client):
    res = client.get("/products/8")
    assert res.status_code == 200
    assert res.json()["priceCents"] == 120


class GuestbookTest(unittest.TestCase):
    def setUp(self):
        self.session = requests.Session()
        self.addCleanup(self.session.close)

    def test_a_sign(self):
        res = self.session.post(url("/guestbook"), json={"author": "Ada", "text": "Lovely."})
        self.assertEqual(res.status_code, 201)

    def test_b_name(self):
        res = self.session.get(url("/products/8"))
        self.assertEqual(res.status_code, 200)
        self.assertEqual(res.json()["name"], "Pen")

    def test_c_delete(self):
        """The last one tidies up."""
        res = self.session.delete(url("/products/8"))
        self.assertEqual(res.status_code, 204)
