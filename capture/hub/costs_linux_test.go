package hub_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/flaketap/flaketap/capture/hub/server"
	"github.com/flaketap/flaketap/capture/ship/block"
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/testbed/cluster"
	"github.com/flaketap/flaketap/store"
)

// stage is what a process took for so many exchanges.
type stage struct {
	name      string
	processor time.Duration
	memory    int64 // the most that it had, in bytes
	took      time.Duration
}

// finished waits until a process ended by itself, and returns what it took.
func (p *process) finished(name string) stage {
	p.t.Helper()
	began := time.Now()
	if <-p.ended; p.err != nil {
		p.t.Fatalf("%s: %v: %s", name, p.err, strings.Join(p.said, "\n"))
	}
	return p.stage(name, time.Since(began))
}

// stage reads what a process that ended took.
func (p *process) stage(name string, took time.Duration) stage {
	usage := p.cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return stage{name, p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime(), usage.Maxrss << 10, took}
}

// usual makes an exchange of some 1.5 kB, as many APIs have them, with a secret in each.
func usual(random *rand.Rand, at time.Time) *exchange.Exchange {
	var items []byte
	for range 8 {
		items = fmt.Appendf(items, `{"id":%d,"uuid":"%016x%016x","name":"item","price":%d.99},`, random.IntN(1e6), random.Uint64(), random.Uint64(), random.IntN(100))
	}
	body := fmt.Appendf(nil, `{"total":8,"items":[%s]}`, items[:len(items)-1])
	e := &exchange.Exchange{Conn: 1, Scheme: "http", Addr: "127.0.0.1:80", Target: "default", Start: at, Latency: time.Millisecond}
	e.Request = exchange.ParseRequest(exchange.Message{Head: fmt.Appendf(nil, "GET /items/%d HTTP/1.1\r\nHost: api\r\nAuthorization: Bearer token-%d\r\n"+
		"User-Agent: python-requests/2.34.2\r\nAccept: */*\r\n\r\n", random.IntN(1e6), random.IntN(50))})
	e.Response = exchange.ParseResponse(exchange.Message{Head: fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"+
		"X-Request-Id: %x\r\nContent-Length: %d\r\n\r\n", random.Uint64(), len(body)), Body: body})
	return e
}

