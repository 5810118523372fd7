//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/cluster"
)

// restless is a process that is started again whenever it has ended.
type restless struct {
	begin func() *process
	*process
}

func (r *restless) start() {
	if r.process != nil {
		select {
		case <-r.over:
		default:
			return
		}
	}
	r.process = r.begin()
}

// disturbed is a cluster of three nodes, four workers, and a replay, to which things happen.
type disturbed struct {
	random *rand.Rand
	of     *cluster.Nodes
	all    []*restless // the replay is the first
	did    map[string]int
}

// TestEvalWorkersKilled has a hundred things happen to three nodes of a hub, four workers and the replay that they play, all of
// them processes: one is killed (−9) or paused, a node is cut off from its clients or from the other nodes, for up to a
// second. Then the runs are those that one machine makes, each answer once, and the map is that of one process.
func TestEvalWorkersKilled(t *testing.T) {
	b := newBench(t)
	b.write("token.key", bytes.Repeat([]byte("k"), 32))
	const runs, clients, reads = 40, 16, 40
	here, there := filepath.Join(b.dir, "here.db"), filepath.Join(b.dir, "there.db")
	for _, path := range []string{here, there} {
		recordNotes(t, path, clients, reads)
	}
	start := startNotes(t, 5*time.Millisecond)
	replay := []string{"--runs", fmt.Sprint(runs)}
	d := &disturbed{random: rand.New(rand.NewPCG(3, 0)), of: cluster.NewNodes(t), did: map[string]int{}}
	at := func(number int) string { return "nats://" + d.of.Clients[number%3].Addr + "/notes" }
	lead := &restless{}
	lead.begin = func() *process {
		args := append([]string{"replay", "--db", there, "--workers", at(0), "--token-key", "token.key"}, replay...)
		if lead.process != nil {
			args = append(args, "--resume")
		}
		return b.run(nil, args...)
	}
	var workers, nodes []*restless
	for i := range 4 {
		workers = append(workers, &restless{begin: func() *process {
			return b.run(nil, append([]string{"worker", at(i), "--token-key", "token.key"}, start...)...)
		}})
	}
	for _, n := range d.of.All {
		told, err := json.Marshal(n)
		if err != nil {
			t.Fatal(err)
		}
		nodes = append(nodes, &restless{begin: func() *process {
			return b.run(func(c *exec.Cmd) {
				c.Path, c.Args = os.Args[0], os.Args[:1]
				c.Env = append(slices.Clone(c.Env), "FLAKETAP_TEST_AS_NODE="+string(told))
			})
		}})
	}
	d.all = slices.Concat([]*restless{lead}, workers, nodes)
	for _, p := range nodes {
		p.start()
	}
	for up := false; !up; { // else the workers find nobody, and end
		_, status := b.sh("flaketap hub status " + at(0))
		up = status == 0
	}
	lead.start()
	for _, p := range workers {
		p.start()
	}
	lead.wait("waiting for flaketap workers") // it holds the recording, which readers would keep from it until then
	for len(answersOf(t, there)) == 0 {
		for _, p := range d.all {
			p.start()
		}
	}
	for n := range 100 {
		time.Sleep(time.Duration(d.random.IntN(400)) * time.Millisecond)
		d.happen()
		for _, p := range d.all {
			p.start()
		}
		if n%10 == 9 {
			t.Logf("%d: %v", n+1, d.did)
		}
	}
	for <-lead.over; !lead.cmd.ProcessState.Success(); <-lead.over {
		t.Logf("the replay ended: %s", lead.out)
		if d.did["the replay ended by itself"]++; d.did["the replay ended by itself"] > 10 {
			t.FailNow()
		}
		lead.start()
	}
	for _, p := range workers {
		p.signal(syscall.SIGTERM)
	}
	b.run(nil, append(append([]string{"replay", "--db", here, "--reset-each", "sequence"}, startNotes(t, 0)...), replay...)...).exit(0)
	alone, shared := answersOf(t, here), answersOf(t, there)
	t.Logf("%v; %d answers", d.did, len(shared))
	if len(alone) != runs*clients*(reads+2) || !slices.Equal(alone, shared) {
		t.Errorf("alone there are %d answers, by workers %d, or others", len(alone), len(shared))
	}
	b.must("flaketap map --all --quiet --db there.db --out alone.json")
	judges := []*process{b.run(nil, "worker", at(1), "--token-key", "token.key"), b.run(nil, "worker", at(2), "--token-key", "token.key")}
	b.must("flaketap map --all --quiet --db there.db --out shared.json --workers " + at(0) + " --token-key token.key")
	for _, p := range judges {
		p.signal(syscall.SIGTERM)
	}
	if !bytes.Equal(read(t, filepath.Join(b.dir, "alone.json")), read(t, filepath.Join(b.dir, "shared.json"))) {
		t.Error("the map that workers judge is another one")
	}
}

// happen has one thing go wrong, and be mended after a while.
func (d *disturbed) happen() {
	p := d.all[d.random.IntN(len(d.all))]
	pause := time.Duration(d.random.IntN(1000)) * time.Millisecond
	node := d.random.IntN(len(d.of.All))
	switch d.random.IntN(4) {
	case 0:
		d.did["killed"]++
		_ = p.cmd.Process.Kill() // it may have ended by itself
		<-p.over
		time.Sleep(pause)
	case 1:
		d.did["paused"]++
		_ = p.cmd.Process.Signal(syscall.SIGSTOP)
		time.Sleep(pause)
		_ = p.cmd.Process.Signal(syscall.SIGCONT)
	case 2:
		d.did["cut off from clients"]++
		d.of.Clients[node].Cut()
		time.Sleep(pause)
		d.of.Clients[node].Mend()
	default:
		d.did["cut off from other nodes"]++
		mend := d.of.Part(node)
		time.Sleep(pause)
		mend()
	}
}
