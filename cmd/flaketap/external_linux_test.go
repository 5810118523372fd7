package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/store"
)

// shopAPI asks an https name for rates and an http literal for stock, and another name at its start. Two
// requests for /together are under way at once, /slow says when it has asked, and /dead ends the API by SIGKILL once it has.
const shopAPI = `import http.client, http.server, os, signal, socket, threading, urllib.error, urllib.request

both = threading.Barrier(2)

def ask(url, data=None):
    request = urllib.request.Request(url, data, {"Authorization": "Bearer 4f9d2c71a8b3e5d6"})
    try:
        with urllib.request.urlopen(request, timeout=20) as r:
            return r.status, r.read()
    except urllib.error.HTTPError as e:
        return e.code, e.read()

class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def do_GET(self):
        path, body = self.path, b"well"
        if path.startswith("/orders/"):
            body = b"%d" % ask("https://rates.example.com/rates/usd")[0]
            ask("http://203.0.113.7:8081/stock/" + path.split("/")[2])
        elif path == "/cached":
            with socket.create_connection(("cache.example.com", 6379)) as s:
                s.sendall(b"*1\r\n$4\r\nPING\r\n")
                try:
                    body = s.recv(10) or b"ended"
                except ConnectionResetError:
                    body = b"reset"
        elif path == "/large":
            body = ask("https://rates.example.com/upload", b"y" * 700000)[1]
        elif path == "/together":
            both.wait()
            ask("https://rates.example.com/rates/eur")
            both.wait()
        elif path == "/slow":
            connection = http.client.HTTPSConnection("rates.example.com")
            connection.request("GET", "/slow")
            open("asked", "w").close()
            connection.getresponse()
        elif path == "/dead":
            ask("https://rates.example.com/rates/last")
            os.kill(os.getpid(), signal.SIGKILL)
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

ask("http://config.example.com/settings")
http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
`

// newShop is a bench with that API and stubs for its services.
func newShop(t *testing.T) (b *bench, record string) {
	t.Helper()
	bin := python(t)
	needs.That(t, "curl", found("curl"))
	b = newBench(t)
	b.write("api.py", []byte(shopAPI))
	b.must("mkdir stubs")
	b.write("stubs/rates.json", fmt.Appendf(nil, `{"host": "rates.example.com", "mappings": [
  {"name": "rates", "request": {"urlPathPattern": "/rates/.*"}, "response": {"jsonBody": {"usd": 1.09}}},
  {"name": "slow", "request": {"urlPath": "/slow"}, "response": {"fixedDelayMilliseconds": 60000}},
  {"name": "upload", "request": {"urlPath": "/upload"}, "response": {"body": %q}}]}`, strings.Repeat("x", 600_000)))
	return b, "flaketap record --listen 127.0.0.1:0 --start '" + bin + "/python api.py # {port}' --ready http://127.0.0.1:{port}/health --external --stubs stubs"
}

