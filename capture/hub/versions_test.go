package hub_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/flaketap/flaketap/capture/collect"
	"github.com/flaketap/flaketap/capture/hub"
	"github.com/flaketap/flaketap/capture/hub/server"
	"github.com/flaketap/flaketap/capture/ship"
)

// raw speaks with a hub past all that flaketap holds back.
func raw(t *testing.T, address, dir string) jetstream.JetStream {
	t.Helper()
	key, err := nats.NkeyOptionFromSeed(filepath.Join(dir, server.CredentialFile))
	if err != nil {
		t.Fatal(err)
	}
	conn, err := nats.Connect(address, key)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// Recorders that do not speak the format of those that are there are told who is older, and what to update. What newer
// ones say besides, in terms and reports, older ones pass over.
func TestOlderAndNewer(t *testing.T) {
	dir := t.TempDir()
	s := start(t, server.Options{Dir: dir})
	js := raw(t, s.Address(), dir)
	db := recording(t, "a")
	record(t, db, 3, "{}")
	ending(t, db)
	for name, c := range map[string]struct{ terms, want string }{
		"older": {`{"format":0,"secrets":"revealed"}`, "are older: they speak format 0, this flaketap 1: update them, and use another NAME"},
		"newer": {`{"format":2,"secrets":"revealed"}`, "are newer: they speak format 2, this flaketap 1: update this one"},
		"odd":   {`[]`, "cannot be read"},
		"more":  {`{"format":1,"secrets":"revealed","seed":"` + strings.Repeat("00", 32) + `","weather":{"zone":"Cfb"}}`, ""},
	} {
		bucket, err := js.CreateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: "flaketap-" + name})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := bucket.PutString(t.Context(), "terms", c.terms); err != nil {
			t.Fatal(err)
		}
		l := dial(t, s.Address()+"/"+name, dir)
		err = sending(t, db, l, quick("a"))
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			all, passes := collected(t, l, filepath.Join(t.TempDir(), "all.db"))
			counts(t, all, passes, map[string]int{"a": 3})
			continue
		}
		if !errors.Is(err, ship.ErrRefused) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	bucket, err := js.KeyValue(t.Context(), "flaketap-more")
	if err != nil {
		t.Fatal(err)
	}
	report, err := json.Marshal(map[string]any{"recorder": "later", "machine": "m", "version": "9.8.7", "mood": []int{1}})
	if err == nil {
		_, err = bucket.Put(t.Context(), "recorder.later", report)
	}
	if err != nil {
		t.Fatal(err)
	}
	status, err := dial(t, s.Address()+"/more", dir).Status(t.Context(), time.Now())
	if err != nil || len(status.Names) != 1 || len(status.Names[0].Recorders) != 2 {
		t.Fatalf("%+v, %v", status, err)
	}
	for _, r := range status.Names[0].Recorders {
		if r.ID == "later" && r.Version != "9.8.7" {
			t.Errorf("the version of a recorder is %q", r.Version)
		}
	}
}

// A server of NATS that is too old is refused with its version, and whatever its version says it does no harm.
func TestOldServer(t *testing.T) {
	for version, refused := range map[string]bool{"2.2.6": true, "1.4.1": true, "2.9.25": true, "2.10.0": false, "3.0.0-beta": false, "devel": false} {
		l, err := hub.Dial(greeter(t, version)+"/n", hub.Options{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond) // it answers nothing else
		err = l.Agree(ctx, ship.Terms{Format: ship.Format, Secrets: ship.Revealed})
		cancel()
		l.Close()
		if errors.Is(err, ship.ErrRefused) != refused || refused && !strings.Contains(err.Error(), "NATS "+version+", this flaketap needs 2.10 or later: update the server") {
			t.Errorf("NATS %s: %v", version, err)
		}
	}
}

// greeter is a server that greets as NATS of a version does, answers that it is there, and does nothing else.
func greeter(t *testing.T, version string) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				fmt.Fprintf(c, "INFO {\"server_id\":\"x\",\"version\":%q,\"proto\":1,\"headers\":true,\"max_payload\":1048576}\r\n", version)
				for lines := bufio.NewScanner(c); lines.Scan(); {
					if lines.Text() == "PING" {
						fmt.Fprint(c, "PONG\r\n")
					}
				}
			}()
		}
	}()
	return "nats://" + listener.Addr().String()
}

// What one sends that is no recorder, with the hub's credential, stops the collection of no other, nor the status.
func TestHostileRecorder(t *testing.T) {
	dir := t.TempDir()
	s := start(t, server.Options{Dir: dir})
	l := dial(t, s.Address()+"/n", dir)
	db := recording(t, "a")
	record(t, db, 3, "{}")
	ending(t, db)
	send(t, db, l, "a")
	js := raw(t, s.Address(), dir)
	for recorder, through := range map[string]string{"none": "", "negative": "-1", "vast": "18446744073709551615"} {
		m := nats.NewMsg("flaketap.n.blocks." + recorder)
		m.Data = []byte("garbage")
		m.Header.Set("Flaketap-Through", through)
		m.Header.Set("Flaketap-Pass", "1")
		if _, err := js.PublishMsg(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "all.db")
	for range 2 {
		c, err := collect.Collect(t.Context(), collect.Options{Hub: l, DB: path})
		if err != nil || c.Exchanges != 3 || len(c.Left) != 3 {
			t.Errorf("%+v, %v", c, err)
		}
	}
	status, err := l.Status(t.Context(), time.Now())
	if err != nil || len(status.Names[0].Recorders) != 4 || !strings.Contains(strings.Join(status.Findings, "\n"), "is damaged") {
		t.Errorf("%+v, %v", status, err)
	}
}
