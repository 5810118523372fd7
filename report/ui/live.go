package ui

import (
	"context"
	"errors"
	"io/fs"
	"iter"
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
	// Once so many times passed as the last look took there is another one: bringing a copy up to date costs who writes
	// what is new, which it would cost later too; a whole copy costs what there is, each time.
	restOfMore = 2
	restOfAll  = 20
	// A file that cannot be read, and does not change, is tried again after twice as long each time, up to this.
	mostRest = 10 * time.Second
)

// snapshot is the recording as it was at one moment, with all secrets that it named then.
type snapshot struct {
	*copied
	recording exchange.Recording
	runs      []exchange.Run
	redactor  exchange.Redactor
	rest      *redact.Rest // knows the secrets, as redactor does; nil where they are revealed
	version   int
}

// copied is a copy of the recording, which may grow. It is closed when the last of its users lets go of it, and another
// has taken its place.
type copied struct {
	db    *store.Store
	path  string
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
	key     string    // of the recording; nobody is told
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
	working func() string // the recording that is being made for the one at path; "" for none

	// What follow alone uses: who knows the secrets of the recording that key belongs to, and of how many exchanges.
	rest    *redact.Rest
	key     string
	learned uint64

	mu      sync.Mutex
	now     *snapshot // nil before there is a recording
	state   state
	changed chan struct{} // is closed, and replaced, when state changes
}

func newLive(path string, o analysis.Options, working func() string) *live {
	if working == nil {
		working = func() string { return "" }
	}
	return &live{path: path, options: o, working: working, changed: make(chan struct{}),
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
	return s, func() { l.drop(s.copied) }
}

func (l *live) drop(c *copied) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.users--; c.users == 0 {
		c.db.Close()
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
		seen   fileMark
		next   time.Time
		broken retry
	)
	for {
		if mark := l.mark(); mark != seen && !time.Now().Before(next) && !broken.rests(mark) {
			begun := time.Now()
			rest, err := l.renew(ctx, mark)
			switch {
			case err == nil:
				seen, broken = mark, retry{}
			case errors.Is(err, fs.ErrNotExist):
				seen = mark
				l.gone()
			case ctx.Err() == nil:
				broken.again(mark)
				l.troubled(err)
			}
			next = time.Now().Add(rest * time.Since(begun))
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// retry is when a file that could not be read is tried again: the later the oftener it was tried as it is.
type retry struct {
	mark  fileMark
	pause time.Duration
	at    time.Time
}

// rests reports whether a file that looks so is to be left alone for now.
func (r *retry) rests(mark fileMark) bool { return mark == r.mark && time.Now().Before(r.at) }

// again notes that a file that looks so could not be read.
func (r *retry) again(mark fileMark) {
	if mark != r.mark {
		r.mark, r.pause = mark, lookEvery
	}
	r.pause = min(2*r.pause, mostRest)
	r.at = time.Now().Add(r.pause)
}

// troubled says what is wrong with the file, once.
func (l *live) troubled(err error) {
	if now, _ := l.look(); now.Trouble != err.Error() {
		l.tell(func(s *state) { s.Trouble = err.Error() })
	}
}

// gone says that there is no file any more. What was copied of it is shown until there is another.
func (l *live) gone() {
	l.tell(func(s *state) {
		switch s.Holder, s.Trouble = "", ""; {
		case l.now != nil && l.now.path != l.path:
			s.Trouble = "this run is over; what comes next will be shown here"
		case l.now != nil:
			s.Trouble = "the file of the recording is gone: this is what it had"
		}
	})
}

// forget lets go of the present copy.
func (l *live) forget() {
	l.mu.Lock()
	old := l.now
	l.now = nil
	l.mu.Unlock()
	if old != nil {
		l.drop(old.copied)
	}
}

// fileMark is how the file to look at looks from outside: another one where it was written to.
type fileMark struct {
	path string
	size int64
	time time.Time
	held bool
	work string // who is at work on a recording that will take the file's place, in words; "" for nobody
}

// file is the one to look at: the recording, or, while that is not there yet, what is being made for it (part, "" for
// nothing).
func (l *live) file() (path, part string) {
	if part = l.working(); part != "" {
		if _, err := os.Stat(l.path); errors.Is(err, fs.ErrNotExist) {
			return part, part
		}
	}
	return l.path, part
}

// mark looks at the file from outside.
func (l *live) mark() fileMark {
	path, part := l.file()
	m := fileMark{path: path, held: store.HolderOf(path) != nil}
	if part != "" && !m.held {
		if h := store.HolderOf(part); h != nil {
			m.work = h.String()
		}
	}
	if info, err := os.Stat(path); err == nil {
		m.size, m.time = info.Size(), info.ModTime()
	}
	return m
}

// renew brings the copy up to date, or puts another one into its place. It returns how many times as long as that took
// the recording is to be left alone.
func (l *live) renew(ctx context.Context, at fileMark) (rest time.Duration, err error) {
	now, done := l.take()
	if now != nil && now.path == at.path {
		up, err := now.db.CatchUp()
		if up {
			err = l.put(ctx, now.copied, at.work)
		}
		if up || err != nil {
			done()
			return restOfMore, err
		}
	}
	done()
	db, err := store.OpenCopy(at.path)
	if err != nil {
		return restOfAll, err
	}
	c := &copied{db: db, path: at.path, users: 1}
	defer l.drop(c)
	return restOfAll, l.put(ctx, c, at.work)
}

// put has what is in a copy shown, and who is at work beside it.
func (l *live) put(ctx context.Context, c *copied, work string) (err error) {
	s := &snapshot{copied: c}
	if s.recording, err = c.db.Recording(); err == nil {
		s.runs, err = c.db.Runs()
	}
	if err == nil {
		s.redactor, err = l.learn(ctx, c.db, s.recording)
		s.rest = l.rest
	}
	if err != nil {
		return err
	}
	l.mu.Lock()
	old := l.now
	l.now = s
	c.users++
	s.version = l.state.Version + 1
	l.mu.Unlock()
	if old != nil {
		l.drop(old.copied)
	}
	l.tell(func(now *state) {
		now.Version, now.Count, now.Trouble, now.Holder = s.version, s.recording.Count, "", work
		if h := c.db.Holder(); h != nil {
			now.Holder = h.String()
		}
		now.Begun, now.Runs, now.key = s.recording.Started.String(), []runLine{}, string(s.recording.Key)
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

// exchanges are those behind a position that can be read, as far as the secrets are known: the copy may have more.
func (s *snapshot) exchanges(after uint64) iter.Seq2[*exchange.Exchange, error] {
	return func(yield func(*exchange.Exchange, error) bool) {
		for e, err := range store.Readable(s.db.After(after), nil) {
			if err == nil && e.Seq > s.recording.Count || !yield(e, err) {
				return
			}
		}
	}
}
