package capture

import (
	"context"
	"errors"
	"path/filepath"
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
