package collect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"

	"github.com/flaketap/flaketap/capture/ship"
	"github.com/flaketap/flaketap/capture/ship/block"
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/store"
)

// errLeft is that a recorder was collected no further, because of what it sent.
var errLeft = errors.New("not all was collected")

// errRemoved is that somebody removed blocks of a recorder, which does not send them again.
var errRemoved = errors.New("not at the hub any more")

// oldFile is what was collected before. It is held, so that nobody writes into it meanwhile.
type oldFile struct {
	db     *store.Store // nil where there is none
	passes []exchange.Pass
	count  uint64
	runs   int
	ahead  *exchange.Exchange
	next   func() (*exchange.Exchange, error, bool) // its exchanges, from where they were read last
	stop   func()
}

// openOld opens what was collected before, if there is something.
func openOld(path string) (*oldFile, error) {
	db, err := store.Open(path, store.Options{Doing: "collecting"})
	if errors.Is(err, fs.ErrNotExist) {
		return &oldFile{}, nil
	}
	if err != nil {
		return nil, err
	}
	o := &oldFile{db: db}
	o.next, o.stop = iter.Pull2(db.Exchanges())
	rec, err := db.Recording()
	o.passes, o.count = rec.Passes, rec.Count
	if err == nil {
		var runs []exchange.Run
		runs, err = db.Runs()
		o.runs = len(runs)
	}
	for _, p := range o.passes {
		if p.Origin == nil && err == nil {
			err = console.Advise(fmt.Errorf("%s was recorded here, not collected", path),
				"collect into another file (--db FILE)")
		}
	}
	if err != nil {
		return nil, errors.Join(err, o.close())
	}
	return o, nil
}

func (o *oldFile) close() error {
	if o.db == nil {
		return nil
	}
	o.stop()
	err := o.db.Close()
	o.db = nil
	return err
}

// of returns the passes of a recorder.
func (o *oldFile) of(recorder string) (out []exchange.Pass) {
	for _, p := range o.passes {
		if p.Origin.Recorder == recorder {
			out = append(out, p)
		}
	}
	return out
}

// through is how far a recorder was collected.
func (o *oldFile) through(recorder string) (through uint64, state string) {
	for _, p := range o.of(recorder) {
		through, state = p.Origin.Through, p.Origin.State
	}
	return through, state
}

// behind reports whether there is more than what was collected.
func (o *oldFile) behind(marks map[string]ship.Mark) bool {
	for recorder, mark := range marks {
		through, state := o.through(recorder)
		if mark.Damaged || mark.Through > through || mark.Through == through && mark.State != state {
			return true
		}
	}
	return false
}

// collected is what is in the file.
func (o *oldFile) collected() Collected {
	c := Collected{Exchanges: o.count}
	seen := map[string]bool{}
	for _, p := range o.passes {
		seen[p.Origin.Recorder] = true
		c.Missing += p.Origin.Missing
	}
	c.Recorders = len(seen)
	return c
}

// exchange returns the next exchange of a pass, nil behind the last one. Passes are asked for in their order.
func (o *oldFile) exchange(pass int) (*exchange.Exchange, error) {
	if o.ahead == nil {
		e, err, ok := o.next()
		if !ok || err != nil {
			return nil, err
		}
		o.ahead = e
	}
	if o.ahead.Pass != pass {
		return nil, nil
	}
	e := o.ahead
	o.ahead = nil
	return e, nil
}

// reader reads recorders, from the old file and from the hub.
type reader struct {
	hub   Hub
	codec *block.Codec
	old   *oldFile
	marks map[string]ship.Mark
}

// order finds out when each recorder began. Recorders of which not even that can be read are left.
func (r *reader) order(ctx context.Context) (order []string, left []error, err error) {
	var all []started
	for _, recorder := range names(r.old, r.marks) {
		if passes := r.old.of(recorder); len(passes) > 0 {
			all = append(all, started{recorder, passes[0].Started})
			continue
		}
		for b, err := range r.blocks(ctx, recorder, 0) {
			switch err = r.leaving(recorder, err); {
			case errors.Is(err, errLeft):
				left = append(left, err)
			case err != nil:
				return nil, nil, err
			default:
				all = append(all, started{recorder, b.Pass.Started})
			}
			break
		}
	}
	return inOrder(all), left, nil
}

// leaving says of an error whose cause lies with what a recorder sent that the recorder is left there, and what to do:
// it concerns no other recorder.
func (r *reader) leaving(recorder string, err error) error {
	const resend = "flaketap hub status says which machine that is: send its file under another NAME (flaketap ship), " +
		"and collect that"
	version := r.marks[recorder].Version
	recorder = console.OneLine(recorder)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, block.ErrNewer):
		return console.Advise(fmt.Errorf("%w: recorder %s, of flaketap %s: %w", errLeft, recorder,
			cmp.Or(console.OneLine(version), "of a later version"), err), "update this one, and collect again")
	case errors.Is(err, block.ErrDamaged), errors.Is(err, errRemoved), errors.Is(err, fs.ErrNotExist):
		return console.Advise(fmt.Errorf("%w: recorder %s: %w", errLeft, recorder, err), resend)
	}
	return fmt.Errorf("collect recorder %s: %w", recorder, err)
}

