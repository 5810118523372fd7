import aiohttp
import pytest

BASE_URL = "http://localhost:9000"


@pytest.fixture
async def session():
    async with aiohttp.ClientSession(BASE_URL) as s:
        yield s


async def fetch(session, path, expected=200):
    async with session.get(path) as resp:
        assert resp.status == expected
        return await resp.json()


@pytest.mark.asyncio
async def test_publish(session):
    async with session.post("/events", json={"type": "login", "user": 17}) as resp:
        assert resp.status == 202
        assert resp.content_type == "application/json"
        payload = await resp.json()
    assert payload["type"] == "login"
    assert payload["user"] == 17
    assert payload["accepted"] is True
    assert payload["sequence"] == 1042
    assert len(payload["id"]) == 36


@pytest.mark.asyncio
async def test_list(session):
    events = await fetch(session, "/events?limit=3")
    assert len(events["data"]) == 3
    assert events["data"][0]["type"] == "login"
    assert events["cursor"] is not None
    assert [e["user"] for e in events["data"]] == [17, 17, 4]
    assert sum(e["size"] for e in events["data"]) == 96


@pytest.mark.asyncio
async def test_next_page(session):
    first = await fetch(session, "/events?limit=2")
    second = await fetch(session, f"/events?limit=2&cursor={first['cursor']}")
    assert second["data"][0]["id"] != first["data"][0]["id"]
    assert second["data"][0]["sequence"] == 3
    assert not second["hasMore"]


@pytest.mark.asyncio
async def test_missing(session):
    body = await fetch(session, "/events/none", expected=404)
    assert body == {"message": "no such event"}


@pytest.mark.asyncio
@pytest.mark.parametrize("kind,status", [("login", 202), ("logout", 202), ("", 400), ("?", 400)])
async def test_kinds(session, kind, status):
    resp = await session.post("/events", json={"type": kind, "user": 1})
    assert resp.status == status
    if status == 400:
        problem = await resp.json()
        assert problem["message"] == "unknown type"


@pytest.mark.asyncio
async def test_stats():
    async with aiohttp.ClientSession() as session, session.get(BASE_URL + "/stats") as resp:
        assert resp.status == 200
        assert resp.headers["Cache-Control"] == "no-store"
        stats = await resp.json()
        assert stats["events"] == 1042
        assert stats["perType"]["login"] == 640
        assert stats["uptimeSeconds"] > 0
        text = await resp.text()
        assert "perType" in text
