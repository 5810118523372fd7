package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/google/go-cmp/cmp"
)

// desk is an API that gives a token, a cookie and an order, others in each session, and keeps what it was sent.
type desk struct {
	mu   sync.Mutex
	n    int // the session
	sent []string
}

func (d *desk) token() string { return fmt.Sprintf("q8Zx81kqP0vR7mW%d", d.n) }
func (d *desk) sid() string   { return fmt.Sprintf("c7f3a1e0b2d44d5%d", d.n) }
func (d *desk) order() string { return fmt.Sprintf("0a1b2c3d-4e5f-4a6b-8c7d-00000073004%d", d.n) }

func (d *desk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sent = append(d.sent, fmt.Sprintf("%s %s %q %q %q %q", r.Method, r.RequestURI, r.Header.Get("Authorization"), r.Header.Get("Cookie"),
		r.Header.Get("X-Note"), body))
	w.Header().Set("Content-Type", "application/json")
	switch r.URL.Path {
	case "/login":
		http.SetCookie(w, &http.Cookie{Name: "sid", Value: d.sid(), HttpOnly: true})
		fmt.Fprintf(w, `{"token":%q}`, d.token())
	case "/orders":
		w.Header().Set("Location", "/orders/"+d.order()+"/state?key=a%20"+d.order())
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, `{"orderId":%q,"total":12}`, d.order())
	default:
		fmt.Fprint(w, `{}`)
	}
}

// session are the requests of one session, as they are sent.
func (d *desk) session() []*http.Request {
	request := func(method, target, body string, header ...string) *http.Request {
		r, err := http.NewRequest(method, target, strings.NewReader(body))
		if err != nil {
			panic(err)
		}
		for _, h := range header {
			name, value, _ := strings.Cut(h, ": ")
			r.Header.Set(name, value)
		}
		return r
	}
	bearer, cookie := "Authorization: Bearer "+d.token(), "Cookie: sid="+d.sid()
	kind := "Content-Type: text/plain"
	return []*http.Request{
		request("POST", "/login?next=%2Fhome", `{"user":"ann","password":"correct-horse-battery"}`, "Content-Type: application/json"),
		request("POST", "/orders", `{"lines":[{"note":"{{guest}} {% raw %} '*/"}]}`, bearer, cookie, "Content-Type: application/json"),
		request("GET", "/orders/"+d.order(), "", bearer),
		request("PUT", "/orders/"+d.order()+"?part=a%20b&x=%7B%7By%7D%7D", "first\n}\n  body:json {\nlast", bearer, kind, `X-Note: it's "quoted" {{orderId}} // no comment`),
		request("POST", "/form", "name=Ann+B&api_key=correct-horse-battery", "Content-Type: application/x-www-form-urlencoded"),
		request("DELETE", "/orders/"+d.order(), `{"order":"`+d.order()+`"}`, bearer, "Content-Type: application/json"),
	}
}

// recordDesk records a session with the API through a proxy that is not there: as a HAR, which is imported.
func (b *bench) recordDesk(d *desk, address string) {
	b.t.Helper()
	var entries []map[string]any
	for i, r := range d.session() {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			b.t.Fatal(err)
		}
		answer := httptest.NewRecorder()
		sent := httptest.NewRequest(r.Method, r.URL.String(), strings.NewReader(string(body)))
		sent.Header = r.Header
		d.ServeHTTP(answer, sent)
		request := map[string]any{"method": r.Method, "url": address + r.URL.String(), "httpVersion": "HTTP/1.1", "headers": fields(r.Header)}
		if len(body) > 0 {
			request["postData"] = map[string]string{"mimeType": r.Header.Get("Content-Type"), "text": string(body)}
		}
		entries = append(entries, map[string]any{"startedDateTime": fmt.Sprintf("2026-01-29T12:15:0%dZ", i), "time": 5, "request": request,
			"response": map[string]any{"status": answer.Code, "httpVersion": "HTTP/1.1", "headers": fields(answer.Header()),
				"content": map[string]string{"text": answer.Body.String()}}})
	}
	doc, err := json.Marshal(map[string]any{"log": map[string]any{"version": "1.2", "entries": entries}})
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(b.dir, "session.har"), doc, 0o600); err != nil {
		b.t.Fatal(err)
	}
	b.must("flaketap import session.har")
}

func fields(h http.Header) []map[string]string {
	out := []map[string]string{}
	for name := range h {
		out = append(out, map[string]string{"name": name, "value": h.Get(name)})
	}
	return out
}

// another sends the collection to the API, whose session is another one by now, and wants it to get what a client of
// that session sends.
func (b *bench) another(d *desk, send func()) {
	b.t.Helper()
	d.n++
	d.sent = nil
	for _, r := range d.session() {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			b.t.Fatal(err)
		}
		sent := httptest.NewRequest(r.Method, r.URL.String(), strings.NewReader(string(body)))
		sent.Header = r.Header
		d.ServeHTTP(httptest.NewRecorder(), sent)
	}
	want := d.sent
	d.sent = nil
	send()
	if diff := cmp.Diff(want, d.sent); diff != "" {
		b.t.Errorf("-want +sent:\n%s", diff)
	}
}

// Newman sends what was recorded, with the token, the cookie and the order that it is given.
func TestRealNodeCollectionPostman(t *testing.T) {
	t.Parallel()
	modules, there := toolsDir(t, "node")
	needs.That(t, "Newman (make tools installs it)", there && found("node"))
	b := newBench(t)
	d := &desk{}
	server := httptest.NewServer(d)
	defer server.Close()
	b.recordDesk(d, "http://127.0.0.1:8080")
	b.must("flaketap export --format postman --out collection.json")
	b.another(d, func() {
		b.must(modules + "/node_modules/.bin/newman run --color off --env-var password=correct-horse-battery --env-var baseUrl=" + server.URL + " collection.json")
	})
}

// So does Bruno, which is fetched for the test.
func TestEvalCollectionBruno(t *testing.T) {
	needs.That(t, "npm", found("npm"))
	b := newBench(t)
	d := &desk{}
	server := httptest.NewServer(d)
	defer server.Close()
	b.recordDesk(d, "http://127.0.0.1:8080")
	b.must("flaketap export --format bruno --out collection")
	b.must("npm install --prefix tools --ignore-scripts --no-audit --no-fund --loglevel error @usebruno/cli@4.1.0")
	b.another(d, func() {
		b.must("cd collection && ../tools/node_modules/.bin/bru run -r --disable-cookies --env recorded --env-var password=correct-horse-battery --env-var baseUrl=" + server.URL)
	})
}
