#!/usr/bin/env python3
"""Lending service of a city library: titles, members, holds and e-books.

Upstream systems:
    catalog  records of the union catalog
    circ     circulation of the branches (holdings, loans, holds)
    members  member register in the town hall
    ebooks   licences and checkouts of e-books
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
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Literal, Optional
from urllib.error import HTTPError

from pydantic import BaseModel, ConfigDict, Field, HttpUrl, TypeAdapter, ValidationError

BASE = {
    "catalog": "https://catalog.unionlib.example",
    "circ": "http://circ.branches.example:8210",
    "members": "http://192.0.2.77:7000",
    "ebooks": "https://api.ebooklend.example",
}
BASE.update(s.split("=", 1) for s in os.getenv("SERVICES", "").split(",") if s)
TIMEOUT = float(os.getenv("TIMEOUT", "2"))
MEND = os.getenv("MEND", "").split(",")

LOAN_LIMIT = {"adult": 20, "child": 10, "student": 30, "staff": 50}
MOST_OWED = 10
LONGEST_QUEUE = 25
MOST_PAGES = 5
REFUSED_HOLDS = {"DUPLICATE": "already on hold", "LIMIT": "too many holds"}
REFUSED_RENEWALS = {"RESERVED": "someone is waiting", "LIMIT": "renewed too often", "OVERDUE": "loan is overdue"}

log = logging.getLogger("lending")


# --- what the upstream systems answer

class Medium(str, Enum):
    BOOK = "BOOK"
    AUDIO = "AUDIO"
    SCORE = "SCORE"
    MAP = "MAP"


class Contributor(BaseModel):
    name: str = Field(min_length=1)
    role: Literal["author", "editor", "translator", "illustrator"]


class Publication(BaseModel):
    publisher: Optional[str] = None
    year: int = Field(ge=1400, le=2200)


class Record(BaseModel):
    model_config = ConfigDict(populate_by_name=True)

    title: str = Field(min_length=1)
    medium: Medium
    contributors: list[Contributor]
    publication: Publication
    language: str
    page_count: Optional[int] = Field(None, alias="pageCount")
    cover: Optional[HttpUrl] = Field(None, alias="coverUrl")


class Hit(BaseModel):
    isbn: str = Field(pattern=r"^\d{10,13}$")
    title: str
    score: float


class SearchPage(BaseModel):
    total: int = Field(ge=0)
    hits: list[Hit]
    next: Optional[str] = None
    did_you_mean: Optional[str] = None


class Item(BaseModel):
    barcode: str
    branch: str
    state: Literal["available", "on_loan", "transit", "repair"]
    due: Optional[date] = None
    loanable: bool = True


class Holdings(BaseModel):
    items: list[Item]
    queue: int


class Loan(BaseModel):
    id: str
    title: str
    due: date
    recalled: bool = False
    fee: Decimal


Loans = TypeAdapter(list[Loan])


class Pickup(BaseModel):
    branch: str
    counter: Optional[str] = None


class Hold(BaseModel):
    id: str
    position: int = Field(ge=1)
    ready_by: Optional[date] = None
    pickup: Pickup
    fee: Decimal


class Renewal(BaseModel):
    due: date
    renewals: int
    fee: Optional[Decimal] = None


class Name(BaseModel):
    first: str
    last: str


class Guardian(BaseModel):
    name: str


class Member(BaseModel):
    model_config = ConfigDict(strict=True)

    name: Name
    category: Literal["adult", "child", "student", "staff"]
    suspended: bool
    reason: Optional[str] = None
    owed: float = Field(ge=0)
    expires: date
    guardian: Optional[Guardian] = None


class Download(BaseModel):
    url: HttpUrl
    format: str


class Checkout(BaseModel):
    id: str = Field(pattern=r"^[\w-]+$")
    status: Literal["active", "queued", "pending", "expired", "returned"]
    expires: Optional[datetime] = None
    position: Optional[int] = None
    download: Optional[Download] = None


# --- calls

class ApiError(Exception):
    def __init__(self, status, error, **details):
        super().__init__(error)
        self.status, self.body = status, {"error": error, **details}


class UpstreamError(ApiError):
    def __init__(self, service, problem, status=503, **details):
        super().__init__(status, f"{service}: {problem}", **details)


class Store:
    def __init__(self):
        self.checkouts = {"C-1": {"upstream": "chk-1", "state": "active"}}


store = Store()


def fetch(service, method, path, payload=None, timeout=TIMEOUT):
    """Calls an upstream: (status, headers, body), whatever the status is."""
    try:
        request = urllib.request.Request(BASE[service] + path, method=method, headers={"Accept": "application/json"})
        if payload is not None:
            request.data = json.dumps(payload).encode()
            request.add_header("Content-Type", "application/json")
        try:
            response = urllib.request.urlopen(request, timeout=timeout)
        except HTTPError as e:
            response = e
        with response:
            return response.status, response.headers, response.read()
    except Exception as e:
        if isinstance(e, TimeoutError) or isinstance(getattr(e, "reason", None), TimeoutError):
            raise UpstreamError(service, "timeout", 504) from e
        raise UpstreamError(service, "connection failed") from e


def quoted(text):
    return urllib.parse.quote(text, safe="", errors="replace")


def reason_of(body):
    """Why an upstream refuses, if it says so."""
    try:
        return json.loads(body)["reason"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


# --- catalog

def record_of(isbn):
    status, headers, body = fetch("catalog", "GET", f"/v2/records/{isbn}")
    if status == 404:
        raise ApiError(404, "unknown title", isbn=isbn)
    if status == 410:
        raise ApiError(410, "title was withdrawn", isbn=isbn)
    if status == 429:
        wait = headers.get("Retry-After", "")
        raise UpstreamError("catalog", "busy", 503, retry_after=int(wait) if re.fullmatch(r"[0-9]{1,5}", wait) else 60)
    if status != 200:
        raise UpstreamError("catalog", "unavailable")
    try:
        return Record.model_validate_json(body)
    except ValidationError as e:
        log.error("record %s: %s", isbn, e)
        raise UpstreamError("catalog", "invalid record", 502) from e


def holdings_of(isbn):
    status, _, body = fetch("circ", "GET", f"/holdings/{isbn}")
    if status == 404:
        return Holdings(items=[], queue=0)
    if status != 200:
        raise UpstreamError("circ", "unavailable")
    try:
        return Holdings.model_validate_json(body)
    except ValidationError as e:
        raise UpstreamError("circ", "invalid holdings", 502) from e


def availability(isbn):
    try:
        holdings = holdings_of(isbn)
    except UpstreamError as e:
        log.warning("no availability of %s: %s", isbn, e)
        return {"known": False}
    out = {
        "known": True,
        "copies": len(holdings.items),
        "free": sum(i.state == "available" for i in holdings.items),
        "waiting": holdings.queue,
    }
    if any(not i.loanable for i in holdings.items):
        out["reading_room"] = True
    if holdings.items and all(i.state == "on_loan" for i in holdings.items):
        dues = [i.due for i in holdings.items]
        if "due-null" in MEND:
            dues = [d for d in dues if d]
        out["next_due"] = min(dues).isoformat() if dues else None
    return out


# GET /titles/{isbn}
def get_title(isbn, query):
    record = record_of(isbn)
    year = record.publication.year
    out = {
        "isbn": isbn,
        "title": record.title,
        "authors": [c.name for c in record.contributors if c.role == "author"],
        "medium": record.medium.value.lower(),
        "year": year,
    }
    if not out["authors"]:
        out["editors"] = [c.name for c in record.contributors if c.role == "editor"]
    if any(c.role == "translator" for c in record.contributors):
        out["translated"] = True
    if year > date.today().year:
        out["announced"] = True
    elif year < 1900:
        out["rare"] = True
    if record.publication.publisher:
        out["publisher"] = record.publication.publisher
    if record.language != "en":
        out["language"] = record.language
    if record.page_count is not None:
        out["pages"] = record.page_count
    if record.cover:
        out["cover"] = str(record.cover)
    out["availability"] = availability(isbn)
    return 200, out


# GET /search?q=
def search(query):
    q = query.get("q", "").strip()
    if not q:
        raise ApiError(400, "q is required")
    hits, cursor, pages, suggestion, complete = [], "", 0, None, True
    while True:
        target = f"/v2/search?q={quoted(q)}" + (f"&cursor={quoted(cursor)}" if cursor else "")
        status, _, body = fetch("catalog", "GET", target)
        if status != 200:
            if pages == 0:
                raise UpstreamError("catalog", "search failed")
            log.warning("search for %s ends after %d pages: %s", q, pages, status)
            complete = "search-cut" not in MEND
            break
        try:
            page = SearchPage.model_validate(json.loads(body))
        except ValidationError as e:
            raise UpstreamError("catalog", "invalid answer", 502, detail=str(e)) from e
        except (ValueError, RecursionError) as e:
            raise UpstreamError("catalog", "no JSON", 502) from e
        pages += 1
        hits += [{"isbn": h.isbn, "title": h.title} for h in page.hits if h.score >= 0.1]
        total, suggestion = page.total, page.did_you_mean
        if not page.next:
            break
        if pages == MOST_PAGES and "search-endless" in MEND:
            complete = False
            break
        cursor = page.next
    out = {"total": total, "hits": hits, "complete": complete}
    if total == 0 and suggestion:
        out["did_you_mean"] = suggestion
    return 200, out


# --- members

def member_of(mid):
    status, _, body = fetch("members", "GET", f"/members/{mid}")
    if status == 404:
        raise ApiError(404, "unknown member", id=mid)
    if status == 423:
        raise ApiError(403, "record is sealed", id=mid)
    if status != 200:
        raise UpstreamError("members", "unavailable")
    try:
        return Member.model_validate_json(body)
    except ValidationError as e:
        details = json.loads(e.json(include_url=False, include_context=False, include_input=False))
        raise UpstreamError("members", "invalid member", 502, details=details) from e


def active_member(mid):
    """A member who may borrow."""
    member = member_of(mid)
    if member.suspended:
        raise ApiError(403, "member is suspended", reason=member.reason)
    if member.expires < date.today():
        raise ApiError(403, "membership has expired")
    if member.owed > MOST_OWED or member.owed == MOST_OWED and "owed-ten" not in MEND:
        raise ApiError(402, "fees are open", owed=member.owed)
    return member


def loans_of(mid):
    status, _, body = fetch("circ", "GET", f"/patrons/{mid}/loans")
    if status in (204, 404):
        return []
    if status != 200:
        raise UpstreamError("circ", "unavailable")
    try:
        return Loans.validate_json(body)
    except ValidationError as e:
        for error in e.errors():
            log.error("loans of %s: %s: %s", mid, ".".join(str(key) for key in error["loc"]), error["msg"])
        raise UpstreamError("circ", "invalid loans", 502) from e


# GET /members/{id}
def get_member(mid, query):
    member = member_of(mid)
    out = {"id": mid, "name": f"{member.name.first} {member.name.last}", "category": member.category}
    if member.suspended:
        out["suspended"] = member.reason or "no reason given"
    if member.owed > 0:
        out["owed"] = member.owed
    if member.expires < date.today():
        out["expired"] = True
    else:
        out["expires"] = member.expires.isoformat()
    if member.category == "child":
        if "guardian-null" in MEND:
            out["guardian"] = member.guardian.name if member.guardian else "unknown"
        else:
            out["guardian"] = member.guardian.name
    try:
        loans = loans_of(mid)
    except UpstreamError as e:
        if e.status == 502:
            raise
        log.warning("no loans of %s: %s", mid, e)
        return 200, {**out, "loans": None}
    out["loans"] = []
    for loan in loans:
        entry = {"title": loan.title, "due": loan.due.isoformat()}
        if loan.due < date.today():
            entry["overdue"] = True
        if loan.recalled:
            entry["recalled"] = True
        out["loans"].append(entry)
    fees = sum(loan.fee for loan in loans)
    if fees > 0:
        out["fees"] = str(fees)
    if len(loans) >= LOAN_LIMIT[member.category]:
        out["at_limit"] = True
    return 200, out


# --- holds

def place_hold(order):
    for attempt in range(1, 4):
        status, headers, body = fetch("circ", "POST", "/holds", order)
        if status == 503:
            log.warning("hold: %s, attempt %d", status, attempt)
            time.sleep(0.02)
            continue
        if status == 409:
            raise ApiError(409, REFUSED_HOLDS.get(str(reason_of(body)), "hold is refused"))
        if status not in (200, 201):
            raise UpstreamError("circ", "no hold")
        try:
            return Hold.model_validate_json(body), attempt
        except ValidationError as e:
            log.error("hold of %s: %s", order["isbn"], e)
            raise UpstreamError("circ", "invalid hold", 502) from e
    raise UpstreamError("circ", "gave up after 3 attempts")


def charge(mid, hold):
    """Charges a hold's fee to a member, and returns the receipt."""
    for attempt in range(2):
        try:
            status, _, body = fetch("members", "POST", f"/members/{mid}/charges", {"hold": hold.id, "amount": str(hold.fee)})
            break
        except UpstreamError:
            if attempt == 1 or "charged-twice" in MEND:
                if "hold-kept" in MEND:
                    fetch("circ", "DELETE", f"/holds/{quoted(hold.id)}")
                raise
    if status in (200, 201):
        try:
            return json.loads(body)["charge"]["receipt"]
        except (ValueError, KeyError, TypeError, RecursionError) as e:
            log.warning("charge of %s without a receipt: %r", mid, e)
            return None
    fetch("circ", "DELETE", f"/holds/{quoted(hold.id)}")
    if status == 402:
        raise ApiError(402, "fee cannot be charged")
    raise UpstreamError("members", "not charged")


