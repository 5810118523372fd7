package ship

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/flaketap/flaketap/capture/ship/block"
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/exchange/redact"
	"github.com/flaketap/flaketap/store"
)

// worker is the one goroutine of a Shipper.
type worker struct {
	source Source
	hub    Hub
	o      Options
	codec  *block.Codec
	file   string
	ending bool            // nothing more is recorded
	last   <-chan struct{} // closed when nothing more is recorded, which may be during a round
	counters

	joined   bool // what follows is known
	recorder string
	mark     Mark         // what the hub has
	rest     *redact.Rest // nil where exchanges are sent as they stand in the file
	read     uint64       // up to which position the source was read

	open     []*exchange.Exchange // the exchanges of the next block
	size     int
	since    time.Time // when the first of them was read
	reported time.Time
	err      error // of the last round
}

// round sends a block, or what became known of a pass, and reports whether there is more to send by now.
func (w *worker) round(ctx context.Context) (more bool, err error) {
	rec, err := w.source.Recording()
	if err == nil && len(rec.Passes) > 0 {
		more, err = w.sendNext(ctx, rec)
	}
	if errors.Is(err, ErrMoved) {
		w.joined = false // and what is there is asked for again
	}
	if !errors.Is(err, context.Canceled) { // else what went wrong before says more
		w.err = err
	}
	if len(rec.Passes) > 0 && w.joined {
		w.tell(ctx, rec, more, err)
	}
	return more, err
}

func (w *worker) sendNext(ctx context.Context, rec exchange.Recording) (more bool, err error) {
	if err := w.join(ctx, rec); err != nil {
		return false, err
	}
	full, err := w.fill(ctx, rec)
	switch {
	case err != nil:
		return false, err
	case len(w.open) == 0:
		return false, w.sendState(ctx, rec)
	case !full && !w.ending && time.Since(w.since) < w.o.Linger:
		return false, nil
	}
	began := time.Now()
	if err := w.sendOpen(ctx, rec); err != nil {
		return false, err
	}
	w.pause(ctx, rest*time.Since(began))
	return true, nil
}

// pause leaves the processor to the recorder, as long as it records.
func (w *worker) pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-w.last:
	case <-time.After(d):
	}
}

// join agrees with the hub, and finds out where to go on.
func (w *worker) join(ctx context.Context, rec exchange.Recording) error {
	if w.joined {
		return nil
	}
	for _, p := range rec.Passes {
		if p.Origin != nil {
			return refused("%s was collected, and what is in it would come together twice: send the files of its recorders", w.file)
		}
	}
	w.rest = nil
	switch {
	case w.o.Key == nil:
	case !rec.Redacted():
		w.rest = redact.NewRest(w.o.Key, redact.Named(rec, w.o.Secrets))
	case !bytes.Equal(rec.Key, w.o.Key):
		return refused("%s holds tokens that were made with another key: equal secrets would not be equal at the hub",
			w.file)
	}
	if err := w.hub.Agree(ctx, termsOf(w.o.Key)); err != nil {
		return err
	}
	w.recorder = Identity(rec)
	mark, err := w.hub.Known(ctx, w.recorder)
	if err != nil {
		return err
	}
	if mark.Damaged {
		return refused("what the hub has of this recorder is damaged: send the file under another NAME")
	}
	if mark.Through > rec.Count {
		return refused("the hub has %d exchanges of this recorder, and %s only %d: it is an older copy; "+
			"send the newer file, or this one under another NAME if it is recorded on", mark.Through, w.file, rec.Count)
	}
	if err := w.same(mark); err != nil {
		return err
	}
	w.mark, w.open, w.size = mark, nil, 0
	w.read = mark.Through
	if w.rest != nil {
		w.read = 0 // to learn the secrets that were named there
	}
	w.sent.Store(mark.Through)
	w.joined = true
	return nil
}

// same holds the last exchange that the hub has against the one that stands there in the file. Two copies of a file
// that were both recorded on share their beginning and their name: what follows in one belongs behind nothing of the
// other's.
func (w *worker) same(mark Mark) error {
	if mark.Through == 0 || mark.Last == "" {
		return nil
	}
	for e, err := range w.source.After(mark.Through - 1) {
		if damage := (*store.DamageError)(nil); errors.As(err, &damage) {
			break
		}
		if err != nil {
			return err
		}
		if e.Seq == mark.Through && lastOf(e) != mark.Last {
			return refused("the hub has other exchanges of this recorder than %s, from a copy of it that was recorded on: "+
				"send this one under another NAME, and give each recorder a file of its own", w.file)
		}
		break
	}
	return nil
}

