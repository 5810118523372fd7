package across

import (
	"maps"
	"slices"
	"time"

	"github.com/flaketap/flaketap/volatility/request"
)

// Kind is what an [Event] is about.
type Kind byte

// The kinds, and what they say by which fields.
const (
	Host    Kind = iota + 1 // an authority was asked for: Text
	Sent                    // a request sent a date: Text
	Created                 // an answer gave a date to what it made: Name, Text
	Learned                 // a run has another value for one that is bound: Number, Run, Text
	Started                 // a run began, or a pass, which is negative: Run, At
	Wrote                   // a run was answered a request that makes things: Run, At
	Held                    // answers are held: Number
)

// Event is one thing that is so from now on. What its Kind does not mention is zero.
type Event struct {
	Kind       Kind
	Run        int
	Number     int
	Name, Text string
	At         time.Time
}

// Take takes in an event. Those of kind [Started] belong to whoever asks when that run began, see [State.StartOf].
func (s *State) Take(e Event) {
	switch e.Kind {
	case Host:
		s.Hosts.Add(e.Text)
	case Sent:
		s.Sent[e.Text] = struct{}{}
	case Created:
		s.Made.Remember(e.Name, e.Text)
	case Learned:
		s.Bound.Take(request.Learned{Value: e.Number, Run: e.Run, Text: e.Text})
	case Started:
		s.lock.Lock()
		defer s.lock.Unlock()
		s.starts[e.Run] = e.At
	case Wrote:
		s.writes[e.Run] = e.At
	case Held:
		s.Held = e.Number
	}
}

// Journal says what came about since each of several parts asked last. It belongs to the goroutine of its State.
type Journal struct {
	state *State
	news  []Event // that not all parts know
	parts []asked
}

// maxNews is how many events are kept for parts that do not ask.
const maxNews = 4096

// Full reports whether all parts should ask, so that what they know can be forgotten.
func (j *Journal) Full() bool {
	if len(j.news) < maxNews {
		return false
	}
	least := len(j.news)
	for _, p := range j.parts {
		least = min(least, p.news)
	}
	for i := range j.parts {
		j.parts[i].news -= least
	}
	j.news = slices.Delete(j.news, 0, least)
	return len(j.news) >= maxNews
}

// asked is what a part knows.
type asked struct {
	news           int // of the journal's
	starts, writes map[int]time.Time
	held           int
}

// NewJournal keeps the journal of a state that has seen no step yet.
func NewJournal(s *State, parts int) *Journal {
	j := &Journal{state: s}
	s.journal = j
	for range parts {
		j.parts = append(j.parts, asked{starts: maps.Clone(s.starts), writes: map[int]time.Time{}})
	}
	return j
}

// Since returns what came about since the part asked last.
func (j *Journal) Since(part int) []Event {
	p := &j.parts[part]
	out := slices.Clone(j.news[p.news:])
	p.news = len(j.news)
	out = since(out, Started, p.starts, j.state.starts)
	out = since(out, Wrote, p.writes, j.state.writes)
	if p.held != j.state.Held {
		p.held = j.state.Held
		out = append(out, Event{Kind: Held, Number: p.held})
	}
	return out
}

// Saw says that the last step was one of a part, which so knows what came about in it.
func (j *Journal) Saw(part int) {
	p := &j.parts[part]
	p.news, p.held = len(j.news), j.state.Held
	maps.Copy(p.starts, j.state.starts)
	maps.Copy(p.writes, j.state.writes)
}

// since adds what times are others than were known, and has them known.
func since(out []Event, kind Kind, known, now map[int]time.Time) []Event {
	for _, run := range slices.Sorted(maps.Keys(now)) {
		if at := now[run]; !known[run].Equal(at) {
			known[run] = at
			out = append(out, Event{Kind: kind, Run: run, At: at})
		}
	}
	return out
}
