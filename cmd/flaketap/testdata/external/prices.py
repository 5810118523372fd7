# An API that asks a service for rates, and one for an order, which it tells its own id and the time, or a number. PRICES is where they are.
import http.server, json, os, random, time, urllib.error, urllib.request, uuid

BASE = os.environ["PRICES"]


def ask(path, data=None):
    request = urllib.request.Request(BASE + path, data, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=5) as r:
            return json.load(r)
    except (OSError, ValueError) as e:
        return {"error": type(e).__name__}


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def do_GET(self):
        body = {"item": "lamp"}
        if self.path.startswith("/price"):
            rate = ask("/rates/usd")
            body.update(rate=rate.get("usd"), cents=round(rate.get("usd", 0) * 250), error=rate.get("error"))
        elif self.path == "/order":
            order = ask("/orders", json.dumps({"id": str(uuid.uuid4()), "at": time.time(), "sku": "lamp"}).encode())
            body.update(number=order.get("number"), error=order.get("error"))
        elif self.path == "/draw":
            body.update(ask("/orders", json.dumps({"draw": random.randrange(90000) + 10000, "sku": "lamp"}).encode()))
        data = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
