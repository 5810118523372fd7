//go:build unix

package hub_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/flaketap/flaketap/capture/collect"
	"github.com/flaketap/flaketap/capture/hub"
	"github.com/flaketap/flaketap/capture/hub/server"
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/testbed/cluster"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/volatility/analysis"
)

// killedRecorders is how many record.
const killedRecorders = 4

// crowd is three nodes, four recorders and a collector, each a process, with a wire between any two of them.
type crowd struct {
	t                *testing.T
	random           *rand.Rand
	of               *cluster.Nodes
	nodes, recorders []*process
	collector        *process
	files            []string // of the recorders
	all              string
	did              map[string]int
}

func newCrowd(t *testing.T, seed uint64) *crowd {
	c := &crowd{t: t, random: rand.New(rand.NewPCG(seed, 0)), of: cluster.NewNodes(t), did: map[string]int{},
		all: filepath.Join(t.TempDir(), "all.db")}
	for _, n := range c.of.All {
		c.nodes = append(c.nodes, &process{t: t, name: n.Name, role: role{Node: n}})
	}
	for i := range killedRecorders {
		r := &recorder{File: filepath.Join(t.TempDir(), "r.db"), Hub: c.at(i), Seed: uint64(i), Pace: 20 * time.Millisecond,
			Linger: 20 * time.Millisecond}
		c.files = append(c.files, r.File)
		c.recorders = append(c.recorders, &process{t: t, name: fmt.Sprint("recorder ", i), role: role{Recorder: r}})
	}
	c.collector = &process{t: t, name: "collector", role: role{Collect: &collects{File: c.all, Hub: c.at(0)}}}
	for _, p := range c.processes() {
		p.start()
		t.Cleanup(p.kill) // before their folders are removed
	}
	return c
}

// at is what the process with a number sends to.
func (c *crowd) at(number int) string {
	return "nats://" + c.of.Clients[number%len(c.of.Clients)].Addr + "/n"
}

func (c *crowd) processes() []*process {
	return append(append(append([]*process{}, c.nodes...), c.recorders...), c.collector)
}

// happen has one thing go wrong, and be mended after a while.
func (c *crowd) happen() {
	all := c.processes()
	p := all[c.random.IntN(len(all))]
	pause := time.Duration(c.random.IntN(1000)) * time.Millisecond
	switch what := c.random.IntN(4); what {
	case 0:
		c.did["killed"]++
		p.kill()
		time.Sleep(pause)
		p.start()
	case 1:
		c.did["paused"]++
		p.signal(syscall.SIGSTOP)
		time.Sleep(pause)
		p.signal(syscall.SIGCONT)
	case 2:
		c.did["partitioned from its clients"]++
		w := c.of.Clients[c.random.IntN(len(c.of.Clients))]
		w.Cut()
		time.Sleep(pause)
		w.Mend()
	default:
		c.did["partitioned from other nodes"]++
		mend := c.of.Part(c.random.IntN(len(c.nodes)))
		time.Sleep(pause)
		mend()
	}
}

// killsOf has so many things happen, each at a random moment, and then holds what came together against what the
// recorders recorded, and against the same recordings sent and collected where nothing happens.
func killsOf(t *testing.T, seed uint64, times int) {
	c := newCrowd(t, seed)
	for _, p := range c.recorders {
		for p.far() == 0 { // the cluster has a leader, and takes what comes
			time.Sleep(10 * time.Millisecond)
		}
	}
	for range times {
		time.Sleep(time.Duration(c.random.IntN(400)) * time.Millisecond)
		c.happen()
	}
	for _, p := range c.recorders {
		if err := p.end(); err != nil {
			t.Errorf("%s: %v\n%s", p.name, err, strings.Join(p.said, "\n"))
		}
	}
	c.collector.kill()
	l, err := hub.Dial(c.at(1), hub.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	got, err := collect.Collect(context.Background(), collect.Options{Hub: l, DB: c.all})
	if err == nil {
		err = got.Err()
	}
	if err != nil {
		t.Fatal(err)
	}
	passes, exchanges := contentOf(t, c.all)

	calm := t.TempDir()
	s := start(t, server.Options{Dir: calm})
	total := 0
	for i, path := range c.files {
		db, err := store.OpenReadOnly(path)
		if err != nil {
			t.Fatal(err)
		}
		rec, err := db.Recording()
		if err != nil {
			t.Fatal(err)
		}
		total += int(rec.Count)
		if at := c.recorders[i].far(); at == 0 || at > rec.Count {
			t.Errorf("recorder %d has %d exchanges, of which %d were acknowledged:\n%s", i, rec.Count, at, strings.Join(c.recorders[i].said, "\n"))
		}
		send(t, db, dial(t, s.Address()+"/n", calm), fmt.Sprint("m", i))
		db.Close()
	}
	undisturbed := filepath.Join(calm, "all.db")
	collected(t, dial(t, s.Address()+"/n", calm), undisturbed)
	wantPasses, want := contentOf(t, undisturbed)
	t.Logf("%v; %d exchanges of %d recorders in %d passes", c.did, len(exchanges), killedRecorders, len(passes))
	if len(exchanges) != total || !reflect.DeepEqual(exchanges, want) || !reflect.DeepEqual(passes, wantPasses) {
		t.Errorf("%d of %d exchanges in %d of %d passes came together, or others than undisturbed", len(exchanges), total, len(passes), len(wantPasses))
	}
	alone := mapOf(t, undisturbed, analysis.Options{})
	if !bytes.Equal(mapOf(t, c.all, analysis.Options{}), alone) {
		t.Error("the map is another one than undisturbed")
	}
	if !bytes.Equal(judgedByKilled(t, s.Address()+"/n", calm, c.all), alone) {
		t.Error("the map that workers judge, of which one is killed, is another one than that of one process")
	}
}

// contentOf reads what a recording says.
func contentOf(t *testing.T, path string) ([]exchange.Pass, []*exchange.Exchange) {
	t.Helper()
	db, err := store.OpenReadOnly(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rec, err := db.Recording()
	if err != nil {
		t.Fatal(err)
	}
	var all []*exchange.Exchange
	for e, err := range db.Exchanges() {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return rec.Passes, all
}

// Three things go wrong with a cluster, its recorders and its collector, and nothing is lost, nor there twice.
func TestKills(t *testing.T) { killsOf(t, 1, 3) }

// A hundred things go wrong.
func TestEvalKills(t *testing.T) { killsOf(t, 2, 100) }
