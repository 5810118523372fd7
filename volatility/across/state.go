package across

import (
	"sync"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/request"
)

// State is what is known before a step. It grows with values that are bound, and with runs. It belongs to one
// goroutine, but for [State.StartOf].
type State struct {
	Hosts Authorities
	Bound *request.Earlier
	Sent  request.Dates
	Made  CreatedDates
	// Held are the bytes of answers that are kept to be compared with later ones to the same request.
	Held int

	journal *Journal // nil where nobody asks for one

	writes map[int]time.Time // the last answer of each run to a request that makes things; 0 is the recording

	lock   sync.Mutex        // guards starts
	starts map[int]time.Time // of runs, and of passes as negative numbers
}

// NewState returns what is known before the first step.
func NewState(rec exchange.Recording, runs []exchange.Run, bound *request.Earlier) *State {
	s := &State{Bound: bound, Sent: request.Dates{}, Made: CreatedDates{}, writes: map[int]time.Time{},
		starts: map[int]time.Time{}}
	for _, r := range runs {
		s.starts[r.Number] = r.Started
	}
	for _, p := range rec.Passes {
		s.starts[-p.Number] = p.Started
	}
	return s
}

// StartOf returns when a run or pass began, which is no later than its first answer. Imported runs may not say. It may
// be called by several goroutines, of which each has runs of its own.
func (s *State) StartOf(number int, first time.Time) time.Time {
	s.lock.Lock()
	defer s.lock.Unlock()
	if at := s.starts[number]; !at.IsZero() && !at.After(first) {
		return at
	}
	s.starts[number] = first
	return first
}

// SinceWrite returns for how long, at a time, a run has not made anything; 0 where it never has.
func (s *State) SinceWrite(run int, at time.Time) time.Duration {
	last, ok := s.writes[run]
	if !ok {
		return 0
	}
	return at.Sub(last)
}

// AskedFor notes the authority that a request asked for.
func (s *State) AskedFor(host string) {
	if s.Hosts.Add(host) {
		s.note(Event{Kind: Host, Text: host})
	}
}

// Sends notes what a request sent.
func (s *State) Sends(values request.Values) {
	for _, date := range s.Sent.Remember(values) {
		s.note(Event{Kind: Sent, Text: date})
	}
}

// Creates notes a date that the answer to a write gave, as [CreatedDates.Remember] has it.
func (s *State) Creates(name, raw string) {
	if s.Made.Remember(name, raw) {
		s.note(Event{Kind: Created, Name: name, Text: raw})
	}
}

// Learn notes what values a run has for those that an exchange gave.
func (s *State) Learn(seq uint64, o *exchange.Observation) {
	for _, l := range s.Bound.Learn(seq, o) {
		s.note(Event{Kind: Learned, Number: l.Value, Run: l.Run, Text: l.Text})
	}
}

func (s *State) note(e Event) {
	if s.journal != nil {
		s.journal.news = append(s.journal.news, e)
	}
}

// Wrote notes when a run was answered a request that makes things.
func (s *State) Wrote(run int, at time.Time) { s.writes[run] = at }
