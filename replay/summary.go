package replay

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
)

// Progress says how far a run is.
type Progress struct {
	Done    int // exchanges played or skipped
	Total   int // 0 where it is not known
	Elapsed time.Duration
	Rate    float64 // exchanges per second since the run began
}

// Summary says how a run went.
type Summary struct {
	Sent       int            // requests sent: the sum of Reproduced, Differed, Faults and Unjudged
	Reproduced int            // answered with the recorded status, or failed in the recorded way
	Late       int            // of those reproduced, reads that answered as recorded only when they were asked again
	Early      int            // reads that answered what the recording has later
	Longest    time.Duration  // after which the last of those did
	Differed   int            // answered with another status, or answered at all where the recording failed
	Expired    int            // of those that differed, requests with a token that has expired since it was recorded
	Refused    int            // of those that differed, requests that had succeeded and were answered 401
	Faults     int            // failed in a way that the recording did not
	Unjudged   int            // the recorded client gave up, so there is nothing to compare with
	Repeated   int            // sent once more beside, right after the first time
	Skipped    int            // not sent
	Reasons    map[string]int // why not
	Sequences  Sequences      // how the sequences went
	Unresolved []string       // names of the bindings whose producer answered without the value
	First      *Difference    // the first step that counts in Differed or Faults; nil where there is none
	Elapsed    time.Duration
}

// Difference is a step that did not go as it had been recorded.
type Difference struct {
	Seq      uint64
	Request  string // method and path as recorded, shortened; a query may hold what is not for all eyes
	Recorded string // a status or a fault
	Run      string
}

// String returns the difference as people read it.
func (d *Difference) String() string {
	return fmt.Sprintf("#%d %s: %s recorded, %s now", d.Seq, d.Request, d.Recorded, d.Run)
}

// String returns the summary in one line.
func (s Summary) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d sent, %d answered with the recorded status", s.Sent, s.Reproduced)
	if s.Late > 0 {
		fmt.Fprintf(&b, " (%d as recorded only after a delay, the last after %s)", s.Late, s.Longest.Round(time.Millisecond))
	}
	if s.Early > 0 {
		fmt.Fprintf(&b, " (%d with a later recorded answer)", s.Early)
	}
	fmt.Fprintf(&b, ", %d differently", s.Differed)
	if s.Expired > 0 {
		fmt.Fprintf(&b, " (%d with an expired token: give another with --auth)", s.Expired)
	}
	fmt.Fprintf(&b, ", %d failed", s.Faults)
	if s.Unjudged > 0 {
		fmt.Fprintf(&b, ", %d not comparable (the recorded client gave up)", s.Unjudged)
	}
	if s.Repeated > 0 {
		fmt.Fprintf(&b, ", %d sent again", s.Repeated)
	}
	if s.Skipped > 0 {
		fmt.Fprintf(&b, ", %d skipped (%s)", s.Skipped, strings.Join(slices.Sorted(maps.Keys(s.Reasons)), "; "))
	}
	if n := len(s.Unresolved); n > 0 {
		fmt.Fprintf(&b, ", %d bindings without a value (%s", n, strings.Join(s.Unresolved[:min(n, 3)], ", "))
		if n > 3 {
			b.WriteString(", …")
		}
		b.WriteByte(')')
	}
	if s.First != nil {
		fmt.Fprintf(&b, "; first difference: %s", s.First)
	}
	return b.String()
}

// Skip counts a request that was not sent, and why.
func (s *Summary) Skip(reason string) {
	if s.Reasons == nil {
		s.Reasons = map[string]int{}
	}
	s.Skipped++
	s.Reasons[reason]++
}

// Sequences says how the sequences of a run went.
type Sequences struct {
	Played     int        // those of which a step was sent and can be judged
	Reproduced int        // all steps of which went as recorded
	Differed   []Differed // the first that did not, in the order in which that showed, maxDiffered at most

	seen  []bool      // by number: those counted in Played
	where map[int]int // those that differed: one more than their place in Differed
}

// Differed is a sequence that did not go as recorded.
type Differed struct {
	Sequence int // its number, as the player's Sequence gives it
	Steps    int // how many of its steps differed
	First    Difference
}