# POST /holds
def post_hold(body):
    mid, isbn, branch = (str(body.get(key, "")) for key in ("member", "isbn", "branch"))
    if not re.fullmatch(r"M[0-9]+", mid) or not re.fullmatch(r"[0-9]{10,13}", isbn) or not branch:
        raise ApiError(400, "member, isbn and branch are required")
    active_member(mid)
    holdings = holdings_of(isbn)
    items = [i for i in holdings.items if i.loanable and i.state != "repair"]
    if not items:
        raise ApiError(409, "title is not for loan")
    for item in items:
        if item.branch == branch and item.state == "available":
            raise ApiError(409, "on the shelf", barcode=item.barcode)
    if holdings.queue >= LONGEST_QUEUE:
        raise ApiError(409, "queue is full", waiting=holdings.queue)
    hold, attempts = place_hold({"patron": mid, "isbn": isbn, "branch": branch})
    out = {"hold": hold.id, "position": hold.position, "attempts": attempts, "pickup": hold.pickup.branch}
    if hold.pickup.counter:
        out["counter"] = hold.pickup.counter
    if hold.pickup.branch != branch:
        out["moved"] = True
    if hold.ready_by:
        out["ready_by"] = hold.ready_by.isoformat()
    if hold.fee > 0:
        out["receipt"] = charge(mid, hold)
    return 201, out


