import os

import pytest
import requests


class ApiClient:
    """A thin client of the order service."""

    def __init__(self, base_url, token=None):
        self.base_url = base_url.rstrip("/")
        self.session = requests.Session()
        if token:
            self.session.headers["Authorization"] = f"Bearer {token}"

    def get(self, path, **kwargs):
        return self.session.get(self.base_url + path, timeout=10, **kwargs)

    def post(self, path, json=None, **kwargs):
        return self.session.post(self.base_url + path, json=json, timeout=10, **kwargs)

    def delete(self, path):
        return self.session.delete(self.base_url + path, timeout=10)

    def create_order(self, customer, *lines):
        response = self.post("/orders", json={"customer": customer, "lines": list(lines)})
        response.raise_for_status()
        return response.json()


@pytest.fixture(scope="session")
def base_url():
    return os.environ.get("ORDERS_URL", "http://localhost:8080")


@pytest.fixture(scope="session")
def api(base_url):
    return ApiClient(base_url, token=os.environ.get("ORDERS_TOKEN"))


@pytest.fixture
def order(api):
    created = api.create_order("alice", {"sku": "tea", "quantity": 2}, {"sku": "cup", "quantity": 1})
    yield created
    api.delete(f"/orders/{created['id']}")
