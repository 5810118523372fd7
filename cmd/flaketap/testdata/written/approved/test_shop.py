"""Tests of the shop with approved texts, as they were written on a Monday: all is compared with what was seen then."""

import json
import os

import pytest
import requests
from approvaltests import verify, verify_as_json

BASE = os.environ.get("FLAKETAP_URL", "http://localhost:8080").rstrip("/")


def ok(res, status=200):
    assert res.status_code == status
    return res.json()


def pretty(value):
    return json.dumps(value, indent=2, sort_keys=True)


@pytest.fixture
def token():
    return ok(
        requests.post(
            BASE + "/login", json={"email": "ada@cafe.de", "password": "lovelace"}
        )
    )["token"]


def test_health(snapshot):
    body = ok(requests.get(BASE + "/health"))
    snapshot.assert_match(json.dumps(body, indent=2), "health.json")


def test_uptime():
    body = ok(requests.get(BASE + "/health"))
    assert body["uptimeSeconds"] == 6.257447204


def test_product(snapshot):
    product = ok(requests.get(BASE + "/products/1"))
    snapshot.assert_match(pretty(product), "product.json")
    assert product["name"] == "Notes on the Analytical Engine"


def test_unknown_product(snapshot):
    res = requests.get(BASE + "/products/4711")
    snapshot.assert_match(pretty(ok(res, 404)), "unknown.json")


def test_author():
    author = ok(requests.get(BASE + "/authors/1"))
    verify_as_json(author)


def test_search():
    found = ok(requests.get(BASE + "/search?q=notes"))
    verify_as_json(found)


def test_order(token):
    res = requests.post(
        BASE + "/orders",
        headers={"Authorization": "Bearer " + token},
        json={"items": [{"product": 1, "quantity": 1}]},
    )
    order = ok(res, 202)
    verify_as_json(order)


def test_author_text():
    res = requests.get(BASE + "/authors/1")
    verify(res.text)
