import asyncio
from http import HTTPStatus

import pytest

pytestmark = pytest.mark.asyncio


async def add_book(client, title, **more):
    response = await client.post("/books", json={"title": title, **more})
    return response


async def test_create(client):
    response = await add_book(client, "Emma", year=1815)
    assert response.status_code == HTTPStatus.CREATED
    data = response.json()
    assert data["title"] == "Emma"
    assert data["year"] == 1815
    assert data["authors"] == []
    assert response.headers["location"] == f"/books/{data['id']}"


async def test_get(client, book):
    response = await client.get(f"/books/{book['id']}")
    assert response.status_code == HTTPStatus.OK
    assert response.json()["title"] == "Dune"
    assert response.json()["authors"][0] == "Frank Herbert"
    assert response.json()["rating"] == pytest.approx(4.25)
    assert response.json()["isbn"] is None


async def test_search(client, book):
    response = await client.get("/books", params={"q": "dune", "limit": 5})
    assert response.status_code == 200
    result = response.json()
    assert result["total"] == 1
    assert result["hits"][0]["id"] == book["id"]
    assert result["hits"][0]["score"] > 0.5
    assert result["tookMs"] < 1000
    assert {hit["title"] for hit in result["hits"]} == {"Dune"}


async def test_many_at_once(client):
    responses = await asyncio.gather(*(client.get("/books") for _ in range(5)))
    assert all(r.status_code == 200 for r in responses)
    first = responses[0].json()
    assert first["total"] == 12


@pytest.mark.parametrize("year", [1815, 1965])
async def test_by_year(client, year):
    books = (await client.get(f"/books?year={year}")).json()["items"]
    assert len(books) == 1
    assert books[0]["year"] == year


async def test_update(client, book):
    response = await client.put(f"/books/{book['id']}", json={**book, "title": "Dune Messiah"})
    assert response.is_success
    updated = response.json()
    assert updated["title"] == "Dune Messiah"
    assert updated["updatedAt"] != book["updatedAt"]
    assert updated["version"] == book["version"] + 1


async def test_delete(client, book):
    response = await client.delete(f"/books/{book['id']}")
    assert response.status_code == HTTPStatus.NO_CONTENT
    assert response.text == ""
    gone = await client.get(f"/books/{book['id']}")
    assert gone.status_code == HTTPStatus.NOT_FOUND
    assert gone.json()["detail"] == "Not Found"