# POST /renewals
def post_renewal(body):
    loan = str(body.get("loan", ""))
    if not re.fullmatch(r"L-[0-9]+", loan):
        raise ApiError(400, "loan is required")
    status, _, text = fetch("circ", "POST", f"/loans/{loan}/renew")
    if status == 404:
        raise ApiError(404, "unknown loan")
    if status == 409:
        raise ApiError(409, "not renewed", reason=REFUSED_RENEWALS.get(str(reason_of(text)), "unknown"))
    if status != 200:
        raise UpstreamError("circ", "no renewal")
    try:
        renewal = Renewal.model_validate_json(text)
    except ValidationError as e:
        raise UpstreamError("circ", str(e), 502) from e
    if renewal.due < date.today() and "renewed-past" in MEND:
        raise UpstreamError("circ", "due in the past", 502)
    out = {"loan": loan, "due": renewal.due.isoformat(), "renewals": renewal.renewals}
    if renewal.renewals >= 3:
        out["last"] = True
    if renewal.fee:
        out["fee"] = str(renewal.fee)
    return 200, out


# --- e-books

def licence_of(isbn):
    """How an e-book may be lent: (the model of its licence, checkouts that remain)."""
    status, _, body = fetch("ebooks", "GET", f"/licences/{isbn}")
    if status == 404:
        raise ApiError(404, "not available as e-book")
    if status != 200:
        raise UpstreamError("ebooks", "unavailable")
    try:
        licence = json.loads(body)["licence"]
        model = licence["model"]
        remaining = licence.get("remaining", 1)
        if model == "metered" and not isinstance(remaining, int):
            raise TypeError(f"remaining is {type(remaining).__name__}, not int")
        ends = licence.get("ends")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as e:
        log.error("licence of %s: %r", isbn, e)
        raise UpstreamError("ebooks", "invalid licence", 502) from e
    if ends is not None:
        try:
            ended = date.fromisoformat(ends) < date.today()
        except (TypeError, ValueError) as e:
            if "licence-ends" not in MEND:
                raise
            raise UpstreamError("ebooks", "invalid licence", 502) from e
        if ended:
            raise ApiError(410, "licence has ended")
    return model, remaining