// blocks yields what the hub has of a recorder behind a position.
func (r *reader) blocks(ctx context.Context, recorder string, after uint64) iter.Seq2[*block.Block, error] {
	return func(yield func(*block.Block, error) bool) {
		for data, err := range r.hub.Blocks(ctx, recorder, after, r.marks[recorder]) {
			var b *block.Block
			if err == nil {
				b, err = r.codec.Decode(data, r.piece(ctx))
			}
			if !yield(b, err) || err != nil {
				return
			}
		}
	}
}

func (r *reader) piece(ctx context.Context) block.Get {
	return func(name string) ([]byte, error) { return r.hub.Piece(ctx, name) }
}

// copy writes all of a recorder.
func (r *reader) copy(ctx context.Context, recorder string, w *writer) error {
	for _, p := range r.old.of(recorder) {
		if err := w.to(p); err != nil {
			return err
		}
		for {
			e, err := r.old.exchange(p.Number)
			if err != nil {
				return err
			}
			if e == nil {
				break
			}
			if err := w.record(e); err != nil {
				return err
			}
		}
	}
	through, state := r.old.through(recorder)
	mark := r.marks[recorder]
	if !mark.Damaged && (mark.Through < through || mark.Through == through && mark.State == state) {
		return nil
	}
	return r.leaving(recorder, r.copyNew(ctx, recorder, through, w))
}

// copyNew writes what the hub has of a recorder behind a position.
func (r *reader) copyNew(ctx context.Context, recorder string, through uint64, w *writer) error {
	for b, err := range r.blocks(ctx, recorder, through) {
		if err != nil {
			return err
		}
		if b.Through < through {
			continue // it is here
		}
		if b.After > through {
			return fmt.Errorf("exchanges %d to %d are %w", through+1, b.After, errRemoved)
		}
		if err := r.add(ctx, recorder, b, through, w); err != nil {
			return err
		}
		through = b.Through
	}
	if mark := r.marks[recorder]; mark.Damaged || mark.Through != through {
		return fmt.Errorf("%w: its headers do not say how far it goes", block.ErrDamaged)
	}
	return nil
}

// add writes what of a block lies behind a position.
func (r *reader) add(ctx context.Context, recorder string, b *block.Block, through uint64, w *writer) error {
	pass := b.Pass
	pass.Origin = &exchange.Origin{Recorder: recorder, Machine: b.Machine, Pass: b.Pass.Number, Through: through,
		State: b.State}
	if err := w.to(pass); err != nil {
		return err
	}
	for _, e := range b.Exchanges {
		if e.Seq <= through {
			continue
		}
		seq := e.Seq // which becomes that of the file
		if err := r.bodies(ctx, b, e, w); err != nil {
			return fmt.Errorf("exchange %d: %w", seq, err)
		}
		if err := w.record(e); err != nil {
			return err
		}
		w.reach(seq, 1)
	}
	w.reach(b.Through, 0)
	return nil
}

// bodies has the file keep what travels apart, piece by piece: whatever a body says its size is, one piece of it is in
// memory.
func (r *reader) bodies(ctx context.Context, b *block.Block, e *exchange.Exchange, w *writer) error {
	there := map[uint64]exchange.Part{}
	for _, m := range block.Messages(e) {
		for i, part := range m.Parts {
			kept, ok := there[part.Number]
			if !ok {
				piece, err := r.codec.Piece(b, part, r.piece(ctx))
				if err != nil {
					return err
				}
				if kept, err = w.db.Keep(piece); err != nil {
					return err
				}
				there[part.Number] = kept
			}
			if kept.Size != part.Size {
				return fmt.Errorf("%w: size of a body", block.ErrDamaged)
			}
			m.Parts[i] = kept
		}
	}
	return nil
}

// writer writes passes, one after the other.
type writer struct {
	db        *store.Store
	now       *exchange.Pass // the pass that is being written
	collected Collected
}

// to goes on with a pass, as it is described now, and ends another one before.
func (w *writer) to(pass exchange.Pass) error {
	if w.now != nil && w.now.Origin.Recorder == pass.Origin.Recorder && w.now.Origin.Pass == pass.Origin.Pass {
		missing, began := w.now.Origin.Missing, w.now.Started
		*w.now = pass
		w.now.Origin.Missing, w.now.Started = missing, began // by which recorders are in order
		return nil
	}
	if err := w.finish(); err != nil {
		return err
	}
	origin := *pass.Origin
	pass.Origin = &origin
	w.now = &pass
	w.collected.Missing += origin.Missing
	_, err := w.db.BeginPass(pass)
	return err
}

func (w *writer) record(e *exchange.Exchange) error {
	w.collected.Exchanges++
	return w.db.Record(e)
}

// reach says that a recorder is written up to a position, with so many more exchanges: the others on the way there
// cannot be had.
func (w *writer) reach(through, written uint64) {
	missing := through - w.now.Origin.Through - written
	w.now.Origin.Through = through
	w.now.Origin.Missing += missing
	w.collected.Missing += missing
}

// finish ends the pass that is being written.
func (w *writer) finish() error {
	if w.now == nil {
		return nil
	}
	pass := *w.now
	w.now = nil
	return w.db.FinishPass(func(p *exchange.Pass) {
		pass.Number = p.Number
		*p = pass
	})
}
