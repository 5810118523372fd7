package proxy_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/proxy"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/h2c" //nolint:staticcheck // deprecated, as the upgrade is that curl asks for
	"golang.org/x/net/http2/hpack"
)

// curl speaks HTTP/2 by prior knowledge, by an upgrade, and by ALPN within a tunnel.
func TestCurl(t *testing.T) {
	curl := needs.Program(t, "curl")
	version, _ := exec.Command(curl, "--version").Output()
	needs.That(t, "a curl that speaks HTTP/2", bytes.Contains(version, []byte("HTTP2")))
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %s", r.Proto, r.URL, body)
	})
	plain := httptest.NewServer(h2c.NewHandler(handler, &http2.Server{})) //nolint:staticcheck
	defer plain.Close()
	secure := httptest.NewUnstartedServer(handler)
	secure.EnableHTTP2 = true
	secure.StartTLS()
	defer secure.Close()
	target, _ := url.Parse(plain.URL)
	own, rec := newTrust(t), newTape()
	upstream := secure.Client().Transport.(*http.Transport).TLSClientConfig
	reverse := "http://" + serve(t, &proxy.Proxy{Target: target, Recorder: rec})
	forward := "http://" + serve(t, &proxy.Proxy{Recorder: rec, Leaves: own, UpstreamTLS: upstream})
	for name, args := range map[string][]string{
		"prior knowledge":           {"--http2-prior-knowledge", "-d", "hello", reverse + "/a"},
		"upgrade":                   {"--http2", reverse + "/a"},
		"ALPN":                      {"--http2", "-d", "hello", "--proxy", forward, "--cacert", own.CertFile(), secure.URL + "/a"},
		"prior knowledge, tunneled": {"--http2-prior-knowledge", "-d", "hello", "--proxytunnel", "--proxy", forward, plain.URL + "/a"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := exec.Command(curl, append([]string{"-sS", "--noproxy", ""}, args...)...).CombinedOutput()
			body, want := "hello", "HTTP/2.0 /a hello"
			if name == "upgrade" { // the API takes it for the version of the request
				body, want = "", "HTTP/1.1 /a "
			}
			if err != nil || string(out) != want {
				t.Fatalf("%q, %v", out, err)
			}
			e := rec.next(t)
			if e.Response == nil || e.Response.Proto != "HTTP/2.0" || string(e.Response.Body) != want || e.Request.Target != "/a" || string(e.Request.Body) != body {
				t.Errorf("recorded %+v, %v", e, e.Fault)
			}
			rec.empty(t)
		})
	}
}

// The very frames pass, odd ones too, in both directions.
func TestFramesArriveAsSent(t *testing.T) {
	frames := func(first string, fields ...string) string {
		var b, block bytes.Buffer
		b.WriteString(first)
		f, e := http2.NewFramer(&b, nil), hpack.NewEncoder(&block)
		f.AllowIllegalWrites = true
		for i := range fields {
			e.WriteField(hpack.HeaderField{Name: fields[i][:strings.IndexByte(fields[i][1:], ' ')+1], Value: fields[i], Sensitive: i%2 == 1})
		}
		f.WriteSettings(http2.Setting{ID: 0xeeee, Val: 7}, http2.Setting{ID: http2.SettingHeaderTableSize, Val: 0})
		f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block.Bytes()[:3], PadLength: 200, Priority: http2.PriorityParam{StreamDep: 9, Exclusive: true}})
		f.WriteContinuation(1, true, block.Bytes()[3:])
		f.WriteRawFrame(0xef, 0xff, 1, []byte("odd"))
		f.WriteDataPadded(1, false, []byte("body"), make([]byte, 100))
		f.WriteWindowUpdate(1, 1<<30)
		f.WritePriority(5, http2.PriorityParam{StreamDep: 3})
		f.WritePing(true, [8]byte{1, 2, 3})
		f.WriteDataPadded(1, true, nil, make([]byte, 3))
		f.WriteRSTStream(99, 12345)
		f.WriteGoAway(77, 3, []byte("bye"))
		return b.String()
	}
	const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
	sent := frames(preface, ":method GET", ":path /", "Upper-Case x", "connection close", ":late pseudo")
	answered := frames("", ":status 200", "Odd\x00 x")
	for _, w := range ways() {
		if w.absolute {
			continue // names no host
		}
		t.Run(w.name, func(t *testing.T) {
			rec, connect := w.open(t, func(c net.Conn) {
				got := make([]byte, len(sent))
				if _, err := io.ReadFull(c, got); err != nil || string(got) != sent {
					t.Errorf("arrived %q, %v; sent\n%q", got, err, sent)
				}
				io.WriteString(c, answered)
			})
			c := connect()
			io.WriteString(c, sent)
			if got := readAll(t, c); string(got) != answered {
				t.Errorf("arrived %q; answered\n%q", got, answered)
			}
			c.Close()
			if e := rec.next(t); e.Response == nil || string(e.Request.Body) != "body" || string(e.Response.Body) != "body" {
				t.Errorf("recorded %+v, %v", e, e.Fault)
			}
			rec.empty(t)
		})
	}
}