def settled(checkout):
    """A checkout, once the platform has made up its mind."""
    for _ in range(4):
        if checkout.status != "pending":
            break
        time.sleep(0.03)
        status, _, body = fetch("ebooks", "GET", f"/checkouts/{checkout.id}")
        if status != 200:
            break
        checkout = checkout_in(body)
    return checkout


def checkout_in(body):
    try:
        return Checkout.model_validate_json(body)
    except ValidationError as e:
        first = e.errors()[0]
        log.error("checkout: %s: %s", "/".join(str(key) for key in first["loc"]), first["msg"])
        raise UpstreamError("ebooks", "invalid checkout", 502) from e


# POST /ebooks
def post_ebook(body):
    mid, isbn = str(body.get("member", "")), str(body.get("isbn", ""))
    if not re.fullmatch(r"M[0-9]+", mid) or not re.fullmatch(r"[0-9]{10,13}", isbn):
        raise ApiError(400, "member and isbn are required")
    member = active_member(mid)
    model, remaining = licence_of(isbn)
    if model == "metered" and remaining <= 0:
        raise ApiError(409, "licence is used up")
    if model == "reference":
        raise ApiError(403, "to be read in the library only")
    order = {"isbn": isbn, "patron": mid, "days": 28 if member.category in ("student", "staff") else 14}
    status, _, text = fetch("ebooks", "POST", "/checkouts", order, TIMEOUT if "checkout-hang" in MEND else None)
    if status == 409:
        raise ApiError(409, "already borrowed")
    if status == 451:
        raise ApiError(451, "not in this country")
    if status not in (200, 201, 202):
        raise UpstreamError("ebooks", "no checkout")
    checkout = settled(checkout_in(text))
    cid = f"C-{len(store.checkouts) + 1}"
    store.checkouts[cid] = {"upstream": checkout.id, "state": checkout.status}
    out = {"id": cid, "state": checkout.status}
    if model == "metered" and remaining == 1:
        out["last_copy"] = True
    if checkout.status == "active" and checkout.expires:
        out["expires"] = checkout.expires.isoformat()
    if checkout.status == "queued":
        out["position"] = checkout.position
    if checkout.status in ("expired", "returned"):
        raise UpstreamError("ebooks", "checkout is over", 502)
    return 201 if checkout.status == "active" else 202, out


