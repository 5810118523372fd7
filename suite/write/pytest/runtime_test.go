package pytest

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/volatility/notation"
	"github.com/google/go-cmp/cmp"
)

// TestFormatsAreThoseOfTheChecks compares the two tables of formats, ours and that of the Python module.
func TestFormatsAreThoseOfTheChecks(t *testing.T) {
	data, err := runtime.ReadFile("runtime/flaketap_checks.py")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(data), "FORMATS = {\n")
	table, _, _ = strings.Cut(table, "\n}")
	got := map[string]string{}
	for _, line := range strings.Split(table, "\n") {
		name, pattern, _ := strings.Cut(strings.TrimSpace(line), ": r")
		got[strings.Trim(name, `"`)] = strings.TrimSuffix(strings.TrimPrefix(pattern, `"`), `",`)
	}
	if diff := cmp.Diff(notation.FormatPatterns(), got); diff != "" {
		t.Errorf("(-go +python):\n%s", diff)
	}
	for name, pattern := range notation.FormatPatterns() {
		if _, err := regexp.Compile(pattern); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Places are read as they are written, whatever signs keys have.
func TestPlacesInPython(t *testing.T) {
	needs.That(t, "python3", exec.Command("python3", "--version").Run() == nil)
	cmd := exec.Command("python3", "-c", `
from flaketap_checks import values_at
from flaketap_client import parse_json
class Res:
    headers = {}
    def json(self):
        return parse_json('{"": 1, "~2": 2, "*": 3, "a/b": {"": 4}, "@x": 5}')
for place, want in (("/body/", [1]), ("/body/~02", [2]), ("/body/~2", [3]), ("/body/a~1b/", [4]), ("/body/~3x", [5]), ("/body/none", [])):
    if values_at(Res(), place) != want:
        print(place, values_at(Res(), place))
if len(values_at(Res(), "/body/*")) != 5 or len(values_at(Res(), "/body")) != 1:
    print("wildcards")
`)
	cmd.Dir = "runtime"
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v:\n%s", err, out)
	}
}

// A value that is only described compares with any that is so, within lists and objects as well.
func TestLike(t *testing.T) {
	needs.That(t, "python3", exec.Command("python3", "--version").Run() == nil)
	cmd := exec.Command("python3", "-c", `
from decimal import Decimal
from flaketap_checks import like
from flaketap_client import parse_json
same = [
    (parse_json('{"a": [1, true, 1.5, 12345678901234567890, 0.1]}'), {"a": [1, True, 1.5, 12345678901234567890, 0.1]}),
    (parse_json("1"), Decimal("1.0")),
    (parse_json("1"), like("integer", low="1")),
    (1.0, parse_json("1")),
    ({"a": [1, "x"]}, {"a": [like("integer"), like("string", min_length=1)]}),
    (17, like(text="17")),
    ("/orders/17", like(ends="/17")),
    (None, like("null|string", pattern="a+")),
    (Decimal("1.5"), like("number", low="1", high="1.5")),
    (["a"], like("array", max_length=1)),
    ({"b": 1}, like(equal={"b": 1})),
    (True, like(one_of=[False, True])),
    ("x", like()),
]
other = [
    (parse_json('{"a": 1}'), {"a": True}),
    (parse_json("0"), False),
    (parse_json("1"), like("boolean")),
    ({"a": 1, "b": 2}, {"a": like("integer")}),
    ("17", like("integer")),
    (18, like(text="17")),
    ("aab", like("null|string", pattern="a+")),
    (None, like("string")),
    (True, like("integer")),
    ({}, like(text="{}x")),
    ("1970-01-01T00:00:00Z", like("string", format="rfc3339", near=(1760000000, 60))),
]
for got, want in same:
    if not got == want:
        print(got, "is not", want)
for got, want in other:
    if got == want:
        print(got, "is", want)
for value, near, want in [(1000, 700, False), (1760000300, 1760000000 + 300, True), (1760000303, 1760000000 + 300, False), (None, 0, True)]:
    if (like(near=(near, 2)) == value) != want:
        print(value, near, "is not", want)
if repr(like("string", near=(5, 60))) != "like(type='string', near=(5, 60))":
    print(repr(like("string", near=(5, 60))))
`)
	cmd.Dir = "runtime"
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v:\n%s", err, out)
	}
}

// A time is held against the Date of its answer, and against when that came where it has none.
func TestWhenAnAnswerWasMadeInPython(t *testing.T) {
	needs.That(t, "python3", exec.Command("python3", "--version").Run() == nil)
	cmd := exec.Command("python3", "-c", `
from email.message import Message
from flaketap_client import Answer, Headers
for date, want in (("Tue, 14 Nov 2023 22:13:20 GMT", 1700000000), ("soon", 5), (None, 5)):
    message = Message()
    if date:
        message["date"] = date
    res = Answer.__new__(Answer)
    res.headers, res.came = Headers(message), 5
    if res.now != want:
        print(date, res.now)
`)
	cmd.Dir = "runtime"
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v:\n%s", err, out)
	}
}

