package collect

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/flaketap/flaketap/capture/ship"
	"github.com/flaketap/flaketap/capture/ship/block"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/store"
)

// Hub is what a collector asks of one.
type Hub interface {
	// Terms returns what all recorders have in common.
	Terms(ctx context.Context) (ship.Terms, error)
	// Recorders returns what there is of each recorder, by its name.
	Recorders(ctx context.Context) (map[string]ship.Mark, error)
	// Blocks yields the blocks of a recorder, in order, from one that goes further than the position after up to the
	// last one; blocks before these may come as well.
	Blocks(ctx context.Context, recorder string, after uint64, last ship.Mark) iter.Seq2[[]byte, error]
	// Piece returns what has a name.
	Piece(ctx context.Context, name string) ([]byte, error)
}

// Options say what is collected, and where to.
type Options struct {
	Hub     Hub
	DB      string
	Key     []byte // that the recorders make tokens with; nil where they reveal secrets
	Console *console.Console
}

// Collected is what came of it.
type Collected struct {
	Recorders int    // of which there is something
	Exchanges uint64 // in the file
	New       uint64 // of these, what was not in it before
	Missing   uint64 // exchanges that are damaged in the files of their recorders
	// Left says of each recorder that could not be collected as far as it goes why, and what to do. What comes
	// before that, and all other recorders, are in the file.
	Left []error
}

// Err is what is to be told of recorders that were left, nil where none was.
func (c *Collected) Err() error {
	if len(c.Left) == 1 {
		return c.Left[0]
	}
	var all []error
	for _, err := range c.Left {
		all = append(all, fmt.Errorf("%w (%s)", err, console.Advice(err)))
	}
	return errors.Join(all...)
}

// Collect brings a recording up to date, or makes it.
func Collect(ctx context.Context, o Options) (c Collected, err error) {
	key, err := o.agree(ctx)
	if err != nil {
		return Collected{}, err
	}
	old, err := openOld(o.DB)
	if err != nil {
		return Collected{}, err
	}
	defer func() { err = errors.Join(err, old.close()) }()
	marks, err := o.Hub.Recorders(ctx)
	if err != nil {
		return Collected{}, err
	}
	if !old.behind(marks) {
		return old.collected(), nil
	}
	if old.runs > 0 {
		return Collected{}, console.Advise(
			fmt.Errorf("%s holds %s, which belong to its exchanges as they are", o.DB, console.Count(old.runs, "run")),
			"collect what is new into another file (--db FILE)")
	}
	return o.renew(ctx, key, old, marks)
}

// agree holds what the recorders have in common against what is known here, and returns the key of the collected
// recording: that of the recorders, or the one that they drew where they reveal secrets.
func (o *Options) agree(ctx context.Context) ([]byte, error) {
	terms, err := o.Hub.Terms(ctx)
	switch {
	case err != nil:
		return nil, err
	case terms.Format > ship.Format:
		return nil, fmt.Errorf("the recorders are newer: they speak format %d, this flaketap %d: update this one",
			terms.Format, ship.Format)
	case terms.Format < ship.Format:
		return nil, fmt.Errorf("the recorders are older: they speak format %d, this flaketap %d: collect with theirs, "+
			"update them, and use another NAME then", terms.Format, ship.Format)
	case terms.Secrets == ship.Revealed:
		return hex.DecodeString(terms.Seed)
	case o.Key == nil:
		return nil, console.Usage(errors.New("the recorders send tokens in the place of secrets: " +
			"--token-key needs the file with their key, so that replays make the same tokens"))
	case terms.Secrets != ship.TokensOf(o.Key):
		return nil, errors.New("--token-key is another key than that of the recorders: give the same file to all")
	}
	return o.Key, nil
}

// renew makes the recording anew, of what is in the old one and of what there is behind that.
func (o *Options) renew(ctx context.Context, key []byte, old *oldFile, marks map[string]ship.Mark) (c Collected,
	err error) {
	codec, err := block.NewCodec()
	if err != nil {
		return c, err
	}
	defer codec.Close()
	r := reader{hub: o.Hub, codec: codec, old: old, marks: marks}
	order, left, err := r.order(ctx)
	if err != nil {
		return c, err
	}
	path := filepath.Join(filepath.Dir(o.DB), "."+filepath.Base(o.DB)+".collecting")
	db, err := stage(path, key)
	if err != nil {
		return c, err
	}
	defer func() {
		if err != nil {
			os.Remove(path)
		}
	}()
	w := writer{db: db}
	bar := o.Console.Progress("collecting")
	for i, recorder := range order {
		bar.Update(i, len(order))
		if err = r.copy(ctx, recorder, &w); errors.Is(err, errLeft) {
			left, err = append(left, err), nil
		}
		if err != nil {
			break
		}
	}
	bar.Clear()
	if err = errors.Join(err, w.finish(), db.Close(), old.close()); err != nil {
		return c, err
	}
	if err = os.Rename(path, o.DB); err != nil {
		return c, err
	}
	w.collected.Recorders, w.collected.Left = len(order), left
	w.collected.New = w.collected.Exchanges - old.count
	return w.collected, nil
}

// stage makes the file that is going to take the place of the old one. One that a collector left, which was killed,
// is in the way of nobody; one that a collector writes just now is not taken from it.
func stage(path string, key []byte) (*store.Store, error) {
	left, err := store.Open(path, store.Options{})
	if err == nil {
		err = left.Close()
	}
	switch {
	case errors.Is(err, store.ErrLocked):
		return nil, console.Advise(fmt.Errorf("somebody else collects into the same file: %w", err), "wait until that ends")
	case !errors.Is(err, fs.ErrNotExist):
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	return store.Create(path, store.Options{Doing: "collecting", Key: key})
}

// started is when a recorder began, by its own clock.
type started struct {
	recorder string
	at       time.Time
}

// inOrder is the order in which recorders stand in the file.
func inOrder(all []started) []string {
	slices.SortFunc(all, func(a, b started) int {
		return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.recorder, b.recorder))
	})
	out := make([]string, len(all))
	for i, s := range all {
		out[i] = s.recorder
	}
	return out
}

// names lists all recorders that are known, there or here.
func names(old *oldFile, marks map[string]ship.Mark) []string {
	all := maps.Clone(marks)
	for _, p := range old.passes {
		all[p.Origin.Recorder] = ship.Mark{}
	}
	return slices.Sorted(maps.Keys(all))
}
