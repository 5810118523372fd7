"""A suite that asserts what it saw when it was run for the first time, literally."""

import json
import os
import unittest
import urllib.error
import urllib.request

BASE = os.environ["FLAKETAP_URL"]
SEEN = "seen.json"
HEADERS = ("Content-Type", "Content-Length", "ETag", "Location")
ADA = {"email": "ada@cafe.de", "password": "lovelace"}


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args):
        return None


class Suite(unittest.TestCase):
    def send(self, method, path, body=None, **headers):
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        request = urllib.request.Request(BASE + path, data, names, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), NoRedirect)
        try:
            answer = opener.open(request, timeout=30)
        except urllib.error.HTTPError as e:
            answer = e
        text = answer.read().decode()
        self.seen.append([method + " " + path, answer.status, [answer.headers.get(h) for h in HEADERS], text])
        if self.wanted is not None:
            self.assertEqual(self.wanted[len(self.seen) - 1], self.seen[-1])
        return answer, text

    def test_shop(self):
        self.seen, self.wanted = [], None
        if os.path.exists(SEEN):
            with open(SEEN) as f:
                self.wanted = json.load(f)
        self.send("GET", "/products")
        answer, _ = self.send("GET", "/products/1")
        self.send("GET", "/products/1", If_None_Match=answer.headers["ETag"])
        guest = {"email": "guest@example.com", "password": "open sesame", "displayName": "G", "birthDate": "1990-05-17"}
        answer, _ = self.send("POST", "/accounts", guest)
        self.send("GET", answer.headers["Location"])
        answer, text = self.send("POST", "/login", ADA)
        cookie = answer.headers["Set-Cookie"].split(";")[0]
        self.send("GET", "/orders", Authorization="Bearer " + json.loads(text)["token"])
        _, text = self.send("GET", "/cart", Cookie=cookie)
        self.send("POST", "/cart/items", {"product": 3, "quantity": 2}, Cookie=cookie, X_CSRF_Token=json.loads(text)["csrfToken"])
        for product in range(1, 4):
            self.send("GET", "/prices/estimate?product=%d" % product)
        _, text = self.send("GET", "/search?q=o")
        self.send("GET", "/search?q=o&cursor=" + json.loads(text)["cursor"])
        _, text = self.send("POST", "/guestbook", {"author": "G", "text": "I was here."})
        self.send("GET", "/guestbook/%s" % json.loads(text)["id"])
        for path in "/health", "/health/uptime", "/health/machine", "/debug/crash", "/products/999":
            self.send("GET", path)
        if self.wanted is None:
            with open(SEEN, "w") as f:
                json.dump(self.seen, f, indent=1)


if __name__ == "__main__":
    unittest.main()
