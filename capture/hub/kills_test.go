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
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/volatility/analysis"
)

// How many there are of each.
const (
	killedNodes     = 3
	killedRecorders = 4
)

// cluster is three nodes, four recorders and a collector, each a process, with a wire between any two of them.
type cluster struct {
	t                  *testing.T
	random             *rand.Rand
	nodes, recorders   []*process
	collector          *process
	clients            []*wire // to each node
	routes             map[[2]int]*wire
	clientAt, clusters []string // the addresses of nodes behind the wires
	files              []string // of the recorders
	all                string
	did                map[string]int
}

func newCluster(t *testing.T, seed uint64) *cluster {
	c := &cluster{t: t, random: rand.New(rand.NewPCG(seed, 0)), routes: map[[2]int]*wire{}, did: map[string]int{},
		all: filepath.Join(t.TempDir(), "all.db")}
	for range killedNodes {
		c.clientAt, c.clusters = append(c.clientAt, freeAddress(t)), append(c.clusters, freeAddress(t))
	}
	for i := range killedNodes {
		c.clients = append(c.clients, newWire(t, c.clientAt[i]))
		n := &node{Name: fmt.Sprint("node-", i), Dir: t.TempDir(), Client: c.clientAt[i], Cluster: c.clusters[i],
			Advertise: strings.TrimPrefix(c.clients[i].address, "nats://")}
		for j := range killedNodes {
			if j != i {
				w := newWire(t, c.clusters[j])
				c.routes[[2]int{i, j}] = w
				n.Routes = append(n.Routes, strings.TrimPrefix(w.address, "nats://"))
			}
		}
		c.nodes = append(c.nodes, &process{t: t, name: n.Name, role: role{Node: n}})
	}
	for i := range killedRecorders {
		r := &recorder{File: filepath.Join(t.TempDir(), "r.db"), Hub: c.clients[i%killedNodes].address + "/n", Seed: uint64(i),
			Pace: 20 * time.Millisecond, Linger: 20 * time.Millisecond}
		c.files = append(c.files, r.File)
		c.recorders = append(c.recorders, &process{t: t, name: fmt.Sprint("recorder ", i), role: role{Recorder: r}})
	}
	c.collector = &process{t: t, name: "collector", role: role{Collect: &collects{File: c.all, Hub: c.clients[0].address + "/n"}}}
	for _, p := range c.processes() {
		p.start()
		t.Cleanup(p.kill) // before their folders are removed
	}
	return c
}

func (c *cluster) processes() []*process {
	return append(append(append([]*process{}, c.nodes...), c.recorders...), c.collector)
}

// happen has one thing go wrong, and be mended after a while.
func (c *cluster) happen() {
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
		n := c.random.IntN(killedNodes)
		c.clients[n].cut()
		time.Sleep(pause)
		c.clients[n].mend(c.clientAt[n])
	default:
		c.did["partitioned from other nodes"]++
		n := c.random.IntN(killedNodes)
		for pair, w := range c.routes {
			if pair[0] == n || pair[1] == n {
				w.cut()
			}
		}
		time.Sleep(pause)
		for pair, w := range c.routes {
			w.mend(c.clusters[pair[1]])
		}
	}
}

// killsOf has so many things happen, each at a random moment, and then holds what came together against what the
// recorders recorded, and against the same recordings sent and collected where nothing happens.
func killsOf(t *testing.T, seed uint64, times int) {
	c := newCluster(t, seed)
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
	l, err := hub.Dial(c.clients[1].address+"/n", hub.Options{})
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
