"""Parcels: where a parcel is, what one costs, and when a courier comes for it.

What it knows comes from others: the carrier, a geocoder, the customs' table of duties, and a desk of exchange rates.
"""
import argparse
import json
import logging
import math
import os
import re
import socket
import threading
import time
import traceback
import urllib.error
import urllib.parse
import urllib.request
from datetime import datetime
from email.utils import parsedate_to_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

log = logging.getLogger("parcels")

SERVICES = {
    "carrier": "https://api.swiftparcel.example",
    "geocoder": "http://geo.routing.example:7070",
    "customs": "http://203.0.113.7:8081",
    "rates": "https://rates.fxdesk.example",
}
SERVICES.update(pair.split("=", 1) for pair in os.environ.get("SERVICES", "").split(",") if pair)
MENDED = set(os.environ.get("MEND", "").split(","))

TIMEOUT = float(os.environ.get("TIMEOUT", "2"))  # seconds, for each call
HOME, DEPOT = "DE", (52.52, 13.40)
FIXED_RATES = {"USD": 1.1, "NOK": 11.5}
NUMBER = (int, float)

STATES = {
    "CREATED": "announced",
    "IN_TRANSIT": "moving",
    "OUT_FOR_DELIVERY": "out for delivery",
    "DELIVERED": "delivered",
    "EXCEPTION": "held",
    "RETURNED": "returned",
}
HANDLING_DAYS = {"CREATED": 1, "IN_TRANSIT": 0, "OUT_FOR_DELIVERY": 0, "EXCEPTION": 2}
ACTIONS = {"CUSTOMS": "pay duties", "ADDRESS": "confirm address", "DAMAGED": "file a claim"}


class Refusal(Exception):
    """An answer to the client that is no success."""

    def __init__(self, status, message, headers=None, **more):
        super().__init__(message)
        self.status, self.headers, self.body = status, headers or {}, {"error": message, **more}


class Unavailable(Exception):
    """A service that gave no answer, or one of no use."""

    def __init__(self, service, why, status=503):
        super().__init__(f"{service} {why}")
        self.status, self.message = status, f"{service} {why}"


class Answer:
    def __init__(self, service, status, headers, text):
        self.service, self.status, self.headers, self.text = service, status, headers, text

    def json(self):
        try:
            return json.loads(self.text)
        except ValueError:
            raise Unavailable(self.service, "sent no JSON", 502)

    def read(self, *path, kind=str, default=...):
        """The value at a place of the answer, of that kind; the default where it is null or not there."""
        value = self.json()
        for key in path:
            value = value.get(key) if isinstance(value, dict) else None
        if value is None and default is not ...:
            return default
        if not isinstance(value, kind) or (kind is NUMBER and isinstance(value, bool)):
            raise Unavailable(self.service, f"sent no {'.'.join(path)}", 502)
        return value


def call(service, method, path, body=None, token=None, timeout=TIMEOUT):
    request = urllib.request.Request(SERVICES[service] + path, method=method)
    request.add_header("Accept", "application/json")
    if token:
        request.add_header("Authorization", "Bearer " + token)
    if body is not None:
        request.add_header("Content-Type", "application/json")
        request.data = json.dumps(body).encode()
    try:
        with urllib.request.urlopen(request, timeout=timeout) as r:
            return Answer(service, r.status, r.headers, r.read().decode("utf-8", "replace"))
    except urllib.error.HTTPError as e:
        return Answer(service, e.code, e.headers, e.read().decode("utf-8", "replace"))
    except (TimeoutError, socket.timeout):
        raise Unavailable(service, "does not answer in time", 504)
    except urllib.error.URLError as e:
        if isinstance(e.reason, (TimeoutError, socket.timeout)):
            raise Unavailable(service, "does not answer in time", 504)
        raise Unavailable(service, "cannot be reached")
    except OSError:
        raise Unavailable(service, "broke off")
    except Exception as e:  # http.client raises its own for answers that are no HTTP
        raise Unavailable(service, f"sent no HTTP ({type(e).__name__})", 502)


