package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/needs"
)

// behindInterim has a client, which prints the status and the body that it gets of a URL, ask a service that sends 103
// before its answer, and wants it to wait for that. That 103 is sent shows where nothing reads over it.
func (b *bench) behindInterim(client string) {
	b.t.Helper()
	b.must("mkdir -p stubs")
	b.write("stubs/all.json", []byte(`{"request": {}, "response": {"interimStatus": 103, "body": "final"}}`))
	b.write("wire.sh", []byte("exec 3<>/dev/tcp/rates.example.com/80\nprintf 'GET / HTTP/1.1\\r\\nHost: rates.example.com\\r\\n\\r\\n' >&3\ncat <&3 >wire\n"))
	b.write("api.sh", []byte("bash wire.sh\nfor u in http https; do "+client+" $u://rates.example.com/ >>said 2>&1; done\necho >done\nexec sleep 1000\n"))
	b.must("rm -f said done; flaketap mock serve stubs --force --start 'exec sh api.sh' -- sh -c 'until test -f done; do sleep 0.05; done'")
	if wire := string(read(b.t, filepath.Join(b.dir, "wire"))); !strings.HasPrefix(wire, "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\n") {
		b.t.Errorf("the service sends\n%s", wire)
	}
	if said := string(read(b.t, filepath.Join(b.dir, "said"))); strings.Join(strings.Fields(said), " ") != "200 final 200 final" {
		b.t.Errorf("%s: behind an interim answer it got\n%s", client, said)
	}
}

func TestMockInterimCurl(t *testing.T) {
	needs.That(t, "curl", found("curl"))
	b := newBench(t)
	b.write("ask.sh", []byte("curl -sS -o body -w '%{http_code} ' $1\ncat body\necho\n"))
	b.behindInterim("sh ask.sh")
}

func TestRealPythonMockInterim(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.write("asks.py", []byte("import httpx, sys\nr = httpx.get(sys.argv[1])\nprint(r.status_code, r.text)\n"))
	b.behindInterim(pythonOfAnybody(t) + " asks.py")
}

func TestRealNodeMockInterim(t *testing.T) {
	t.Parallel()
	needs.That(t, "Node", found("node"))
	b := newBench(t)
	b.write("fetch.js", []byte("fetch(process.argv[2]).then(async (r) => console.log(r.status, await r.text()));\n"))
	b.write("core.js", []byte(`const url = process.argv[2];
require(url.split(':')[0]).get(url, (r) => r.on('data', (text) => console.log(r.statusCode, String(text))));
`))
	for _, client := range []string{"node fetch.js", "node core.js"} {
		b.behindInterim(client)
	}
}
