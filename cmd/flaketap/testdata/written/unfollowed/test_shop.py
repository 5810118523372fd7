"""Tests of the shop whose assertions stand where nothing follows them: under conditions, in loops, in helpers."""
import os

import requests

import helper

BASE = os.environ.get("FLAKETAP_URL", "http://localhost:8080")


def get(path):
    return requests.get(BASE + path, timeout=10)


def check_price(body, strict):
    if strict:
        assert body["currency"] == "EUR"
        assert body["jitter"] == 1313


def test_estimate():
    res = get("/prices/estimate?product=1")
    assert res.status_code == 200
    assert res.json()["total"] == 1813
    check_price(res.json(), len(res.text) > 3)


def test_estimate_of_another():
    res = get("/prices/estimate?product=6")
    assert res.status_code == 200
    check_price(res.json(), len(res.text) > 3)


def test_product():
    want = {"currency": "EUR", "stockCheckedAt": "2026-01-01T00:00:00Z", "tag": "book"}
    body = get("/products/1").json()
    for key in sorted(set(want)):
        assert body[key] == want[key]


def test_health():
    body = get("/health").json()
    if "version" in body:
        assert body["version"] == "1.4.2"
        assert body["clock"]["epochSeconds"] == 1767225600
    helper.check_quote(get("/prices/estimate?product=2").json())


def test_stable():
    """What never fails is not listed, followed or not."""
    body = get("/products/2").json()
    for key in sorted(body):
        if key == "tag":
            assert body[key] == "book"
