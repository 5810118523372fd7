import unittest
import requests


class EM_0_Test(unittest.TestCase):
    baseUrlOfSut = "http://localhost:1"

    def test_0(self):
        headers = {}
        headers["content-type"] = "application/json"
        body = {}
        body = " { \"email\": \"ada@example.com\", \"name\": \"Ada\" } "
        res_0 = requests \
                .post(self.baseUrlOfSut + "/users", headers=headers, data=body)
        assert res_0.status_code == 201
        assert res_0.json()["email"] == "ada@example.com"
        headers = {}
        res_1 = requests \
                .get(self.baseUrlOfSut + "/users?email=ada@example.com", headers=headers)
        assert res_1.json()[0]["email"] == "ada@example.com"
