//go:build linux && !race

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// mostReplayMemory is what a replay may take of anonymous memory, in KiB, however long the recording is.
const mostReplayMemory = 128 << 10

// TestReplayMemory replays a long recording in which nine of ten requests hold an id that a response gave.
func TestReplayMemory(t *testing.T) {
	steps := 30_000
	if os.Getenv("FLAKETAP_LONG") != "" {
		steps = 1_000_000
	}
	api := orderAPI(t)
	b := newBench(t)
	longRecording(t, filepath.Join(b.dir, "flaketap.db"), strings.TrimPrefix(api.URL, "http://"), steps)
	p := b.run(nil, "replay", "--workers", "4")
	most := p.mostUntilOver()
	p.exit(0)
	t.Logf("%d steps: %d KiB of anonymous memory", steps, most)
	if most == 0 || most > mostReplayMemory {
		t.Errorf("the replay took %d KiB, want %d at most", most, mostReplayMemory)
	}
	p.says(1, fmt.Sprintf("%d sent, %d answered with the recorded status", steps, steps))
}
