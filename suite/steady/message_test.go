package steady_test

import (
	"bytes"
	"compress/gzip"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/wire"
	"github.com/flaketap/flaketap/suite/steady"
)

// nonced is an API whose one answer holds a nonce, in whichever form.
func nonced(form func(body string) string) world {
	return world{
		requests: []string{"GET /n HTTP/1.1\nHost: a"},
		answer: func(run, _ int, _ time.Time) string {
			return form(fmt.Sprintf(`{"nonce": %q, "name": "x"}`, uuid(run, 3)))
		},
	}
}

// Whatever a body is packed in, it is packed so again, and its length and digests are right.
func TestFraming(t *testing.T) {
	plain := "HTTP/1.1 200 OK\nContent-Type: application/json\n"
	for _, coding := range []string{"", "gzip", "deflate", "br", "zstd", "gzip, br"} {
		for _, chunked := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s_%v", coding, chunked), func(t *testing.T) {
				w := nonced(func(body string) string {
					packed, _ := wire.Encode(coding, []byte(body))
					md := md5.Sum(packed)
					sha := sha256.Sum256(packed)
					head := plain + "Content-MD5: " + base64.StdEncoding.EncodeToString(md[:]) +
						"\nContent-Digest: sha-256=:" + base64.StdEncoding.EncodeToString(sha[:]) + ":\n"
					if coding != "" {
						head += "Content-Encoding: " + coding + "\n"
					}
					if !chunked {
						return head + "\n" + string(packed)
					}
					half := len(packed) / 2
					return head + fmt.Sprintf("Transfer-Encoding: chunked\n\n%x\r\n%s\r\n%x;ext=1\r\n%s\r\n0\r\nX-Sum: 1\r\n\r\n",
						half, packed[:half], len(packed)-half, packed[half:])
				})
				s, raw := w.learned(t)
				_, shown := say(s, w.requests[0], w.answer(live, 0, began(live)))
				r := read(t, shown)
				body, err := r.Payload()
				if want := fmt.Sprintf(`{"nonce": %q, "name": "x"}`, uuid(0, 3)); err != nil || string(body) != want {
					t.Errorf("shown %q, %v; want %q", body, err, want)
				}
				content := r.Body
				if chunked {
					data, trailers, whole := wire.Dechunk(r.Body)
					if !whole || trailers.Get("X-Sum") != "1" {
						t.Errorf("chunks %q", r.Body)
					}
					content = data
				} else if r.Header.Get("Content-Length") != fmt.Sprint(len(r.Body)) {
					t.Errorf("length %s of %d", r.Header.Get("Content-Length"), len(r.Body))
				}
				md, sha := md5.Sum(content), sha256.Sum256(content)
				if r.Header.Get("Content-MD5") != base64.StdEncoding.EncodeToString(md[:]) ||
					!strings.Contains(r.Header.Get("Content-Digest"), base64.StdEncoding.EncodeToString(sha[:])) {
					t.Errorf("digests %v", r.Header)
				}
				if len(*raw) > 0 || r.Header.Get("Content-Encoding") != coding {
					t.Errorf("raw %q, coding %q", *raw, r.Header.Get("Content-Encoding"))
				}
			})
		}
	}
}

// read reads an answer as a client does.
func read(t *testing.T, message string) *exchange.Response {
	t.Helper()
	n := wire.HeadEnd([]byte(message))
	if n < 0 {
		t.Fatalf("no head: %q", message)
	}
	r := exchange.ParseResponse(exchange.Message{Head: []byte(message[:n]), Body: []byte(message[n:])})
	if r.Malformed {
		t.Fatalf("malformed: %q", message)
	}
	return r
}

// A digest that was wrong stays wrong: that is the API's.
func TestWrongDigestStays(t *testing.T) {
	w := nonced(func(body string) string {
		return "HTTP/1.1 200 OK\nContent-Type: application/json\nContent-MD5: AAAAAAAAAAAAAAAAAAAAAA==\n\n" + body
	})
	s, _ := w.learned(t)
	if _, shown := say(s, w.requests[0], w.answer(live, 0, began(live))); !strings.Contains(shown, "AAAAAAAAAAAAAAAAAAAAAA==") || !strings.Contains(shown, uuid(0, 3)) {
		t.Errorf("shown %q", shown)
	}
}

