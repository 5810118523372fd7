"""Helpers of the billing tests."""
import os

import requests

BASE_URL = os.environ.get("BILLING_URL", "http://localhost:7070/api/v1")


def call(method, path, **kwargs):
    return requests.request(method, BASE_URL + path, timeout=30, **kwargs)


def get_json(path, **params):
    response = call("GET", path, params=params)
    assert response.status_code == 200, f"GET {path}: {response.status_code}"
    return response.json()


def create_invoice(customer="acme", amount=100):
    response = call("POST", "/invoices", json={"customer": customer, "amount": amount})
    assert response.status_code == 201
    return response.json()


def assert_error(response, status, code):
    __tracebackhide__ = True
    assert response.status_code == status
    error = response.json()["error"]
    assert error["code"] == code
    return error


def assert_json_equal(actual, expected, ignore=()):
    for key, value in expected.items():
        if key not in ignore:
            assert actual[key] == value, key