# GET /ebooks/{id}
def get_ebook(cid, query):
    known = store.checkouts.get(cid)
    if not known:
        raise ApiError(404, "unknown checkout")
    try:
        status, _, body = fetch("ebooks", "GET", f"/checkouts/{known['upstream']}")
        if status >= 500:
            raise UpstreamError("ebooks", "unavailable")
    except UpstreamError as e:
        log.warning("last state of %s: %s", cid, e)
        return 200, {"id": cid, "state": known["state"], "stale": True}
    if status == 404:
        raise ApiError(410, "checkout is gone")
    if status != 200:
        raise UpstreamError("ebooks", "request refused", 502)
    checkout = checkout_in(body)
    out = {"id": cid, "state": checkout.status}
    if checkout.status == "active":
        try:
            out["url"], out["format"] = str(checkout.download.url), checkout.download.format
        except AttributeError as e:
            if "download-trace" in MEND:
                raise UpstreamError("ebooks", "no download", 502) from e
            return 500, {"error": "cannot read checkout", "trace": traceback.format_exc().splitlines()}
        if checkout.expires and checkout.expires.date() <= date.today() + timedelta(days=1):
            out["ends_soon"] = True
    elif checkout.status == "queued":
        out["position"] = checkout.position
    known["state"] = checkout.status
    return 200, out


# --- http

ROUTES = {
    "GET": [
        (r"/titles/([0-9]{10,13})", get_title),
        (r"/search", search),
        (r"/members/(M[0-9]+)", get_member),
        (r"/ebooks/(C-[0-9]+)", get_ebook),
    ],
    "POST": [(r"/holds", post_hold), (r"/renewals", post_renewal), (r"/ebooks", post_ebook)],
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
        found = re.fullmatch(pattern, url.path)
        if found and method == "GET":
            return handler(*found.groups(), dict(urllib.parse.parse_qsl(url.query)))
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
    flags = argparse.ArgumentParser(description="lending service")
    flags.add_argument("--port", type=int, default=int(os.getenv("PORT", "8000")))
    httpd = ThreadingHTTPServer(("127.0.0.1", flags.parse_args().port), Handler)
    log.info("lending listens on port %d", httpd.server_port)
    httpd.serve_forever()
