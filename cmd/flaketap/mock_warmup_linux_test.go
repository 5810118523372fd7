package main

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/needs"
)

// coldPython is an API that gives its service up in the first request, as one does that loads then what it needs.
const coldPython = `import http.server, os, urllib.request

cold = True

class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def do_GET(self):
        global cold
        status, body = 200, b"well"
        if self.path != "/health":
            if cold:
                cold, status, body = False, 504, b"gave up"
            else:
                with urllib.request.urlopen("http://rates.example.com" + self.path) as r:
                    body = r.read()
        self.send_response(status)
        self.end_headers()
        self.wfile.write(body)

http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
`

// With --warm-up a client finds an API warm, when it begins, and when it had it started anew; with the stubs of the
// beginning, and nothing asked.
func TestMockServeWarmUp(t *testing.T) {
	needs.That(t, "curl", found("curl"))
	bin := python(t)
	b := newBench(t)
	b.write("api.py", []byte(coldPython))
	b.must("mkdir stubs")
	b.write("stubs/rates.json", []byte(`{"request": {"urlPath": "/rates"}, "response": {"body": "1.09"}}`))
	b.write("warm-up.json", []byte(`{"flaketap": "warm-up", "requests": [{"sent": {"Method": "GET", "Target": "/rates"}, "status": 200,
  "services": ["rates.example.com:80"], "mappings": {"mappings": [{"request": {"urlPath": "/rates"}, "response": {"body": "other"}}]}}]}`))
	b.write("client.sh", []byte("curl -s $FLAKETAP_MOCKS/calls; echo; curl -s $FLAKETAP_URL/rates; echo\n"+
		"curl -s -X POST $FLAKETAP_RESTART\ncurl -s $FLAKETAP_MOCKS/calls; echo; curl -s $FLAKETAP_URL/rates; echo\n"))
	serve := "flaketap mock serve -q stubs --start '" + bin + "/python api.py # {port}' --ready http://127.0.0.1:{port}/health "
	const nothing = "{\"calls\":[]}\n"
	for flag, want := range map[string]string{"": nothing + "gave up\n" + nothing + "gave up\n", "--warm-up warm-up.json": nothing + "1.09\n" + nothing + "1.09\n"} {
		if out := b.must(serve + flag + " -- sh client.sh"); !strings.Contains(out, want) {
			t.Errorf("%q: the client says\n%s", flag, out)
		}
	}
	if out, status := b.sh(serve + "--warm-up stubs/rates.json -- true"); status == 0 || !strings.Contains(out, "read warm-up: stubs/rates.json is no warm-up file") {
		t.Errorf("status %d:\n%s", status, out)
	}
}
