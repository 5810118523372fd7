from base import ApiTestCase


class WarehouseTests(ApiTestCase):
    def setUp(self):
        super().setUp()
        self.warehouse = self.post_json("/warehouses", {"city": "Bern", "bays": 4})
        self.id = self.warehouse["id"]

    def test_create(self):
        self.assertEqual(self.warehouse["city"], "Bern")
        self.assertEqual(self.warehouse["bays"], 4)
        self.assertEqual(self.warehouse["free"], self.warehouse["bays"])
        self.assertEqual(self.warehouse["address"], {"street": None, "country": "CH"})

    def test_get(self):
        data = self.get_json(f"/warehouses/{self.id}")
        self.assertEqual(data, self.warehouse)
        self.assertEqual(data["id"], self.id)

    def test_list_is_sorted(self):
        data = self.get_json("/warehouses", sort="city")
        cities = [w["city"] for w in data["items"]]
        self.assertEqual(cities, sorted(cities))
        self.assertIn("Bern", cities)
        self.assertEqual(data["count"], len(data["items"]))
        self.assertEqual(data["next"], None)

    def test_unknown(self):
        response = self.session.get(self.url("/warehouses/0"))
        self.assertProblem(response, 404, "Not Found")
        self.assertEqual(response.headers["Content-Type"], "application/problem+json")

    def test_bad_values(self):
        for bays in (-1, "many", None):
            with self.subTest(bays=bays):
                response = self.session.post(self.url("/warehouses"), json={"city": "Bern", "bays": bays})
                self.assertEqual(response.status_code, 400)
                self.assertEqual(response.json()["title"], "Bad Request")

    def test_put_away(self):
        stored = self.post_json(f"/warehouses/{self.id}/stock", {"item": 7, "count": 100})
        self.assertEqual(stored["warehouse"]["id"], self.id)
        self.assertEqual(stored["bay"], "A1")
        self.assertEqual(stored["count"], 100)
        after = self.get_json(f"/warehouses/{self.id}")
        self.assertEqual(after["free"], 3)
        self.assertEqual(after["occupied"][0]["item"], 7)
        self.assertTrue(all(bay["count"] <= 100 for bay in after["occupied"]))

    def test_delete(self):
        response = self.session.delete(self.url(f"/warehouses/{self.id}"))
        self.assertEqual(response.status_code, 204)
        self.assertEqual(response.content, b"")
        gone = self.session.get(self.url(f"/warehouses/{self.id}"))
        self.assertEqual(gone.status_code, 404)
