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
)

// shelf is an API of items, which are changed under the ETag that they were answered with last. Each start counts.
type shelf struct {
	mu    sync.Mutex
	start int
	made  int
	names map[string]string
	revs  map[string]int
}

func (s *shelf) reset() { s.made, s.names, s.revs = 0, map[string]string{}, map[string]int{} }

func (s *shelf) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := strings.TrimPrefix(r.URL.Path, "/items/")
	etag := func() string { return fmt.Sprintf(`"start-%d-item-%s-rev-%d"`, s.start, id, s.revs[id]) }
	var body struct{ Name string }
	if data, err := io.ReadAll(r.Body); err != nil || len(data) > 0 && json.Unmarshal(data, &body) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	status := http.StatusOK
	switch {
	case r.URL.Path == "/reset":
		s.start++
		s.reset()
		return
	case r.Method == http.MethodPost && r.URL.Path == "/items":
		s.made++
		id, status = fmt.Sprint(s.made), http.StatusCreated
		s.names[id], s.revs[id] = body.Name, 1
		w.Header().Set("Location", "/items/"+id)
	case s.revs[id] == 0:
		w.WriteHeader(http.StatusNotFound)
		return
	case r.Method == http.MethodPut && r.Header.Get("If-Match") != etag():
		w.WriteHeader(http.StatusPreconditionFailed)
		return
	case r.Method == http.MethodPut:
		s.names[id] = body.Name
		s.revs[id]++
	case r.Method == http.MethodDelete:
		delete(s.revs, id)
		w.WriteHeader(http.StatusNoContent)
		return
	}
	w.Header().Set("ETag", etag())
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"id":%s,"name":%q}`, id, s.names[id])
}

// shelfSession is a session in which four items are made, and the last is changed, read, and taken away. The same requests
// are there as a collection, and as a file of Hurl's.
func shelfSession(form string) string {
	if form == "hurl" {
		return strings.Repeat("POST {{base}}/items\nContent-Type: application/json\n`{\"name\":\"d\"}`\n", 4) + shelfSuite(form) + "DELETE {{base}}/items/4\n"
	}
	post := `{"name": "make", "request": {"method": "POST", "header": [{"key": "Content-Type", "value": "application/json"}],
  "body": {"mode": "raw", "raw": "{\"name\":\"d\"}"}, "url": "{{base}}/items"}},`
	text := strings.Replace(shelfSuite(form), `"item": [{"name": "the fourth", "item": [`, `"item": [{"name": "the fourth", "item": [`+strings.Repeat(post, 4), 1)
	return strings.Replace(text, "\n]}]", `,{"name": "gone", "request": {"method": "DELETE", "url": "{{base}}/items/4"}}`+"\n]}]", 1)
}

// shelfSuite is a test of what that session left behind before its end.
func shelfSuite(form string) string {
	if form == "hurl" {
		return `PUT {{base}}/items/4
If-Match: "start-0-item-4-rev-1"
Content-Type: application/json
` + "`{\"name\":\"e\"}`" + `
HTTP 200
[Asserts]
jsonpath "$.id" == 4
jsonpath "$.name" == "e"

GET {{base}}/items/4
HTTP 200
[Asserts]
jsonpath "$.name" == "e"
`
	}
	return `{"info": {"name": "shelf", "schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"},
"item": [{"name": "the fourth", "item": [
{
  "name": "change",
  "request": {
    "method": "PUT",
    "header": [{"key": "If-Match", "value": "\"start-0-item-4-rev-1\""}, {"key": "Content-Type", "value": "application/json"}],
    "body": {"mode": "raw", "raw": "{\"name\":\"e\"}"},
    "url": {"raw": "{{base}}/items/4", "host": ["{{base}}"], "path": ["items", "4"]}
  },
  "event": [{"listen": "test", "script": {"exec": [
    "pm.test('changed', () => {",
    "  pm.response.to.have.status(200);",
    "  pm.expect(pm.response.json().id).to.equal(4);",
    "  pm.expect(pm.response.json().name).to.equal('e');",
    "});"
  ]}}]
},
{
  "name": "read",
  "request": {"method": "GET", "url": "{{base}}/items/4"},
  "event": [{"listen": "test", "script": {"exec": "pm.test('read', () => pm.expect(pm.response.json().name).to.equal('e'));"}}]
}
]}]}
`
}

// TestWebGrafts gives a suite for Node's runner, or Hurl, that leans on what its session left behind that back, tried on the
// API, and runs it on fresh ones: it holds, and leaves nothing there.
func TestWebGrafts(t *testing.T) {
	for _, form := range webForms()[1:] {
		t.Run(form.format, func(t *testing.T) {
			form.needed(t)
			b := newBench(t)
			api := &shelf{}
			api.reset()
			server := httptest.NewServer(api)
			defer server.Close()
			ext, run := ".hurl", "hurl --test --variable base="
			if form.format == "postman" {
				modules, _ := toolsDir(t, "node")
				ext, run = ".json", modules+"/node_modules/.bin/newman run --color off --env-var base="
			}
			for name, text := range map[string]string{"session": shelfSession(form.format), "suite": shelfSuite(form.format)} {
				if err := os.WriteFile(filepath.Join(b.dir, name+ext), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			record := "flaketap record --listen 127.0.0.1:0 --target " + server.URL
			b.must(record + " --db session.db -- sh -c '" + run + "$FLAKETAP_URL session" + ext + "'")
			if out, status := b.sh(record + " --reset " + server.URL + "/reset --db suite.db -- sh -c '" + run + "$FLAKETAP_URL suite" + ext + "'"); status == 0 {
				t.Fatalf("the suite does not lean on its session:\n%s", out)
			}
			said := b.must("flaketap patch --db suite.db --session session.db --target " + server.URL + " --reset " + server.URL + "/reset --out patched suite" + ext)
			if !strings.Contains(said, "1 test given a set-up") {
				t.Fatalf("nothing was given back:\n%s", said)
			}
			patched := filepath.Join("patched", "suite"+ext)
			for range 2 {
				api.mu.Lock()
				api.start++
				api.reset()
				api.mu.Unlock()
				b.must(run + server.URL + " " + patched)
				api.mu.Lock()
				if len(api.revs) > 0 || api.made != 1 {
					t.Errorf("%d items are left of %d", len(api.revs), api.made)
				}
				api.mu.Unlock()
			}
		})
	}
}
