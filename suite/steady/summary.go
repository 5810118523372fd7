package steady

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// Summary is what came of a run.
type Summary struct {
	Requests int // that came in whole
	Found    int // of them, those that repeat a recorded one
	Same     int // answers of these in which nothing moved
	Answers  int // answers in which something was replaced

	Held    map[mapfile.Category]int // values that were replaced by recorded ones, by why they move
	Ids     int                      // values that were translated
	Ordered int                      // arrays that were put back in order

	Raw     []RawCount // what passed as it is, the most frequent first
	Passed  int        // how often that was
	Dropped int        // kinds of it that are not listed
}

// RawCount says how often something passed as it is, and why.
type RawCount struct {
	Operation exchange.Operation
	Place     exchange.Place // array indexes are wildcards; "" for an answer as a whole
	Reason    string
	Count     int
}

// maxRawKinds bounds the kinds of raw values that are told apart.
const maxRawKinds = 1000

// add takes the report of one answer in.
func (s *Summary) add(r *report) {
	if r.found {
		s.Found++
	}
	if r.same {
		s.Same++
	}
	if len(r.held) > 0 || r.ids > 0 || r.ordered > 0 {
		s.Answers++
	}
	for c, n := range r.held {
		if s.Held == nil {
			s.Held = map[mapfile.Category]int{}
		}
		s.Held[c] += n
	}
	s.Ids += r.ids
	s.Ordered += r.ordered
	for _, raw := range r.raw {
		s.Passed++
		kind := RawCount{Operation: raw.Operation, Place: raw.general, Reason: raw.Reason}
		i := slices.IndexFunc(s.Raw, func(x RawCount) bool {
			return x.Operation == kind.Operation && x.Place == kind.Place && x.Reason == kind.Reason
		})
		switch {
		case i >= 0:
			s.Raw[i].Count++
		case len(s.Raw) < maxRawKinds:
			kind.Count = 1
			s.Raw = append(s.Raw, kind)
		default:
			s.Dropped++
		}
	}
}

// clone returns a copy with the raw values in their order.
func (s *Summary) clone() Summary {
	out := *s
	out.Held, out.Raw = maps.Clone(s.Held), slices.Clone(s.Raw)
	slices.SortStableFunc(out.Raw, func(a, b RawCount) int {
		return cmp.Or(-cmp.Compare(a.Count, b.Count), cmp.Compare(a.Operation.String(), b.Operation.String()),
			cmp.Compare(a.Place, b.Place))
	})
	return out
}

// HeldValues returns how many values were replaced.
func (s *Summary) HeldValues() int {
	n := 0
	for _, k := range s.Held {
		n += k
	}
	return n
}

// report is what came of one answer.
type report struct {
	found, same  bool
	held         map[mapfile.Category]int
	ids, ordered int
	raw          []Raw
}

// maxRawOfOne bounds the raw values of one answer that are reported.
const maxRawOfOne = 100

func (r *report) hold(c mapfile.Category) {
	if r.held == nil {
		r.held = map[mapfile.Category]int{}
	}
	r.held[c]++
}

// maxExplained bounds the reasons that go into one answer.
const maxExplained = 10

// explained puts the reasons into the head of an answer.
func (r *report) explained(m *exchange.Message) *exchange.Message {
	if m == nil {
		return nil
	}
	n := r.ids + r.ordered
	for _, k := range r.held {
		n += k
	}
	lines := []string{fmt.Sprintf("held %d, raw %d", n, len(r.raw))}
	for i, raw := range r.raw {
		if i == maxExplained {
			break
		}
		text := "raw " + string(raw.Place) + ": " + raw.Reason
		if raw.Place == "" {
			text = "raw: " + raw.Reason
		}
		lines = append(lines, text)
	}
	return &exchange.Message{Head: withFields(m.Head, Header, lines), Body: m.Body}
}
