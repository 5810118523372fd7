#!/usr/bin/env python3
"""Payroll service: employees and their hours, payslips and payments.

Upstream systems:
    hr     people cloud (employees, deductions); OAuth client credentials
    times  time clock of the plant (time sheets)
    tax    withholding calculator in the data center
    bank   transfers
    fx     exchange rates
"""
import argparse
import json
import logging
import os
import re
import sys
import time
import traceback
import urllib.parse
import urllib.request
from datetime import date, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.error import HTTPError

BASE = {
    "hr": "https://people.hrcloud.example",
    "times": "http://timeclock.plant.example:8085",
    "tax": "http://192.0.2.44:9100",
    "bank": "https://api.paybank.example",
    "fx": "https://fx.ratefeed.example",
}
BASE.update(s.split("=", 1) for s in os.getenv("SERVICES", "").split(",") if s)
TIMEOUT = float(os.getenv("TIMEOUT", "2"))
MEND = os.getenv("MEND", "").split(",")

NUM = (int, float)
CONTRACTS = {"FULL": "full-time", "PART": "part-time", "HOURLY": "hourly"}
TRANSFERS = {"BOOKED": "paid", "PROCESSING": "processing", "REJECTED": "rejected", "RETURNED": "returned"}
RETURN_REASONS = {"AC04": "account closed", "AC06": "account blocked", "MS03": "not specified"}
MONTHLY_HOURS = 173.3
MOST_PAGES = 6
DAY_LIMIT = 10  # more hours than that in a day are against the law
ESTIMATED_TAX = 0.3

log = logging.getLogger("payroll")


class ApiError(Exception):
    def __init__(self, status, error, **details):
        super().__init__(error)
        self.status, self.body = status, {"error": error, **details}


class UpstreamError(ApiError):
    def __init__(self, service, problem, status=503):
        super().__init__(status, f"{service}: {problem}")


class Store:
    def __init__(self):
        self.token, self.token_until = None, 0
        self.rates = {}
        self.payments = {"P-1": {"id": "P-1", "employee": "E17", "transfer": "T-1", "state": "processing"}}


store = Store()


def fetch(service, method, path, payload=None, headers=None, timeout=TIMEOUT):
    """Calls an upstream: (status, headers, text), whatever the status is."""
    try:
        request = urllib.request.Request(BASE[service] + path, method=method, headers={"Accept": "application/json"})
        for name, value in (headers or {}).items():
            request.add_header(name, value)
        if payload is not None:
            request.data = json.dumps(payload).encode()
            request.add_header("Content-Type", "application/json")
        try:
            response = urllib.request.urlopen(request, timeout=timeout)
        except HTTPError as e:
            response = e
        with response:
            return response.status, response.headers, response.read().decode("utf-8", "replace")
    except Exception as e:
        if isinstance(e, TimeoutError) or isinstance(getattr(e, "reason", None), TimeoutError):
            raise UpstreamError(service, "timeout", 504) from e
        raise UpstreamError(service, "connection failed") from e


def constant(name):
    raise ValueError(f"{name} is no JSON")


def parse(service, text):
    try:
        data = json.loads(text, parse_constant=constant)
    except (ValueError, RecursionError) as e:
        raise UpstreamError(service, "invalid JSON", 502) from e
    if not isinstance(data, dict):
        raise UpstreamError(service, "unexpected JSON", 502)
    return data


def pick(service, data, path, kind, *default):
    """A field of an upstream's answer, checked for its type. A default makes it optional."""
    value = data
    for key in path.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    if value is None and default:
        return default[0]
    if not isinstance(value, kind) or kind is NUM and (isinstance(value, bool) or abs(value) > 1e12):
        raise UpstreamError(service, f"bad field {path}", 502)
    return value


def pick_day(service, data, path, *default):
    text = pick(service, data, path, str, *default)
    try:
        return date.fromisoformat(text) if text is not None else None
    except ValueError as e:
        raise UpstreamError(service, f"bad field {path}", 502) from e


# --- hr

