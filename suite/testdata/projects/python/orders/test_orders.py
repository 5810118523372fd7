"""End-to-end tests of the order resource."""
import re

import pytest

ISO_DATE = re.compile(r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}")


def test_create_order_returns_the_order(api):
    response = api.post("/orders", json={"customer": "bob", "lines": [{"sku": "tea", "quantity": 3}]})
    assert response.status_code == 201
    assert response.headers["Content-Type"] == "application/json"
    body = response.json()
    assert body["customer"] == "bob"
    assert body["status"] == "new"
    assert len(body["lines"]) == 1
    assert body["lines"][0]["sku"] == "tea"
    assert body["lines"][0] == {"sku": "tea", "quantity": 3, "price": 450}
    assert body["total"] == 1350
    assert ISO_DATE.match(body["createdAt"])
    assert "id" in body


def test_order_of_fixture(order):
    assert order["customer"] == "alice"
    assert [line["sku"] for line in order["lines"]] == ["tea", "cup"]
    assert order["id"] > 0
    assert order["paid"] is False
    assert order["invoice"] is None


def test_read_back(api, order):
    r = api.get(f"/orders/{order['id']}")
    assert r.ok
    assert r.json() == order
    assert r.json()["id"] == order["id"]


def test_list_contains_new_order(api, order):
    orders = api.get("/orders", params={"customer": "alice"}).json()["items"]
    ids = [o["id"] for o in orders]
    assert order["id"] in ids
    assert len(orders) >= 1
    assert all(o["customer"] == "alice" for o in orders)
    assert orders[-1]["total"] == 1100, "the newest comes last"


def test_unknown_order(api):
    r = api.get("/orders/999999")
    assert r.status_code == 404
    assert r.json() == {"error": "order not found", "code": "E404"}


@pytest.mark.parametrize("quantity", [0, -1, 1001])
def test_quantity_out_of_range(api, quantity):
    r = api.post("/orders", json={"customer": "bob", "lines": [{"sku": "tea", "quantity": quantity}]})
    assert r.status_code == 422
    assert r.json()["errors"][0]["field"] == "lines.0.quantity"
    assert "quantity" in r.json()["errors"][0]["message"]


def test_cancel(api, order):
    cancelled = api.post(f"/orders/{order['id']}/cancel")
    assert cancelled.status_code in (200, 202)
    assert cancelled.json()["status"] == "cancelled"
    again = api.post(f"/orders/{order['id']}/cancel")
    assert again.status_code == 409
    assert again.text == "already cancelled"
