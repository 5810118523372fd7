package queue

import (
	"context"
	"crypto/rand"
	"os"
	"sync"
	"time"
)

// Role is what a worker does, and what a plan asks for.
type Role string

// The roles.
const (
	Plays  Role = ""       // items of a replay, or it lends its API to trials of suites
	Judges Role = "judges" // parts of maps
	Tries  Role = "tries"  // trials of mock search
)

// Worker names a worker in that role, for people.
func (r Role) Worker() string {
	switch r {
	case Judges:
		return "worker that judges"
	case Tries:
		return "worker with --external"
	}
	return "worker that plays"
}

// Start says with what flags one is started: it is told behind flaketap worker nats://HOST:PORT/NAME.
func (r Role) Start() string {
	switch r {
	case Judges:
		return "without --start"
	case Tries:
		return "with --start CMD --external"
	}
	return "with --start CMD"
}

// howTo says how a worker in that role is started.
func (r Role) howTo() string {
	and := " and"
	if r == Judges {
		and = ", with"
	}
	return "start flaketap worker nats://HOST:PORT/NAME " + r.Start() + and + " the same --token-key"
}

// Presence is what a worker says of itself, for people: it is not sealed.
type Presence struct {
	ID      string    `json:"id"`
	Host    string    `json:"host"`
	PID     int       `json:"pid"`
	Version string    `json:"version"`           // of its flaketap
	Key     string    `json:"key,omitempty"`     // tells its key from others, and nothing of it
	Judges  bool      `json:"judges,omitempty"`  // it judges maps, and plays nothing
	Tries   bool      `json:"tries,omitempty"`   // it runs trials of mock search, and plays nothing
	Plan    string    `json:"plan,omitempty"`    // what it plays; "" where it waits
	Run     int       `json:"run,omitempty"`     // and of that
	Item    int       `json:"item,omitempty"`    // likewise
	Attempt int       `json:"attempt,omitempty"` // how often that was leased
	Since   time.Time `json:"since"`             // when it began to play that, or to wait, by its clock
	Done    int       `json:"done"`              // tickets that it is done with
}

// Role is what the worker does.
func (p Presence) Role() Role {
	switch {
	case p.Judges:
		return Judges
	case p.Tries:
		return Tries
	}
	return Plays
}

// Crew is where workers say that they are there.
type Crew interface {
	// Tell says how a worker is doing, in the place of what it said before.
	Tell(ctx context.Context, p Presence) error
	// Leave takes back what a worker said.
	Leave(ctx context.Context, id string) error
}

// tellEvery is how often a worker says that it is there where nothing changes.
const tellEvery = 10 * time.Second

// teller says how a worker is doing, beside its work. The nil teller says nothing.
type teller struct {
	crew    Crew
	end     context.CancelFunc
	over    sync.WaitGroup
	changed chan struct{} // holds one where there is something new

	mu  sync.Mutex
	now Presence
}

// tells says that the worker is there, and goes on to say how it is doing.
func (w *Worker) tells(ctx context.Context) *teller {
	if w.Crew == nil {
		return nil
	}
	t := &teller{crew: w.Crew, changed: make(chan struct{}, 1)}
	t.now = Presence{ID: rand.Text(), Host: w.Machine.Host, PID: os.Getpid(), Version: w.Version, Key: w.Key.id,
		Judges: w.Role == Judges, Tries: w.Role == Tries, Since: time.Now()}
	_ = w.Crew.Tell(ctx, t.now) // a hub that is away hears the next
	ctx, t.end = context.WithCancel(ctx)
	t.over.Go(func() { t.run(ctx) })
	return t
}

func (t *teller) run(ctx context.Context) {
	tick := time.NewTicker(tellEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			parting, cancel := context.WithTimeout(context.Background(), partingTime)
			_ = t.crew.Leave(parting, t.now.ID) // else it is taken for one that was killed
			cancel()
			return
		case <-tick.C:
		case <-t.changed:
		}
		t.mu.Lock()
		now := t.now
		t.mu.Unlock()
		_ = t.crew.Tell(ctx, now)
	}
}

// set says what the worker plays now: nil where it waits, being done with one more.
func (t *teller) set(lease Lease) {
	if t == nil {
		return
	}
	t.mu.Lock()
	p := &t.now
	if p.Since = time.Now(); lease == nil {
		p.Plan, p.Run, p.Item, p.Attempt = "", 0, 0, 0
		p.Done++
	} else {
		of := lease.Ticket()
		p.Plan, p.Run, p.Item, p.Attempt = of.Plan, of.Run, of.Item, lease.Attempt()
	}
	t.mu.Unlock()
	select {
	case t.changed <- struct{}{}:
	default: // what it says next is newer still
	}
}

// close says that the worker has gone.
func (t *teller) close() {
	if t != nil {
		t.end()
		t.over.Wait()
	}
}