// sizeOf is how much stands in a folder.
func sizeOf(t *testing.T, dir string) (total int64) {
	t.Helper()
	err := filepath.Walk(dir, func(_ string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			total += info.Size()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return total
}

// hubProcess starts a hub.
func hubProcess(t *testing.T) (p *process, dir, address string) {
	t.Helper()
	dir, address = t.TempDir(), cluster.FreeAddress(t)
	if _, err := server.Credential(filepath.Join(dir, server.CredentialFile)); err != nil {
		t.Fatal(err)
	}
	p = &process{t: t, role: role{Hub: &hubRole{Dir: dir, Listen: address}}}
	p.start()
	t.Cleanup(p.kill)
	l := dial(t, "nats://"+address, dir)
	for {
		if _, err := l.Status(t.Context(), time.Now()); err == nil {
			return p, dir, "nats://" + address + "/n"
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// TestEvalStages measures what each stage takes for an exchange: the costs of which docs/many-machines.md reckons.
func TestEvalStages(t *testing.T) {
	const n = 100_000
	h, dir, address := hubProcess(t)
	file, all := filepath.Join(t.TempDir(), "r.db"), filepath.Join(t.TempDir(), "all.db")
	credential, key := filepath.Join(dir, server.CredentialFile), []byte(strings.Repeat("k", 32))
	db, err := store.Create(file, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.BeginPass(exchange.Pass{Started: epoch, Start: exchange.StartUnknown}); err != nil {
		t.Fatal(err)
	}
	raw, random := 0, rand.New(rand.NewPCG(1, 1))
	for i := range n {
		e := usual(random, epoch.Add(time.Duration(i)*time.Millisecond))
		raw += block.Size(e)
		if err := db.Record(e); err != nil {
			t.Fatal(err)
		}
	}
	ending(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	ship := &process{t: t, role: role{Sender: &sender{File: file, Hub: address, Credential: credential, Key: key}}}
	ship.start()
	stages := []stage{ship.finished("ship")}
	again := &process{t: t, role: role{Collect: &collects{File: all, Hub: address, Credential: credential, Key: key, Once: true}}}
	again.start()
	stages = append(stages, again.finished("collect"))
	onDisk := sizeOf(t, dir)
	if err := h.end(); err != nil {
		t.Fatal(err)
	}
	stages = append(stages, h.stage("hub", stages[0].took+stages[1].took))
	for _, s := range stages {
		t.Logf("%-14s %6.1f µs of processor an exchange, %4d MB of memory, in %s", s.name,
			float64(s.processor.Microseconds())/n, s.memory>>20, s.took.Round(time.Second))
	}
	info, err := os.Stat(all)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("an exchange has %d bytes; %d are sent, %d on the hub's disk, %d in the collected file", raw/n, ship.bytes/n, onDisk/n, info.Size()/n)
}

// TestEvalHundredth sends a hundredth of 10⁹ exchanges a day, from four recorders, and collects it now and then: nobody
// falls behind, and what the processes take is told.
func TestEvalHundredth(t *testing.T) {
	const (
		recorders = 4
		rate      = 1e9 / 86400 / 100 // exchanges a second
		lasts     = 90 * time.Second
		rounds    = 6
	)
	h, dir, address := hubProcess(t)
	credential, key := filepath.Join(dir, server.CredentialFile), []byte(strings.Repeat("k", 32))
	var all []*process
	for i := range recorders {
		pace := time.Duration(recorders / rate * float64(time.Second))
		p := &process{t: t, role: role{Recorder: &recorder{File: filepath.Join(t.TempDir(), "r.db"), Hub: address, Credential: credential,
			Key: key, Seed: uint64(i), Pace: pace}}}
		p.start()
		all = append(all, p)
	}
	file := filepath.Join(t.TempDir(), "all.db")
	var collecting stage
	collectOnce := func() {
		p := &process{t: t, role: role{Collect: &collects{File: file, Hub: address, Credential: credential, Key: key, Once: true}}}
		p.start()
		s := p.finished("collect")
		collecting.processor += s.processor
		collecting.memory = max(collecting.memory, s.memory)
		collecting.took = s.took
	}
	for range rounds {
		time.Sleep(lasts / rounds)
		collectOnce()
	}
	var recording stage
	for i, p := range all {
		began := time.Now()
		if err := p.end(); err != nil {
			t.Fatalf("recorder %d: %v: %s", i, err, strings.Join(p.said, "\n"))
		}
		s := p.stage("record", time.Since(began))
		recording.processor += s.processor
		recording.memory, recording.took = max(recording.memory, s.memory), max(recording.took, s.took)
	}
	collectOnce()
	_, exchanges := contentOf(t, file)
	n := float64(len(exchanges))
	if n < rate*lasts.Seconds()/2 {
		t.Errorf("only %.0f exchanges came together: the recorders did not keep up with the pace", n)
	}
	onDisk := sizeOf(t, dir)
	if err := h.end(); err != nil {
		t.Fatal(err)
	}
	hub := h.stage("hub", 0)
	t.Logf("%.0f exchanges in %s, %.0f a second", n, lasts, n/lasts.Seconds())
	t.Logf("record and ship: %.0f µs of processor an exchange, %d MB in each of %d, at their end %s behind", float64(recording.processor.Microseconds())/n,
		recording.memory>>20, recorders, recording.took.Round(10*time.Millisecond))
	t.Logf("hub: %.0f µs, %d MB, %.0f bytes on its disk", float64(hub.processor.Microseconds())/n, hub.memory>>20, float64(onDisk)/n)
	t.Logf("collect, %d times: %.0f µs, %d MB, the last %s", rounds+1, float64(collecting.processor.Microseconds())/n, collecting.memory>>20,
		collecting.took.Round(10*time.Millisecond))
}
