package flow

import (
	"bufio"
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/internal/jsontree"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func text(r exchange.Request) string { return string(r.Head) + string(r.Body) }

// carry binds value at one place of a request and returns what is sent once a run gave another value.
func carry(raw string, place exchange.Place, value, now string) exchange.Request {
	head, body, _ := strings.Cut(raw, "\r\n\r\n")
	e := &exchange.Exchange{Seq: 2, Request: exchange.ParseRequest(exchange.Message{Head: []byte(head + "\r\n\r\n"), Body: []byte(body)})}
	c := NewCarrier([]exchange.Binding{{Name: "x", Value: value, Producer: exchange.Ref{Seq: 1, Place: "/body/x"},
		Uses: []exchange.Ref{{Seq: 2, Place: place}}}})
	c.Learn(1, exchange.ParseResponse(exchange.Message{Head: []byte("HTTP/1.1 200 OK\r\n\r\n"),
		Body: fmt.Appendf(nil, `{"x":%s}`, jsontree.Quote(now)), Plain: true}))
	return c.Request(e)
}

func TestCarrier(t *testing.T) {
	const end = "\r\n\r\n"
	for _, c := range []struct {
		name, raw  string
		place      exchange.Place
		value, now string
		want       string
	}{
		{"path", "GET /a/7/b?x=7 HTTP/1.1\r\nH:  7" + end, "/path/1", "7", "12", "GET /a/12/b?x=7 HTTP/1.1\r\nH:  7" + end},
		{"path of an absolute target", "GET http://xa/xa/7 HTTP/1.1" + end, "/path/1", "7", "12", "GET http://xa/xa/12 HTTP/1.1" + end},
		{"path, escaped as before", "GET /a%2fb/%41 HTTP/1.1" + end, "/path/0", "a/b", "c/d e", "GET /c%2fd%20e/%41 HTTP/1.1" + end},
		{"path, what has to be", "GET /ab HTTP/1.1" + end, "/path/0", "ab", "é?#%/", "GET /%C3%A9%3F%23%25%2F HTTP/1.1" + end},
		{"part of a segment", "GET /r-" + uuid + ".pdf HTTP/1.1" + end, "/path/0", uuid, "zz", "GET /r-zz.pdf HTTP/1.1" + end},
		{"query", "GET /?a=1&q=x+y&q=x+y HTTP/1.1" + end, "/query/q/1", "x y", "p q&r", "GET /?a=1&q=x+y&q=p+q%26r HTTP/1.1" + end},
		{"query, escaped name", "GET /?%61b=1 HTTP/1.1" + end, "/query/ab", "1", "2", "GET /?%61b=2 HTTP/1.1" + end},
		{"header", "GET / HTTP/1.1\r\nx-KEY:\t abc \r\nA: abc" + end, "/header/x-key", "abc", "d", "GET / HTTP/1.1\r\nx-KEY:\t d \r\nA: abc" + end},
		{"bearer", "GET / HTTP/1.1\r\nAuthorization: Bearer abc" + end, "/header/authorization", "abc", "longer.token", "GET / HTTP/1.1\r\nAuthorization: Bearer longer.token" + end},
		{"cookie", "GET / HTTP/1.1\nCookie: a=1;sid=1; b=1\n" + end, "/cookie/sid", "1", "22", "GET / HTTP/1.1\nCookie: a=1;sid=22; b=1\n" + end},
		{"JSON number", "POST / HTTP/1.1\r\ncontent-length: 21" + end + `{ "a":[1, 7],"b" : 7}`, "/body/a/1", "7", "1234", "POST / HTTP/1.1\r\ncontent-length: 24" + end + `{ "a":[1, 1234],"b" : 7}`},
		{"JSON number that is none now", "POST / HTTP/1.1\r\nContent-Length: 7" + end + `{"a":7}`, "/body/a", "7", "x7", "POST / HTTP/1.1\r\nContent-Length: 10" + end + `{"a":"x7"}`},
		{"JSON text stays text", "POST / HTTP/1.1\r\nContent-Length: 9" + end + `{"a":"7"}`, "/body/a", "7", `8"<é`, "POST / HTTP/1.1\r\nContent-Length: 14" + end + `{"a":"8\"<é"}`},
		{"form", "POST / HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 7" + end + "a=1&b=7", "/body/b", "7", "a b", "POST / HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 11" + end + "a=1&b=a%20b"},
		{"chunked", "POST / HTTP/1.1\r\nTransfer-Encoding: chunked" + end + "3\r\n{\"a\r\n4\r\n\":7}\r\n0\r\nT: u\r\n\r\n", "/body/a", "7", "12",
			"POST / HTTP/1.1\r\nTransfer-Encoding: chunked" + end + "8\r\n{\"a\":12}\r\n0\r\nT: u\r\n\r\n"},
		{"no header is smuggled in", "GET /7 HTTP/1.1\r\nA: 7" + end, "/header/a", "7", "x\r\nB: c", "GET /7 HTTP/1.1\r\nA: 7" + end},
		{"nor anything empty", "GET /7 HTTP/1.1" + end, "/path/0", "7", "", "GET /7 HTTP/1.1" + end},
		{"a malformed request stays", "GET /7\r\nA: 7" + end, "/path/0", "7", "8", "GET /7\r\nA: 7" + end},
		{"a packed body stays", "POST / HTTP/1.1\r\nContent-Encoding: gzip\r\nContent-Length: 7" + end + `{"a":7}`, "/body/a", "7", "8", "POST / HTTP/1.1\r\nContent-Encoding: gzip\r\nContent-Length: 7" + end + `{"a":7}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := carry(c.raw, c.place, c.value, c.now)
			if diff := cmp.Diff(c.want, text(got)); diff != "" {
				t.Error(diff)
			}
			if again := exchange.ParseRequest(got.Message); again.Target != got.Target {
				t.Errorf("the parsed view is not that of the bytes: target %q, want %q", got.Target, again.Target)
			}
		})
	}
}

// What one text holds of several values, or of one value several times, is replaced as a whole: a server that counts on
// gives to one what another had before.
func TestCarrierSeveralInOneText(t *testing.T) {
	const end = "\r\n\r\n"
	moved := []message.Swap{{Before: "1000000001", After: "1000000002"}, {Before: "1000000002", After: "1000000003"}, {Before: `"1"`, After: `"2"`}, {Before: `"2"`, After: `"3"`}, {Before: "v1", After: "v2"}, {Before: uuid, After: "zz"}}
	for _, c := range []struct{ name, raw, want string }{
		{"numbers that count on", "GET /?ids=1000000001,1000000002 HTTP/1.1" + end, "GET /?ids=1000000002,1000000003 HTTP/1.1" + end},
		{"validators", "GET / HTTP/1.1\r\nIf-None-Match: \"1\", \"2\"" + end, "GET / HTTP/1.1\r\nIf-None-Match: \"2\", \"3\"" + end},
		{"a value twice", "GET /?q=" + uuid + "," + uuid + " HTTP/1.1" + end, "GET /?q=zz,zz HTTP/1.1" + end},
		{"a value behind a longer one", "GET / HTTP/1.1\r\nIf-None-Match: v11, v1" + end, "GET / HTTP/1.1\r\nIf-None-Match: v11, v2" + end},
	} {
		r := exchange.ParseRequest(exchange.Message{Head: []byte(c.raw)})
		fill := map[exchange.Place][]message.Swap{}
		for _, s := range message.Sites(&r) {
			fill[s.Place] = moved
		}
		got := message.Rewrite(&r, fill)
		if diff := cmp.Diff(c.want, text(got)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestCarrierUnresolved(t *testing.T) {
	list := script(t, `
		> POST /orders
		< 201
		={"id": 7}
		> GET /orders/7`)
	bindings := Bindings(list)
	for _, c := range []struct {
		name   string
		answer *exchange.Response
		want   []string
	}{
		{"no answer", nil, []string{"orderId"}},
		{"another shape", exchange.ParseResponse(exchange.Message{Head: []byte("HTTP/1.1 500 X\r\n\r\n"), Body: []byte(`{"id":{}}`)}), []string{"orderId"}},
		{"given", list[0].Response, nil},
	} {
		carrier := NewCarrier(bindings)
		if carrier.Unresolved() != nil {
			t.Errorf("%s: unresolved before anything was played", c.name)
		}
		carrier.Learn(1, c.answer)
		if diff := cmp.Diff(c.want, carrier.Unresolved()); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		if got := carrier.Request(list[1]); got.Target != "/orders/7" {
			t.Errorf("%s: sent %s", c.name, got.Target)
		}
	}
}

// TestCarrierLists: an element that is still in a list is still meant, wherever it stands now.
func TestCarrierLists(t *testing.T) {
	list := script(t, `
		> GET /things
		< 200
		={"all": [{"ref": "`+uuid+`"}, {"ref": "k3J9x2Lm4Qw8"}]}
		> GET /things/k3J9x2Lm4Qw8`)
	c := NewCarrier(Bindings(list))
	answer := func(body string) *exchange.Response {
		return exchange.ParseResponse(exchange.Message{Head: []byte("HTTP/1.1 200 OK\r\n\r\n"), Body: []byte(body)})
	}
	c.Learn(1, answer(`{"all": [{"ref": "k3J9x2Lm4Qw8"}, {"ref": "`+uuid+`"}]}`))
	if got := c.Request(list[1]).Target; got != "/things/k3J9x2Lm4Qw8" {
		t.Errorf("shuffled: %s", got)
	}
	c.Learn(1, answer(`{"all": [{"ref": "one"}, {"ref": "two"}]}`))
	if got := c.Request(list[1]).Target; got != "/things/two" {
		t.Errorf("made anew: %s", got)
	}
}

// TestCarrierConcurrently is for the race detector.
func TestCarrierConcurrently(t *testing.T) {
	list := script(t, "> POST /orders\n< 201\n={\"id\": 7}\n> GET /orders/7")
	c := NewCarrier(Bindings(list))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			c.Learn(1, list[0].Response)
			c.Request(list[1])
			c.Unresolved()
		})
	}
	wg.Wait()
}

// TestCarrierIdentity: with no bindings, or with a run that gave the recorded values, every request stays the bytes it
// was; and what is found is always where the binding says.
func TestCarrierIdentity(t *testing.T) {
	value := rapid.SampledFrom([]string{"7", "42", uuid, "k3J9x2Lm4Qw8", "a b", "é/&=", "active", ""})
	rapid.Check(t, func(t *rapid.T) {
		var list []*exchange.Exchange
		for i := range rapid.IntRange(1, 8).Draw(t, "n") {
			v, w := value.Draw(t, "v"), value.Draw(t, "w")
			e := &exchange.Exchange{Seq: uint64(i + 1)}
			method := rapid.SampledFrom([]string{"GET", "POST"}).Draw(t, "method")
			body := fmt.Sprintf(`{"id": %s, "ref" : [ %s ]}`, jsontree.Quote(v), jsontree.Quote(w))
			e.Request = exchange.ParseRequest(exchange.Message{Body: []byte(body), Head: fmt.Appendf(nil,
				"%s /orders/%s?q=%s HTTP/1.1\r\nCookie: c=%s\r\nContent-Length: %d\r\n\r\n", method, url.PathEscape(v), url.QueryEscape(w), v, len(body))})
			e.Response = exchange.ParseResponse(exchange.Message{Plain: true,
				Head: fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nSet-Cookie: c=%s\r\nX: %s\r\n\r\n", w, v),
				Body: fmt.Appendf(nil, `{"id": %s, "b": %s}`, jsontree.Quote(value.Draw(t, "r")), jsontree.Quote(value.Draw(t, "s")))})
			list = append(list, e)
		}
		bindings := Bindings(list)
		names := map[string]bool{}
		for _, b := range bindings {
			if got, ok := message.Value(list[b.Producer.Seq-1].Response, b.Producer.Place); !ok || got != b.Value {
				t.Fatalf("%s: the producer gives %q, %v, not %q", b.Name, got, ok, b.Value)
			}
			if names[b.Name] || len(b.Uses) == 0 {
				t.Fatalf("%s: not unique, or unused", b.Name)
			}
			names[b.Name] = true
		}
		none, same := NewCarrier(nil), NewCarrier(bindings)
		for _, e := range list {
			if got := none.Request(e); text(got) != text(e.Request) {
				t.Fatalf("without bindings: %q", text(got))
			}
			if got := same.Request(e); text(got) != text(e.Request) {
				t.Fatalf("with the recorded values: %q", text(got))
			}
			same.Learn(e.Seq, e.Response)
		}
	})
}

// TestRewriteMeans: whatever a run gives, an HTTP library reads at the place what was given, and all else as before.
func TestRewriteMeans(t *testing.T) {
	printable := rapid.StringOfN(rapid.RuneFrom([]rune(`abz019 -_.~/?#%&=+;:,@"'\<>{}[]|é世`)), 1, 12, -1)
	rapid.Check(t, func(t *rapid.T) {
		old, now := printable.Draw(t, "old"), printable.Draw(t, "now")
		if strings.TrimSpace(old) == "" || old == "." || old == ".." {
			old = "x"
		}
		body := "f=" + url.QueryEscape(old) + "&g=1"
		raw := fmt.Sprintf("POST /a/%s/b?q=%s&r=1 HTTP/1.1\r\nHost: h\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n%s",
			url.PathEscape(old), url.QueryEscape(old), len(body), body)
		for _, place := range []exchange.Place{"/path/1", "/query/q", "/body/f"} {
			got := carry(raw, place, old, now)
			req, err := http.ReadRequest(bufio.NewReader(bytes.NewReader([]byte(text(got)))))
			if err != nil {
				t.Fatalf("%s: %v in %q", place, err, text(got))
			}
			want := map[exchange.Place]string{"/path/1": old, "/query/q": old, "/body/f": old}
			want[place] = now
			segments := strings.Split(req.URL.EscapedPath(), "/")
			segment, _ := url.PathUnescape(segments[2])
			read := map[exchange.Place]string{"/path/1": segment, "/query/q": req.URL.Query().Get("q"), "/body/f": req.PostFormValue("f")}
			if diff := cmp.Diff(want, read); diff != "" || len(segments) != 4 || req.PostFormValue("g") != "1" {
				t.Fatalf("%s from %q to %q: %s\n%q", place, old, now, diff, text(got))
			}
		}
	})
}
