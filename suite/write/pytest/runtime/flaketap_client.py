"""Sends requests as they were recorded and reads the answers. Needs the standard library only."""

import base64
import email.utils
import gzip
import http.client
import importlib
import json
import os
import pathlib
import re
import select
import socket
import ssl
import subprocess
import time
import urllib.parse
import urllib.request
import zlib
from decimal import Decimal

TIMEOUT = float(os.environ.get("FLAKETAP_TIMEOUT", "30"))
PAUSE = 0.1  # seconds before a request is sent again that is waited for


class Pairs(list):
    """A JSON object with a duplicate key: its members in order, as pairs."""


class Integer(int):
    """A JSON number, which True and False are no equals of, as they are of an int: an API may begin to say 1 for true."""

    def __eq__(self, other):
        return False if isinstance(other, bool) else int.__eq__(self, other)

    def __ne__(self, other):
        return not self == other

    __hash__ = int.__hash__


def parse_json(text):
    """Read JSON without loss: numbers that a float cannot hold become a Decimal, objects with duplicate keys become Pairs."""

    def number(token):
        value = float(token)
        return value if Decimal(repr(value)) == Decimal(token) else Decimal(token)

    def members(pairs):
        return dict(pairs) if len({key for key, _ in pairs}) == len(pairs) else Pairs(pairs)

    return json.loads(text, parse_int=Integer, parse_float=number, object_pairs_hook=members)


