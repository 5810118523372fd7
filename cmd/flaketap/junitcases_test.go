package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha1"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	suiteplan "github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/relation"
)

// jvmCase is a test of a generated project against an API that gives canned answers: what it sends on the wire, what it
// asserts, an answer with which it passes, and one with which it fails.
type jvmCase struct {
	step      suiteplan.Step
	sent      string // the request line, the headers in the order of their names, and the body
	good, bad string
}

// answerOf writes an answer.
func answerOf(status int, head, body string) string {
	return fmt.Sprintf("HTTP/1.1 %d Some Reason\r\n%sContent-Length: %d\r\n\r\n%s", status, head, len(body), body)
}

func jsonAnswer(body string) string {
	return answerOf(200, "Content-Type: application/json; charset=utf-8\r\n", body)
}

// dated is an answer of 2026, that of 1769688000 seconds since 1970.
func dated(body string) string {
	return answerOf(200, "Content-Type: application/json\r\nDate: Thu, 29 Jan 2026 12:00:00 GMT\r\n", body)
}

func words(s string) suiteplan.Text { return suiteplan.Text{{Literal: s}} }

// hostile is a text with all that source code, JSON and comments trip over.
const hostile = "it's \"q\" \\ \\u000a \\\\u0041 $x ${y} $$ `z` */ // \"\"\" \n\r\t\x00 \u2028 \u202e é 日本 😀 <b> %s %n {0}"

// jvmCases lists the cases, by kinds: requests first. host is where the API is.
func jvmCases(host string) []jvmCase {
	out := append(jvmRequests(), jvmAnswers(host)...)
	return append(out, jvmHolding(host)...)
}

func jvmRequests() []jvmCase {
	ok := answerOf(200, "", "")
	is := func(method, target string) suiteplan.Step {
		return suiteplan.Step{Method: method, Target: words(target), Checks: []suiteplan.Check{{Kind: suiteplan.CheckStatus, Statuses: []int{200}}}}
	}
	with := func(s suiteplan.Step, body *suiteplan.Body, headers ...suiteplan.Header) suiteplan.Step {
		s.Body, s.Headers = body, headers
		return s
	}
	no := answerOf(500, "", "")
	long := strings.Repeat(hostile, 1500)
	asJSON, _ := json.Marshal(map[string]string{hostile: long})
	return []jvmCase{
		{is("GET", "/plain/a;b=c?x=%20y&z=1"), "GET /plain/a;b=c?x=%20y&z=1", ok, no},
		{is("GET", "/plain/~!$&'()*,;=:@-_.9?x=~!$'()*,:@-_.%41"), "GET /plain/~!$&'()*,;=:@-_.9?x=~!$'()*,:@-_.%41", ok, no},
		{is("GET", "/odd//../{x}?a=1&b&a=2&=&c=d=e+f#g"), "GET /odd//../{x}?a=1&b&a=2&=&c=d=e+f#g", ok, no},
		{is("get", "/|\"'<>^`\\%zz"), "get /|\"'<>^`\\%zz", ok, no},
		{is("OPTIONS", "*"), "OPTIONS *", ok, no},
		{is("PROPFIND", "/find/"), "PROPFIND /find/", ok, no},
		{is("HEAD", "/head"), "HEAD /head", "HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n", no},
		{is("GET", "/moved"), "GET /moved", answerOf(200, "", ""), answerOf(302, "Location: /plain\r\n", "")},
		{with(is("PATCH", "/patch"), &suiteplan.Body{Text: words(string(asJSON))}, suiteplan.Header{Name: "Content-Type", Value: words("application/json")}),
			"PATCH /patch\nContent-Type: application/json\n\n" + string(asJSON), ok, no},
		{with(is("POST", "/empty"), &suiteplan.Body{}), "POST /empty\n\n", ok, no},
		{with(is("POST", "/chunked"), &suiteplan.Body{Text: words("in chunks"), Chunked: true}, suiteplan.Header{Name: "Content-Type", Value: words("text/plain")}),
			"POST /chunked\nContent-Type: text/plain\n\n9\r\nin chunks\r\n0\r\n\r\n", ok, no},
		{with(is("PUT", "/binary"), &suiteplan.Body{Bytes: bytes.Repeat([]byte("\x00\xff\"\\\r\n"), 40)}), "PUT /binary\n\n" + strings.Repeat("\x00\xff\"\\\r\n", 40), ok, no},
		{with(is("GET", "/headers"), &suiteplan.Body{Text: words("GET with a body")}, suiteplan.Header{Name: "X-Many", Value: words("1")},
			suiteplan.Header{Name: "Accept", Value: words("*/*")}, suiteplan.Header{Name: "X-Many", Value: words("ä\t${x}\\u0041")}, suiteplan.Header{Name: "Cookie", Value: words(`a="b c"; d`)}),
			"GET /headers\nAccept: */*\nCookie: a=\"b c\"; d\nX-Many: 1\nX-Many: \xe4\t${x}\\u0041\n\nGET with a body", ok, no},
		{with(is("POST", "/secret"), &suiteplan.Body{Text: suiteplan.Text{{Literal: "{\"p\":\""}, {Secret: "secret:000000000001", Escape: suiteplan.InJSON}, {Literal: "\",\"q\":"},
			{Bound: "number", Escape: suiteplan.AsJSON}, {Literal: ",\"r\":"}, {Bound: "odd", Escape: suiteplan.AsJSON}, {Literal: "}"}}}),
			"POST /secret\n\n{\"p\":\"s\\\"3\\\\\",\"q\":12.50,\"r\":\"a/b c+d&é\\\"\"}", ok, no},
		{suiteplan.Step{Method: "GET", Target: suiteplan.Text{{Literal: "/bound/"}, {Bound: "odd", Escape: suiteplan.InPath}, {Literal: "?q="}, {Bound: "odd", Escape: suiteplan.InQuery}},
			Checks: []suiteplan.Check{{Kind: suiteplan.CheckStatus, Statuses: []int{200}}}}, "GET /bound/a%2Fb%20c+d&%C3%A9%22?q=a/b%20c%2Bd%26%C3%A9%22", ok, no},
	}
}