// fill adds what was recorded to the open block, and reports whether that takes no more.
func (w *worker) fill(ctx context.Context, rec exchange.Recording) (full bool, err error) {
	if w.full() {
		return true, nil
	}
	for e, err := range w.source.After(w.read) {
		if damage := (*store.DamageError)(nil); errors.As(err, &damage) {
			w.read = damage.Last
			continue
		}
		if err != nil {
			return false, err
		}
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if e.Pass > len(rec.Passes) { // it began meanwhile
			return false, nil
		}
		if len(w.open) > 0 && e.Pass != w.open[0].Pass {
			return true, nil
		}
		w.read = e.Seq
		if !block.Fits(e) {
			w.o.Say("flaketap: exchange %d is too large to be sent, beside its bodies; it will be told as missing", e.Seq)
			continue
		}
		if w.rest != nil {
			e = w.rest.Exchange(e)
		}
		if e.Seq <= w.mark.Through {
			w.steps.Add(1) // a large file takes its time
			continue
		}
		if len(w.open) == 0 {
			w.since = time.Now()
		}
		w.open, w.size = append(w.open, e), w.size+block.Size(e)
		if w.full() {
			return true, nil
		}
	}
	return false, nil
}

func (w *worker) full() bool { return len(w.open) >= block.MaxRecords || w.size >= block.MaxBytes }

// sendOpen sends the open block. If it begins another pass, the end of the one before goes first.
func (w *worker) sendOpen(ctx context.Context, rec exchange.Recording) error {
	number := w.open[0].Pass
	if w.mark.Pass != 0 && number != w.mark.Pass {
		if err := w.sendState(ctx, rec); err != nil {
			return err
		}
	}
	return w.send(ctx, block.Block{Machine: w.o.Machine, Pass: w.pass(rec, number), After: w.mark.Through,
		Through: w.open[len(w.open)-1].Seq, Exchanges: w.open})
}

// sendState sends what became known of a pass since its last block.
func (w *worker) sendState(ctx context.Context, rec exchange.Recording) error {
	if w.mark.Pass == 0 || w.mark.Pass > len(rec.Passes) {
		return nil
	}
	pass := w.pass(rec, w.mark.Pass)
	if block.StateOf(pass) == w.mark.State {
		return nil
	}
	return w.send(ctx, block.Block{Machine: w.o.Machine, Pass: pass, After: w.mark.Through, Through: w.mark.Through})
}

// pass is what is told of a pass: that its secrets are tokens, too, where they become that here.
func (w *worker) pass(rec exchange.Recording, number int) exchange.Pass {
	pass := rec.Passes[number-1]
	if w.rest != nil {
		pass.Redacted, pass.Secrets = true, redact.Named(rec, w.o.Secrets)
		pass = w.rest.Pass(pass)
	}
	return pass
}

// send sends a block.
func (w *worker) send(ctx context.Context, b block.Block) error {
	data, err := w.codec.Encode(&b, func(name string, piece []byte) error {
		if err := w.hub.Keep(ctx, name, piece); err != nil {
			return err
		}
		w.bytes.Add(int64(len(piece)))
		w.steps.Add(1)
		return nil
	})
	if err != nil {
		return err
	}
	next := Mark{Through: b.Through, Pass: b.Pass.Number, State: block.StateOf(b.Pass), Last: w.mark.Last,
		Version: w.o.Version}
	if n := len(b.Exchanges); n > 0 {
		next.Last = lastOf(b.Exchanges[n-1])
	}
	mark, err := w.hub.Append(ctx, w.recorder, w.mark, next, data)
	if err != nil {
		return fmt.Errorf("send exchanges %d to %d: %w", w.mark.Through+1, next.Through, err)
	}
	w.bytes.Add(int64(len(data)))
	w.steps.Add(1)
	w.sent.Store(mark.Through)
	w.mark = mark
	sent := 0
	for sent < len(w.open) && w.open[sent].Seq <= mark.Through {
		w.size -= block.Size(w.open[sent])
		sent++
	}
	w.open = slices.Delete(w.open, 0, sent)
	return nil
}

// tell reports how it goes, where that is news. It is no matter if it does not arrive.
func (w *worker) tell(ctx context.Context, rec exchange.Recording, more bool, trouble error) {
	r := Report{Recorder: w.recorder, Machine: w.o.Machine, Label: w.pass(rec, len(rec.Passes)).Label, File: w.file,
		Version: w.o.Version, Recorded: rec.Count, Shipped: w.mark.Through, Done: w.ending && !more && trouble == nil}
	if trouble != nil {
		r.Trouble = trouble.Error()
	}
	if now := time.Now(); r.Done || now.Sub(w.reported) >= reportEvery {
		r.At, w.reported = now.UTC(), now
		_ = w.hub.Report(ctx, r)
	}
}
