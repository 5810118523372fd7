"""What external services answer while a test runs, and what the API asks of them.

FLAKETAP_MOCKS is where `flaketap mock serve` is told. Where that is not set, the stubs are served here, at the port of
FLAKETAP_MOCKS_PORT: see README.md.
"""

import json
import os
import pathlib
import re
import socket
import struct
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from flaketap_client import reset

SIDE_BY_SIDE = 0.02  # seconds every answer is held back: calls that are made side by side may come one after the other
MAX_HELD = 100  # calls: nobody looks at the order of very many
OFTEN = 10  # as often as calls in a row are counted: how often what never ends depends on the machine
FOLDER = pathlib.Path(__file__).with_name("mocks")


class Mocks:
    """The external services of one test; url is where they tell what they were asked."""

    def __init__(self, api, url):
        self.api = api
        self.url = url
        self.hang = False

    def load(self, name, hangs=False):
        """Put the API back to its start, and have its services answer as a file says; hangs: the API will, too."""
        if hangs and not os.environ.get("FLAKETAP_RESTART"):
            pytest.skip("the API hangs in this test, and FLAKETAP_RESTART does not say how it is started anew")
        self.hang = hangs
        if os.environ.get("FLAKETAP_RESET"):
            reset(os.environ["FLAKETAP_RESET"])
        stubs = (FOLDER / f"{name}.json").read_bytes()
        answer = self.api.send("PUT", "/stubs", body=stubs, base_url=self.url)
        assert answer.status == 204, answer.text


@pytest.fixture(scope="session")
def mocks_url():
    """Where external services are told what to answer."""
    if os.environ.get("FLAKETAP_MOCKS"):
        yield os.environ["FLAKETAP_MOCKS"]
        return
    if not os.environ.get("FLAKETAP_MOCKS_PORT"):
        pytest.fail("nothing answers for the API's external services: run `flaketap mock serve --start CMD -- pytest`, or see README.md")
    server = Server(int(os.environ["FLAKETAP_MOCKS_PORT"]))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def mocks(api, mocks_url):
    """The external services of the API, and what they are asked."""
    services = Mocks(api, mocks_url)
    yield services
    if services.hang:
        reset(os.environ["FLAKETAP_RESTART"])


class Server(ThreadingHTTPServer):
    """Serves stubs: the first segment of a path is the service, as in http://127.0.0.1:9000/rates.example.com:443/latest."""

    daemon_threads = True

    def __init__(self, port):
        super().__init__(("127.0.0.1", port), Handler)
        self.lock = threading.Lock()
        self.load([])

    def load(self, mappings):
        for mapping in mappings:
            check(mapping)
        with self.lock:
            self.mappings, self.states, self.calls = mappings, {}, []

    def choose(self, service, method, target):
        """The answer of the last stub that is for a request, of those with the lowest priority; None where there is none."""
        with self.lock:
            for mapping in sorted(reversed(self.mappings), key=lambda m: m.get("priority", 5)):
                scenario, state = mapping.get("scenarioName"), mapping.get("requiredScenarioState")
                if not is_for(mapping["request"], service, method, target):
                    continue
                if state and state != self.states.get(scenario, "Started"):
                    continue
                if "newScenarioState" in mapping:
                    self.states[scenario] = mapping["newScenarioState"]
                return mapping.get("response", {})
        return None

    def begin(self, call):
        """Note a call, and return the note: its time is set when it is about to be answered."""
        note = {"call": call, "begun": time.monotonic(), "ended": 0}
        with self.lock:
            self.calls.append(note)
        return note

    def asked(self):
        """The calls as they began; those that were under way at the same time are sorted, and repeated ones listed once."""
        out, end = [], -1
        with self.lock:
            groups = []
            for note in self.calls:
                if note["begun"] < end:
                    groups[-1].append(note["call"])
                else:
                    groups.append([note["call"]])
                    end = -1
                end = max(end, note["ended"])
        for group in groups:
            for call in sorted(group, key=lambda c: (c["service"], c["method"], c["target"], json.dumps(c.get("body")))):
                if out and {**call, "times": 0} == {**out[-1], "times": 0}:
                    out[-1]["times"] = min(out[-1]["times"] + 1, OFTEN)
                else:
                    out.append({**call, "times": 1})
        return out


def check(mapping):
    """Refuse what is not served here."""
    known = {
        "": {"id", "uuid", "name", "priority", "request", "response", "scenarioName", "requiredScenarioState", "newScenarioState", "metadata"},
        "request": {"host", "port", "method", "url", "urlPath", "urlPattern", "urlPathPattern"},
        "response": {"status", "interimStatus", "headers", "body", "jsonBody", "fixedDelayMilliseconds", "fault"},
    }
    for part, names in known.items():
        for name in set(mapping.get(part, {}) if part else mapping) - names:
            raise ValueError(f"{name} is not served here: run the tests by flaketap mock serve")


