package main

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// foldersSuite is a collection of two folders and a request beside them, all about an item that its session made: the
// requests of a folder are one test. before and after are the other items of the session.
func foldersSuite(before, after string) string {
	read := func(name string) string {
		return fmt.Sprintf(`{"name": %q, "request": {"method": "GET", "url": "{{base}}/items/4"}, "event": [{"listen": "test", "script": {"exec": [
  "pm.test('%s', () => { pm.response.to.have.status(200); pm.expect(pm.response.json().id).to.equal(4); });"
]}}]}`, name, name)
	}
	return `{"info": {"name": "shelf", "schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"}, "item": [` + before + `
{"name": "one", "item": [` + read("one first") + ",\n" + read("one second") + `]},
{"name": "two", "item": [` + read("two first") + ",\n" + read("two second") + `]},
` + read("beside") + after + "\n]}\n"
}

// TestFoldersHaveTheirSetUps: the requests of a folder of a collection share one set-up, and no folder leans on that of
// another: each runs by itself, as Newman's --folder has it, and all of them one after the other.
func TestFoldersHaveTheirSetUps(t *testing.T) {
	webForms()[1].needed(t)
	b := newBench(t)
	api := &shelf{}
	api.reset()
	server := httptest.NewServer(api)
	defer server.Close()
	modules, _ := toolsDir(t, "node")
	run := modules + "/node_modules/.bin/newman run --color off --env-var base="
	post := `{"name": "make", "request": {"method": "POST", "header": [{"key": "Content-Type", "value": "application/json"}], "body": {"mode": "raw", "raw": "{\"name\":\"d\"}"}, "url": "{{base}}/items"}},`
	gone := `,{"name": "gone", "request": {"method": "DELETE", "url": "{{base}}/items/4"}}`
	for name, text := range map[string]string{"session.json": foldersSuite(strings.Repeat(post, 4), gone), "suite.json": foldersSuite("", "")} {
		if err := os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	record := "flaketap record --listen 127.0.0.1:0 --target " + server.URL
	b.must(record + " --db session.db -- sh -c '" + run + "$FLAKETAP_URL session.json'")
	if out, status := b.sh(record + " --reset " + server.URL + "/reset --db suite.db -- sh -c '" + run + "$FLAKETAP_URL suite.json'"); status == 0 {
		t.Fatalf("the suite does not lean on its session:\n%s", out)
	}
	said := b.must("flaketap patch --db suite.db --session session.db --target " + server.URL + " --reset " + server.URL + "/reset --out patched suite.json")
	if !strings.Contains(said, "3 tests given a set-up") {
		t.Fatalf("not all was given back:\n%s", said)
	}
	text, err := os.ReadFile(filepath.Join(b.dir, "patched", "suite.json"))
	if n := strings.Count(string(text), "flaketap: set-up: POST /items"); err != nil || n != 3 {
		t.Errorf("%d set-ups for two folders and what stands beside them (%v):\n%s", n, err, text)
	}
	for folders, made := range map[string]int{"": 3, " --folder one": 1, " --folder two": 1} {
		api.mu.Lock()
		api.start++
		api.reset()
		api.mu.Unlock()
		out := b.must(run + server.URL + folders + " patched/suite.json")
		api.mu.Lock()
		if len(api.revs) > 0 || api.made != made {
			t.Errorf("%q: %d items are left of %d, want 0 of %d\n%s", folders, len(api.revs), api.made, made, out)
		}
		api.mu.Unlock()
	}
}
