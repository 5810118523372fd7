package main

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/needs"
)

// quoteAPI asks one service by TLS and another without, by the library of gRPC that most languages share. Messages are
// bytes here: one field of text.
const quoteAPI = `import http.server, os, grpc

def method(channel):
    return channel.unary_unary("/quotes.v1.Quotes/Get")

secure = method(grpc.secure_channel("rates.example.com:443", grpc.ssl_channel_credentials()))
plain = method(grpc.insecure_channel("quotes.example.com:50051", compression=grpc.Compression.Gzip))

class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def do_GET(self):
        word = self.path.rsplit("/", 1)[1].encode()
        status, body = 200, b"well"
        if word != b"health":
            try:
                ask = plain if self.path.startswith("/plain") else secure
                body = ask(b"\x0a" + bytes([len(word)]) + word, timeout=20)[2:]
            except grpc.RpcError as e:
                status, body = 502, ("%s %s" % (e.code().name, e.details())).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
`

// Calls of gRPC that an API in Python makes are answered by stubs, recorded, told by their statuses, and answered as
// recorded where there are no stubs.
func TestRealPythonGRPC(t *testing.T) {
	bin := python(t)
	needs.That(t, "curl", found("curl"))
	b := newBench(t)
	b.write("api.py", []byte(quoteAPI))
	b.write("quotes.proto", []byte(`syntax = "proto3";
package quotes.v1;
service Quotes { rpc Get(Quote) returns (Quote); }
message Quote { string word = 1; }
`))
	b.must("mkdir stubs")
	b.write("stubs/quotes.json", []byte(`{"mappings": [
  {"request": {"urlPath": "/quotes.v1.Quotes/Get"}, "response": {"jsonBody": {"word": "eleven"}}},
  {"request": {"urlPath": "/quotes.v1.Quotes/Get", "bodyPatterns": [{"equalToJson": {"word": "none"}}]},
   "response": {"headers": {"grpc-status-name": "NOT_FOUND", "grpc-status-reason": "no such word"}}}]}`))
	start := " --start '" + bin + "/python api.py # {port}' --ready http://127.0.0.1:{port}/health --external --spec rates.example.com=quotes.proto --spec quotes.example.com:50051=quotes.proto"
	b.must("flaketap record --listen 127.0.0.1:0 --stubs stubs" + start +
		" -- sh -c 'for p in tls/one plain/one tls/none plain/none; do curl -s $FLAKETAP_URL/$p; echo; done >said'")
	if got, want := b.must("cat said"), "eleven\neleven\nNOT_FOUND no such word\nNOT_FOUND no such word\n"; got != want {
		t.Errorf("the API answers\n%s, want\n%s", got, want)
	}
	for _, replayed := range []string{"", " 1"} {
		told := b.must("flaketap inspect externals" + replayed)
		for _, service := range []string{"https://rates.example.com:443", "http://quotes.example.com:50051"} {
			if !strings.Contains(told, "POST "+service+"/quotes.v1.Quotes/Get") {
				t.Errorf("%s is not told:\n%s", service, told)
			}
		}
		if strings.Count(told, "NOT_FOUND ×1") != 2 || strings.Count(told, "OK ×1") != 2 {
			t.Errorf("it says\n%s", told)
		}
		if replayed == "" {
			b.must("flaketap replay" + start)
		}
	}
}