// externalsOf reads the externals of a recording.
func externalsOf(t *testing.T, b *bench) (all []*exchange.External) {
	t.Helper()
	db, err := store.OpenReadOnly(filepath.Join(b.dir, "flaketap.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for x, err := range db.Externals() {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, x)
	}
	return all
}

// What the API asks is recorded with the answers, apart from its own exchanges, and told by operation.
func TestRecordExternal(t *testing.T) {
	b, record := newShop(t)
	out := b.must(record + " -- sh -c 'for i in 17 18 19; do curl -s $FLAKETAP_URL/orders/$i; done; curl -s $FLAKETAP_URL/large >large; curl -s $FLAKETAP_URL/plain'")
	if !strings.Contains(out, "5 exchanges recorded") || !strings.Contains(out, "203.0.113.7:8081: 3 calls, 3 without a stub") {
		t.Errorf("it says\n%s", out)
	}
	var got struct {
		Services []struct {
			Scheme, Host     string
			Port             int
			Literal          bool
			Calls, Unmatched int
		}
		Calls []struct {
			Operation, Cause, Service, Method, Path string
			Calls, Exchanges, Unmatched             int
			Statuses                                map[string]int
		}
	}
	text := b.must("flaketap inspect externals --format json")
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	want := `[{http 203.0.113.7 8081 true 3 3} {http config.example.com 80 false 1 1} {https rates.example.com 443 false 4 0}]`
	if s := fmt.Sprint(got.Services); s != want {
		t.Errorf("services %s, want %s", s, want)
	}
	want = `[{GET /large alone https://rates.example.com:443 POST /upload 1 1 0 map[200:1]} ` +
		`{GET /orders/{id} alone http://203.0.113.7:8081 GET /stock/{id} 3 3 3 map[404:3]} ` +
		`{GET /orders/{id} alone https://rates.example.com:443 GET /rates/usd 3 3 0 map[200:3]} ` +
		`{ background http://config.example.com:80 GET /settings 1 0 1 map[404:1]}]`
	if s := fmt.Sprint(got.Calls); s != want {
		t.Errorf("calls\n%s, want\n%s", s, want)
	}
	all := externalsOf(t, b)
	large := all[slices.IndexFunc(all, func(x *exchange.External) bool { return x.Request.Target == "/upload" })]
	if len(large.Request.Body) != 700_000 || len(large.Response.Body) != 600_000 || large.Request.Header.Get("Authorization") != "Bearer 4f9d2c71a8b3e5d6" ||
		large.Stub != "upload" || large.Request.Header.Get("Host") != "rates.example.com" {
		t.Errorf("the large one has %d and %d bytes, by %q:\n%s", len(large.Request.Body), len(large.Response.Body), large.Stub, large.Request.Head)
	}
	// No other command takes them for exchanges.
	for line, want := range map[string]string{"flaketap inspect": "5 exchanges in 1 pass", "flaketap inspect exchanges": "/orders/17", "flaketap map --out m.json": "",
		"flaketap inspect externals": "GET /orders/{id}"} {
		if out := b.must(line); !strings.Contains(out, want) || strings.HasSuffix(line, "exchanges") && strings.Contains(out, "rates") {
			t.Errorf("%s says\n%s", line, out)
		}
	}
}

// A service that is asked in another protocol than HTTP is refused at once, and listed, also in the recording, which is
// replayed and judged as others are.
func TestRecordForeign(t *testing.T) {
	b, record := newShop(t)
	out := b.must(record + " -- sh -c 'curl -s $FLAKETAP_URL/cached; curl -s $FLAKETAP_URL/orders/17'")
	if !strings.Contains(out, "reset200") || !strings.Contains(out, "cache.example.com:6379: 1 connection refused: the API spoke another protocol than HTTP") {
		t.Errorf("it says\n%s", out)
	}
	if text := b.must("flaketap inspect externals"); !strings.Contains(text, "tcp://cache.example.com:6379") || !strings.Contains(text, "GET /cached") {
		t.Errorf("listed are\n%s", text)
	}
	replay := strings.Replace(strings.TrimSuffix(record, "--stubs stubs"), "record --listen 127.0.0.1:0", "replay", 1)
	b.must(replay + " && flaketap map --out m.json && flaketap report --out r.html && flaketap export --format wiremock")
}

// Recorded answers, and stubs of them, are as late as they were where that is asked for.
func TestRecordedLatency(t *testing.T) {
	b, record := newShop(t)
	b.write("stubs/late.json", []byte(`{"host": "rates.example.com", "mappings": [
  {"priority": 1, "request": {"urlPathPattern": "/rates/.*"}, "response": {"jsonBody": {}, "fixedDelayMilliseconds": 300}}]}`))
	b.must(record + " -- sh -c 'curl -s $FLAKETAP_URL/orders/17'")
	if text := b.must("flaketap export --format wiremock"); strings.Contains(text, "fixedDelayMilliseconds") {
		t.Errorf("stubs of it are late:\n%s", text)
	}
	if text := b.must("flaketap export --format wiremock --latency"); !strings.Contains(text, "fixedDelayMilliseconds") {
		t.Errorf("stubs of it are not late:\n%s", text)
	}
	replay := strings.Replace(strings.TrimSuffix(record, "--stubs stubs"), "record --listen 127.0.0.1:0", "replay --latency", 1)
	b.must(replay)
	late := slices.ContainsFunc(externalsOf(t, b), func(x *exchange.External) bool {
		return x.Run == 1 && x.Request.Target == "/rates/usd" && x.Latency >= 300*time.Millisecond
	})
	if !late {
		t.Error("no answer came late in the run")
	}
}

// With several requests under way none is said to be the cause; at rest there are no secrets, and no body beyond the
// bound.
func TestRecordExternalAtOnce(t *testing.T) {
	b, record := newShop(t)
	b.must(record + " --redact-at-rest --max-body 1000 -- sh -c 'curl -s $FLAKETAP_URL/together & curl -s $FLAKETAP_URL/together & wait; curl -s $FLAKETAP_URL/large >large'")
	if text := b.must("flaketap inspect externals"); !strings.Contains(text, "(one of several)") || strings.Contains(text, "GET /together") {
		t.Errorf("it says\n%s", text)
	}
	for _, x := range externalsOf(t, b) {
		if strings.Contains(string(x.Request.Head), "4f9d2c71a8b3e5d6") {
			t.Errorf("a secret is stored:\n%s", x.Request.Head)
		}
		if len(x.Request.Body) > 1000 || len(x.Response.Body) > 1000 || x.Request.Target == "/upload" && (x.Request.Cut != 699_000 || x.Response.Cut != 599_000) {
			t.Errorf("%s: %d bytes (%d cut), answered %d (%d cut)", x.Request.Target, len(x.Request.Body), x.Request.Cut, len(x.Response.Body), x.Response.Cut)
		}
	}
}

// An API that is killed in the middle leaves what it asked, and what asked it as a fault; nothing of the run stays.
func TestRecordExternalKilled(t *testing.T) {
	b, record := newShop(t)
	out, _ := b.sh("TMPDIR=" + b.dir + " " + record + " -- sh -c 'curl -s $FLAKETAP_URL/slow & until test -e asked; do sleep 0.05; done; curl -s $FLAKETAP_URL/dead; wait'")
	var said []string
	for _, x := range externalsOf(t, b) {
		line := x.Request.Target
		if x.Fault != nil {
			line += " " + string(x.Fault.Kind)
		}
		said = append(said, line)
	}
	if want := []string{"/settings", "/rates/last", "/slow client"}; !slices.Equal(said, want) {
		t.Errorf("recorded are %q, want %q\n%s", said, want, out)
	}
	if text := b.must("flaketap inspect exchanges"); strings.Count(text, " eof ") != 2 {
		t.Errorf("exchanges are\n%s", text)
	}
	left, err := fs.Glob(os.DirFS(b.dir), "flaketap-mock-*")
	if err != nil || len(left) > 0 {
		t.Errorf("%q stay behind, %v", left, err)
	}
}

// What is wrong is said before anything is started.
func TestRecordExternalUsage(t *testing.T) {
	b := newBench(t)
	for line, want := range map[string]string{
		"flaketap record --external":                                             "--external needs --start",
		"flaketap record --start true --stubs x":                                 "--stubs needs --external",
		"flaketap record --start true --allow h":                                 "--allow needs --external",
		"flaketap record --start 'true # {port}' --external --mock x":            "--mock must be localhost:PORT",
		"flaketap record --start 'true # {port}' --external --stubs x":           "read stubs: x: no such file",
		"flaketap inspect externals --method GET":                                "--method does not apply to inspect externals",
		"flaketap inspect externals x":                                           `invalid run "x"`,
		"flaketap replay --external":                                             "--external needs --start",
		"flaketap replay --latency":                                              "--latency needs --external",
		"flaketap replay --start 'true # {port}' --external --latency --stubs .": "use either --latency or --stubs",
		"flaketap export --latency":                                              "--latency needs --format wiremock or hoverfly",
		"flaketap export --format hoverfly --latency --stubs .":                  "use either --latency or --stubs",
		"flaketap stabilize --start 'true # {port}' --ready http://127.0.0.1:1/ --external --in-place . -- true {}": "--external has no answers for the services",
		"flaketap mock search --start true --ready http://127.0.0.1:1/ --request 'GET /' --out o --words /none":     "read words: /none: no such file",
		"flaketap rerun --stubs x -- true":         "--stubs needs --external",
		"flaketap verify --unknown refuse -- true": "--unknown needs --external",
	} {
		if out, status := b.sh(line); status == 0 || !strings.Contains(out, want) {
			t.Errorf("%s: %d\n%s\nwant %s", line, status, out, want)
		}
	}
}
