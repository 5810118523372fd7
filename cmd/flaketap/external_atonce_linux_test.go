package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/store"
)

// crowdAPI makes four calls for each request, of which eight are under way at once: with the id of the path, with a
// parameter, with what the body holds, and with nothing of the request. It passes a trace on, and says in X-Of for which
// request it asks.
const crowdAPI = `import http.server, os, threading, urllib.error, urllib.parse, urllib.request

eight = threading.Barrier(8)

class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def do_GET(self):
        self.send_response(204)
        self.end_headers()

    def do_POST(self):
        url = urllib.parse.urlsplit(self.path)
        said = dict(urllib.parse.parse_qsl(url.query))
        headers = {k: v for k, v in self.headers.items() if k.lower() == "traceparent"}
        headers["X-Of"] = said["n"]
        basket = self.rfile.read(int(self.headers["Content-Length"]))
        eight.wait(60)
        for path, data in (("/stock/" + url.path.split("/")[2], None), ("/users?" + urllib.parse.urlencode({"mail": said["mail"]}), None),
                           ("/payments", b'{"for":' + basket + b"}"), ("/flags", None)):
            try:
                urllib.request.urlopen(urllib.request.Request("http://shop.example.com" + path, data, headers), timeout=60).read()
            except urllib.error.HTTPError:
                pass
        eight.wait(60)
        self.send_response(204)
        self.end_headers()

class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 64

Server(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
`

// With eight requests at once, calls are told by the values that they carry, or all of them by a trace, and none wrong.
func TestRecordExternalToldApart(t *testing.T) {
	bin := python(t)
	needs.That(t, "curl", found("curl"))
	for name, c := range map[string]struct {
		field string
		told  int
	}{"values": {"X-None: 1", 72}, "trace": {"traceparent: 00-4bf92f3577b34da6a3ce929d0e0e47$n-00f067aa0ba902b7-01", 96}} {
		b := newBench(t)
		b.write("api.py", []byte(crowdAPI))
		b.write("ask.sh", []byte(strings.ReplaceAll(`for round in 1 2 3; do for k in 0 1 2 3 4 5 6 7; do
  n=$round$k
  curl -s -H 'Content-Type: application/json' -H "FIELD" -d "{\"basket\":\"SKU-88f3-2a91c-$n\"}" "$FLAKETAP_URL/orders/5f0c9a3e71$n?n=$n&mail=anna.k$n@shop.example" &
done; wait; done
`, "FIELD", c.field)))
		b.must("flaketap record --listen 127.0.0.1:0 --start '" + bin + "/python api.py # {port}' --ready http://127.0.0.1:{port}/ --external -- sh ask.sh")
		told, wrong, all := toldApart(t, b)
		if t.Logf("%s: %d of %d calls told, %d of them wrong", name, told, all, wrong); told != c.told || wrong > 0 || all != 96 {
			t.Errorf("by %s %d of %d are told, %d of them wrong; want %d of 96", name, told, all, wrong, c.told)
		}
	}
}

// toldApart counts the calls of a recording whose causes are told, and of these the ones that are not what X-Of says.
func toldApart(t *testing.T, b *bench) (told, wrong, all int) {
	t.Helper()
	db, err := store.OpenReadOnly(filepath.Join(b.dir, "flaketap.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var incoming []exchange.Incoming
	named := map[uint64]string{}
	for e, err := range db.Exchanges() {
		if err != nil {
			t.Fatal(err)
		}
		incoming = append(incoming, flow.Incoming(e.Seq, e.Start, e.Latency, &e.Request))
		_, after, _ := strings.Cut(e.Request.Target, "?n=")
		named[e.Seq], _, _ = strings.Cut(after, "&")
	}
	var calls []exchange.Outgoing
	for _, x := range externalsOf(t, b) {
		calls = append(calls, exchange.Outgoing{External: x, Carried: flow.Carried(&x.Request)})
	}
	for i, cause := range exchange.Causes(incoming, calls) {
		if cause.Seq == 0 {
			continue
		}
		if told++; named[cause.Seq] != calls[i].Request.Header.Get("X-Of") {
			wrong++
		}
	}
	return told, wrong, len(calls)
}
