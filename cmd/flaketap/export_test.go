package main

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock"
	"github.com/flaketap/flaketap/store"
	"github.com/google/go-cmp/cmp"
)

// largeRecording makes a recording of so many exchanges with answers of so many bytes that hardly compress.
func largeRecording(t *testing.T, path string, exchanges, size int) {
	t.Helper()
	s, err := store.Create(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.BeginPass(exchange.Pass{Started: time.Unix(1_800_000_000, 0)}); err != nil {
		t.Fatal(err)
	}
	noise := make([]byte, 1<<20)
	rand.Read(noise)
	for i := range exchanges {
		body := base64.StdEncoding.EncodeToString(noise[i*7919%(len(noise)-size):][:size*3/4])
		e := &exchange.Exchange{
			Target: "default", Scheme: "http", Addr: "127.0.0.1:80", Start: time.Unix(1_800_000_000, int64(i)), Latency: time.Millisecond,
			Request: exchange.ParseRequest(exchange.Message{Head: fmt.Appendf(nil, "GET /items/%d HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer token-%d\r\n\r\n", i, i%100)}),
			Response: exchange.ParseResponse(exchange.Message{
				Head: fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", len(body)+2), Body: []byte(`"` + body + `"`),
			}),
		}
		if err := s.Record(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.EndPass(time.Unix(1_800_000_100, 0)); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// An export is compressed where the name of its file says so, and an import reads it back as it was.
func TestExportZipped(t *testing.T) {
	b := newBench(t)
	largeRecording(t, filepath.Join(b.dir, "flaketap.db"), 60, 5000)
	b.must("flaketap export --reveal --out a.har && flaketap export --reveal --out a.har.gz && flaketap export --reveal --out b.HAR.GZ")
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join(b.dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	plain, zipped := read("a.har"), read("a.har.gz")
	if !bytes.HasPrefix(zipped, []byte{0x1f, 0x8b}) || len(zipped) > len(plain)*9/10 {
		t.Errorf("it has %d bytes, %d without compression, and begins with % x", len(zipped), len(plain), zipped[:2])
	}
	if !bytes.Equal(zipped, read("b.HAR.GZ")) {
		t.Error("a second export is not the same")
	}
	b.must("flaketap import --db back.db a.har.gz && flaketap export --reveal --db back.db --out back.har")
	if diff := cmp.Diff(string(plain), string(read("back.har"))); diff != "" {
		t.Errorf("it does not come back as it was: %.2000s", diff)
	}
}

// What external services answered is written for other tools, from a recording and from stubs.
func TestExportServices(t *testing.T) {
	b := newBench(t)
	s, err := store.Create(filepath.Join(b.dir, "flaketap.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.BeginPass(exchange.Pass{Started: time.Unix(1_800_000_000, 0)}); err != nil {
		t.Fatal(err)
	}
	asked := exchange.Exchange{Scheme: "https", Addr: "rates.example.com:443", Start: time.Unix(1_800_000_000, 0),
		Request:  exchange.ParseRequest(exchange.Message{Head: []byte("GET /latest?base=EUR&api_key=4f9d2c71a8b3e5 HTTP/1.1\r\nHost: rates.example.com\r\n\r\n")}),
		Response: exchange.ParseResponse(exchange.Message{Head: []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"), Body: []byte(`{"rate":1.5}`)})}
	if err := s.RecordExternal(&exchange.External{Exchange: asked, Stub: "rates"}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.EndPass(time.Unix(1_800_000_100, 0)), s.Close()); err != nil {
		t.Fatal(err)
	}
	out := b.must(`mkdir stubs && flaketap export --format wiremock --out stubs/a.json && flaketap export --format hoverfly --stubs stubs &&
		flaketap export --format openapi --out described && flaketap export --format openapi --stubs stubs --out again && cat stubs/a.json described/*.json`)
	for _, want := range []string{`"urlPath": "/latest"`, `"value": "rates.example.com"`, `"/latest": {`, `"rate": {`} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
	if strings.Contains(out, "4f9d2c71a8b3e5") {
		t.Errorf("a secret is told:\n%s", out)
	}
	if out := b.must("flaketap export --format wiremock --reveal"); !strings.Contains(out, "4f9d2c71a8b3e5") {
		t.Errorf("no secret is revealed:\n%s", out)
	}
	if out := b.must("flaketap export --format wiremock --out a.json.gz && gzip -dc a.json.gz"); !strings.Contains(out, `"urlPath": "/latest"`) {
		t.Errorf("--out a.json.gz is not compressed:\n%s", out)
	}
	largeRecording(t, filepath.Join(b.dir, "none.db"), 1, 100)
	for line, want := range map[string]string{
		"--format har --stubs stubs":                       "--stubs needs --format wiremock, hoverfly or openapi",
		"--format swagger":                                 `unknown --format "swagger": want one of har, postman, insomnia, bruno, wiremock, hoverfly, openapi`,
		"--format openapi":                                 "export --format openapi needs --out DIR",
		"--format bruno":                                   "export --format bruno needs --out DIR",
		"--format postman --stubs stubs":                   "--stubs needs --format wiremock, hoverfly or openapi",
		"--format wiremock --stubs a --db b":               "use either --stubs or --db, not both",
		"--format wiremock --db none.db":                   "has no calls to external services: record them with --external",
		"--format wiremock --stubs nowhere":                "read stubs: nowhere: no such file",
		"--format wiremock --db nowhere.db":                "nowhere.db",
		"--format openapi --out described -q ":             "described is not empty",
		"--format openapi --out none.db":                   "write into folder none.db: none.db is a file; name a folder",
		"--format openapi --force --out none.db/described": "write into folder none.db/described: none.db is a file; name a folder",
		"--format har --out none.db/all.har":               "write into folder none.db: none.db is a file; name a folder",
	} {
		if out, status := b.sh("flaketap export " + line); status == 0 || !strings.Contains(out, want) {
			t.Errorf("%s: %d\n%s\nwant %s", line, status, out, want)
		}
	}
}

// Each behavior that a search found is written to be served alone; one that a form has no words for is named and left out.
func TestExportFound(t *testing.T) {
	b := newBench(t)
	b.must("mkdir -p found/001 found/002 found/003 none")
	b.write("found/index.json", []byte(`{"flaketap": "mock-search", "behaviors": [{"stubs": "001"}, {"stubs": "002"}, {"stubs": "003"}]}`))
	b.write("none/index.json", []byte(`{"flaketap": "mock-search", "behaviors": []}`))
	for i, response := range []string{`{"status": 429}`, `{"fault": "CONNECTION_RESET_BY_PEER"}`, `{"fault": "UNTRUSTED_CERTIFICATE"}`} {
		b.write(fmt.Sprintf("found/%03d/stubs.json", i+1), fmt.Appendf(nil, `{"mappings": [{"request": {"urlPath": "/ok"}}, {"name": "GET rates.example/latest?key=4f9d2c71a8b3e5",
			"request": {"host": {"equalTo": "rates.example"}, "urlPath": "/latest"}, "response": %s}]}`, response))
	}
	for form, want := range map[string]struct{ files, said string }{
		"wiremock": {"001/mappings/stubs.json 002/mappings/stubs.json", "flaketap: left out: 003: GET rates.example/latest: WireMock has no fault UNTRUSTED_CERTIFICATE\n" +
			"flaketap: 2 behaviors written to wiremock, each to be served alone\n"},
		"hoverfly": {"001.json", "flaketap: left out: 002: GET rates.example/latest: Hoverfly has no fault CONNECTION_RESET_BY_PEER\n" +
			"flaketap: left out: 003: GET rates.example/latest: Hoverfly has no fault UNTRUSTED_CERTIFICATE\n" +
			"flaketap: 1 behavior written to hoverfly, each to be served alone\n"},
	} {
		if said := b.must("flaketap export --format " + form + " --stubs found --out " + form); said != want.said {
			t.Errorf("%s: it says\n%s\nwant\n%s", form, said, want.said)
		}
		if files := strings.Fields(b.must("cd " + form + " && find . -type f | sed s:./:: | sort")); strings.Join(files, " ") != want.files {
			t.Errorf("%s: there are %q, want %s", form, files, want.files)
		}
	}
	if out := b.must("cat hoverfly/001.json"); strings.Count(out, `"status": 429`) != 1 || !strings.Contains(out, `"value": "rates.example"`) {
		t.Errorf("a behavior is\n%s", out)
	}
	if stubs, err := mock.ReadStubs(os.DirFS(filepath.Join(b.dir, "wiremock", "002"))); err != nil || len(stubs) != 2 || stubs[1].Response.Fault != mock.Reset {
		t.Errorf("a behavior is %+v, %v", stubs, err)
	}
	for line, want := range map[string]string{
		"--stubs found":                   "export --format wiremock needs --out DIR, the folder for the stubs of each behavior of a search",
		"--stubs found --out wiremock":    "wiremock is not empty",
		"--stubs none --out new":          "the search of none found none",
		"--stubs found --stubs found/001": "name one of these, such as 001",
	} {
		if out, status := b.sh("flaketap export --format wiremock " + line); status == 0 || !strings.Contains(out, want) {
			t.Errorf("%s: %d\n%s\nwant %s", line, status, out, want)
		}
	}
}