// maxDiffered bounds how many sequences that differ are told apart.
const maxDiffered = 1000

// note counts a step of a sequence; d is nil where it went as recorded.
func (s *Sequences) note(sequence int, d *Difference) {
	for len(s.seen) <= sequence {
		s.seen = append(s.seen, false)
	}
	if !s.seen[sequence] {
		s.seen[sequence] = true
		s.Played++
		s.Reproduced++
	}
	if d == nil {
		return
	}
	at, known := s.where[sequence]
	switch {
	case !known:
		s.Reproduced--
		if len(s.Differed) < maxDiffered {
			s.Differed = append(s.Differed, Differed{Sequence: sequence, Steps: 1, First: *d})
		}
		if s.where == nil {
			s.where = map[int]int{}
		}
		s.where[sequence] = len(s.where) + 1
	case at <= len(s.Differed):
		s.Differed[at-1].Steps++
	}
}

// Note counts what a step of a sequence answered.
func (s *Summary) Note(e *exchange.Exchange, o *exchange.Observation, sequence int) {
	s.Sent++
	switch {
	case e.Fault != nil && e.Fault.Kind == exchange.FaultClient:
		s.Unjudged++
		return
	case o.Settling != nil && o.Settling.Settled:
		s.Late++
		s.Longest = max(s.Longest, o.Settling.After)
		s.Reproduced++
		s.Sequences.note(sequence, nil)
		return
	case outcome(e.Response, e.Fault) == outcome(o.Response, o.Fault):
		if o.Settling != nil && o.Settling.Early {
			s.Early++
		}
		s.Reproduced++
		s.Sequences.note(sequence, nil)
		return
	case o.Fault != nil:
		s.Faults++
	default:
		s.Differed++
		if o.Response != nil && o.Response.Status == 401 && e.Response != nil && e.Response.Status < 400 {
			s.Refused++
		}
		if flow.Expired(&o.Sent, e.Start, o.Start) {
			s.Expired++
		}
	}
	d := difference(e, o)
	if s.First == nil {
		s.First = d
	}
	s.Sequences.note(sequence, d)
}

// difference says how an observation is another than the recording.
func difference(e *exchange.Exchange, o *exchange.Observation) *Difference {
	path, _ := exchange.SplitTarget(e.Request.Target)
	return &Difference{
		Seq: e.Seq, Request: visible(e.Request.Method, 10) + " " + visible(path, 80),
		Recorded: outcome(e.Response, e.Fault), Run: outcome(o.Response, o.Fault),
	}
}

// visible returns the first n bytes of a text that a fuzzer may have made, fit for a terminal.
func visible(s string, n int) string {
	q := strconv.QuoteToASCII(s[:min(n, len(s))])
	return q[1 : len(q)-1]
}

// outcome is the status or the kind of fault.
func outcome(r *exchange.Response, f *exchange.Fault) string {
	if r != nil {
		return strconv.Itoa(r.Status)
	}
	if f != nil {
		return string(f.Kind)
	}
	return "nothing"
}

// meter counts steps and tells Progress now and then. It may be used by several goroutines at once.
type meter struct {
	mu    sync.Mutex
	total int
	tell  func(Progress)
	begun time.Time
	told  time.Time
	done  int
}

// tellEvery is how often Progress is told, at most.
const tellEvery = 100 * time.Millisecond

func newMeter(total int, tell func(Progress)) *meter {
	now := time.Now()
	return &meter{total: total, tell: tell, begun: now, told: now}
}

func (m *meter) elapsed() time.Duration { return time.Since(m.begun) }

func (m *meter) step() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done++
	if m.tell != nil && time.Since(m.told) >= tellEvery {
		m.told = time.Now()
		m.report()
	}
}

// finish tells how far the run is at its end.
func (m *meter) finish() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.report()
}

func (m *meter) report() {
	if m.tell == nil {
		return
	}
	spent := m.elapsed()
	m.tell(Progress{Done: m.done, Total: m.total, Elapsed: spent, Rate: float64(m.done) / max(spent.Seconds(), 1e-9)})
}
