package collection

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/flaketap/flaketap/internal/testbed/recorded"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// call is a request and its answer, each as it was on the wire, without their framing.
type call struct{ sequence, request, response string }

const (
	token    = "q8Zx81kqP0vR7mW2"
	password = "correct-horse-battery"
	session  = "c7f3a1e0b2d44d5f"
)

// shopping is a session with a login, an order, a cookie, a redirect, and texts that mean something to clients.
func shopping() []call {
	const orderID = "0a1b2c3d-4e5f-4a6b-8c7d-000000730041"
	bearer := "Authorization: Bearer " + token + "\n"
	return []call{
		{"shopping", "POST /login?next=%2Fhome\nContent-Type: application/json\n\n" + `{"user":"ann","password":"` + password + `"}`,
			"200 OK\nContent-Type: application/json\nSet-Cookie: sid=" + session + "; HttpOnly\n\n" + `{"token":"` + token + `"}`},
		{"shopping", "POST /orders\n" + bearer + "Cookie: sid=" + session + "\nContent-Type: application/json\n\n" + `{"lines":[{"product":3,"note":"{{guest}} {% raw %} '*/"}]}`,
			"201 Created\nContent-Type: application/json\nLocation: /orders/" + orderID + "\n\n" + `{"orderId":"` + orderID + `","total":12}`},
		{"shopping", "GET /orders/" + orderID + "?token=" + token + "\n" + bearer, "200 OK\nContent-Type: application/json\n\n" + `{"orderId":"` + orderID + `"}`},
		{"", "PUT /orders/" + orderID + "\n" + bearer + "X-Note: it's \"quoted\" {{orderId}}\nContent-Type: text/plain\n\nfirst\n}\n  body:json {\nlast",
			"200 OK\n\n"},
		{"odd\n}\nname", "POST /form\nContent-Type: application/x-www-form-urlencoded\n\nname=Ann&api_key=" + password, "200 OK\n\n"},
		{"odd\n}\nname", "GET /hash#part\n", "200 OK\n\n"},
		{"odd\n}\nname", "POST /bytes\nContent-Type: application/octet-stream\n\n\xff\xfe\x00", "200 OK\n\n"},
		{"odd\n}\nname", "POST /lines\nContent-Type: text/plain\n\none\r\ntwo", "200 OK\n\n"},
		{"odd\n}\nname", "get /lower\n", "200 OK\n\n"},
	}
}

// recording writes calls to a recording, and returns its path.
func recording(t *testing.T, all []call) string {
	t.Helper()
	var exchanges []*exchange.Exchange
	for _, c := range all {
		request, response := wireMessage(c.request, " HTTP/1.1", "Host: 127.0.0.1:8080"), wireMessage("HTTP/1.1 "+c.response, "", "Server: x")
		exchanges = append(exchanges, &exchange.Exchange{Sequence: c.sequence, Request: exchange.ParseRequest(request),
			Response: exchange.ParseResponse(response)})
	}
	return recorded.Exchanges(t, exchanges)
}

// wireMessage makes a message of a text whose head has lines.
func wireMessage(text, version, field string) exchange.Message {
	head, body, _ := strings.Cut(text, "\n\n")
	line, fields, _ := strings.Cut(strings.TrimSuffix(head, "\n"), "\n")
	head = line + version + "\n" + field + "\n"
	if fields != "" {
		head += fields + "\n"
	}
	head += fmt.Sprintf("Content-Length: %d\n", len(body))
	return exchange.Message{Head: []byte(strings.ReplaceAll(head+"\n", "\n", "\r\n")), Body: []byte(body)}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// written writes a recording in a form, and returns the files as one text.
func written(t *testing.T, path, form string, o Options) (string, *Collection) {
	t.Helper()
	c, err := Read(path, o)
	check(t, err)
	f, ok := FormNamed(form)
	if !ok {
		t.Fatal("no such form")
	}
	files, err := f.Write(c)
	check(t, err)
	if !f.Files && len(files) != 1 {
		t.Errorf("%s: %d files", form, len(files))
	}
	return joined(files), c
}

func joined(files []outfile.File) string {
	var b strings.Builder
	for _, f := range files {
		fmt.Fprintf(&b, "=== %s\n%s", f.Name, f.Data)
	}
	return b.String()
}

func TestForms(t *testing.T) {
	path := recording(t, shopping())
	for _, f := range Forms() {
		t.Run(f.Name, func(t *testing.T) {
			got, c := written(t, path, f.Name, Options{})
			if again, _ := written(t, path, f.Name, Options{}); again != got {
				t.Error("the same recording gave other bytes")
			}
			for _, secret := range []string{token, password, session} {
				if strings.Contains(got, secret) {
					t.Errorf("the secret %s stands in it", secret)
				}
			}
			golden := filepath.Join("testdata", f.Name+".txt")
			if *update {
				check(t, os.WriteFile(golden, []byte(got), 0o600))
			}
			want, err := os.ReadFile(golden)
			check(t, err)
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("-want +got; -update writes it anew:\n%s", diff)
			}
			for _, part := range []string{"/hash", "POST /bytes: its body is no text", "get /lower: clients know no such method"} {
				if !strings.Contains(strings.Join(c.Left, "\n"), part) {
					t.Errorf("%q is not among what is left out: %q", part, c.Left)
				}
			}
			if revealed, _ := written(t, path, f.Name, Options{Reveal: true}); !strings.Contains(revealed, password) {
				t.Error("what is to be shown is not")
			}
		})
	}
}

