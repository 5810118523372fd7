package ui

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/exchange/redact"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/volatility/analysis"
)

// The rhythm in which a recording is looked at again.
const (
	lookEvery = 100 * time.Millisecond
	share     = 20 // a copy is made once so many times passed as the last one took
)

// snapshot is a copy of the recording at one moment, with all secrets that it names. It is closed when the last of its
// users lets go of it, and another has taken its place.
type snapshot struct {
	db        *store.Store
	recording exchange.Recording
	runs      []exchange.Run
	redactor  exchange.Redactor
	rest      *redact.Rest // knows the secrets, as redactor does; nil where they are revealed
	version   int

	users int // guarded by live.mu; the place in live counts as one
}

// state is what everybody who looks on is told.
type state struct {
	File    string    `json:"file"`    // its name
	Begun   string    `json:"begun"`   // when the recording was begun: another one has another
	Version int       `json:"version"` // rises with each copy
	Count   uint64    `json:"count"`   // exchanges
	Runs    []runLine `json:"runs"`
	Holder  string    `json:"holder"` // who is writing, in words; "" for nobody
	Trouble string    `json:"trouble"`
	Judged  int       `json:"judged"` // the version that the judgement is of, 0 for none
	Replay  int       `json:"replay"` // rises with each change of the replay
}

// runLine is a run as it stands.
type runLine struct {
	Number int  `json:"number"`
	Steps  int  `json:"steps"`
	Ended  bool `json:"ended"`
}

// live follows a recording.
type live struct {
	path    string
	options analysis.Options

	// What follow alone uses: who knows the secrets of the recording that key belongs to, and of how many exchanges.
	rest    *redact.Rest
	key     string
	learned uint64

	mu      sync.Mutex
	now     *snapshot // nil before there is a recording
	state   state
	changed chan struct{} // is closed, and replaced, when state changes
}

func newLive(path string, o analysis.Options) *live {
	return &live{path: path, options: o, changed: make(chan struct{}),
		state: state{File: report.ShowEnds(filepath.Base(path), maxShown), Runs: []runLine{}}}
}

// take returns the present copy, nil where there is none yet. Whoever has one calls done.
func (l *live) take() (s *snapshot, done func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s = l.now; s == nil {
		return nil, func() {}
	}
	s.users++
	return s, func() { l.drop(s) }
}

func (l *live) drop(s *snapshot) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s.users--; s.users == 0 {
		s.db.Close()
	}
}

// look returns the state, and a channel that is closed when there is another.
func (l *live) look() (state, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state, l.changed
}

// tell changes the state.
func (l *live) tell(change func(*state)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change(&l.state)
	close(l.changed)
	l.changed = make(chan struct{})
}

// follow looks at the recording again and again, until the context ends.
func (l *live) follow(ctx context.Context) {
	defer l.forget()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	var (
		seen fileMark
		next time.Time
	)
	for {
		if mark := markOf(l.path); mark != seen && !time.Now().Before(next) {
			begun := time.Now()
			if err := l.renew(ctx); err == nil || errors.Is(err, fs.ErrNotExist) {
				seen = mark
			} else if ctx.Err() == nil {
				l.tell(func(s *state) { s.Trouble = err.Error() })
			}
			next = time.Now().Add(share * time.Since(begun))
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// forget lets go of the present copy.
func (l *live) forget() {
	l.mu.Lock()
	old := l.now
	l.now = nil
	l.mu.Unlock()
	if old != nil {
		l.drop(old)
	}
}

// fileMark is how a file looks from outside: another one where it was written to.
type fileMark struct {
	size int64
	time time.Time
	held bool
}

func markOf(path string) fileMark {
	m := fileMark{held: store.Held(path)}
	if info, err := os.Stat(path); err == nil {
		m.size, m.time = info.Size(), info.ModTime()
	}
	return m
}

// renew makes a copy of the recording as it is now, and puts it into the place of the last one.
func (l *live) renew(ctx context.Context) error {
	db, err := store.OpenCopy(l.path)
	if err != nil {
		return err
	}
	s := &snapshot{db: db, users: 1}
	if s.recording, err = db.Recording(); err == nil {
		s.runs, err = db.Runs()
	}
	if err == nil {
		s.redactor, err = l.learn(ctx, db, s.recording)
		s.rest = l.rest
	}
	if err != nil {
		return errors.Join(err, db.Close())
	}
	l.mu.Lock()
	old := l.now
	l.now = s
	s.version = l.state.Version + 1
	l.mu.Unlock()
	if old != nil {
		l.drop(old)
	}
	l.tell(func(now *state) {
		now.Version, now.Count, now.Trouble, now.Holder = s.version, s.recording.Count, "", ""
		if h := db.Holder(); h != nil {
			now.Holder = h.String()
		}
		now.Begun, now.Runs = s.recording.Started.String(), []runLine{}
		for _, r := range s.runs {
			now.Runs = append(now.Runs, runLine{r.Number, r.Steps, !r.Ended.IsZero()})
		}
	})
	return nil
}

// learn goes through what was recorded since the last time: a secret that one exchange names is one wherever another
// repeats it.
func (l *live) learn(ctx context.Context, db *store.Store, rec exchange.Recording) (exchange.Redactor, error) {
	if l.options.Reveal {
		return exchange.Redactor{Key: rec.Key, Reveal: true}, nil
	}
	if l.rest == nil || l.key != string(rec.Key) || rec.Count < l.learned { // another recording took the file's place
		l.rest, l.key, l.learned = redact.NewRest(rec.Key, redact.Named(rec, l.options.Secrets)), string(rec.Key), 0
	}
	r := exchange.Redactor{Key: rec.Key}
	var err error
	l.rest.Learn(func(all *exchange.Secrets) {
		all.Stored = rec.Redacted()
		for e, eerr := range store.Readable(db.After(l.learned), nil) {
			if err = errors.Join(eerr, ctx.Err()); err != nil {
				return
			}
			all.Exchange(e)
		}
		r.Known = all.Known()
	})
	if err == nil {
		l.learned = rec.Count
	}
	return r, err
}

// knowing is a redactor that knows the secrets of a step too: what the runs answered has its own.
func (s *snapshot) knowing(step exchange.Step) exchange.Redactor {
	r := s.redactor
	if s.rest != nil {
		s.rest.Learn(func(all *exchange.Secrets) {
			all.Step(step)
			r.Known = all.Known()
		})
	}
	return r
}