def is_for(request, service, method, target):
    host, _, port = service.rpartition(":")
    path = target.partition("?")[0]
    return (
        request.get("method", "ANY") in ("ANY", method)
        and request.get("host", {}).get("equalTo", host).lower() == host.lower()
        and str(request.get("port", port)) == port
        and request.get("url", target) == target
        and request.get("urlPath", path) == path
        and re.fullmatch(request.get("urlPattern", ".*"), target, re.S) is not None
        and re.fullmatch(request.get("urlPathPattern", ".*"), path, re.S) is not None
    )


class Handler(BaseHTTPRequestHandler):
    """One connection to the services, or to what they are told by."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def parse_request(self):
        """Take any method."""
        parsed = super().parse_request()
        if parsed:
            setattr(self, "do_" + self.command, self.answer)
        return parsed

    def answer(self):
        body = self.body()
        if self.command == "PUT" and self.path == "/stubs":
            return self.told(body)
        if self.command == "GET" and self.path == "/calls":
            return self.send(200, {"Content-Type": "application/json"}, json.dumps({"calls": self.server.asked()}).encode())
        _, service, rest = ([*self.path.split("/", 2), ""])[:3]
        service, target = urllib.parse.unquote(service), "/" + rest
        note = self.server.begin(asked(service, self.command, target, body))
        response = self.server.choose(service, self.command, target)
        if interim := (response or {}).get("interimStatus"):
            self.wfile.write(f"HTTP/1.1 {interim} Interim\r\n\r\n".encode())
        held = SIDE_BY_SIDE if len(self.server.calls) <= MAX_HELD else 0
        time.sleep(max((response or {}).get("fixedDelayMilliseconds", 0) / 1000, held))
        note["ended"] = time.monotonic()
        if response is None:
            return self.send(404, {"Content-Type": "text/plain"}, f"no stub for {self.command} {service}{target}\n".encode())
        if response.get("fault"):
            return self.fail(response["fault"])
        text = json.dumps(response["jsonBody"]) if "jsonBody" in response else response.get("body", "")
        return self.send(response.get("status", 200), self.here(service, response.get("headers", {})), text.encode())

    def here(self, service, headers):
        """The fields of a head whose references to their own service lead here, where its name is the first segment of the path."""
        host, _, port = service.rpartition(":")
        own = re.compile(rf"(^|<)(https?://{re.escape(host)}(?::{re.escape(port)})?)?/(?!/)")
        base = f"http://{self.headers['host']}"

        def lead(value):
            return own.sub(lambda m: f"{m[1]}{base if m[2] else ''}/{service}/", value)

        out = dict(headers)
        for name, values in headers.items():
            if name.lower() in ("location", "link"):
                out[name] = [lead(v) for v in values] if isinstance(values, list) else lead(values)
        return out

    def body(self):
        if self.headers.get("transfer-encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("content-length", 0)))
        body = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass
        return body

    def told(self, body):
        try:
            stubs = json.loads(body)
            self.server.load(stubs["mappings"] if "mappings" in stubs else [stubs])
        except ValueError as e:
            return self.send(422, {"Content-Type": "text/plain"}, str(e).encode())
        return self.send(204, {}, b"")

    def send(self, status, headers, body):
        try:
            self.send_response_only(status)
            for name, values in headers.items():
                for value in values if isinstance(values, list) else [values]:
                    self.send_header(name, value)
            if status not in (204, 304):
                self.send_header("Content-Length", str(len(body)))
            self.send_header("Connection", "close")  # no call depends on a connection that another left
            self.end_headers()
            if self.command != "HEAD" and status not in (204, 304):
                self.wfile.write(body)
        except OSError:
            self.close_connection = True  # nobody waits for it any more

    def fail(self, fault):
        """End the connection in the way of a fault."""
        self.close_connection = True
        if fault == "MALFORMED_RESPONSE_CHUNK":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nno chunk")
        elif fault == "RANDOM_DATA_THEN_CLOSE":
            self.wfile.write(b"\x16no HTTP\x00\xff")
        elif fault == "CONNECTION_RESET_BY_PEER":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            socket.close(self.connection.detach())  # now: the server would end it in order first


def asked(service, method, target, body):
    call = {"service": service, "method": method, "target": target}
    if body:
        try:
            text = body.decode()
        except UnicodeDecodeError:
            return call
        try:
            call["body"] = json.loads(text)
        except ValueError:
            call["body"] = text
    return call
