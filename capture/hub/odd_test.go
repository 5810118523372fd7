package hub_test

import (
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/flaketap/flaketap/capture/hub/server"
	"github.com/flaketap/flaketap/capture/ship"
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/testbed/cluster"
)

// A clock that jumps back and forth at a recorder changes nothing of the order in which it recorded, nor does it matter
// what the clock of who asks for the status says.
func TestClockThatJumps(t *testing.T) {
	dir := t.TempDir()
	s := start(t, server.Options{Dir: dir})
	l := dial(t, s.Address()+"/n", dir)
	db := recording(t, "a")
	bits := filepath.Join(t.TempDir(), "bits.db")
	n := 0
	for i, jump := range []time.Duration{0, 400 * 24 * time.Hour, -9000 * time.Hour, time.Nanosecond, -time.Hour} {
		if i == 3 { // the second pass begins before the first one
			ending(t, db)
			if _, err := db.BeginPass(exchange.Pass{Label: "a", Started: epoch.Add(-time.Hour), Start: exchange.StartUnknown}); err != nil {
				t.Fatal(err)
			}
		}
		for range 3 {
			recordOne(t, db, epoch.Add(jump), n, "{}")
			n++
		}
		if err := db.Flush(); err != nil {
			t.Fatal(err)
		}
		send(t, db, l, "a")
		collected(t, l, bits)
	}
	ending(t, db)
	send(t, db, l, "a")
	all, passes := collected(t, l, bits)
	counts(t, all, passes, map[string]int{"a": n})
	whole, wholePasses := collected(t, l, filepath.Join(t.TempDir(), "whole.db"))
	if !reflect.DeepEqual(all, whole) || !reflect.DeepEqual(passes, wholePasses) {
		t.Error("collected bit by bit it is another recording than at once")
	}
	for _, now := range []time.Time{{}, epoch.Add(-1e6 * time.Hour), time.Now().Add(1e6 * time.Hour)} {
		if status, err := l.Status(t.Context(), now); err != nil || len(status.Findings) > 0 {
			t.Errorf("at %v the hub says %v, %v", now, status.Findings, err)
		}
	}
}

// A recorder that comes back after a week sends what is missing: nothing that stands at a hub expires, and until then
// the hub says what is missing and what to do.
func TestAfterAWeek(t *testing.T) {
	const week = 7 * 24 * time.Hour
	dir := t.TempDir()
	s := start(t, server.Options{Dir: dir})
	l := dial(t, s.Address()+"/n", dir)
	db := recording(t, "a")
	record(t, db, 5, noise(100<<10))
	if err := db.Flush(); err != nil {
		t.Fatal(err)
	}
	send(t, db, l, "a")
	if err := l.Report(t.Context(), ship.Report{Recorder: "abc", Recorded: 12}); err != nil { // of another one, which fell silent
		t.Fatal(err)
	}
	later, err := l.Status(t.Context(), time.Now().Add(week))
	if err != nil || !strings.Contains(strings.Join(later.Findings, "\n"), "was last heard 168h0m0s ago and has 12 exchanges that are not here: if it is gone, send its file with flaketap ship") {
		t.Errorf("a week later the hub says %v, %v", later.Findings, err)
	}
	for _, name := range []string{"flaketap-n", "KV_flaketap-n"} {
		stream, err := raw(t, s.Address(), dir).Stream(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		if c := stream.CachedInfo().Config; c.MaxAge != 0 || c.MaxMsgs != -1 || c.MaxBytes != -1 || c.Discard != jetstream.DiscardNew {
			t.Errorf("%s loses something: %+v", name, c)
		}
	}
	s.Close()
	s = start(t, server.Options{Dir: dir})
	l = dial(t, s.Address()+"/n", dir)
	ending(t, db)
	if _, err := db.BeginPass(exchange.Pass{Label: "a", Started: epoch.Add(week), Start: exchange.StartUnknown}); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		recordOne(t, db, epoch.Add(week), 5+i, "{}")
	}
	ending(t, db)
	send(t, db, l, "a")
	all, passes := collected(t, l, filepath.Join(t.TempDir(), "all.db"))
	counts(t, all, passes, map[string]int{"a": 8})
}

// Who was refused for another key loses nothing: with the right one all of it is sent, once.
func TestWrongKeyFirst(t *testing.T) {
	dir := t.TempDir()
	s := start(t, server.Options{Dir: dir})
	l := dial(t, s.Address()+"/n", dir)
	db, other := recording(t, "a"), recording(t, "b")
	o := quick("a")
	record(t, other, 1, "{}")
	ending(t, other)
	send(t, other, l, "b")
	o.Key = []byte(strings.Repeat("k", 32))
	for range 3 {
		record(t, db, 1, "{}")
		if err := sending(t, db, l, o); !errors.Is(err, ship.ErrRefused) || !strings.Contains(err.Error(), "send secrets as they are") {
			t.Errorf("tokens where others reveal: %v", err)
		}
	}
	ending(t, db)
	send(t, db, l, "a")
	all, _ := collected(t, l, filepath.Join(t.TempDir(), "all.db"))
	if len(all) != 4 {
		t.Errorf("%d of 4 exchanges", len(all))
	}
}

// A hub that is not there is told as that each time, and a recorder that began before it sends once it is.
func TestHubComesLater(t *testing.T) {
	dir, address := t.TempDir(), cluster.FreeAddress(t)
	if _, err := server.Credential(filepath.Join(dir, server.CredentialFile)); err != nil {
		t.Fatal(err)
	}
	l := dial(t, "nats://"+address+"/n", dir)
	for range 2 {
		if _, err := l.Terms(t.Context()); err == nil || errors.Is(err, ship.ErrRefused) || !strings.Contains(err.Error(), "no hub answers at nats://"+address) ||
			!strings.Contains(console.Advice(err), "flaketap hub runs one") {
			t.Errorf("of a hub that is not there: %v", err)
		}
	}
	db := recording(t, "a")
	record(t, db, 3, "{}")
	ending(t, db)
	var said sayings
	o := quick("a")
	o.Say = said.say
	shipper, err := ship.Start(db, l, o)
	if err != nil {
		t.Fatal(err)
	}
	for said.count() == 0 {
		time.Sleep(time.Millisecond)
	}
	start(t, server.Options{Dir: dir, Listen: address})
	if err := shipper.Finish(t.Context(), time.Minute); err != nil {
		t.Fatal(err)
	}
	all, passes := collected(t, l, filepath.Join(t.TempDir(), "all.db"))
	counts(t, all, passes, map[string]int{"a": 3})
}
