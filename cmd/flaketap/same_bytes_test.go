package main

import (
	"bytes"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/demoapi"
)

// TestSameBytes: the map of a recording is the same, byte for byte, whichever process makes it, on however many
// processors, and in whatever time zone and language.
func TestSameBytes(t *testing.T) {
	b := newBench(t)
	url, stop := serveTruth(t, demoapi.Dials{})
	defer stop()
	b.must("flaketap record --listen 127.0.0.1:0 --target " + url + " -- flaketap demo client --rounds 1")
	b.must("flaketap replay --runs 3 --reset " + url + "/admin/reset")
	var first []byte
	for i, env := range [][]string{
		{"GOMAXPROCS=1"}, {"GOMAXPROCS=2"}, {"GOMAXPROCS=2"},
		{"GOMAXPROCS=2", "TZ=Asia/Kathmandu", "LC_ALL=de_DE.UTF-8"}, {"GOMAXPROCS=16", "GOGC=5", "TZ=America/St_Johns"},
	} {
		b.must("flaketap map --all --force --out volatile.json", env...)
		written := read(t, b.dir+"/volatile.json")
		if i == 0 {
			first = written
		}
		if !bytes.Equal(written, first) {
			t.Errorf("%v gives another map", env)
		}
	}
	if lines := bytes.Count(first, []byte("\n")); lines < 10_000 {
		t.Errorf("the map has only %d lines", lines)
	}
}
