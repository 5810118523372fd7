import os
import unittest

import requests


class ApiTestCase(unittest.TestCase):
    base_url = os.getenv("INVENTORY_URL", "http://127.0.0.1:5000")

    def setUp(self):
        self.session = requests.Session()
        self.session.headers.update({"Accept": "application/json"})
        self.addCleanup(self.session.close)

    def url(self, path):
        return self.base_url + path

    def get_json(self, path, status=200, **params):
        response = self.session.get(self.url(path), params=params)
        self.assertEqual(response.status_code, status)
        return response.json()

    def post_json(self, path, payload, status=201):
        response = self.session.post(self.url(path), json=payload)
        self.assertEqual(response.status_code, status, response.text)
        return response.json()

    def assertProblem(self, response, status, title):
        self.assertEqual(response.status_code, status)
        self.assertEqual(response.json()["title"], title)