// A text holds the digest of the body, of a member, or of a known text, in hex, in the first digits of that, in base64.
func TestHasDigest(t *testing.T) {
	needs.That(t, "python3", exec.Command("python3", "--version").Run() == nil)
	cmd := exec.Command("python3", "-c", `
from flaketap_checks import has_digest

class Headers(dict):
    def all(self, name):
        return [self[name]] if name in self else []

class Res:
    headers = Headers({
        "etag": 'W/"CBF43926"', "x-sum": "ba7816bf8f01cfea", "x-sha1": "a9993e364706816aba3e25717850c26c9cd0d89d",
        "digest": "md5=kAFQmDzST7DWlj99KOF_cg, sha-256=:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=:",
    })
    body = b"123456789"
    def json(self):
        return {"v": "abc"}

for place, kind, of, digits, want in [
    ("/header/etag", "crc32", "/body", None, True), ("/header/etag", "crc32", "=12345678", None, False),
    ("/header/digest", "md5", "/body/v", None, True), ("/header/digest", "md5", "=abd", None, False),
    ("/header/digest", "sha256", "=abc", None, True), ("/header/digest", "sha512", "=abc", None, False),
    ("/header/x-sum", "sha256", "=abc", 16, True), ("/header/x-sum", "sha256", "=abc", 17, False),
    ("/header/x-sum", "sha256", "=abc", None, False), ("/header/x-sha1", "sha1", "=abc", None, True),
]:
    if has_digest(Res(), place, kind, of, digits) != want:
        print(place, kind, of, digits, "is not", want)
`)
	cmd.Dir = "runtime"
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v:\n%s", err, out)
	}
}

// A secret that is missing fails the test that needs it, when it does: a recorded one is asked for once it is used.
func TestSecretsWhenNeeded(t *testing.T) {
	needs.That(t, "python3", exec.Command("python3", "--version").Run() == nil)
	cmd := exec.Command("python3", "-c", `
from flaketap_checks import Bound
from flaketap_client import secret
bound = Bound({"id": "17", "token": lambda: secret("TOKEN")})
print(bound["id"], bound)
bound["token"] = "given"
print(bound["token"])
print(Bound(bound.recorded)["token"])
`)
	cmd.Dir = "runtime"
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "FLAKETAP_SECRETS=none.json")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.HasPrefix(string(out), "17 Bound(id, token)\ngiven\n") ||
		!strings.Contains(string(out), "none.json is missing, so there is no TOKEN: give it there") {
		t.Errorf("%v:\n%s", err, out)
	}
}

// An interim answer goes before the final one.
func TestInterimAnswerInPython(t *testing.T) {
	needs.That(t, "python3", exec.Command("python3", "--version").Run() == nil)
	cmd := exec.Command("python3", "-c", `
import socket, sys, threading, types
sys.modules["pytest"] = types.SimpleNamespace(fixture=lambda *f, **scope: f[0] if f else lambda f: f)
from flaketap_mocks import Server

server = Server(0)
threading.Thread(target=server.serve_forever, daemon=True).start()
server.load([{"request": {}, "response": {"interimStatus": 103, "body": "final"}}])
with socket.create_connection(server.server_address) as client:
    client.sendall(b"GET /a.example:80/a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    got = b"".join(iter(lambda: client.recv(100), b""))
if not got.startswith(b"HTTP/1.1 103 Interim\r\n\r\nHTTP/1.1 200 OK\r\n") or not got.endswith(b"final"):
    print(got)
server.shutdown()
`)
	cmd.Dir = "runtime"
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v:\n%s", err, out)
	}
}

// A service that ends a connection by a reset does not end it in order first, which clients tell apart.
func TestResetInPython(t *testing.T) {
	needs.That(t, "python3", exec.Command("python3", "--version").Run() == nil)
	cmd := exec.Command("python3", "-c", `
import json, socket, sys, threading, types
sys.modules["pytest"] = types.SimpleNamespace(fixture=lambda *f, **scope: f[0] if f else lambda f: f)
from flaketap_mocks import Server

server = Server(0)
threading.Thread(target=server.serve_forever, daemon=True).start()
for fault, want in (("CONNECTION_RESET_BY_PEER", "reset"), ("EMPTY_RESPONSE", "end")):
    server.load([{"request": {"urlPath": "/a"}, "response": {"fault": fault}}])
    with socket.create_connection(server.server_address) as client:
        client.sendall(b"GET /a.example:80/a HTTP/1.1\r\nHost: x\r\n\r\n")
        try:
            got = "end" if client.recv(100) == b"" else "answer"
        except ConnectionResetError:
            got = "reset"
    if got != want:
        print(fault, got)
server.shutdown()
`)
	cmd.Dir = "runtime"
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v:\n%s", err, out)
	}
}

// Where flaketap is not, an API that follows what a service's head refers to stays with the stubs: a path, and the
// service's own address; other services' are left as they are.
func TestMocksLeadOnHere(t *testing.T) {
	needs.That(t, "python3", exec.Command("python3", "--version").Run() == nil)
	cmd := exec.Command("python3", "-c", `
import http.client, sys, threading, types
pytest = sys.modules["pytest"] = types.ModuleType("pytest")
pytest.fixture = lambda *args, **options: args[0] if args else lambda f: f
from flaketap_mocks import Server
server = Server(0)
threading.Thread(target=server.serve_forever, daemon=True).start()
server.load([{"request": {}, "response": {"status": 302, "headers": {"Location": "/to", "X-Path": "/to",
    "Link": ["<https://a.example/next?p=2>; rel=\"next\"", "<//b.example/x>", "<http://a.example:443/>, </last>"]}}}])
c = http.client.HTTPConnection("127.0.0.1", server.server_port)
c.request("GET", "/a.example:443/moved")
r = c.getresponse()
here = f"http://127.0.0.1:{server.server_port}"
got = [r.headers["Location"], r.headers["X-Path"], *r.headers.get_all("Link")]
want = ["/a.example:443/to", "/to", f"<{here}/a.example:443/next?p=2>; rel=\"next\"", "<//b.example/x>",
    f"<{here}/a.example:443/>, </a.example:443/last>"]
if got != want:
    print(got)
`)
	cmd.Dir = "runtime"
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v:\n%s", err, out)
	}
}