// TestLeaves: what only one client cannot send is left out of its form alone.
func TestLeaves(t *testing.T) {
	path := recording(t, shopping())
	for form, want := range map[string]int{"postman": 3, "insomnia": 3, "bruno": 4} {
		if _, c := written(t, path, form, Options{}); len(c.Left) != want || len(c.Left)+len(c.Requests) != len(shopping()) {
			t.Errorf("%s: left out %q, want %d", form, c.Left, want)
		}
	}
}

// TestFilledIn: what a client would fill with values of its own, as a random id or a variable of the environment, is
// not sent as it was recorded, and left out; other names in braces stay.
func TestFilledIn(t *testing.T) {
	path := recording(t, []call{
		{"", "POST /dynamic\nContent-Type: text/plain\n\nan {{ $guid }}", "200 OK\n\n"},
		{"", "POST /environment\nContent-Type: text/plain\n\na {{process.env.HOME}}", "200 OK\n\n"},
		{"", "GET /header\nX-Note: '''one\n", "200 OK\n\n"},
		{"", "POST /plain\nContent-Type: text/plain\n\na {{name}} for $5, {{", "200 OK\n\n"},
	})
	for form, want := range map[string][]string{
		"postman":  {"1 POST /dynamic"},
		"insomnia": nil,
		"bruno":    {"1 POST /dynamic", "2 POST /environment", "3 GET /header"},
	} {
		_, c := written(t, path, form, Options{})
		var left []string
		for _, l := range c.Left {
			name, _, _ := strings.Cut(l, ":")
			left = append(left, name)
		}
		if diff := cmp.Diff(want, left); diff != "" {
			t.Errorf("%s: left out (-want +got):\n%s", form, diff)
		}
	}
}

// TestMethods: Bruno has no block for the methods of WebDAV, and reads no file with one.
func TestMethods(t *testing.T) {
	path := recording(t, []call{{"", "PROPFIND /dav\n", "200 OK\n\n"}, {"", "OPTIONS /\n", "200 OK\n\n"}})
	got, _ := written(t, path, "bruno", Options{})
	for _, want := range []string{"\n\nhttp {\n  method: PROPFIND\n  url: {{baseUrl}}/dav\n", "\n\noptions {\n  url: {{baseUrl}}/\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in:\n%s", want, got)
		}
	}
}

// TestBound: what an answer gave is a variable wherever a later request has it, and the answer's script sets it.
func TestBound(t *testing.T) {
	c, err := Read(recording(t, shopping()), Options{})
	check(t, err)
	text := func(all Text) string { return braced(all) }
	for i, want := range map[int]string{2: "{{baseUrl}}/orders/{{orderId}}?token={{token}}", 3: "{{baseUrl}}/orders/{{orderId}}"} {
		if got := text(c.Requests[i].URL); got != want {
			t.Errorf("request %d: %s, want %s", i, got, want)
		}
	}
	set := map[string]int{}
	for i, r := range c.Requests {
		for _, k := range r.Keeps {
			set[k.Variable] = i
		}
	}
	if diff := cmp.Diff(map[string]int{"token": 0, "sid": 0, "orderId": 1}, set); diff != "" {
		t.Errorf("kept by the scripts of (-want +got):\n%s", diff)
	}
	for _, v := range c.Variables {
		if v.Secret != (v.Value == "") || v.Secret != (v.Name == "token" || v.Name == "sid" || v.Name == "password") {
			t.Errorf("%+v", v)
		}
	}
}

