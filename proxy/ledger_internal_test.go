package proxy

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/wire"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A script is what passes in each direction, in order: "> " what the client sends, "< " what the target answers, and
// the end: "EOF" or "reset" of the target, "gone" for the client. Lines in scripts end in CRLF.
func play(t testing.TB, script []string, limit int64) []string {
	t.Helper()
	var out []string
	l := newLedger(exchange.Exchange{Conn: 1, Scheme: "http"}, sequenceHeaders(nil), &bodies{limit: limit}, func(e *exchange.Exchange) error {
		out = append(out, describe(e))
		return nil
	})
	now := time.Unix(1, 0)
	for _, step := range script {
		now = now.Add(time.Second)
		var err error
		switch kind, bytes := step[:min(2, len(step))], step[min(2, len(step)):]; {
		case kind == "> ":
			err = l.asked([]byte(bytes), now)
		case kind == "< ":
			err = l.answered([]byte(bytes), now)
		case step == "EOF":
			err = l.over(closeReason{kind: exchange.FaultEOF, text: ""}, now)
		case step == "reset":
			err = l.over(closeReason{kind: exchange.FaultReset, text: ""}, now)
		case step == "gone":
			err = l.settle(closeReason{kind: exchange.FaultClient, text: ""}, now)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := l.settle(closeReason{kind: exchange.FaultClient, text: ""}, now); err != nil {
		t.Fatal(err)
	}
	if !l.quiet() || len(l.pending) > 0 || l.waiting.Load() != 0 {
		t.Errorf("%d pending left, %d waiting", len(l.pending), l.waiting.Load())
	}
	return out
}

// describe puts an exchange on one line.
func describe(e *exchange.Exchange) string {
	s := fmt.Sprintf("%q %q", e.Request.Head, e.Request.Body)
	if len(e.Request.Tunnel) > 0 {
		s += fmt.Sprintf(" tunnel %q", e.Request.Tunnel)
	}
	if e.Request.Malformed {
		s += " malformed"
	}
	if e.Fault != nil {
		return s + fmt.Sprintf(" -> %s %q %q", e.Fault.Kind, e.Fault.Seen.Head, e.Fault.Seen.Body)
	}
	s += fmt.Sprintf(" -> %q %q %q", e.Response.Interim, e.Response.Head, e.Response.Body)
	if len(e.Response.Tunnel) > 0 {
		s += fmt.Sprintf(" tunnel %q", e.Response.Tunnel)
	}
	if e.Response.Malformed {
		s += " malformed"
	}
	return s
}

const (
	req  = "> GET /1 HTTP/1.1\r\n\r\n"
	req2 = "> GET /2 HTTP/1.1\r\n\r\n"
	ok   = "< HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
	ok2  = "< HTTP/1.1 201 OK\r\nContent-Length: 0\r\n\r\n"

	no = "< HTTP/1.1 405 No\r\nContent-Length: 2\r\n\r\nno"

	reqS  = `"GET /1 HTTP/1.1\r\n\r\n" ""`
	req2S = `"GET /2 HTTP/1.1\r\n\r\n" ""`
	okS   = `"" "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n" "ok"`
	noS   = `"" "HTTP/1.1 405 No\r\nContent-Length: 2\r\n\r\n" "no"`
	ok2S  = `"" "HTTP/1.1 201 OK\r\nContent-Length: 0\r\n\r\n" ""`
)

func TestLedger(t *testing.T) {
	tests := []struct {
		name   string
		script []string
		want   []string
	}{
		{"one", []string{req, ok}, []string{reqS + " -> " + okS}},
		{"one after the other", []string{req, ok, req2, ok2}, []string{reqS + " -> " + okS, req2S + " -> " + ok2S}},
		{"pipelined", []string{req, req2, ok, ok2}, []string{reqS + " -> " + okS, req2S + " -> " + ok2S}},
		{"interim", []string{req, "< HTTP/1.1 100 Go on\r\n\r\n", "< HTTP/1.1 103 Hint\r\nA: b\r\n\r\nHTTP/1.1 204 No\r\n\r\n"},
			[]string{reqS + ` -> "HTTP/1.1 100 Go on\r\n\r\nHTTP/1.1 103 Hint\r\nA: b\r\n\r\n" "HTTP/1.1 204 No\r\n\r\n" ""`}},
		{"answer before the body", []string{"> POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\nab", ok, "> cd", req2, ok2},
			[]string{`"POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\n" "abcd" -> ` + okS, req2S + " -> " + ok2S}},
		{"answer before the head's end", []string{"> HEAD / HTTP/1.1\r\nA", "< HTTP/1.1 431 Big\r\nContent-Length: 5\r\n\r\n", "EOF"},
			[]string{`"HEAD / HTTP/1.1\r\nA" "" malformed -> "" "HTTP/1.1 431 Big\r\nContent-Length: 5\r\n\r\n" ""`}},
		{"body never whole", []string{"> POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\nab", ok, "EOF"},
			[]string{`"POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\n" "ab" -> ` + okS}},
		{"nothing asked", []string{"< HTTP/1.1 408 Late\r\nContent-Length: 0\r\n\r\n", req, ok}, []string{reqS + " -> " + okS}},
		{"nothing asked, in pieces", []string{"< HTTP/1.1 408 La", req, "< te\r\nContent-Length: 0\r\n\r\n", ok}, []string{reqS + " -> " + okS}},
		{"until close", []string{req, "< HTTP/1.0 200 OK\r\n\r\nab", "< c", "EOF"}, []string{reqS + ` -> "" "HTTP/1.0 200 OK\r\n\r\n" "abc"`}},
		{"until close, but reset", []string{req, "< HTTP/1.0 200 OK\r\n\r\nab", "reset"}, []string{reqS + ` -> reset "HTTP/1.0 200 OK\r\n\r\n" "ab"`}},
		{"EOF", []string{req, "EOF"}, []string{reqS + ` -> eof "" ""`}},
		{"EOF of several", []string{req, req2, ok, "EOF"}, []string{reqS + " -> " + okS, req2S + ` -> eof "" ""`}},
		{"truncated", []string{req, req2, "< HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab", "EOF"},
			[]string{reqS + ` -> truncated "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n" "ab"`, req2S + ` -> eof "" ""`}},
		{"reset", []string{req, "< HTT", "reset"}, []string{reqS + ` -> reset "HTT" ""`}},
		{"no HTTP", []string{req, "< 220 mail.example\r\n", "EOF"}, []string{reqS + ` -> unparseable "220 mail.example\r\n" ""`}},
		{"no status", []string{req, "< HTTP/1.1 what\r\n\r\nab", "EOF"}, []string{reqS + ` -> unparseable "HTTP/1.1 what\r\n\r\n" "ab"`}},
		{"request after the end", []string{req, ok, "EOF", req2}, []string{reqS + " -> " + okS, req2S + ` -> eof "" ""`}},
		{"half a request after the end", []string{req, ok, "EOF", "> GE"}, []string{reqS + " -> " + okS, `"GE" "" malformed -> eof "" ""`}},
		{"client gone", []string{req, "< HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab", "gone"},
			[]string{reqS + ` -> client "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n" "ab"`}},
		{"bad length, answered", []string{"> POST / HTTP/1.1\r\nContent-Length: x\r\n\r\nab", ok, req2, ok2},
			[]string{`"POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n" "ab" malformed -> ` + okS, req2S + " -> " + ok2S}},
		{"bad chunk", []string{"> POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nz\r\n", ok},
			[]string{`"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" "z\r\n" malformed -> ` + okS}},
		{"answer of bad length", []string{req, "< HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\nab", req2, "EOF"},
			[]string{reqS + ` -> "" "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n" "ab" malformed`, req2S + ` -> eof "" ""`}},
		{"upgrade", []string{"> GET / HTTP/1.1\r\nUpgrade: x\r\n\r\n", "< HTTP/1.1 101 Go\r\n\r\n\x81\x00", "> \x81\x00GET / HTTP/1.1\r\n\r\n", ok, "EOF"},
			[]string{`"GET / HTTP/1.1\r\nUpgrade: x\r\n\r\n" "" tunnel "\x81\x00GET / HTTP/1.1\r\n\r\n" -> "" "HTTP/1.1 101 Go\r\n\r\n" "" tunnel "\x81\x00HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"`}},
		{"upgrade with requests sent ahead", []string{req, req2, "< HTTP/1.1 101 Go\r\n\r\n", "EOF"}, []string{reqS + ` tunnel "GET /2 HTTP/1.1\r\n\r\n" -> "" "HTTP/1.1 101 Go\r\n\r\n" ""`}},
		{"upgrade of half a request", []string{"> GET / HT", "< HTTP/1.1 101 Go\r\n\r\n", "> TP/1.1\r\n\r\n", "EOF"},
			[]string{`"GET / HT" "" tunnel "TP/1.1\r\n\r\n" malformed -> "" "HTTP/1.1 101 Go\r\n\r\n" ""`}},
		{"upgrade refused", []string{"> GET / HTTP/1.1\r\nUpgrade: x\r\n\r\n", ok, req2, ok2},
			[]string{`"GET / HTTP/1.1\r\nUpgrade: x\r\n\r\n" "" -> ` + okS, req2S + " -> " + ok2S}},
		{"CONNECT", []string{"> CONNECT a:1 HTTP/1.1\r\n\r\n", "< HTTP/1.1 200 OK\r\n\r\n", "> \x16\x03", "< \x16"},
			[]string{`"CONNECT a:1 HTTP/1.1\r\n\r\n" "" tunnel "\x16\x03" -> "" "HTTP/1.1 200 OK\r\n\r\n" "" tunnel "\x16"`}},
		{"CONNECT refused", []string{"> CONNECT a:1 HTTP/1.1\r\n\r\n", no, req2, ok2},
			[]string{`"CONNECT a:1 HTTP/1.1\r\n\r\n" "" -> ` + noS, req2S + " -> " + ok2S}},
		{"HTTP/2", []string{"> PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "< \x00\x00", "> \x00\x00", "EOF"}, nil},
		{"blank lines", []string{"> \r\n", "> \r\n", req, ok, "> \r\n"}, []string{`"\r\n\r\nGET /1 HTTP/1.1\r\n\r\n" "" -> ` + okS}},
		{"nothing", []string{"EOF"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, play(t, tt.script, 1000)); diff != "" {
				t.Errorf("recorded (-want +got):\n%s", diff)
			}
		})
		// How the bytes are cut into reads changes nothing.
		t.Run(tt.name+", cut", func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				if diff := cmp.Diff(tt.want, play(t, cut(rt, tt.script), 1000)); diff != "" {
					rt.Fatalf("recorded (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// cut splits the steps of a script that carry bytes.
func cut(rt *rapid.T, script []string) []string {
	var out []string
	for _, step := range script {
		kind := step[:min(2, len(step))]
		if kind != "> " && kind != "< " {
			out = append(out, step)
			continue
		}
		for rest := step[2:]; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(rt, "n")
			out, rest = append(out, kind+rest[:n]), rest[n:]
		}
	}
	return out
}

func TestLedgerKeepsNoMoreThanItMay(t *testing.T) {
	const post = "> POST / HTTP/1.1\r\nContent-Length: 6\r\n\r\n"
	var got *exchange.Exchange
	l := newLedger(exchange.Exchange{}, nil, &bodies{limit: 4}, func(e *exchange.Exchange) error { got = e; return nil })
	for _, s := range []string{post[2:], "abc", "def"} {
		l.asked([]byte(s), time.Now())
	}
	l.answered([]byte("HTTP/1.1 200 OK\r\n\r\nabcdefgh"), time.Now())
	l.over(closeReason{kind: exchange.FaultEOF}, time.Now())
	if string(got.Request.Body) != "abcd" || got.Request.Cut != 2 || string(got.Response.Body) != "abcd" || got.Response.Cut != 4 {
		t.Errorf("kept %q (%d cut) and %q (%d cut)", got.Request.Body, got.Request.Cut, got.Response.Body, got.Response.Cut)
	}
}

// Whatever comes in whatever order, nothing panics, nothing is recorded twice, and every exchange has one outcome.
func FuzzLedger(f *testing.F) {
	f.Add(req[2:]+req2[2:], ok[2:]+ok2[2:], uint64(0x5555))
	f.Add("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", "HTTP/1.1 100 X\r\n\r\nHTTP/1.1 101 Y\r\n\r\nzzz", uint64(7))
	f.Add("CONNECT a HTTP/1.1\r\n\r\nGET", "HTTP/1.1 200 OK\r\n\r\n", uint64(1))
	f.Add("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "garbage", uint64(3))
	c, s := newPeer("> "), newPeer("< ")
	f.Add(wire.Preface+c.settings()[2:]+c.get(1, "/a")[2:]+c.head(3, false, ":path /b")[2:]+c.data(3, true, "x")[2:],
		s.settings()[2:]+s.head(1, true, ":status 200")[2:]+s.head(3, false, ":status 100")[2:]+s.reset(3, 1)[2:], uint64(3))
	f.Add("GET /a HTTP/1.1\r\n\r\n"+wire.Preface+c.settings()[2:]+c.get(3, "/a")[2:],
		"HTTP/1.1 101 X\r\nUpgrade: h2c\r\n\r\n"+s.settings()[2:]+s.head(1, true, ":status 200")[2:], uint64(0xf0f0))
	f.Add("POST / HTTP/1.1\r\nContent-Length: x\r\n\r\nGET / HTTP/1.1\r\n\r\n", strings.Repeat("HTTP/1.1 204 N\r\n\r\n", 3), uint64(9))
	f.Fuzz(func(t *testing.T, asks, answers string, turns uint64) {
		recorded := 0
		l := newLedger(exchange.Exchange{}, nil, &bodies{limit: 100}, func(e *exchange.Exchange) error {
			if (e.Response == nil) == (e.Fault == nil) || len(e.Request.Head) == 0 && !e.Request.Malformed {
				t.Errorf("recorded %+v", e)
			}
			recorded += len(e.Request.Head) + len(e.Request.Body) + int(e.Request.Cut)
			return nil
		})
		now := time.Unix(1, 0)
		for i := 0; asks != "" || answers != ""; i++ {
			from, tell := &asks, l.asked
			if turns>>(i%64)&1 == 1 && answers != "" || asks == "" {
				from, tell = &answers, l.answered
			}
			n := min(len(*from), 1+int(turns>>(i%60)&15))
			tell([]byte((*from)[:n]), now)
			*from = (*from)[n:]
		}
		total := recorded
		l.settle(closeReason{kind: exchange.FaultEOF}, now)
		if !l.quiet() || len(l.pending) > 0 || recorded < total {
			t.Errorf("%d pending left", len(l.pending))
		}
	})
}

// BenchmarkLedger is what looking at an exchange costs, beside passing it on.
func BenchmarkLedger(b *testing.B) {
	asked := []byte("GET /items?page=1 HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nUser-Agent: bench/1.0\r\nAccept: application/json\r\n" +
		"X-Schemathesis-TestCaseId: abc123\r\n\r\n")
	answered := []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nDate: Sat, 21 Nov 2026 10:00:00 GMT\r\n" +
		"Content-Length: 1000\r\n\r\n" + strings.Repeat("0123456789", 100))
	l := newLedger(exchange.Exchange{}, sequenceHeaders(nil), &bodies{limit: 1 << 20}, func(*exchange.Exchange) error { return nil })
	now := time.Now()
	b.ReportAllocs()
	for b.Loop() {
		if l.asked(asked, now) != nil || l.answered(answered, now) != nil {
			b.Fatal("not recorded")
		}
	}
}