class Carrier:
    """The carrier's API, with the token that it wants."""

    def __init__(self):
        self.token, self.until = None, 0.0

    def login(self):
        answer = call("carrier", "POST", "/oauth/token",
                      {"grant_type": "client_credentials", "client_id": os.environ.get("CARRIER_ID", "demo")})
        if answer.status in (400, 401, 403):
            raise Unavailable("carrier", "refuses our credentials", 502)
        if answer.status != 200:
            raise Unavailable("carrier", "gives no token")
        self.token = answer.read("access_token")
        self.until = time.monotonic() + answer.read("expires_in", kind=NUMBER, default=60)

    def send(self, method, path, body=None):
        if self.token is None or time.monotonic() >= self.until:
            self.login()
        answer = call("carrier", method, path, body, self.token)
        if answer.status == 401:  # it has forgotten our token
            self.login()
            answer = call("carrier", method, path, body, self.token)
        return answer

    def shipment(self, number):
        answer = self.send("GET", f"/v2/shipments/{number}")
        if answer.status in (404, 410):
            raise Refusal(404, "no such parcel", number=number)
        if answer.status != 200:
            raise Unavailable("carrier", "is unavailable")
        return answer


class State:
    def __init__(self):
        self.carrier, self.rates, self.pickups = Carrier(), {}, {}


state = State()


# GET /parcels/{number}
def parcel(number):
    shipment = state.carrier.shipment(number)
    status = shipment.read("status")
    if status not in STATES:
        raise Unavailable("carrier", "sent an unknown status", 502)
    out = {"number": number, "state": STATES[status]}
    if status == "OUT_FOR_DELIVERY":
        out["today"] = True
    elif status == "DELIVERED":
        signed = shipment.read("signed_by", default="")
        if signed:
            out["signed_by"] = signed
        else:
            out["safe_place"] = True
    elif status == "EXCEPTION":
        if "exception-code" in MENDED:
            code = shipment.read("exception", "code", default="")
        else:
            code = shipment.json()["exception"]["code"]
        out["action"] = ACTIONS.get(code, "call us")
    grams = shipment.read("weight_grams", kind=NUMBER, default=0)
    if grams > 30000:
        out["handling"] = "two couriers"
    return 200, out


# GET /parcels/{number}/history
def history(number):
    events, cursor, complete, seen = [], None, True, set()
    while True:
        query = "?" + urllib.parse.urlencode({"cursor": cursor}) if cursor else ""
        try:
            page = state.carrier.send("GET", f"/v2/shipments/{number}/events{query}")
            if page.status == 404:
                raise Refusal(404, "no such parcel", number=number)
            if page.status != 200:
                raise Unavailable("carrier", "is unavailable")
            batch = page.read("events", kind=list)
        except Unavailable as e:
            if not events:
                raise
            log.warning("history of %s is cut short: %s", number, e.message)
            complete = False
            break
        events += batch
        seen.add(cursor)
        cursor = page.read("next", default=None)
        if not cursor or ("cursor-loop" in MENDED and cursor in seen):
            break
    out = {"number": number, "count": len(events), "complete": complete}
    try:
        stamps = [datetime.fromisoformat(e["at"]) for e in events]
        out["stops"] = [e["place"] for e in events if e["code"] == "ARRIVED"]
    except (KeyError, TypeError, ValueError):
        if "trace-leak" in MENDED:
            raise Unavailable("carrier", "sent an event without its parts", 502)
        return 500, {"error": "internal error", "detail": traceback.format_exc()}
    if any(e["code"] == "LOST" for e in events):
        out["alert"] = "lost"
    if stamps:
        out["hours"] = round((max(stamps).timestamp() - min(stamps).timestamp()) / 3600, 1)
    return 200, out


