package capture

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/capture/ship"
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/store"
)

// away is a hub that does not answer.
type away struct{ ship.Hub }

func (away) Agree(context.Context, ship.Terms) error { return errors.New("it is away") }

// Who recorded nothing waits for no hub, and is told of none.
func TestNothingToSend(t *testing.T) {
	db, err := store.Create(filepath.Join(t.TempDir(), "a.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.BeginPass(exchange.Pass{Start: exchange.StartUnknown}); err != nil {
		t.Fatal(err)
	}
	s, err := Shipping{Hub: away{}}.start(db, &console.Console{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.finish(t.Context(), time.Hour); err != nil { // it would wait so long
		t.Error(err)
	}
}

// refusing is a hub that takes nothing of this one.
type refusing struct{ ship.Hub }

func (refusing) Agree(context.Context, ship.Terms) error {
	return fmt.Errorf("%w: another key", ship.ErrRefused)
}

// What is refused to who sends a recording is told once, as the error.
func TestRefusedOnce(t *testing.T) {
	db, err := store.Create(filepath.Join(t.TempDir(), "a.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.BeginPass(exchange.Pass{Start: exchange.StartUnknown}); err != nil {
		t.Fatal(err)
	}
	e := &exchange.Exchange{Request: exchange.ParseRequest(exchange.Message{Head: []byte("GET / HTTP/1.1\r\n\r\n")}),
		Fault: &exchange.Fault{Kind: exchange.FaultReset}}
	if err := errors.Join(db.Record(e), db.Close()); err != nil {
		t.Fatal(err)
	}
	for range 20 { // it is a matter of who comes first
		var said strings.Builder
		err := Ship(t.Context(), db.Path(), Shipping{Hub: refusing{}}, &console.Console{Err: &said})
		if !errors.Is(err, ship.ErrRefused) || said.Len() > 0 {
			t.Fatalf("the error is %v, and besides it says %q", err, &said)
		}
	}
}

// The metrics of a recorder say how far the hub has what it recorded, and that it refuses it.
func TestShippingMetrics(t *testing.T) {
	db, err := store.Create(filepath.Join(t.TempDir(), "a.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.BeginPass(exchange.Pass{Start: exchange.StartUnknown}); err != nil {
		t.Fatal(err)
	}
	e := &exchange.Exchange{Request: exchange.ParseRequest(exchange.Message{Head: []byte("GET / HTTP/1.1\r\n\r\n")}),
		Fault: &exchange.Fault{Kind: exchange.FaultReset}}
	if err := errors.Join(db.Record(e), db.Flush()); err != nil {
		t.Fatal(err)
	}
	for hub, want := range map[ship.Hub]string{
		refusing{}: "ship_exchanges 0 ship_lag_exchanges 1 ship_sent_bytes_total 0 ship_failures_total 0 ship_refused 1",
		away{}:     "ship_exchanges 0 ship_lag_exchanges 1 ship_sent_bytes_total 0 ship_failures_total 1 ship_refused 0",
	} {
		s, err := Shipping{Hub: hub, Options: ship.Options{Pause: time.Hour}}.start(db, &console.Console{})
		if err != nil {
			t.Fatal(err)
		}
		for s.shipper.Failures() == 0 && !s.shipper.Refused() {
			time.Sleep(time.Millisecond)
		}
		all, err := s.metrics()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range all {
			got = append(got, fmt.Sprint(m.Name, " ", m.Values[0].N))
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("got  %s\nwant %s", text, want)
		}
		_ = s.finish(t.Context(), time.Nanosecond) // the hub has nothing
	}
}
