import os
from unittest import IsolatedAsyncioTestCase

import httpx

URL = os.environ.get("CATALOG_URL", "http://localhost:8000")


class LoanTests(IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.client = httpx.AsyncClient(base_url=URL, headers={"X-Api-Key": "test"})
        book = await self.client.post("/books", json={"title": "Ulysses"})
        self.book_id = book.json()["id"]

    async def asyncTearDown(self):
        await self.client.aclose()

    async def lend(self, reader):
        return await self.client.post("/loans", json={"book": self.book_id, "reader": reader})

    async def test_lend(self):
        res = await self.lend("molly")
        self.assertEqual(res.status_code, 201)
        loan = res.json()
        self.assertEqual(loan["reader"], "molly")
        self.assertEqual(loan["book"], self.book_id)
        self.assertEqual(loan["days"], 14)
        self.assertIsNone(loan["returnedAt"])
        self.assertRegex(loan["id"], "^[0-9a-f-]{36}$")
        self.assertEqual(res.headers["X-RateLimit-Limit"], "60")

    async def test_lend_twice(self):
        await self.lend("molly")
        res = await self.lend("leopold")
        self.assertEqual(res.status_code, 409)
        self.assertEqual(res.json(), {"detail": "book is lent", "until": "2026-12-24"})

    async def test_return(self):
        loan = (await self.lend("stephen")).json()
        res = await self.client.patch(f"/loans/{loan['id']}", json={"returned": True})
        self.assertEqual(res.status_code, 200)
        self.assertTrue(res.json()["returned"])
        self.assertEqual(res.json()["fee"], 0)
        self.assertGreater(res.json()["returnedAt"], loan["lentAt"])

    async def test_overview(self):
        async with httpx.AsyncClient(base_url=URL) as anonymous:
            res = await anonymous.get("/loans")
        self.assertEqual(res.status_code, 401)
        self.assertEqual(res.headers["www-authenticate"], "Bearer")

        res = await self.client.get("/loans", params={"open": "true"})
        loans = res.json()
        self.assertEqual(len(loans), 4)
        self.assertTrue(loans)
        self.assertEqual(loans[0]["reader"], "molly")
        self.assertSetEqual({loan["status"] for loan in loans}, {"open"})