def login():
    status, _, text = fetch("hr", "POST", "/oauth2/token", {"grant_type": "client_credentials", "client_id": "payroll"})
    if status in (400, 401, 403):
        raise UpstreamError("hr", "login refused", 502)
    if status != 200:
        raise UpstreamError("hr", "login failed")
    data = parse("hr", text)
    lifetime = data.get("expires_in", 300)
    if "expires-in-text" in MEND:
        lifetime = pick("hr", data, "expires_in", NUM, 300)
    store.token = pick("hr", data, "access_token", str)
    store.token_until = time.time() + lifetime - 30  # renewed a little early


def hr(path):
    for _ in range(2):
        if time.time() >= store.token_until:
            login()
        status, _, text = fetch("hr", "GET", path, headers={"Authorization": f"Bearer {store.token}"})
        if status != 401:
            return status, text
        store.token_until = 0
    raise UpstreamError("hr", "token rejected", 502)


def employee(eid):
    status, text = hr(f"/v3/employees/{eid}")
    if status == 404:
        raise ApiError(404, "unknown employee", id=eid)
    if status == 403:
        raise ApiError(403, "record is locked", id=eid)
    if status != 200:
        raise UpstreamError("hr", "unavailable")
    return parse("hr", text)


def deductions(eid, month):
    status, text = hr(f"/v3/employees/{eid}/deductions?month={month}")
    if status == 404:
        return []
    if status != 200:
        if "deductions-lost" in MEND:
            raise UpstreamError("hr", "no deductions")
        log.warning("no deductions of %s: %s", eid, status)
        return []
    return pick("hr", parse("hr", text), "items", list, [])


# GET /employees/{id}
def get_employee(eid, query):
    record = employee(eid)
    status = pick("hr", record, "status", str, "ACTIVE")
    if status == "TERMINATED":
        raise ApiError(410, "no longer employed", left_on=pick("hr", record, "left_on", str, None))
    out = {
        "id": eid,
        "name": pick("hr", record, "name", str),
        "department": pick("hr", record, "department.name", str, "unassigned"),
        "contract": CONTRACTS.get(pick("hr", record, "contract", str), "other"),
    }
    if out["contract"] == "part-time":
        out["weekly_hours"] = pick("hr", record, "weekly_hours", NUM, 20)
    if status == "ON_LEAVE":
        out["absent"] = True
    hired = pick_day("hr", record, "hired_on", None)
    if hired is None:
        out["seniority"] = "unknown"
    elif hired > date.today():
        out["starts_on"] = hired.isoformat()
    elif (date.today() - hired).days >= 25 * 365:
        out["seniority"] = "jubilee"
    if "manager-null" in MEND:
        out["manager"] = pick("hr", record, "manager.name", str, None)
    else:
        out["manager"] = record["manager"]["name"]
    return 200, out


# --- time clock

def time_sheet_page(eid, month, page):
    for attempt in range(2):
        status, _, text = fetch("times", "GET", f"/api/entries?employee={eid}&month={month}&page={page}")
        if status < 500:
            break
        log.warning("time clock: %s, attempt %d", status, attempt + 1)
    if status == 404:
        raise ApiError(404, "no time sheet")
    if status != 200:
        raise UpstreamError("times", "unavailable")
    sheet = parse("times", text)
    return pick("times", sheet, "entries", list), pick("times", sheet, "has_more", bool, False)


def time_sheet(eid, month):
    """All entries of a month, and whether these are all."""
    entries = []
    for page in range(1, MOST_PAGES + 1):
        try:
            batch, more = time_sheet_page(eid, month, page)
        except ApiError as e:
            if page == 1:
                raise
            log.warning("time sheet of %s without page %d: %s", eid, page, e)
            return entries, False
        entries += batch
        if not more:
            return entries, True
    return entries, False


def work_hours(entries):
    return sum(pick("times", e, "hours", NUM) for e in entries if pick("times", e, "kind", str, "WORK") == "WORK")