def locate(postcode, country):
    query = urllib.parse.urlencode({"q": f"{postcode},{country}", "limit": 1})
    answer = call("geocoder", "GET", "/search?" + query)
    if answer.status != 200:
        raise Unavailable("geocoder", "is unavailable")
    results = answer.read("results", kind=list)
    if not results:
        raise Refusal(422, "address not found", postcode=postcode)
    return Answer("geocoder", 200, {}, json.dumps(results[0]))


def duties(country, value):
    """The duties on goods of that value, what they rest on, and the documents that customs want."""
    query = urllib.parse.urlencode({"country": country, "value": round(value, 2)})
    answer = call("customs", "GET", "/duties?" + query, timeout=TIMEOUT if "customs-hang" in MENDED else None)
    if answer.status == 404 and "duty-unknown" not in MENDED:
        return 0, "unknown", []
    if answer.status != 200:
        raise Unavailable("customs", "gives no duties", 503 if answer.status >= 500 else 502)
    if answer.read("prohibited", kind=bool, default=False):
        raise Refusal(422, "these goods may not be sent there", country=country)
    documents = answer.read("documents", kind=list, default=[])
    if value < answer.read("threshold", kind=NUMBER, default=0):
        return 0, "below threshold", documents
    return value * answer.read("rate", kind=NUMBER), "rate", documents


def exchange_rate(currency):
    """How much of a currency one euro is, and where that is known from."""
    if currency in state.rates:
        return state.rates[currency], "cache"
    try:
        answer = call("rates", "GET", f"/latest?base=EUR&symbols={currency}")
        if answer.status != 200:
            raise Unavailable("rates", "are unavailable")
        rates = answer.read("rates", kind=dict)
    except Unavailable as e:
        if currency not in FIXED_RATES:
            raise
        log.warning("fixed rate of %s: %s", currency, e.message)
        return FIXED_RATES[currency], "fixed"
    if currency not in rates:
        raise Refusal(422, "currency not supported", currency=currency)
    rate = answer.read("rates", currency, kind=NUMBER)
    if "rate-zero" in MENDED and rate <= 0:
        raise Unavailable("rates", "sent a rate of nothing", 502)
    state.rates[currency] = rate
    return rate, "market"


# POST /quotes
def quote(order):
    try:
        country, postcode = str(order["country"]), str(order["postcode"])
        weight, value = float(order["weight"]), float(order["value"])
    except (KeyError, TypeError, ValueError):
        raise Refusal(400, "a quote needs country, postcode, weight and value")
    currency, out = order.get("currency", "EUR"), {}
    rate = 1.0
    if currency != "EUR":
        rate, out["rate_source"] = exchange_rate(currency)
    price = 4.9 + 1.5 * math.ceil(weight)
    try:
        spot = locate(postcode, country)
        out["zone"] = spot.read("zone", default="standard")
        if out["zone"] == "remote":
            price += 9
        if spot.read("confidence", kind=NUMBER, default=1) < 0.5:
            out["warning"] = "check the address"
    except Unavailable as e:
        log.warning("quote without a zone: %s", e.message)
        out["zone"], out["estimated"] = "standard", True
    if country != HOME:
        duty, out["basis"], documents = duties(country, value / rate)
        out["duty"] = round(duty * rate, 2)
        if documents:
            price += 12
            out["documents"] = documents
    return 200, {**out, "price": round(price * rate, 2), "currency": currency}