func jvmAnswers(host string) []jvmCase {
	check := func(name string, k suiteplan.Check, good, bad string) jvmCase {
		s := suiteplan.Step{Method: "GET", Target: words("/" + name), Checks: []suiteplan.Check{k}}
		return jvmCase{s, "GET /" + name, good, bad}
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	io.WriteString(w, "unpacked")
	w.Close()
	value, _ := json.Marshal(hostile)
	odd := `{"a":1,"a":2,"big":9007199254740993,"huge":1e400,"price":12.10,"half":"\ud83d!","":null,"x.y/z~\"q'*$":[true,"é\n"],"h":` + string(value) +
		`,"long":"` + strings.Repeat("nothing moves $x ", 1000) + `"}`
	moving := `{"id":"<volatile>","rows":[{"at":"<volatile>","n":1},{"at":"<volatile>","n":2}]}`
	items := json.RawMessage(`[{"t":"y","at":"<volatile>"},{"t":"x","at":"<volatile>"}]`)
	return []jvmCase{
		check("oneof", suiteplan.Check{Kind: suiteplan.CheckStatus, Statuses: []int{200, 503}}, answerOf(503, "", ""), answerOf(404, "", "")),
		check("header", suiteplan.Check{Kind: suiteplan.CheckHeader, Place: "/header/x-one", Lines: []suiteplan.Text{words("v")}}, answerOf(200, "X-One: v \r\n", ""), answerOf(200, "X-One: w\r\n", "")),
		check("lines", suiteplan.Check{Kind: suiteplan.CheckHeader, Place: "/header/x-two", Lines: []suiteplan.Text{words("a"), {{Secret: "secret:000000000001"}}}},
			answerOf(200, "X-Two: a\r\nX-TWO: s\"3\\\r\n", ""), answerOf(200, "X-Two: a\r\n", "")),
		check("cookie", suiteplan.Check{Kind: suiteplan.CheckCookie, Place: "/header/set-cookie", Name: words("sid")},
			answerOf(200, "Set-Cookie: a=b\r\nSet-Cookie: sid=; Path=/\r\n", ""), answerOf(200, "Set-Cookie: a=sid\r\n", "")),
		check("empty", suiteplan.Check{Kind: suiteplan.CheckEmpty, Place: "/body"}, answerOf(204, "", "")[:len("HTTP/1.1 204 Some Reason\r\n")]+"\r\n", answerOf(200, "", " ")),
		check("text", suiteplan.Check{Kind: suiteplan.CheckText, Place: "/body", Text: words(strings.Repeat(hostile, 100))}, answerOf(200, "", strings.Repeat(hostile, 100)), answerOf(200, "", hostile)),
		check("gzip", suiteplan.Check{Kind: suiteplan.CheckText, Place: "/body", Text: words("unpacked")}, answerOf(200, "Content-Encoding: gzip\r\n", packed.String()), answerOf(200, "", "packed")),
		check("chunks", suiteplan.Check{Kind: suiteplan.CheckText, Place: "/body", Text: words("0123456789")},
			"HTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n0123\r\n6;x=y\r\n456789\r\n0\r\nX: y\r\n\r\n", answerOf(200, "", "012345678")),
		check("digest", suiteplan.Check{Kind: suiteplan.CheckDigest, Place: "/body", Length: 3, SHA256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
			answerOf(200, "", "abc"), answerOf(200, "", "abd")),
		check("hash/crc32", suiteplan.Check{Kind: suiteplan.CheckHash, Place: "/header/etag", Hash: suiteplan.CRC32, Of: []exchange.Place{"/body"}},
			answerOf(200, "ETag: \"CBF43926\"\r\n", "123456789"), answerOf(200, "ETag: \"CBF43926\"\r\n", "12345678")),
		check("hash/md5", suiteplan.Check{Kind: suiteplan.CheckHash, Place: "/header/x-sum", Hash: suiteplan.MD5, Of: []exchange.Place{"/body/v"}},
			answerOf(200, "Content-Type: application/json\r\nX-Sum: kAFQmDzST7DWlj99KOF_cg\r\n", `{"v":"abc"}`), answerOf(200, "X-Sum: kAFQmDzST7DWlj99KOF_cg\r\n", `{"v":"abd"}`)),
		check("hash/sha1", suiteplan.Check{Kind: suiteplan.CheckHash, Place: "/body/v", Hash: suiteplan.SHA1, Given: []suiteplan.Text{{{Literal: "a"}, {Bound: "number"}}}},
			jsonAnswer(`{"v":"sha1:`+fmt.Sprintf("%x", sha1.Sum([]byte("a12.50")))+`"}`), jsonAnswer(`{"v":"sha1:`+fmt.Sprintf("%x", sha1.Sum([]byte("12.50")))+`"}`)),
		check("hash/sha256", suiteplan.Check{Kind: suiteplan.CheckHash, Place: "/body/v", Hash: suiteplan.SHA256, Given: []suiteplan.Text{words("abc")}, Length: 16},
			jsonAnswer(`{"v":"ba7816bf8f01cfea"}`), jsonAnswer(`{"v":"ba7816bf8f01cfe"}`)),
		check("hash/sha512", suiteplan.Check{Kind: suiteplan.CheckHash, Place: "/body/v", Hash: suiteplan.SHA512, Given: []suiteplan.Text{words("abc")}},
			jsonAnswer(`{"v":"3a81oZNherrMQXNJriBBMRLm+k6JqX6iCp7u5ktV05ohkpkqJ0/BqDa6PCOj/uu9RU1EI2Q86A4qmslPpUyknw=="}`), jsonAnswer(`{"v":"3a81oZNherrMQXNJriBBMRLm"}`)),
		check("json", suiteplan.Check{Kind: suiteplan.CheckJSON, Place: "/body", JSON: json.RawMessage(odd)},
			jsonAnswer(" "+strings.Replace(odd, "12.10", "1.21e1", 1)), jsonAnswer(strings.Replace(odd, "9007199254740993", "9007199254740992", 1))),
		check("key", suiteplan.Check{Kind: suiteplan.CheckJSON, Place: "/body", JSON: json.RawMessage(`{"a":1}`)}, jsonAnswer(`{"a":1.0}`), jsonAnswer(`{"a":1,"b":null}`)),
		check("masked", suiteplan.Check{Kind: suiteplan.CheckJSON, Place: "/body", JSON: json.RawMessage(moving), Masks: []exchange.Place{"/id", "/rows/*/at"}, Absent: []exchange.Place{"/hint", "/rows/*/x"}},
			jsonAnswer(`{"hint":1,"id":7,"rows":[{"n":1,"at":0},{"n":2,"at":[],"x":1}]}`), jsonAnswer(`{"id":7,"rows":[{"n":1,"at":0},{"n":2}]}`)),
		check("keys", suiteplan.Check{Kind: suiteplan.CheckOutline, Place: "/body", Keys: []string{"a", hostile}}, jsonAnswer(`{"a":1,`+string(value)+`:2,"b":3}`), jsonAnswer(`{"a":1}`)),
		check("size", suiteplan.Check{Kind: suiteplan.CheckOutline, Place: "/body", Length: 2}, jsonAnswer(`[1,2]`), jsonAnswer(`[1]`)),
		check("items", suiteplan.Check{Kind: suiteplan.CheckItems, Place: "/body/a", JSON: items, Masks: []exchange.Place{"/*/at"}}, jsonAnswer(`{"a":[{"at":1,"t":"x"},{"t":"y","at":2}]}`), jsonAnswer(`{"a":[{"t":"x","at":1},{"t":"x","at":2}]}`)),
		check("set", suiteplan.Check{Kind: suiteplan.CheckItems, Place: "/body", JSON: json.RawMessage(`["a","b"]`), Extent: "set"}, jsonAnswer(`["b","a","b"]`), jsonAnswer(`["b","a","c"]`)),
		check("among", suiteplan.Check{Kind: suiteplan.CheckItems, Place: "/body", JSON: json.RawMessage(`["a","a"]`), Extent: "among"},
			jsonAnswer(`["a","c","a"]`), jsonAnswer(`["a","c"]`)),
		check("some", suiteplan.Check{Kind: suiteplan.CheckEqual, Place: "/body/*/n", Text: suiteplan.Text{{Bound: "number"}}, Extent: "among"},
			jsonAnswer(`[{"n":1},{"n":12.50}]`), jsonAnswer(`[{"n":1},{"m":12.50}]`)),
		check("equal", suiteplan.Check{Kind: suiteplan.CheckEqual, Place: "/body/n", Text: suiteplan.Text{{Bound: "number"}}}, jsonAnswer(`{"n":12.50}`), jsonAnswer(`{"n":12.51}`)),
		check("host", suiteplan.Check{Kind: suiteplan.CheckEqual, Place: "/header/location", Text: suiteplan.Text{{Literal: "http://"}, {Host: true}, {Literal: "/x"}}},
			answerOf(200, "Location: http://"+host+"/x\r\n", ""), answerOf(200, "Location: http://other/x\r\n", "")),
		check("suffix", suiteplan.Check{Kind: suiteplan.CheckEqual, Place: "/body/u", Text: suiteplan.Text{{Literal: "/"}, {Bound: "number"}}, Suffix: true}, jsonAnswer(`{"u":"x/12.50"}`), jsonAnswer(`{"u":"x/12.5"}`)),
		check("since1900", suiteplan.Check{Kind: suiteplan.CheckHolds, Place: "/body/n", Holds: mapfile.Holds{Type: "number"}, Near: &suiteplan.Near{After: 2208988800, Within: 2}},
			dated(`{"n":3978676801}`), dated(`{"n":3978676900}`)),
		check("broken", suiteplan.Check{Kind: suiteplan.CheckHolds, Place: "/body", Holds: mapfile.Holds{Type: "string", Pattern: `^\{"at .*$`}}, jsonAnswer(`{"at `), jsonAnswer(`{"at": 1}`)),
		check("other", suiteplan.Check{Kind: suiteplan.CheckHolds, Place: "/body/x", If: 404, Holds: mapfile.Holds{Type: "string"}}, jsonAnswer(`{}`), answerOf(404, "Content-Type: application/json\r\n", `{}`)),
	}
}

// jvmHolding lists what may hold of a value, with a value of which it does and one of which it does not.
func jvmHolding(host string) []jvmCase {
	n := func(n int) *int { return &n }
	now := time.Now().UTC()
	raw := func(s ...string) (out []json.RawMessage) {
		for _, v := range s {
			out = append(out, json.RawMessage(v))
		}
		return out
	}
	var out []jvmCase
	add := func(h mapfile.Holds, good, bad string) {
		target := fmt.Sprintf("/holds/%d", len(out))
		k := suiteplan.Check{Kind: suiteplan.CheckHolds, Place: "/body/v", Why: hostile, Holds: h}
		out = append(out, jvmCase{suiteplan.Step{Method: "GET", Target: words(target), Checks: []suiteplan.Check{k}}, "GET " + target, jsonAnswer(`{"v":` + good + `}`), jsonAnswer(`{"v":` + bad + `}`)})
	}
	add(mapfile.Holds{Type: "integer"}, `5`, `5.0`)
	add(mapfile.Holds{Type: "number", Min: "-1.5", Max: "3"}, `3.0`, `3.01`)
	add(mapfile.Holds{Type: "number", Min: "-1.5"}, `-1.5`, `-1.51`)
	add(mapfile.Holds{Type: "null|integer", Min: "2"}, `null`, `1`)
	add(mapfile.Holds{Type: "string", MinLength: n(2), MaxLength: n(3)}, `"😀é"`, `"😀"`)
	add(mapfile.Holds{Type: "array", MinLength: n(1)}, `[0]`, `[]`)
	add(mapfile.Holds{Type: "boolean|object"}, `{}`, `[]`)
	add(mapfile.Holds{Type: "string", Format: "hex:4"}, `"aB09"`, `"aB0"`)
	add(mapfile.Holds{Type: "integer|string", Format: "uuid"}, `7`, `"7"`)
	add(mapfile.Holds{Type: "string", Pattern: `^\$\d+ "x"\\u0041$`}, `"$12 \"x\"\\u0041"`, `"$12 \"x\"A"`)
	near := func(h mapfile.Holds, good, bad string) {
		add(h, good, bad)
		out[len(out)-1].step.Checks[0].Near = &suiteplan.Near{Within: 3600}
	}
	near(mapfile.Holds{Type: "string", Format: "rfc3339"}, `"`+now.Format(time.RFC3339Nano)+`"`, `"`+now.Add(-10*time.Hour).Format(time.RFC3339)+`"`)
	near(mapfile.Holds{Type: "integer"}, fmt.Sprint(now.UnixMilli()), fmt.Sprint(now.Unix()-10000))
	near(mapfile.Holds{Type: "string"}, `"`+now.Format(time.RFC1123)+`"`, `"Mon, 01 Jan 2001 00:00:00 GMT"`)
	near(mapfile.Holds{Type: "string"}, `"`+now.Format("January 2, 2006")+`"`, `"`+now.Format("January")+` 32, 2050"`)
	add(mapfile.Holds{Equal: raw(`"a $b"`)[0]}, `"a $b"`, `"a"`)
	add(mapfile.Holds{Equal: raw(`"日本"`)[0]}, `"日本"`, `"日"`)
	add(mapfile.Holds{OneOf: raw(`"a"`, `"b"`)}, `"b"`, `"c"`)
	add(mapfile.Holds{OneOf: raw(`null`, `1.50`)}, `1.5`, `"1.50"`)
	add(mapfile.Holds{Type: "string", Echo: "/header/host"}, `"at `+host+`!"`, `"at home"`)
	for _, r := range []struct {
		is        relation.Kind
		of        []exchange.Place
		good, bad string
	}{
		{relation.Equal, []exchange.Place{"/body/a"}, `{"v":1.0,"a":"1"}`, `{"v":1,"a":2}`},
		{relation.Sum, []exchange.Place{"/body/a", "/body/b"}, `{"v":0.30000000000000004,"a":0.1,"b":0.2}`, `{"v":0.31,"a":0.1,"b":0.2}`},
		{relation.Difference, []exchange.Place{"/body/a", "/body/b"}, `{"v":"1","a":3,"b":2}`, `{"v":5,"a":3,"b":2}`},
		{relation.Product, []exchange.Place{"/body/a", "/body/b"}, `{"v":3.33,"a":1.11,"b":2.999}`, `{"v":3.32,"a":1.11,"b":2.999}`},
		{relation.Count, []exchange.Place{"/body/a"}, `{"v":2,"a":[0,0]}`, `{"v":2,"a":[0]}`},
		{relation.Total, []exchange.Place{"/body/a/*/p", "/body/a/*/q"}, `{"v":7,"a":[{"p":1,"q":1},{"p":2,"q":3}]}`, `{"v":8,"a":[{"p":1,"q":1},{"p":2,"q":3}]}`},
	} {
		target := fmt.Sprintf("/holds/%d", len(out))
		k := suiteplan.Check{Kind: suiteplan.CheckRelated, Place: "/body/v", Relation: r.is, Of: r.of}
		out = append(out, jvmCase{suiteplan.Step{Method: "GET", Target: words(target), Checks: []suiteplan.Check{k}}, "GET " + target, jsonAnswer(r.good), jsonAnswer(r.bad)})
	}
	return out
}

// cannedPlan makes a test of each case, in groups and with names that no language allows.
func cannedPlan(cases []jvmCase, target string) suiteplan.Plan {
	p := suiteplan.Plan{
		Target:  target,
		Secrets: map[string]string{"secret:000000000001": `s"3\`},
		Bound:   []suiteplan.Value{{Name: "number", Recorded: words("12.50"), From: hostile}, {Name: "odd", Recorded: words(`a/b c+d&é"`)}},
	}
	names := []string{"class", "when", "wait", "2nd", "given", "it_is"}
	for i, c := range cases {
		c.step.Role, c.step.Title = suiteplan.Tested, hostile
		p.Tests = append(p.Tests, suiteplan.Test{
			Name: names[i%len(names)] + strings.Repeat("_x", i/len(names)), Group: names[i/12%len(names)], About: []string{hostile, hostile}, Steps: []suiteplan.Step{c.step},
		})
	}
	return p
}

// cannedAPI is an API that gives the canned answers, and keeps what it was asked, byte for byte.
type cannedAPI struct {
	addr  string
	cases []jvmCase
	wrong atomic.Bool
	mu    sync.Mutex
	got   []string
}

func newCannedAPI(t *testing.T) *cannedAPI {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := listener.Addr().String()
	a := &cannedAPI{addr: addr, cases: jvmCases(addr)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			a.serve(conn)
		}
	}()
	t.Cleanup(func() {
		listener.Close()
		<-done
	})
	return a
}

func (a *cannedAPI) serve(conn net.Conn) {
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(30 * time.Second))
	sent := readWhole(conn)
	line, _, _ := strings.Cut(sent, "\n")
	for _, c := range a.cases {
		if want, _, _ := strings.Cut(c.sent, "\n"); want != line {
			continue
		}
		answer := c.good
		if a.wrong.Load() {
			answer = c.bad
		}
		io.WriteString(conn, answer)
		a.mu.Lock()
		a.got = append(a.got, sent)
		a.mu.Unlock()
	}
}

// readWhole reads a request, and returns it as jvmCase.sent has it.
func readWhole(conn net.Conn) string {
	var all []byte
	buffer := make([]byte, 64<<10)
	for {
		n, err := conn.Read(buffer)
		all = append(all, buffer[:n]...)
		head, body, whole := strings.Cut(string(all), "\r\n\r\n")
		lines := strings.Split(head, "\r\n")
		var headers []string
		length, chunked := -1, false
		for _, l := range lines[1:] {
			name, value, _ := strings.Cut(l, ": ")
			switch name {
			case "Content-Length":
				fmt.Sscan(value, &length)
			case "Transfer-Encoding":
				chunked = true
			case "Host":
			default:
				headers = append(headers, l)
			}
		}
		if err == nil && (!whole || chunked && !strings.HasSuffix(body, "0\r\n\r\n") || len(body) < length) {
			continue
		}
		slices.SortFunc(headers, func(a, b string) int { return strings.Compare(a, b) })
		out := strings.Join(append([]string{strings.TrimSuffix(lines[0], " HTTP/1.1")}, headers...), "\n")
		if length >= 0 || chunked {
			out += "\n\n" + body
		}
		return out
	}
}

// compare wants to have been asked for the cases, in their order.
func (a *cannedAPI) compare(t *testing.T) {
	t.Helper()
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, c := range a.cases {
		if i >= len(a.got) {
			t.Errorf("%q was not asked for", c.sent)
		} else if a.got[i] != c.sent {
			t.Errorf("sent\n%.300q, want\n%.300q", a.got[i], c.sent)
		}
	}
}
