"""Webhook subscriptions; written against a server that runs in a thread."""
import json
import urllib.request
from contextlib import contextmanager

import httpx
import pytest


@pytest.fixture(scope="module")
def http():
    with httpx.Client(base_url="http://localhost:9000", timeout=5.0) as client:
        yield client


@contextmanager
def subscription(http, url, **options):
    created = http.post("/hooks", json={"url": url, **options}).json()
    try:
        yield created
    finally:
        http.delete(f"/hooks/{created['id']}")


def expect(response, status=200, **fields):
    assert response.status_code == status
    data = response.json()
    for name, value in fields.items():
        assert data[name] == value
    return data


def test_subscribe(http):
    hook = expect(http.post("/hooks", json={"url": "http://example.org/in"}), 201, active=True)
    assert hook["url"] == "http://example.org/in"
    assert hook["secret"].startswith("whsec_")
    assert hook["failures"] == 0
    assert hook["events"] == ["*"]


def test_with_options(http):
    with subscription(http, "http://example.org/a", events=["login"]) as hook:
        assert hook["events"] == ["login"]
        r = http.get(f"/hooks/{hook['id']}")
        assert r.status_code == 200
        assert r.json()["events"] == hook["events"]
        assert r.json()["createdAt"] == hook["createdAt"]


def test_ping(http):
    with subscription(http, "http://example.org/b") as hook:
        result = http.post(f"/hooks/{hook['id']}/ping").json()
        assert result["delivered"] is False
        assert result["attempts"] == 1
        assert result["lastError"]["message"] == "connection refused"
        assert result["lastError"].keys() == {"message", "at"}


def test_raw_listing():
    with urllib.request.urlopen("http://localhost:9000/hooks") as response:
        assert response.status == 200
        hooks = json.loads(response.read())
    assert isinstance(hooks, list)
    assert len(hooks) == 2
    assert hooks[0]["active"]


def test_json_loads(http):
    r = http.get("/hooks/summary")
    summary = json.loads(r.text)
    assert summary["active"] == 2 and summary["disabled"] == 0
    assert summary["oldest"] <= summary["newest"]
    assert r.headers["content-type"] == "application/json"
    assert r.elapsed.total_seconds() < 2