# GET /employees/{id}/hours?month=
def get_hours(eid, query):
    month = month_of(query)
    entries, complete = time_sheet(eid, month)
    out = {"month": month, "entries": len(entries), "complete": complete, "worked": round(work_hours(entries), 2)}
    absent, violations, weekend, open_entries = {"sick": 0, "other": 0}, [], 0, 0
    for e in entries:
        kind, hours = pick("times", e, "kind", str, "WORK"), pick("times", e, "hours", NUM)
        day = pick_day("times", e, "day")
        if kind != "WORK":
            absent["sick" if kind == "SICK" else "other"] += hours
            continue
        if hours > DAY_LIMIT or hours == DAY_LIMIT and "day-limit" not in MEND:
            violations.append({"day": day.isoformat(), "hours": hours})
        if day.weekday() >= 5:
            weekend += hours
        if pick("times", e, "approved", bool, True) is False:
            open_entries += 1
    out.update(absent=absent, violations=violations, weekend=weekend)
    if open_entries:
        out["unapproved"] = open_entries
    if out["worked"] > MONTHLY_HOURS:
        out["overtime"] = round(out["worked"] - MONTHLY_HOURS, 2)
    return 200, out


# --- payslips

def withholding(record, gross):
    """The tax on a month's gross, and where that is known from."""
    query = urllib.parse.urlencode({
        "country": pick("hr", record, "country", str, "DE").encode("utf-8", "replace"),
        "class": pick("hr", record, "tax_class", int, 1),
        "gross": round(gross, 2),
    })
    try:
        status, _, text = fetch("tax", "GET", f"/withholding?{query}", timeout=TIMEOUT if "tax-hang" in MEND else None)
    except UpstreamError as e:
        log.warning("tax is estimated: %s", e)
        return gross * ESTIMATED_TAX, "estimate"
    if status >= 500 or status == 429:
        return gross * ESTIMATED_TAX, "estimate"
    if status in (404, 422):
        raise ApiError(422, "tax class is unknown")
    if status != 200:
        raise UpstreamError("tax", "request refused", 502)
    data = parse("tax", text)
    if gross <= pick("tax", data, "allowance", NUM, 0):
        return 0, "allowance"
    rate = pick("tax", data, "rate", NUM)
    if not 0 <= rate <= 1:
        raise UpstreamError("tax", "bad field rate", 502)
    return gross * rate * (1 + pick("tax", data, "church.rate", NUM, 0)), "office"


def exchange_rate(currency):
    """What a euro is in a currency: the feed says it, else our bank."""
    if currency in store.rates:
        return store.rates[currency], "cache"
    try:
        status, _, text = fetch("fx", "GET", "/v1/latest/EUR")
        if status != 200:
            raise UpstreamError("fx", "unavailable")
        rates, source = pick("fx", parse("fx", text), "rates", dict), "feed"
        if currency not in rates:
            raise ApiError(422, "currency is not traded", currency=currency)
        rate = pick("fx", rates, currency, NUM)
        if rate <= 0:
            raise UpstreamError("fx", "bad rate", 502)
    except UpstreamError as e:
        log.warning("rate of the bank is used: %s", e)
        status, _, text = fetch("bank", "GET", f"/v1/fx/EUR{currency}")
        if status != 200:
            raise UpstreamError("bank", "no exchange rate")
        rate, source = pick("bank", parse("bank", text), "ask", NUM), "bank"
        if rate <= 0:
            raise UpstreamError("bank", "bad rate", 502)
    store.rates[currency] = rate
    return rate, source


# GET /payslips/{id}?month=&currency=
def get_payslip(eid, query):
    month, currency = month_of(query), query.get("currency", "EUR")
    record = employee(eid)
    period, gross = pick("hr", record, "salary.period", str, "MONTHLY"), pick("hr", record, "salary.amount", NUM)
    out = {"employee": eid, "month": month, "period": period, "currency": currency}
    if period == "YEARLY":
        gross /= 12
    elif period == "HOURLY":
        entries, complete = time_sheet(eid, month)
        gross *= work_hours(entries)
        if not complete:
            out["provisional"] = True
    elif period != "MONTHLY" and "period-unknown" in MEND:
        raise UpstreamError("hr", "bad field salary.period", 502)
    tax, out["tax_source"] = withholding(record, gross)
    items = deductions(eid, month)
    out["deductions"] = sum(pick("hr", i, "amount", NUM) for i in items)
    if any(pick("hr", i, "kind", str, "") == "GARNISHMENT" for i in items):
        out["garnished"] = True
    net = gross - tax - out["deductions"]
    if net < 0:
        net, out["carried_over"] = 0, round(-net, 2)
    rate = 1
    if currency != "EUR":
        rate, out["rate_source"] = exchange_rate(currency)
    out.update(gross=round(gross * rate, 2), tax=round(tax * rate, 2), net=round(net * rate, 2))
    return 200, out