// What cannot be read passes as it came.
func TestHostileAnswersPass(t *testing.T) {
	w := nonced(func(body string) string { return "HTTP/1.1 200 OK\nContent-Type: application/json\n\n" + body })
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	fmt.Fprintf(z, `{"nonce": %q, "name": "x"}`, uuid(live, 3))
	z.Close()
	head := "HTTP/1.1 200 OK\nContent-Type: application/json\n"
	for name, body := range map[string]string{
		"gzip cut":        head + "Content-Encoding: gzip\n\n" + packed.String()[:packed.Len()/2],
		"unknown coding":  head + "Content-Encoding: x-none\n\nabc",
		"too deep":        head + "\n" + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000),
		"no UTF-8":        head + "\n{\"nonce\": \"\xff\xfe\", \"name\": \"x\"}",
		"no JSON":         head + "\n{\"nonce\": ",
		"empty":           head + "Content-Length: 0\n",
		"mark":            head + "\n\ufeff{\"nonce\": \"" + uuid(live, 3) + "\", \"name\": \"x\"}",
		"packed transfer": head + "Transfer-Encoding: gzip, chunked\n\n0\r\n\r\n",
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			s, raw := w.learned(t)
			if _, shown := say(s, w.requests[0], body); shown != onWire(body) {
				t.Errorf("shown %.300q\nwant %.300q", shown, onWire(body))
			}
			if len(*raw) == 0 {
				t.Error("nothing is told")
			}
		})
	}
}

// What a recording holds redacted is not what the API gave: the client gets that.
func TestRedactedRecording(t *testing.T) {
	w := world{
		requests: []string{"GET /n HTTP/1.1\nHost: a"},
		answer: func(run, _ int, _ time.Time) string {
			token := uuid(run, 3)
			if run == 0 {
				token = "secret:4b49980b5c3f"
			}
			return fmt.Sprintf("HTTP/1.1 200 OK\nContent-Type: application/json\n\n{\"token\":%q}", token)
		},
	}
	s, _ := w.learned(t)
	if _, shown := say(s, w.requests[0], w.answer(live, 0, began(live))); !strings.Contains(shown, uuid(live, 3)) {
		t.Errorf("shown %q", shown)
	}
}

// Of a key that occurs twice the last member counts, and the others stay.
func TestDoubledKeys(t *testing.T) {
	w := nonced(func(body string) string { return "HTTP/1.1 200 OK\nContent-Type: application/json\n\n" + body })
	s, _ := w.learned(t)
	_, shown := say(s, w.requests[0], "HTTP/1.1 200 OK\nContent-Type: application/json\n\n"+
		fmt.Sprintf(`{"nonce": 1, "nonce": %q, "name": "x"}`, uuid(live, 3)))
	if !strings.HasSuffix(shown, fmt.Sprintf(`{"nonce": 1, "nonce": %q, "name": "x"}`, uuid(0, 3))) {
		t.Errorf("shown %q", shown)
	}
}

// A large array is put back in order, and one that is larger by far than any seen passes: were each of its elements held against
// each recorded one, this test would not end.
func TestLargeArray(t *testing.T) {
	list := func(n int, at time.Time, element func(i int) int) string {
		var b strings.Builder
		b.WriteString("HTTP/1.1 200 OK\nContent-Type: application/json\n\n[")
		for i := range n {
			if i > 0 {
				b.WriteString(",")
			}
			fmt.Fprintf(&b, `{"id":%d,"at":%q}`, element(i), stamp(at))
		}
		return b.String() + "]"
	}
	const n = 500
	w := world{
		requests: []string{"GET /all HTTP/1.1\nHost: a"},
		answer: func(run, _ int, _ time.Time) string {
			return list(n, began(run), func(i int) int {
				if run == live {
					return n - 1 - i
				}
				return (i + run*17) % n
			})
		},
	}
	s, raw := w.learned(t)
	_, shown := say(s, w.requests[0], w.answer(live, 0, began(live)))
	if want := onWire(w.answer(0, 0, began(0))); shown != want || len(*raw) > 0 {
		t.Errorf("shown %.200q\nwant  %.200q\nraw %.300q", shown, want, *raw)
	}
	say(s, w.requests[0], list(100_000, began(live), func(i int) int { return i }))
	if len(*raw) == 0 {
		t.Error("nothing is told")
	}
}

