package main

import (
	"bytes"
	"strings"
	"syscall"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/recorded"
)

// TestMapByWorkers has a worker without an API judge: the map is that of one process, byte for byte. What cannot be judged
// in parts map judges itself, and says so.
func TestMapByWorkers(t *testing.T) {
	b := newBench(t)
	b.write("token.key", bytes.Repeat([]byte("k"), 32))
	db := " --db " + recorded.Write(t, recorded.Market(), 3)
	b.must("flaketap map --all --out alone.json" + db)
	hub := b.run(nil, "hub", "--listen", "127.0.0.1:0")
	at := hub.wait(`hub at (nats://\S+),`) + "/traffic"
	reach := " " + at + " --hub-credential flaketap-hub/credential --token-key token.key"
	worker := b.run(nil, append([]string{"worker"}, strings.Fields(reach)...)...)
	worker.wait("waiting for maps to judge")
	b.must("flaketap map --all --out shared.json --workers" + reach + db)
	alone, shared := b.must("cat alone.json"), b.must("cat shared.json")
	if alone != shared || len(alone) < 1000 {
		t.Errorf("alone the map has %d bytes, by workers %d, or others", len(alone), len(shared))
	}
	b.must("flaketap export --out run.har" + db + " && flaketap import --as run run.har" + db)
	if said := b.must("flaketap map --out again.json --workers" + reach + db + " 2>&1"); !strings.Contains(said, "judged here, and not by workers") {
		t.Errorf("a run of the client is judged in parts: %s", said)
	}
	worker.signal(syscall.SIGTERM)
	worker.exit(0)
}
