package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/flaketap/flaketap/internal/testbed/demoapi"
)

// TestReadWhileRecording asks for map, export and a replay while a recorder is at work. The first two give what it had
// stored, and say so; the third is told who has the recording.
func TestReadWhileRecording(t *testing.T) {
	b := newBench(t)
	url, stop := serveTruth(t, demoapi.Dials{})
	defer stop()
	p := b.run(nil, "record", "--target", url, "--listen", "127.0.0.1:0")
	at := p.url()
	for range 3 {
		resp, err := http.Get(at + "/health")
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	who := fmt.Sprintf("a flaketap (process %d) has been recording since", p.cmd.Process.Pid)
	if out := b.must("flaketap map --out map.json"); !strings.Contains(out, who) {
		t.Errorf("map does not say who records:\n%s", out)
	}
	out := b.must("flaketap export --out x.har")
	har, err := os.ReadFile(filepath.Join(b.dir, "x.har"))
	if n := strings.Count(string(har), `"startedDateTime"`); err != nil || n != 3 || !strings.Contains(out, who) {
		t.Errorf("the export holds %d exchanges (%v), and said\n%s", n, err, out)
	}
	if out, status := b.sh("flaketap replay"); status == 0 || !strings.Contains(out, who) {
		t.Errorf("replay ended with %d and said\n%s", status, out)
	}
	p.signal(os.Interrupt)
	p.exit(0)
	if out := b.must("flaketap map --out map.json --force"); strings.Contains(out, who) {
		t.Errorf("map says that somebody records:\n%s", out)
	}
	if left, err := filepath.Glob(filepath.Join(b.dir, ".flaketap.db*")); err != nil || len(left) > 0 {
		t.Errorf("beside the recording are %v", left)
	}
}

// TestReadDamaged damages one block of a recording: the map and the export are of the others, and say what is missing.
func TestReadDamaged(t *testing.T) {
	b := newBench(t)
	url, stop := serveTruth(t, demoapi.Dials{})
	defer stop()
	b.must("flaketap record --target " + url + " --listen 127.0.0.1:0 -- flaketap demo client")
	db, err := bbolt.Open(filepath.Join(b.dir, "flaketap.db"), 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Update(func(tx *bbolt.Tx) error {
		blocks := tx.Bucket([]byte("exchanges"))
		k, v := blocks.Cursor().Last()
		return blocks.Put(k, append([]byte{v[0] ^ 1}, v[1:]...))
	}); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if out := b.must("flaketap export --out x.har"); !strings.Contains(out, "left out: exchange") {
		t.Errorf("the export does not say what it lacks:\n%s", out)
	}
	b.must("flaketap map --out map.json")
	if m, err := os.ReadFile(filepath.Join(b.dir, "map.json")); err != nil || !strings.Contains(string(m), "cannot be read: file is damaged") {
		t.Errorf("the map does not say what it lacks (%v)", err)
	}
	if out, status := b.sh("flaketap replay"); status == 0 || !strings.Contains(out, "cannot be read") {
		t.Errorf("replay ended with %d and said\n%s", status, out)
	}
}
