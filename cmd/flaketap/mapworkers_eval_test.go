//go:build linux && !race

package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

// TestEvalMapWorkers makes the map of TestJudgeScale's recording by itself, and with one and two workers: how much processor
// time and anonymous memory each process takes. The maps are the same, byte for byte.
func TestEvalMapWorkers(t *testing.T) {
	b := newBench(t)
	writeTraffic(t, filepath.Join(b.dir, "flaketap.db"), judgedSteps(), judgedRuns)
	b.write("token.key", bytes.Repeat([]byte("k"), 32))
	alone := time.Duration(0)
	for n := range 3 {
		name := fmt.Sprintf("by-%d", n)
		args := []string{"map", "--out", name + ".json"}
		var beside []*measured
		if n > 0 {
			hub := b.run(nil, "hub", "--listen", "127.0.0.1:0", "--dir", name)
			reach := []string{hub.wait(`hub at (nats://\S+),`) + "/traffic", "--hub-credential", name + "/credential", "--token-key", "token.key"}
			beside = append(beside, measure("the hub", hub))
			for range n {
				worker := b.run(nil, slices.Concat([]string{"worker"}, reach)...)
				worker.wait("waiting for maps to judge")
				beside = append(beside, measure("a worker", worker))
			}
			args = slices.Concat(args, []string{"--workers"}, reach)
		}
		all := measure("map", b.run(nil, args...)).end(t)
		for _, m := range beside {
			m.p.signal(syscall.SIGTERM)
			all += m.end(t)
		}
		if n == 0 {
			alone = all
		}
		t.Logf("%d workers: %.1f s of processor time, %.2f of what one process takes", n, all.Seconds(), all.Seconds()/alone.Seconds())
		if n > 0 && !bytes.Equal(read(t, filepath.Join(b.dir, name+".json")), read(t, filepath.Join(b.dir, "by-0.json"))) {
			t.Errorf("the map by %d workers is another one", n)
		}
	}
}

// measured is a process whose memory is looked at until it ends.
type measured struct {
	name string
	p    *process
	most chan int // KiB
}

func measure(name string, p *process) *measured {
	m := &measured{name, p, make(chan int, 1)}
	go func() { m.most <- p.mostUntilOver() }()
	return m
}

// end waits for the end of the process, says what it took, and returns its processor time.
func (m *measured) end(t *testing.T) time.Duration {
	t.Helper()
	most := <-m.most
	m.p.exit(0)
	used := m.p.cmd.ProcessState.UserTime() + m.p.cmd.ProcessState.SystemTime()
	t.Logf("%s: %.1f s of processor time, %d MiB of anonymous memory", m.name, used.Seconds(), most>>10)
	return used
}
