import os

import httpx
import pytest
import pytest_asyncio


@pytest.fixture(scope="session")
def anyio_backend():
    return "asyncio"


@pytest_asyncio.fixture
async def client():
    async with httpx.AsyncClient(base_url=os.environ["CATALOG_URL"]) as c:
        yield c


@pytest_asyncio.fixture
async def book(client):
    response = await client.post("/books", json={"title": "Dune", "year": 1965, "authors": ["Frank Herbert"]})
    assert response.status_code == 201
    return response.json()
