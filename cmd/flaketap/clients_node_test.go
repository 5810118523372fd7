package main

import (
	"crypto/sha1"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/needs"
)

func TestClientsNode(t *testing.T) {
	needs.That(t, "Node", found("node"))
	modules, there := toolsDir(t, "node")
	for _, name := range []string{"fetch.mjs", "axios.cjs", "core.cjs", "child.cjs"} {
		t.Run(name, func(t *testing.T) {
			needs.That(t, "axios (make tools installs it)", there || name != "axios.cjs")
			b := newBench(t)
			b.recordsClient("node "+clientSource(t, name), b.newLocalAPI().urls("127.0.0.1", "localhost"), "NODE_PATH="+modules+"/node_modules")
		})
	}
}

// Programs load their libraries in any order, and do with them what they want before they ask anything.
func TestClientsNodeLibraries(t *testing.T) {
	t.Parallel()
	needs.That(t, "Node", found("node"))
	modules, there := toolsDir(t, "node")
	needs.That(t, "undici, got and the like (make tools installs them)", there)
	var cases [][2]string // what a program does first, and by what it asks
	for _, first := range []string{"Request", "Headers", "Response", "FormData", "WebSocket", "axios", "undici", "agent"} {
		cases = append(cases, [2]string{first, "fetch"})
	}
	for _, client := range []string{
		"request", "undici", "undici fetch", "undici Client", "undici HTTP/2", "axios", "axios fetch",
		"got", "got HTTP/2", "node-fetch", "superagent",
	} {
		cases = append(cases, [2]string{"nothing", client})
	}
	b := newBench(t)
	urls := b.newLocalAPI().urls("127.0.0.1", "localhost")
	for _, c := range cases {
		t.Run(c[1]+" after "+c[0], func(t *testing.T) {
			own := *b
			own.t = t
			own.must("rm -f client.db")
			own.recordsClient("node "+clientSource(t, "library.cjs"), urls,
				"NODE_PATH="+modules+"/node_modules", "FIRST="+c[0], "CLIENT="+c[1])
		})
	}
	t.Run("in a thread", func(t *testing.T) {
		own := *b
		own.t = t
		own.must("rm -f client.db")
		own.recordsClient("node "+clientSource(t, "library.cjs"), urls,
			"NODE_PATH="+modules+"/node_modules", "FIRST=Headers", "CLIENT=undici", "THREAD=1")
	})
}

// A WebSocket begins with a request, and a session of HTTP/2 holds many; a connection that is no HTTP is left alone.
func TestClientsNodeConnections(t *testing.T) {
	needs.That(t, "Node", found("node"))
	modules, there := toolsDir(t, "node")
	needs.That(t, "ws (make tools installs it)", there)
	b := newBench(t)
	api := b.newSocketAPI()
	for name, program := range map[string]string{
		"ws":  `const s = new (require('ws'))(process.argv[1] + '/orders'); s.on('open', () => s.terminate())`,
		"wss": `const s = new (require('ws'))(process.argv[2] + '/orders'); s.on('open', () => s.terminate())`,
		"http2": `const s = require('http2').connect(process.argv[2]); const r = s.request({ ':path': '/orders' });
			r.resume().on('end', () => s.close())`,
		"esm": `import('node:http').then(({ get }) => get(process.argv[1] + '/orders', (r) => r.resume()))`,
		"own connection": `const net = require('net'); require('http').get(process.argv[1] + '/orders', { createConnection: (o) => net.connect(o) },
			(r) => r.resume())`,
	} {
		t.Run(name, func(t *testing.T) {
			own := *b
			own.t = t
			own.must("rm -f client.db")
			own.must("flaketap record --db client.db --listen 127.0.0.1:0 --upstream-ca ca.pem -- node -e '"+strings.ReplaceAll(program, "'", `'"'"'`)+"' "+
				api.plain.URL+" "+api.secure.URL, "NODE_PATH="+modules+"/node_modules")
			if got := own.recordedIn("client.db"); len(got) != 1 || !strings.Contains(got[0], "GET /orders") {
				t.Errorf("recorded %q", got)
			}
		})
	}
	out := b.must("flaketap record --db raw.db --listen 127.0.0.1:0 -- node -e '" +
		`const s = require("net").connect(new URL(process.argv[1]).port, "127.0.0.1"); s.end("GET / HTTP/1.0\r\n\r\n"); s.pipe(process.stdout)` + "' " + api.plain.URL)
	if !strings.Contains(out, "HTTP/1.0 200") || !strings.Contains(out, "no requests arrived") {
		t.Errorf("of a connection that no HTTP client makes:\n%s", out)
	}
}

// newSocketAPI starts an API that speaks HTTP/2 with TLS, and takes WebSockets.
func (b *bench) newSocketAPI() localAPI {
	b.t.Helper()
	return b.serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := r.Header.Get("Sec-WebSocket-Key")
		if key == "" {
			return
		}
		sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")) // RFC 6455, section 1.3
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			b.t.Error(err)
			return
		}
		defer conn.Close()
		fmt.Fprintf(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n",
			base64.StdEncoding.EncodeToString(sum[:]))
		io.Copy(io.Discard, conn)
	}), "h2", "http/1.1")
}

// What a client is told to leave alone it does, and what cannot be reached is told to Node as it is without a recorder.
func TestClientNodeElsewhere(t *testing.T) {
	needs.That(t, "Node", found("node"))
	b := newBench(t)
	api, dead := b.newLocalAPI(), httptest.NewServer(http.NotFoundHandler())
	dead.Close()
	script := "fetch(process.argv[1]).then(r => r.text()).catch(e => console.log('said', e.cause.code)); " +
		"require(process.argv[1].split(':')[0]).get(process.argv[1]).on('error', e => console.log('said', e.code)).on('response', r => r.resume())"
	for _, nobody := range []string{dead.URL, strings.Replace(dead.URL, "http:", "https:", 1)} {
		b.must("rm -f dead.db")
		out := b.must(`flaketap record --db dead.db --listen 127.0.0.1:0 -- node -e "` + script + `" ` + nobody)
		if strings.Count(out, "said ECONNREFUSED") != 2 {
			t.Errorf("of a port at which nobody listens, %s:\n%s", nobody, out)
		}
	}
	out := b.must(`flaketap record --db skip.db --listen 127.0.0.1:0 -- env NO_PROXY=localhost node -e "` + script + `" ` + api.urls("localhost")[0])
	if !strings.Contains(out, "no requests arrived") {
		t.Errorf("with NO_PROXY set:\n%s", out)
	}
	out = b.must(`flaketap record --db target.db --listen 127.0.0.1:0 --target ` + api.plain.URL + ` -- sh -c 'node -e "` + strings.ReplaceAll(script, "'", `'"'"'`) + `" $FLAKETAP_URL'`)
	if !strings.Contains(out, "2 exchanges recorded") {
		t.Errorf("with a target:\n%s", out)
	}
}