# POST /pickups
def pickup(order):
    if not order.get("number") or not order.get("date"):
        raise Refusal(400, "a pickup needs number and date")
    attempts = 0
    while True:
        attempts += 1
        answer = state.carrier.send("POST", "/v2/pickups", {"parcel": order["number"], "date": order["date"]})
        if answer.status == 503:
            if attempts == 3 and "pickup-endless" in MENDED:
                raise Unavailable("carrier", "is unavailable")
            time.sleep(0.05)
        elif answer.status == 429:
            wait = answer.headers.get("Retry-After", "1")
            if "retry-date" in MENDED and not wait.isdigit():
                try:
                    wait = max(0, (parsedate_to_datetime(wait).timestamp() - time.time()))
                except ValueError:
                    wait = 1
            wait = int(wait)
            if attempts == 3 or wait > 5:
                raise Refusal(503, "the carrier is busy", {"Retry-After": str(max(wait, 1))}, attempts=attempts)
            time.sleep(wait)
        else:
            break
    if answer.status == 409:
        raise Refusal(409, "no courier on that day", alternatives=answer.read("alternatives", kind=list, default=[]))
    if answer.status in (400, 422):
        raise Refusal(422, answer.read("message", default="the carrier refuses"))
    if answer.status >= 300:
        raise Unavailable("carrier", "is unavailable")
    if "pickup-unconfirmed" in MENDED:
        key = answer.read("pickup_id")
    else:
        key = answer.json().get("pickup_id")
    state.pickups[key] = order
    window = answer.read("window", kind=dict, default={})
    return 201, {"pickup_id": key, "from": window.get("from"), "attempts": attempts}


# GET /parcels/{number}/eta
def eta(number):
    shipment = state.carrier.shipment(number)
    status = shipment.read("status")
    if status == "DELIVERED":
        raise Refusal(409, "already delivered", number=number)
    if shipment.read("attempts", kind=NUMBER, default=0) >= 2:
        return 200, {"number": number, "collect": True}
    target = shipment.read("destination", kind=dict)
    try:
        spot = locate(target.get("postcode", ""), target.get("country", HOME))
        lat, lon = spot.read("lat", kind=NUMBER), spot.read("lon", kind=NUMBER)
    except Unavailable as e:
        log.warning("eta without a distance: %s", e.message)
        return 200, {"number": number, "days": 3, "estimated": True}
    km = math.hypot(lat - DEPOT[0], (lon - DEPOT[1]) * 0.6) * 111
    days = 1 if km < 100 else 2 if km < 1000 else 6
    if status not in HANDLING_DAYS and "unknown-status" in MENDED:
        raise Unavailable("carrier", "sent an unknown status", 502)
    return 200, {"number": number, "days": days, "handling": HANDLING_DAYS[status], "estimated": False}


ROUTES = [
    ("GET", r"/parcels/([A-Z]{2}\d+)", parcel),
    ("GET", r"/parcels/([A-Z]{2}\d+)/history", history),
    ("GET", r"/parcels/([A-Z]{2}\d+)/eta", eta),
    ("POST", r"/quotes", quote),
    ("POST", r"/pickups", pickup),
]


def reset():
    global state
    state = State()
    return 200, {"reset": True}


def serve(method, path, text):
    if path == "/health":
        return 200, {"status": "up"}, {}
    if (method, path) == ("POST", "/reset"):
        return *reset(), {}
    for verb, pattern, handler in ROUTES:
        match = re.fullmatch(pattern, path)
        if match and verb == method:
            args = list(match.groups())
            try:
                if method == "POST":
                    args.append(json.loads(text))
                    if not isinstance(args[-1], dict):
                        raise ValueError
            except ValueError:
                return 400, {"error": "the body is no JSON object"}, {}
            try:
                return *handler(*args), {}
            except Refusal as e:
                return e.status, e.body, e.headers
            except Unavailable as e:
                log.error("%s %s: %s", method, path, e.message)
                return e.status, {"error": e.message}, {}
            except Exception:
                log.exception("%s %s", method, path)
                return 500, {"error": "internal error"}, {}
    return 404, {"error": "no such resource"}, {}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16

    def do_GET(self):
        text = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        status, body, headers = serve(self.command, urllib.parse.urlsplit(self.path).path, text)
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    do_POST = do_GET

    def log_message(self, *args):
        pass


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=int(os.environ.get("PORT", "8000")))
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    server = ThreadingHTTPServer(("127.0.0.1", parser.parse_args().port), Handler)
    log.info("parcels listens on %s", server.server_address)
    server.serve_forever()


if __name__ == "__main__":
    main()
