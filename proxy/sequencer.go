package proxy

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/flaketap/flaketap/exchange"
)

// Sequencer is a [Recorder] before another one. It names the sequence of each exchange whose request names none itself:
// by the mark that was set when the request began, else by a gap in the traffic, else by the connection. What none of
// them names is left without a name.
type Sequencer struct {
	Recorder Recorder
	// Gap is how long nothing must be heard, neither a request nor the end of an answer, for a sequence to end; they
	// are gap-1, gap-2, …. 0 takes no notice of gaps. A client of several connections is heard as one.
	Gap time.Duration
	// PerConnection makes each connection a sequence: connection-1, connection-2, ….
	PerConnection bool

	mu    sync.Mutex
	marks timeline
	gaps  timeline
	heard time.Time // the end of the last answer, or the last request
	count int       // the gaps so far, and the sequence before the first
}

// Mark begins a sequence: it holds the requests that begin from that time on, until the next mark. An empty name ends
// the one before and begins none. Marks of one name are one sequence.
func (s *Sequencer) Mark(name string, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.marks.add(at, name)
}

// OwnMarks are the marks whose names begin with [exchange.OwnMark], in their order; of all marks, the last eight
// thousand are remembered at least.
func (s *Sequencer) OwnMarks() (all []exchange.PassMark) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.marks {
		if strings.HasPrefix(x.name, exchange.OwnMark) {
			all = append(all, exchange.PassMark{Name: x.name, At: x.from})
		}
	}
	return all
}

// Record names the exchange's sequence and hands it on.
func (s *Sequencer) Record(e *exchange.Exchange) error {
	if e.Sequence == "" {
		e.Sequence = s.name(e)
	}
	return s.Recorder.Record(e)
}

func (s *Sequencer) name(e *exchange.Exchange) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	gap := s.gap(e)
	switch mark := s.marks.at(e.Start); {
	case mark != "":
		return mark
	case gap != "":
		return gap
	case s.PerConnection && e.Conn != 0:
		return fmt.Sprintf("connection-%d", e.Conn)
	}
	return ""
}

// gap returns the name of what lies between two gaps and holds the beginning of an exchange. Exchanges come in the
// order of their ends: one that began before a gap which has been found meanwhile belongs before it.
func (s *Sequencer) gap(e *exchange.Exchange) string {
	if s.Gap <= 0 {
		return ""
	}
	quiet := s.heard.Add(s.Gap)
	if s.count == 0 || e.Start.After(quiet) {
		s.count++
		// From the end of the silence on, and not from this request on: one that began before it may end after it.
		s.gaps.add(quiet, fmt.Sprintf("gap-%d", s.count))
	}
	if end := e.Start.Add(e.Latency); end.After(s.heard) {
		s.heard = end
	}
	return s.gaps.at(e.Start)
}

// era is a name and the time from which on it holds.
type era struct {
	from time.Time
	name string
}

// timeline is eras in their order.
type timeline []era

// maxTimeline bounds the eras that are remembered; an exchange that lasted through more of them bears no name.
const maxTimeline = 1 << 14

func (l *timeline) add(from time.Time, name string) {
	i := len(*l)
	for i > 0 && (*l)[i-1].from.After(from) {
		i--
	}
	*l = slices.Insert(*l, i, era{from, name})
	if len(*l) > maxTimeline {
		*l = slices.Delete(*l, 0, maxTimeline/2)
	}
}

// at returns the name that holds at a time, "" before the first era. It is nearly always that of the last.
func (l timeline) at(t time.Time) string {
	for _, x := range slices.Backward(l) {
		if !x.from.After(t) {
			return x.name
		}
	}
	return ""
}
