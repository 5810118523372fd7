package hub_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/flaketap/flaketap/capture/hub/server"
	"github.com/flaketap/flaketap/capture/ship"
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/store"
)

// Two copies of a file that were both recorded on are two recordings, of which the hub takes one under their name:
// what one recorded never stands in the place of what the other did.
func TestCopyRecordedOn(t *testing.T) {
	dir := t.TempDir()
	s := start(t, server.Options{Dir: dir})
	l := dial(t, s.Address()+"/n", dir)
	db := recording(t, "a")
	record(t, db, 2, "{}")
	ending(t, db)
	other, err := store.Open(copyOf(t, db), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	for i, one := range []*store.Store{db, other} {
		if _, err := one.BeginPass(exchange.Pass{Started: epoch.Add(time.Duration(i+1) * time.Hour), Start: exchange.StartUnknown}); err != nil {
			t.Fatal(err)
		}
		recordAt(t, one, epoch.Add(time.Duration(i+1)*time.Hour), 2+i, "{}")
		ending(t, one)
	}
	send(t, db, l, "a")
	send(t, db, l, "a") // the same file again is no matter
	if err := sending(t, other, l, quick("b")); !errors.Is(err, ship.ErrRefused) || !strings.Contains(err.Error(), "another NAME") {
		t.Errorf("another copy that was recorded on: %v", err)
	}
}

// Two that send behind the same block are not both taken: the one that comes second is told that the block is not the
// last one any more.
func TestAppendBehindTheLast(t *testing.T) {
	dir := t.TempDir()
	l := dial(t, start(t, server.Options{Dir: dir}).Address()+"/n", dir)
	if err := l.Agree(t.Context(), ship.Terms{Format: 1, Secrets: ship.Revealed}); err != nil {
		t.Fatal(err)
	}
	first, err := l.Append(t.Context(), "abc", ship.Mark{}, ship.Mark{Through: 2, Pass: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(t.Context(), "abc", ship.Mark{}, ship.Mark{Through: 3, Pass: 1}, nil); !errors.Is(err, ship.ErrMoved) {
		t.Errorf("behind no block, where there is one: %v", err)
	}
	if known, err := l.Known(t.Context(), "abc"); err != nil || known != first {
		t.Errorf("the hub has %+v, %v; want %+v", known, err, first)
	}
}

// A stream that its owner bounds, and that is full, refuses what is new and keeps what it has.
func TestFullStream(t *testing.T) {
	dir := t.TempDir()
	s := start(t, server.Options{Dir: dir})
	l := dial(t, s.Address()+"/n", dir)
	if err := l.Agree(t.Context(), ship.Terms{Format: 1, Secrets: ship.Revealed}); err != nil {
		t.Fatal(err)
	}
	bound(t, s.Address(), filepath.Join(dir, server.CredentialFile), "flaketap-n")
	first, err := l.Append(t.Context(), "abc", ship.Mark{}, ship.Mark{Through: 1, Pass: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(t.Context(), "abc", first, ship.Mark{Through: 2, Pass: 1}, nil); err == nil {
		t.Error("a full stream takes a block")
	}
	if known, err := l.Known(t.Context(), "abc"); err != nil || known != first {
		t.Errorf("the hub has %+v, %v; want %+v", known, err, first)
	}
}

// bound lets a stream have one message, as its owner may.
func bound(t *testing.T, address, credential, stream string) {
	t.Helper()
	key, err := nats.NkeyOptionFromSeed(credential)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := nats.Connect(address, key)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	there, err := js.Stream(t.Context(), stream)
	if err != nil {
		t.Fatal(err)
	}
	config := there.CachedInfo().Config
	config.MaxMsgs = 1
	if _, err := js.UpdateStream(t.Context(), config); err != nil {
		t.Fatal(err)
	}
}

// What stands under a name is removed while a recorder records: it sends all again, with the pieces of its bodies.
func TestRemovedMeanwhile(t *testing.T) {
	dir := t.TempDir()
	s := start(t, server.Options{Dir: dir})
	l := dial(t, s.Address()+"/n", dir)
	body := noise(100 << 10)
	for _, second := range []string{"{}", body} { // a block alone, and a piece before it
		db := recording(t, "a")
		shipper, err := ship.Start(db, l, quick("a"))
		if err != nil {
			t.Fatal(err)
		}
		record(t, db, 2, body)
		for shipper.Sent() < 2 {
			time.Sleep(time.Millisecond)
		}
		if err := dial(t, s.Address()+"/n", dir).Remove(t.Context()); err != nil {
			t.Fatal(err)
		}
		record(t, db, 2, second)
		ending(t, db)
		if err := shipper.Finish(t.Context(), time.Minute); err != nil {
			t.Fatal(err)
		}
		all, _ := collected(t, l, filepath.Join(t.TempDir(), "all.db"))
		if len(all) != 4 || string(all[0].Response.Body) != body || string(all[3].Response.Body) != second {
			t.Errorf("of 4 exchanges %d came together, or others", len(all))
		}
		if err := l.Remove(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// What a recorder says of itself cannot steer the terminal of who asks how the hub stands, who is told besides how much
// the hub may take, and when that is nearly taken.
func TestStatusIsPlain(t *testing.T) {
	dir := t.TempDir()
	s := start(t, server.Options{Dir: dir, MaxBytes: 1 << 20})
	l := dial(t, s.Address()+"/n", dir)
	if err := l.Agree(t.Context(), ship.Terms{Format: 1, Secrets: "tokens \x1b[2J"}); err != nil {
		t.Fatal(err)
	}
	evil := "\x1b]0;owned\a\u202e\r\nStuck:"
	if err := l.Report(t.Context(), ship.Report{Recorder: "abc", Machine: evil, Label: evil, File: evil, Trouble: evil}); err != nil {
		t.Fatal(err)
	}
	for i := range 19 {
		if err := l.Keep(t.Context(), fmt.Sprint("piece", i), make([]byte, 50<<10)); err != nil {
			t.Fatal(err)
		}
	}
	status, err := l.Status(t.Context(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := status.Write(&out, "text"); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(out.String(), "\x1b\a\r\u202e") || !strings.Contains(out.String(), "abc") {
		t.Errorf("it writes %q", out.String())
	}
	if status.Most != 1<<20-1 || !strings.Contains(out.String(), "are taken: collect what is there") {
		t.Errorf("of %d bytes, a million of them taken, it says\n%s", status.Most, &out)
	}
}