// Answers without a body keep their heads' lengths.
func TestHeadAndNotModified(t *testing.T) {
	w := world{
		requests: []string{"GET /d HTTP/1.1\nHost: a", "HEAD /d HTTP/1.1\nHost: a", "GET /d HTTP/1.1\nHost: a\nIf-None-Match: \"" + uuid(0, 1)[:12] + "\""},
		answer: func(run, n int, _ time.Time) string {
			tag := "ETag: \"" + uuid(run, 1)[:12] + "\"\n"
			switch n {
			case 0:
				return "HTTP/1.1 200 OK\nContent-Type: application/json\n" + tag + "\n{\"n\": \"" + uuid(run, 2) + "\"}"
			case 1:
				return "HTTP/1.1 200 OK\nContent-Type: application/json\n" + tag + "Content-Length: 45\n"
			}
			return "HTTP/1.1 304 Not Modified\n" + tag
		},
	}
	s, raw := w.learned(t)
	sent, shown := w.play(s, nil)
	for n := range shown {
		if want := onWire(w.answer(0, n, began(0))); shown[n] != want {
			t.Errorf("shown %q\nwant  %q", shown[n], want)
		}
	}
	if !strings.Contains(sent[2], "If-None-Match: \""+uuid(live, 1)[:12]+"\"") {
		t.Errorf("sent %q", sent[2])
	}
	if len(*raw) > 0 {
		t.Errorf("raw %q", *raw)
	}
}

// FuzzAnswer: whatever an API answers, the client gets an answer that can be read, with the status that came.
func FuzzAnswer(f *testing.F) {
	for _, body := range []string{`{"nonce": "` + uuid(live, 3) + `", "name": "x"}`, `{"nonce": 1}`, `[1,2]`, ``, `{"nonce":"a","nonce":"b"}`, `{`, "\xff"} {
		f.Add("Content-Type: application/json\r\n", body, false)
		f.Add("Content-Type: text/plain\r\nContent-Encoding: gzip\r\nSet-Cookie: a=b; Path=/\r\n", body, true)
	}
	w := nonced(func(body string) string { return "HTTP/1.1 200 OK\nContent-Type: application/json\n\n" + body })
	var s *steady.Steady
	f.Fuzz(func(t *testing.T, fields, body string, chunked bool) {
		if s == nil {
			s, _ = w.learned(t)
		}
		length := fmt.Sprintf("Content-Length: %d\r\n", len(body))
		if chunked {
			length, body = "Transfer-Encoding: chunked\r\n", string(wire.Chunk([]byte(body)))
		}
		m := exchange.Message{Head: []byte("HTTP/1.1 200 OK\r\n" + fields + length + "\r\n"), Body: []byte(body)}
		framer := wire.NewResponseFramer("GET")
		if n, state := framer.Feed(append(bytes.Clone(m.Head), m.Body...)); state != wire.Done || n != len(m.Head)+len(m.Body) || framer.Err() != nil {
			t.Skip("not what the proxy holds")
		}
		e := &exchange.Exchange{Conn: 1, Target: "default", Start: began(live), Request: w.request(0)}
		s.Request(e)
		e.Response = exchange.ParseResponse(m)
		out := s.Response(e)
		framer = wire.NewResponseFramer("GET")
		if n, state := framer.Feed(out); state != wire.Done || n != len(out) || framer.Status() != 200 {
			t.Fatalf("shown %q for %q", out, append(m.Head, m.Body...))
		}
	})
}
