from datetime import date

import pytest

from api_helpers import assert_error, assert_json_equal, call, create_invoice, get_json


def test_new_invoice():
    invoice = create_invoice("acme", 250)
    assert invoice["customer"] == "acme"
    assert invoice["amount"] == 250
    assert invoice["currency"] == "EUR"
    assert invoice["number"] == "2026-0001"
    assert invoice["issued"] == date.today().isoformat()
    assert invoice["status"] != "paid"


def test_get_invoice():
    invoice = create_invoice()
    got = get_json(f"/invoices/{invoice['id']}")
    assert got == invoice
    assert got["lines"] == []
    assert got["_links"]["self"]["href"].endswith(f"/invoices/{invoice['id']}")


def test_pay():
    invoice = create_invoice(amount=80)
    response = call("POST", f"/invoices/{invoice['id']}/payments", json={"amount": 80})
    assert response.status_code == 200
    payment = response.json()
    assert_json_equal(payment, {"amount": 80, "method": "card", "invoice": invoice["id"]})
    assert payment["transaction"]
    assert get_json(f"/invoices/{invoice['id']}")["status"] == "paid"
    assert get_json(f"/invoices/{invoice['id']}")["open"] == 0


def test_pay_too_much():
    invoice = create_invoice(amount=10)
    response = call("POST", f"/invoices/{invoice['id']}/payments", json={"amount": 11})
    error = assert_error(response, 422, "OVERPAID")
    assert error["details"]["open"] == 10
    assert error["details"]["offered"] == 11


def test_missing():
    assert_error(call("GET", "/invoices/0"), 404, "NOT_FOUND")
    assert_error(call("DELETE", "/invoices/0"), 404, "NOT_FOUND")


@pytest.mark.parametrize("status", ["open", "paid"])
def test_filter(status):
    page = get_json("/invoices", status=status)
    assert page["total"] == len(page["items"])
    assert {item["status"] for item in page["items"]} == {status}
    for item in page["items"]:
        assert item["customer"] in ("acme", "globex")


def test_totals():
    report = get_json("/reports/totals", year=2026)
    assert report["year"] == 2026
    assert report["sum"] == 1230.5
    assert abs(report["average"] - 102.54) < 0.01
    assert report["byMonth"] == {"01": 400, "02": 830.5}
    assert list(report["byMonth"].values())[0] == 400
    assert max(report["byMonth"].values()) == 830.5
    assert report["generatedAt"][:4] == "2026"
    first, *rest = report["customers"]
    assert first["name"] == "acme"
    assert len(rest) == 1
