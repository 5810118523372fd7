package capture

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/flaketap/flaketap/capture/ship"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/store"
)

// Shipping says where a recording is sent, and how; the zero Shipping sends it nowhere.
type Shipping struct {
	Hub     ship.Hub
	Address string // of the hub, as the user gave it
	Options ship.Options
}

// How long the end of a recording, and a command that does nothing else, wait for a hub that takes nothing.
const (
	recordPatience = 10 * time.Second
	shipPatience   = time.Minute
)

// shipping is a recording on its way.
type shipping struct {
	to      Shipping
	db      *store.Store
	console *console.Console
	shipper *ship.Shipper
}

// start begins to send a recording; nil where it is sent nowhere.
func (to Shipping) start(db *store.Store, c *console.Console) (*shipping, error) {
	if to.Hub == nil {
		return nil, nil
	}
	to.Options.Say = c.Say
	shipper, err := ship.Start(db, to.Hub, to.Options)
	if err != nil {
		return nil, err
	}
	return &shipping{to, db, c, shipper}, nil
}

// finish waits until all is sent, or nothing is any more. The error is why something is not.
func (s *shipping) finish(ctx context.Context, patience time.Duration) error {
	if s == nil {
		return nil
	}
	rec, err := s.db.Recording()
	if err != nil || rec.Count == 0 { // there is nothing to wait for
		_ = s.shipper.Finish(ctx, 0)
		return err
	}
	err = s.shipper.Finish(ctx, patience)
	if err == nil {
		s.console.Say("flaketap: %s at %s, %s sent for them", console.Count(s.shipper.Sent(), "exchange"), s.to.Address,
			console.Size(s.shipper.Bytes()))
		return nil
	}
	left := rec.Count - min(s.shipper.Sent(), rec.Count)
	err = fmt.Errorf("%s not at the hub: %w", console.Count(left, "exchange"), err)
	if errors.Is(err, ship.ErrRefused) { // and would be again, until what it says is done
		return console.Advise(err, "nothing is lost: the recording keeps them")
	}
	return console.Advise(err,
		fmt.Sprintf("the recording has them, flaketap ship --db %s --to %s sends them", s.db.Path(), s.to.Address))
}

// Ship sends a recording to a hub: all that is not there yet. One that somebody records meanwhile is sent as far as
// it goes when this begins.
func Ship(ctx context.Context, db string, to Shipping, c *console.Console) (err error) {
	file, err := store.OpenReadOnly(db)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	to.Options.Ended = true
	s, err := to.start(file, c)
	if err != nil {
		return err
	}
	return s.finish(ctx, shipPatience)
}
