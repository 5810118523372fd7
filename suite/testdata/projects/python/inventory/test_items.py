import unittest

import requests

BASE = "http://127.0.0.1:5000"


class ItemsTest(unittest.TestCase):
    def setUp(self):
        self.item = requests.post(BASE + "/items", json={"name": "bolt", "stock": 40}).json()

    def tearDown(self):
        requests.delete(f"{BASE}/items/{self.item['id']}")

    def _get(self, item_id):
        return requests.get(f"{BASE}/items/{item_id}")

    def test_created(self):
        self.assertEqual(self.item["name"], "bolt")
        self.assertEqual(40, self.item["stock"])
        self.assertIn("id", self.item)
        self.assertIsNotNone(self.item["createdAt"])
        self.assertTrue(self.item["active"])
        self.assertFalse(self.item["archived"])
        self.assertIsNone(self.item["supplier"])
        self.assertListEqual(self.item["labels"], [])

    def test_get_item(self):
        response = self._get(self.item["id"])
        self.assertEqual(response.status_code, 200)
        self.assertEqual(response.headers["Content-Type"], "application/json; charset=utf-8")
        self.assertDictEqual(response.json(), self.item)
        self.assertRegex(response.json()["sku"], r"^SKU-\d{6}$")

    def test_stock_goes_down(self):
        response = requests.post(f"{BASE}/items/{self.item['id']}/take", json={"count": 15})
        self.assertEqual(200, response.status_code)
        data = response.json()
        self.assertEqual(data["stock"], 25)
        self.assertLess(data["stock"], self.item["stock"])
        self.assertGreaterEqual(data["version"], 2)
        self.assertAlmostEqual(data["value"], 12.5, places=2)
        self.assertNotEqual(data["updatedAt"], self.item["updatedAt"])

    def test_too_many(self):
        response = requests.post(f"{BASE}/items/{self.item['id']}/take", json={"count": 400})
        self.assertEqual(response.status_code, 409)
        self.assertEqual(response.json()["error"]["code"], "OUT_OF_STOCK")
        self.assertIn("only 40 left", response.json()["error"]["message"])

    def test_list(self):
        items = requests.get(BASE + "/items").json()
        self.assertIsInstance(items, list)
        self.assertEqual(len(items), 3)
        self.assertCountEqual([i["name"] for i in items], ["bolt", "nut", "washer"])
        for item in items:
            self.assertIn("stock", item)
            self.assertGreater(item["stock"], 0)


if __name__ == "__main__":
    unittest.main()