// TestEncoded: a value that URLs and forms have percent-encoded stands there by a variable of its own, elsewhere as it is.
func TestEncoded(t *testing.T) {
	const key, encoded = "kx93/ab81f2c7 q5", "kx93%2Fab81f2c7%20q5"
	c, err := Read(recording(t, []call{
		{"", "POST /keys\n", "200 OK\nContent-Type: application/json\n\n" + `{"shareKey":"` + key + `"}`},
		{"", "GET /shared?shareKey=" + encoded + "\n", "200 OK\n\n"},
		{"", "POST /form\nContent-Type: application/x-www-form-urlencoded\n\nshareKey=" + encoded, "200 OK\n\n"},
		{"", "POST /json\nContent-Type: application/json\n\n" + `{"shareKey":"` + key + `"}`, "200 OK\n\n"},
	}), Options{Reveal: true})
	check(t, err)
	var got []string
	for _, r := range c.Requests[1:] {
		got = append(got, braced(r.URL)+" "+braced(r.Body))
	}
	want := []string{"{{baseUrl}}/shared?shareKey={{shareKeyEncoded}} ", "{{baseUrl}}/form shareKey={{shareKeyEncoded}}",
		`{{baseUrl}}/json {"shareKey":"{{shareKey}}"}`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, v := range c.Variables {
		if want := map[string]string{"shareKey": key, "shareKeyEncoded": encoded}[v.Name]; want != "" && v.Value != want {
			t.Errorf("%s is %q, want %q", v.Name, v.Value, want)
		}
	}
}

// TestSources: a script finds what Go finds, or no source is told.
func TestSources(t *testing.T) {
	answer := exchange.ParseResponse(wireMessage("HTTP/1.1 201 Created\nLocation: https://h:8/a%20b/7?after=x+y&n=2#f\nETag: \"p1\"\nSet-Cookie: a=1\nSet-Cookie: sid=two; Path=/\n"+
		"Content-Type: application/json\n\n"+`{"id":7,"big":9007199254740993,"list":[{"name":"it's"}],"none":null}`, "", "Server: x"))
	for _, c := range []struct {
		place exchange.Place
		value string
		found string
	}{
		{"/body/id", "7", `body()["id"]`},
		{"/body/list/0/name", "it's", `body()["list"]["0"]["name"]`},
		{"/body/big", "9007199254740993", ""},
		{"/body/none", "null", ""},
		{"/body/gone", "x", ""},
		{"/body/id/deeper", "7", ""},
		{"/header/etag", `"p1"`, `headers("etag")[0]`},
		{"/header/set-cookie/sid", "two", `cookie("sid")`},
		{"/header/set-cookie/none", "two", ""},
		{"/header/location/path/0", "a b", `segment("location", 0)`},
		{"/header/location/path/1", "7", `segment("location", 1)`},
		{"/header/location/path/2", "7", ""},
		{"/header/location/path/9", "7", ""},
		{"/header/location/query/after", "x y", `pair("location", "after")`},
		{"/header/location/query/none", "", ""},
		{"/header/link/1/query/cursor", "x", ""},
		{"/status", "201", ""},
	} {
		s, ok := sourceOf(answer, c.place, c.value)
		if got := s.expression(); ok != (c.found != "") || ok && got != c.found {
			t.Errorf("%s: %v %s, want %q", c.place, ok, got, c.found)
		}
	}
	if _, ok := sourceOf(nil, "/body/id", "7"); ok {
		t.Error("no answer gives nothing")
	}
}

// FuzzRead: whatever was recorded, no form has a secret, and each is well-formed.
func FuzzRead(f *testing.F) {
	f.Add("GET /a?x={{y}}", "X-A: {%", `{"a":"}"}`)
	f.Add("POST /{{baseUrl}}", "Cookie: sid="+session, "password="+password+"&b=\n}")
	f.Fuzz(func(t *testing.T, line, field, body string) {
		request := exchange.ParseRequest(exchange.Message{Head: []byte(line + " HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer " + token + "\r\n" + field + "\r\n\r\n"),
			Body: []byte(body), Plain: true})
		e := &exchange.Exchange{Seq: 1, Scheme: "http", Addr: "h:80", Request: request, Sequence: body}
		var secrets exchange.Secrets
		secrets.Exchange(e)
		r := &reader{redactor: exchange.Redactor{Known: secrets.Known()}, base: "http://h", uses: map[uint64][]use{}, gives: map[uint64][]*binding{},
			tokens: map[string]string{}, names: map[string]bool{"baseUrl": true}}
		r.read(e)
		for _, form := range Forms() {
			files, err := form.Write(r.collection())
			check(t, err)
			if text := joined(files); strings.Contains(text, token) {
				t.Fatalf("%s has the token:\n%s", form.Name, text)
			}
			for _, file := range files {
				if strings.HasSuffix(file.Name, ".json") && !json.Valid(file.Data) {
					t.Fatalf("%s: %s is no JSON", form.Name, file.Name)
				}
			}
		}
	})
}
