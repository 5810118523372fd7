package trial

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/flaketap/flaketap/replay/service"
)

// Options say what is run.
type Options struct {
	Root string // the folder of the suite
	File string // the one whose text is another in each trial, relative to it
	// Command runs the test: {} in it is the copy of the suite, {file} that of the file.
	Command []string
	Workers int           // runs at once; 0 is one
	Timeout time.Duration // of a run, which then has failed; 0: none
	Target  *url.URL      // where the API is, for FLAKETAP_URL; nil: nobody says
	Service *service.Service
	Reset   service.Reset // before each run; "": none
	// ResetTimeout is how long a reset may take; 0: as long as package service lets it
	ResetTimeout time.Duration
}

// Bench runs trials.
type Bench struct {
	workers []*worker
	file    string
	stamp   time.Time // when the file was changed last, as its copies have it
}

// New copies the suite for each worker. The bench has to be closed.
func New(o Options) (b *Bench, err error) {
	workers := max(o.Workers, 1)
	apis := []*service.Service{o.Service}
	if workers > 1 && o.Service != nil {
		if apis, err = o.Service.Apart(workers); err != nil {
			return nil, err
		}
	}
	info, err := os.Stat(filepath.Join(o.Root, o.File))
	if err != nil {
		return nil, fmt.Errorf("read test: %w", err)
	}
	b = &Bench{file: o.File, stamp: info.ModTime()}
	for i := range workers {
		w := &worker{Options: o, api: apis[i%len(apis)]}
		if w.dir, err = copySuite(o.Root); err != nil {
			return nil, errors.Join(err, b.Close())
		}
		b.workers = append(b.workers, w)
	}
	return b, nil
}

// Close takes the copies away.
func (b *Bench) Close() error {
	var errs []error
	for _, w := range b.workers {
		errs = append(errs, os.RemoveAll(w.dir))
	}
	return errors.Join(errs...)
}

// Trial is what came of the runs with one text.
type Trial struct {
	Passed int
	Failed bool            // one run, which ended the trial
	Words  string          // the last that it printed
	Took   []time.Duration // by those that passed, the shortest first
}

// Median is how long the runs that passed took in the middle; 0 where none did.
func (t *Trial) Median() time.Duration {
	if len(t.Took) == 0 {
		return 0
	}
	return t.Took[(len(t.Took)-1)/2]
}

// Run runs the test with a text of the file until it has passed so many times, or failed once. seen is told how many
// have passed so far; it may be nil. The error is that a run could not be made, or that the context has ended; the runs
// that passed before it are in the Trial.
func (b *Bench) Run(ctx context.Context, text []byte, runs int, seen func(passed int)) (Trial, error) {
	if err := b.write(text); err != nil {
		return Trial{}, err
	}
	limited, cancel := context.WithCancel(ctx)
	defer cancel()
	tickets, outcomes := make(chan struct{}, runs), make(chan outcome)
	for range runs {
		tickets <- struct{}{}
	}
	close(tickets)
	var wg sync.WaitGroup
	for _, w := range b.workers[:min(len(b.workers), runs)] {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range tickets {
				if limited.Err() != nil {
					return
				}
				outcomes <- w.run(limited)
			}
		}()
	}
	go func() {
		wg.Wait()
		close(outcomes)
	}()
	var t Trial
	var err error
	for o := range outcomes {
		switch {
		case o.cut || t.Failed || err != nil: // it tells nothing, or comes behind the end
		case o.err != nil:
			err = o.err
			cancel()
		case !o.passed:
			t.Failed, t.Words = true, o.words
			cancel()
		default:
			t.Passed++
			t.Took = append(t.Took, o.took)
			if seen != nil {
				seen(t.Passed)
			}
		}
	}
	slices.Sort(t.Took)
	if ctx.Err() != nil && !t.Failed {
		err = ctx.Err()
	}
	return t, err
}

// write gives all copies of the file a text. Each text has a time of its own, in whole seconds: by these, and the size,
// Python tells whether what it has compiled is still good.
func (b *Bench) write(text []byte) error {
	b.stamp = b.stamp.Add(time.Second)
	for _, w := range b.workers {
		path := filepath.Join(w.dir, b.file)
		err := os.WriteFile(path, text, 0o644)
		if err == nil {
			err = os.Chtimes(path, b.stamp, b.stamp)
		}
		if err != nil {
			return fmt.Errorf("write test: %w", err)
		}
	}
	return nil
}