def text_of(value):
    """The text that stands for a scalar in a path, a query or a header."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "null" if value is None else str(value)


class Headers:
    """The headers of an answer; names are not case-sensitive."""

    def __init__(self, message):
        self._message = message

    def __getitem__(self, name):
        values = self.all(name)
        if not values:
            raise KeyError(name)
        return ", ".join(values)

    def __contains__(self, name):
        return name in self._message

    def get(self, name, otherwise=""):
        return self[name] if name in self else otherwise

    def all(self, name):
        return self._message.get_all(name, [])

    def __repr__(self):
        return repr(self._message.items())


class Answer:
    """What the API answered: status, headers, body (bytes), text, json(), cookies, host (asked for)."""

    def __init__(self, response, body, host, head=""):
        self.host = host
        self.came = time.time()
        self.refused = refused(response.status, head)
        self.status = response.status
        self.headers = Headers(response.msg)
        self.body = decode(body, self.headers.all("content-encoding"))

    @property
    def text(self):
        return self.body.decode("utf-8", "replace")

    @property
    def now(self):
        """When it was made, in seconds since 1970: by its Date, else when it came by the clock of this machine."""
        try:
            return email.utils.parsedate_to_datetime(self.headers.get("date")).timestamp()
        except (TypeError, ValueError):
            return self.came

    @property
    def cookies(self):
        pairs = (line.split(";", 1)[0].partition("=") for line in self.headers.all("set-cookie"))
        return {name.strip(): value.strip().strip('"') for name, _, value in pairs}

    def json(self):
        return parse_json(self.body)

    def __repr__(self):
        why = f"; {self.refused}" if self.refused else ""
        return f"<answer {self.status}, {len(self.body)} bytes: {self.text[:200]!r}{why}>"


def decode(body, codings):
    """Decode content codings; br and zstd need a package, which requirements.txt lists if the recording has them."""
    for coding in reversed([c.strip().lower() for line in codings for c in line.split(",")]):
        if coding in ("gzip", "x-gzip") and body:
            body = gzip.decompress(body)
        elif coding == "deflate" and body:
            try:
                body = zlib.decompress(body)
            except zlib.error:
                body = zlib.decompress(body, -zlib.MAX_WBITS)
        elif coding == "br" and body:
            body = package("brotli", "brotlicffi").decompress(body)
        elif coding == "zstd" and body:
            body = package("zstandard").ZstdDecompressor().decompressobj().decompress(body)
    return body


def package(*names):
    """The first of the packages that is installed."""
    for name in names:
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    raise RuntimeError(f"the answer cannot be read without the package {names[0]}: pip install -r requirements.txt")


class Api:
    """The API under test. One connection per address is kept open; the headers go with each request."""

    def __init__(self, base_url, headers=(), timeout=TIMEOUT):
        self.base_url = base_url
        self.headers = headers
        self.timeout = timeout
        self._sockets = {}
        self.refusals = {}  # how many answers refused a credential, by what to say of it

    def send(self, method, target, until=None, seconds=0, every=PAUSE, **message):
        """Send one request and read the answer; with until, again until that is true of the answer, at most for so long."""
        end = time.monotonic() + seconds
        while True:
            answer = self.send_once(method, target, **message)
            if until is None or until(answer) or time.monotonic() >= end:
                return answer
            time.sleep(every)

    def send_once(self, method, target, headers=(), body=None, chunked=False, base_url=None):
        """Send one request, byte for byte, and read the answer. Host and framing are added to the headers given.

        A header given takes the place of the one that goes with each request; None leaves that out.
        """
        url = urllib.parse.urlsplit(base_url or self.base_url)
        if isinstance(body, str):
            body = body.encode()
        host = url.netloc.rpartition("@")[2]
        lines = [f"{method} {url.path.rstrip('/')}{target} HTTP/1.1", f"Host: {host}"]
        given = {name.lower() for name, _ in headers}
        usual = [(name, value) for name, value in self.headers if name.lower() not in given]
        lines += [f"{name}: {value}" for name, value in [*usual, *headers] if value is not None]
        if chunked:
            lines.append("Transfer-Encoding: chunked")
            body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body) if body else b"0\r\n\r\n"
        elif body is not None:
            lines.append(f"Content-Length: {len(body)}")
        head = "\r\n".join(lines) + "\r\n\r\n"
        message = head.encode("latin-1" if all(ord(c) < 256 for c in head) else "utf-8") + (body or b"")
        return self._exchange(url, host, method, message)

    def ends(self, method, target, seconds, **message):
        """Send a request that is not to be answered: it "hangs" for so many seconds, "breaks off", or "answers" with a status."""
        own = Api(self.base_url, self.headers, seconds)
        try:
            return f"answers {own.send_once(method, target, **message).status}"
        except socket.timeout:
            return "hangs"
        except (OSError, http.client.HTTPException):
            return "breaks off"
        finally:
            own.close()

    def _exchange(self, url, host, method, message):
        address = (url.scheme, url.hostname, url.port or (443 if url.scheme == "https" else 80))
        connection = self._sockets.pop(address, None)
        if connection is not None and not gone(connection):
            try:
                return self._once(address, connection, host, method, message)
            except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
                connection.close()  # the connection was closed while idle, before any answer
        elif connection is not None:
            connection.close()
        return self._once(address, connect(*address, self.timeout), host, method, message)

    def _once(self, address, connection, host, method, message):
        connection.sendall(message)
        response = http.client.HTTPResponse(connection, method=method)
        response.begin()
        head = message.split(b"\r\n\r\n", 1)[0].decode("utf-8", "replace")
        answer = Answer(response, response.read(), host, head)
        if answer.refused:
            self.refusals[answer.refused] = self.refusals.get(answer.refused, 0) + 1
        keep = not response.will_close and response.status != 101
        response.close()
        if keep:
            self._sockets[address] = connection
        else:
            connection.close()
        return answer

    def close(self):
        for connection in self._sockets.values():
            connection.close()
        self._sockets.clear()


def connect(scheme, host, port, timeout):
    connection = socket.create_connection((host, port), timeout=timeout)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if scheme == "https":
        context = ssl.create_default_context()
        if os.environ.get("FLAKETAP_INSECURE"):
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        connection = context.wrap_socket(connection, server_hostname=host)
    return connection


def gone(connection):
    """Whether the other side closed an idle connection (or sent something unexpected)."""
    return bool(select.select([connection], [], [], 0)[0])


def reset(how):
    """Reset the API: POST to a URL, or run a shell command."""
    if how.startswith(("http://", "https://")):
        with urllib.request.urlopen(urllib.request.Request(how, data=b"", method="POST"), timeout=60):
            return
    subprocess.run(how, shell=True, check=True, timeout=60)


def in_path(value):
    return urllib.parse.quote(value, safe="~!$&'()*+,;=:@")


def in_query(value):
    return urllib.parse.quote(value, safe="~!$'()*,:@/?")


def in_json(value):
    """A text escaped for use inside a JSON string."""
    return json.dumps(value, ensure_ascii=False)[1:-1]


def as_json(value):
    """A text as a JSON value: a number if it is one, otherwise a string."""
    try:
        if isinstance(json.loads(value), (int, float)) and value not in ("true", "false"):
            return value
    except ValueError:
        pass
    return json.dumps(value, ensure_ascii=False)


def this_run():
    """A text that is another in each run: an API that keeps what it has refuses an account that is there."""
    return f"r{time.time_ns():x}"


def from_base64(value):
    """The bytes of a body that is not text."""
    return base64.b64decode(value)


# The secrets that tests asked for, by environment variable, but for those that the API is to refuse.
GIVEN = {}


def secret(name):
    """A secret: from the environment variable FLAKETAP_ and its name, or from secrets.json."""
    variable = "FLAKETAP_" + name
    value = os.environ.get(variable) or stored(name, variable)
    if len(value) >= 6 and not name.startswith("REFUSED_"):
        GIVEN[variable] = value
    return value


def stored(name, variable):
    """A secret of secrets.json beside this file, or of the file named by FLAKETAP_SECRETS."""
    beside = pathlib.Path(__file__).with_name("secrets.json")
    path = pathlib.Path(os.environ.get("FLAKETAP_SECRETS") or beside)
    hint = f"give it there, or set the environment variable {variable}, see README.md"
    try:
        value = json.loads(path.read_text(encoding="utf-8")).get(name)
    except FileNotFoundError:
        raise RuntimeError(f"{path} is missing, so there is no {name}: {hint}") from None
    if not value:
        raise RuntimeError(f"{path} has no value for {name}: {hint}")
    return value


def refused(status, head):
    """What to say where the API refuses a request that bears a credential of the environment; "" where it does not."""
    if status not in (401, 403):
        return ""
    names = [name for name, value in GIVEN.items() if value in head or in_query(value) in head]
    if not names:
        return ""
    return f"the API refused the credential {' and '.join(names)}{expired(names)}: set another, see README.md"


def expired(names):
    """When the first of the JSON Web Tokens among some credentials expired, by its own word."""
    for name in names:
        for payload in re.findall(r"eyJ[\w-]+\.(eyJ[\w-]+)\.", GIVEN[name]):
            try:
                end = json.loads(base64.urlsafe_b64decode(payload + "=="))["exp"]
                if end <= time.time():
                    return time.strftime(", which expired at %Y-%m-%dT%H:%M:%SZ", time.gmtime(end))
            except (ValueError, KeyError, TypeError, OverflowError):
                continue
    return ""
