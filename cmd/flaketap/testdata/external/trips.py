"""A small API with three external services: a name with TLS, a name on a port, an address.

Each behavior appends its label to the file that LABELS names, which tells an evaluation what was reached; four of them are
planted bugs, whose labels begin with "bug".
"""

import http.client
import json
import os
import threading
import time
import traceback
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, quote, urlsplit

RATES = "https://rates.example.com"
WEATHER = "http://weather.example.com:8080"
SEATS = "http://203.0.113.7"
LEVELS = ("calm", "storm")


def label(name):
    with open(os.environ["LABELS"], "a") as f:
        f.write(name + "\n")


def ask(url, timeout):
    """Returns the status and what the body holds; raises OSError where there is no answer, ValueError where it is no JSON."""
    try:
        with urllib.request.urlopen(url, timeout=timeout) as response:
            return response.status, json.loads(response.read())
    except urllib.error.HTTPError as e:
        return e.code, None
    except http.client.HTTPException as e:
        raise OSError("broken answer") from e


def quote_price(query):
    currency, amount = query["currency"], float(query["amount"])
    try:
        status, data = ask(f"{RATES}/latest?base={currency}", timeout=0.5)
    except OSError:
        label("quote: rates unreachable")
        return 504, {"error": "rates unreachable"}
    except ValueError:
        label("quote: rates no JSON")
        return 502, {"error": "rates unreadable"}
    if status == 429:
        label("quote: rates limited")
        return 503, {"error": "try again later"}
    if status != 200:
        label("quote: rates down")
        return 502, {"error": "rates down"}
    if data.get("maintenance"):
        label("quote: maintenance")
        return 503, {"error": "maintenance", "until": data.get("until")}
    if "rate" not in data:
        label("bug: missing rate leaks a trace")
    rate = data["rate"]
    if data.get("base") != currency:
        label("quote: another base")
        return 409, {"error": "rates of another currency"}
    if rate <= 0:
        label("quote: impossible rate")
        return 502, {"error": "impossible rate"}
    label("quote: priced")
    return 200, {"currency": currency, "price": amount * rate}


def weather(city):
    late = threading.Timer(1, label, ["bug: waits without a bound"])
    late.start()
    attempts = 0
    try:
        while True:
            status, data = ask(f"{WEATHER}/cities/{quote(city)}", timeout=None)
            if status != 503:
                return status, data
            attempts += 1
            if attempts == 20:
                label("bug: retries without an end")
            time.sleep(0.01)
    finally:
        late.cancel()


def plan_trip(query):
    try:
        status, data = weather(query["city"])
    except (OSError, ValueError):
        label("trip: weather broken")
        return 502, {"error": "weather broken"}
    if status == 404:
        label("trip: no such city")
        return 404, {"error": "no such city"}
    if status != 200 or not isinstance(data, dict):
        label("trip: weather failed")
        return 502, {"error": "weather failed"}
    if data.get("level") not in LEVELS:
        label("trip: unknown level")
        return 422, {"error": "unknown level"}
    if data["level"] == "storm":
        label("trip: storm")
        return 200, {"advice": "stay at home"}
    try:
        status, data = ask(f"{SEATS}/seats", timeout=0.5)
        free = data["free"]
    except (OSError, ValueError, KeyError, TypeError):
        label("bug: booked though seats failed")
        return 200, {"booked": True}
    if not isinstance(free, int):
        label("trip: seats uncounted")
        return 502, {"error": "seats uncounted"}
    if free == 0:
        label("trip: sold out")
        return 409, {"error": "sold out"}
    label("trip: booked")
    return 200, {"booked": True, "left": free - 1}


ROUTES = {"/quote": quote_price, "/trip": plan_trip, "/health": lambda query: (200, {"ok": True})}


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def do_GET(self):
        url = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        try:
            status, body = ROUTES[url.path](query)
        except Exception:
            status, body = 500, {"error": traceback.format_exc()}
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