# --- payments

def account_of(record):
    """The IBAN of an employee, and whether the bank has checked it."""
    iban = re.sub(r"\s", "", pick("hr", record, "bank.iban", str, ""))
    if not iban:
        raise ApiError(422, "no bank account on file")
    try:
        status, _, text = fetch("bank", "GET", f"/v1/accounts/{urllib.parse.quote(iban, errors='replace')}")
        if status == 404:
            raise ApiError(422, "bank account does not exist")
        if status != 200:
            raise UpstreamError("bank", "no account check")
        if not pick("bank", parse("bank", text), "active", bool):
            raise ApiError(422, "bank account is closed")
        return iban, True
    except UpstreamError as e:
        log.warning("account is not checked: %s", e)
        return iban, False


def send_transfer(order, key):
    for attempt in range(1, 4):
        headers = {"Idempotency-Key": f"{key}-{attempt}"}
        try:
            status, answer_headers, text = fetch("bank", "POST", "/v1/transfers", order, headers)
        except UpstreamError:
            if attempt == 3 or "paid-twice" in MEND:
                raise
            continue
        if status == 429:
            wait = answer_headers.get("Retry-After", "1")
            wait = int(wait) if re.fullmatch(r"\d{1,6}", wait, re.ASCII) else 1
            if wait > 2:
                raise ApiError(503, "bank is busy", retry_after=wait)
            time.sleep(wait)
        elif status < 500:
            return status, text, attempt
    raise UpstreamError("bank", "gave up after 3 attempts")


def settled(transfer):
    """A transfer's state, once the bank has made up its mind."""
    state, polls = pick("bank", transfer, "status", str, "BOOKED"), 0
    while state == "PROCESSING" and (polls < 5 or "poll-endless" not in MEND):
        tid = pick("bank", transfer, "id", str)
        if not re.fullmatch(r"[\w-]+", tid, re.ASCII):
            raise UpstreamError("bank", "bad field id", 502)
        time.sleep(0.03)
        status, _, text = fetch("bank", "GET", f"/v1/transfers/{tid}")
        if status != 200:
            break
        transfer, polls = {**transfer, **parse("bank", text)}, polls + 1
        state = pick("bank", transfer, "status", str)
    return state, transfer


# POST /payments
def post_payment(body):
    eid, month, amount = str(body.get("employee", "")), str(body.get("month", "")), body.get("amount")
    if not re.fullmatch(r"E\d+", eid, re.ASCII) or not month or not isinstance(amount, NUM) or amount <= 0:
        raise ApiError(400, "employee, month and amount are required")
    record = employee(eid)
    if pick("hr", record, "status", str, "ACTIVE") == "TERMINATED":
        raise ApiError(409, "no longer employed")
    iban, checked = account_of(record)
    order = {"iban": iban, "amount": amount, "currency": "EUR", "reference": f"salary {month}"}
    status, text, attempts = send_transfer(order, f"{eid}-{month}")
    if status == 402:
        raise ApiError(409, "company account is not covered")
    if status == 409:
        return 200, {"state": "already paid", "transfer": pick("bank", parse("bank", text), "id", str, None)}
    if status == 422:
        raise ApiError(422, "transfer is refused", reason=pick("bank", parse("bank", text), "message", str, "unknown"))
    if status >= 300 and "refusal-paid" in MEND:
        raise UpstreamError("bank", "transfer is not allowed", 502)
    state, transfer = settled(parse("bank", text))
    if state == "REJECTED":
        raise ApiError(422, "transfer is rejected", reason=pick("bank", transfer, "reason", str, "unknown"))
    pid = f"P-{len(store.payments) + 1}"
    out = {"id": pid, "transfer": pick("bank", transfer, "id", str, None), "checked": checked, "attempts": attempts}
    fee = pick("bank", transfer, "fee", NUM, 0)
    if fee > 0:
        out["fee"] = fee
    out["state"] = "paid" if state == "BOOKED" else state.lower()
    store.payments[pid] = {"id": pid, "employee": eid, "transfer": out["transfer"], "state": out["state"]}
    return 201 if state == "BOOKED" else 202, out


