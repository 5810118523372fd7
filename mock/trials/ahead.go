package trials

import (
	"context"
	"sync"

	"github.com/flaketap/flaketap/mock/search"
)

// Run runs one trial. Several goroutines call it.
type Run func(ctx context.Context, t search.Trial) (search.Outcome, error)

// Ahead runs trials at once, those that are likely to come before they do. It implements [search.API], for one search.
type Ahead struct {
	run   Run
	most  int // at once
	ctx   context.Context
	end   context.CancelFunc
	all   sync.WaitGroup
	ended chan *flight // those that have, until somebody looks

	flying  int                  // those that have not, as far as somebody looked
	early   map[string][]*flight // that nobody asked for yet, by what is tried, in order
	waiting int                  // how many these are
	inVain  int                  // that were given up
	likely  []string             // what is tried next as it was foreseen, in order
	toBegin []search.Trial       // of that
}

// flight is a trial that was begun.
type flight struct {
	out  search.Outcome
	err  error
	over bool // it is seen to have ended
}

const (
	// aheadOf is how far is foreseen, in trials for each that runs at once: so one that takes long holds up no others.
	aheadOf = 8
	// mostKept is how many trials are kept that were begun and are not likely to come any more: they may later.
	mostKept = 1000
)

// NewAhead runs so many trials at once. Close ends it.
func NewAhead(run Run, atOnce int) *Ahead {
	a := &Ahead{run: run, most: atOnce, early: map[string][]*flight{}, ended: make(chan *flight, 2*atOnce+1)}
	a.ctx, a.end = context.WithCancel(context.Background())
	return a
}

// Close ends what runs, and returns how many trials were begun that nobody asked for.
func (a *Ahead) Close() (inVain int) {
	a.end()
	a.all.Wait()
	return a.inVain + a.waiting
}

// Try implements [search.API].
func (a *Ahead) Try(ctx context.Context, t search.Trial) (search.Outcome, error) {
	key, err := keyOf(t)
	if err != nil {
		return search.Outcome{}, err
	}
	f := a.taken(key)
	if f == nil {
		f = a.begin(t)
	}
	if len(a.likely) > 0 && a.likely[0] == key {
		a.likely = a.likely[1:]
	} else {
		a.likely, a.toBegin = nil, nil // it went another way
	}
	for asked := false; ; {
		a.look()
		if asked, err = a.fill(t.Likely, asked); err != nil {
			return search.Outcome{}, err
		}
		if f.over {
			return f.out, f.err
		}
		select {
		case <-ctx.Done():
			return search.Outcome{}, ctx.Err()
		case g := <-a.ended:
			a.saw(g)
		}
	}
}

// keyOf is by what trials are the same.
func keyOf(t search.Trial) (string, error) {
	text, err := encodeTrial(t)
	return string(text), err
}

// taken is the first of the trials like this that were begun, which is its now; nil where none was.
func (a *Ahead) taken(key string) *flight {
	all := a.early[key]
	if len(all) == 0 {
		return nil
	}
	a.waiting--
	if a.early[key] = all[1:]; len(all) == 1 {
		delete(a.early, key)
	}
	return all[0]
}

// begin begins a trial.
func (a *Ahead) begin(t search.Trial) *flight {
	f := &flight{}
	t.Likely = nil
	a.flying++
	a.all.Go(func() {
		f.out, f.err = a.run(a.ctx, t)
		a.ended <- f
	})
	return f
}

func (a *Ahead) saw(f *flight) {
	f.over = true
	a.flying--
}

// look sees which trials have ended.
func (a *Ahead) look() {
	for {
		select {
		case f := <-a.ended:
			a.saw(f)
		default:
			return
		}
	}
}

// fill begins trials that are likely to come, as many as there is room for. What is likely it asks where that is not
// known any more, and was not asked in this trial.
func (a *Ahead) fill(likely func(int) []search.Trial, asked bool) (bool, error) {
	for a.flying < a.most {
		if len(a.toBegin) == 0 {
			if asked || likely == nil {
				return asked, nil
			}
			asked = true
			if err := a.foresee(likely(aheadOf * a.most)); err != nil {
				return asked, err
			}
			continue
		}
		t := a.toBegin[0]
		a.toBegin = a.toBegin[1:]
		key, err := keyOf(t)
		if err != nil {
			return asked, err
		}
		a.early[key] = append(a.early[key], a.begin(t))
		a.waiting++
	}
	return asked, nil
}

// foresee takes in what is likely to come. What was begun of it already is not begun again.
func (a *Ahead) foresee(all []search.Trial) error {
	begun := map[string]int{}
	for key, flights := range a.early {
		begun[key] = len(flights)
	}
	a.likely, a.toBegin = nil, nil
	if a.waiting > mostKept {
		a.inVain += a.waiting
		a.waiting, a.early = 0, map[string][]*flight{}
	}
	for _, t := range all {
		key, err := keyOf(t)
		if err != nil {
			return err
		}
		a.likely = append(a.likely, key)
		if begun[key] > 0 {
			begun[key]--
		} else {
			a.toBegin = append(a.toBegin, t)
		}
	}
	return nil
}
