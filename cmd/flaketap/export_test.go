package main

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
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