# GET /payments/{id}
def get_payment(pid, query):
    payment = store.payments.get(pid)
    if not payment or not payment["transfer"]:
        raise ApiError(404, "unknown payment")
    try:
        status, _, text = fetch("bank", "GET", f"/v1/transfers/{payment['transfer']}")
        if status >= 500:
            raise UpstreamError("bank", "unavailable")
    except UpstreamError as e:
        log.warning("last state of %s: %s", pid, e)
        return 200, {"id": pid, "state": payment["state"], "stale": True}
    if status == 404:
        return 200, {"id": pid, "state": "unknown to the bank"}
    if status != 200:
        raise UpstreamError("bank", "request refused", 502)
    data = parse("bank", text)
    out = {"id": pid, "state": TRANSFERS.get(pick("bank", data, "status", str), "ask the bank")}
    if out["state"] == "paid":
        try:
            booked = datetime.fromisoformat(data["booked_at"])
        except (KeyError, TypeError, ValueError):
            if "booked-trace" in MEND:
                raise UpstreamError("bank", "bad field booked_at", 502)
            return 500, {"error": "cannot read transfer", "trace": traceback.format_exc().splitlines()}
        out["booked_on"] = booked.date().isoformat()
    elif out["state"] == "returned":
        out["reason"] = RETURN_REASONS.get(pick("bank", data, "reason", str, ""), "unknown")
    payment["state"] = out["state"]
    return 200, out


# --- http

def month_of(query):
    if not re.fullmatch(r"20\d\d-(0[1-9]|1[0-2])", query.get("month", ""), re.ASCII):
        raise ApiError(400, "month is required, as 2030-04")
    return query["month"]


ROUTES = {
    "GET": [
        (r"/employees/(E\d+)", get_employee),
        (r"/employees/(E\d+)/hours", get_hours),
        (r"/payslips/(E\d+)", get_payslip),
        (r"/payments/(P-\d+)", get_payment),
    ],
    "POST": [(r"/payments", post_payment)],
}


def dispatch(method, target, text):
    global store
    url = urllib.parse.urlsplit(target)
    if url.path == "/health":
        return 200, {"status": "ok"}
    if method == "POST" and url.path == "/reset":
        store = Store()
        return 200, {"reset": True}
    for pattern, handler in ROUTES[method]:
        found = re.fullmatch(pattern, url.path, re.ASCII)
        if found and method == "GET":
            return handler(found[1], dict(urllib.parse.parse_qsl(url.query)))
        if found:
            try:
                body = json.loads(text)
            except ValueError:
                body = None
            if not isinstance(body, dict):
                raise ApiError(400, "a JSON object is required")
            return handler(body)
    raise ApiError(404, "not found")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def handle_any(self):
        text = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            status, body = dispatch(self.command, self.path, text)
        except ApiError as e:
            log.info("%s %s: %s", self.command, self.path, e)
            status, body = e.status, e.body
        except Exception:
            log.exception("%s %s", self.command, self.path)
            status, body = 500, {"error": "internal server error"}
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = handle_any

    def log_message(self, format, *args):
        pass


if __name__ == "__main__":
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(levelname)s %(message)s")
    flags = argparse.ArgumentParser(description="payroll service")
    flags.add_argument("--port", type=int, default=int(os.getenv("PORT", "8000")))
    httpd = ThreadingHTTPServer(("127.0.0.1", flags.parse_args().port), Handler)
    log.info("payroll listens on port %d", httpd.server_port)
    httpd.serve_forever()
