package across

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/notation"
	"github.com/flaketap/flaketap/volatility/request"
)

// known is all that can be asked of a state.
type known struct {
	Hosts   []string
	Fits    []string
	Sent    []string
	Created int
	Held    int
	Writes  map[int]time.Time
	Starts  map[int]time.Time
}

func (s *State) known() known {
	k := known{Hosts: s.Hosts.list, Sent: slices.Sorted(maps.Keys(s.Sent)), Created: len(s.Made), Held: s.Held,
		Writes: maps.Clone(s.writes), Starts: maps.Clone(s.starts)}
	for value := range 4 {
		for run := range 3 {
			for other := range 4 {
				fits := s.Bound.Fits(notation.ScalarOf(fmt.Sprint(1000+value)), notation.ScalarOf(fmt.Sprint(2000+other)), run)
				k.Fits = append(k.Fits, fmt.Sprint(value, run, other, fits))
			}
		}
	}
	return k
}

// TestJournal: a part that takes in what the journal says knows what who sees all steps knows, whenever it asks, and
// whatever it has seen itself.
func TestJournal(t *testing.T) {
	began := time.Unix(1_700_000_000, 0).UTC()
	var bindings []exchange.Binding
	for v := range 4 {
		bindings = append(bindings, exchange.Binding{Value: fmt.Sprint(1000 + v), Producer: exchange.Ref{Seq: uint64(v), Place: "/body/id"}})
	}
	begin := func() *State {
		return NewState(exchange.Recording{Passes: []exchange.Pass{{Number: 1, Started: began}, {Number: 2}}},
			[]exchange.Run{{Number: 1, Started: began}, {Number: 2}}, request.NewEarlier(bindings, nil))
	}
	rapid.Check(t, func(t *rapid.T) {
		const parts = 3
		all := begin()
		j := NewJournal(all, parts)
		var apart [parts]*State
		for i := range apart {
			apart[i] = begin()
		}
		small := rapid.IntRange(0, 3)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			part := small.Draw(t, "part") % parts
			for _, e := range j.Since(part) {
				apart[part].Take(e)
			}
			if diff := cmp.Diff(all.known(), apart[part].known()); diff != "" {
				t.Fatalf("part %d knows something else:\n%s", part, diff)
			}
			kind, n, run := rapid.IntRange(1, 7).Draw(t, "kind"), small.Draw(t, "n"), small.Draw(t, "run")
			at := began.Add(time.Duration(small.Draw(t, "at")-2) * time.Second)
			for _, s := range []*State{all, apart[part]} { // its own step
				switch Kind(kind) {
				case Host:
					s.AskedFor(fmt.Sprintf("api-%d:80", n))
				case Sent:
					s.Sends(request.Values{fmt.Sprintf("2020-01-0%d", n+1): nil})
				case Created:
					s.Creates("at", fmt.Sprintf(`"2020-01-0%d"`, n+1))
				case Learned:
					body := fmt.Appendf(nil, `{"id":%d}`, 2000+run)
					s.Learn(uint64(n), &exchange.Observation{Run: run, Response: &exchange.Response{Status: 200,
						Message: exchange.Message{Body: body, Plain: true}}})
				case Started:
					s.StartOf(run-2, at)
				case Wrote:
					s.Wrote(run, at)
				case Held:
					s.Held += n
				}
			}
			if j.Saw(part); len(j.Since(part)) > 0 {
				t.Fatalf("part %d is told what came about in its own step", part)
			}
		}
	})
}

// TestJournalForgets: what all parts know is not kept, and none is told twice.
func TestJournalForgets(t *testing.T) {
	s := NewState(exchange.Recording{}, nil, request.NewEarlier(nil, nil))
	j := NewJournal(s, 2)
	told := [2]int{}
	for i := range 3 * maxNews {
		s.Creates("at", fmt.Sprint(i))
		told[0] += len(j.Since(0))
		for part := 0; j.Full() && part < 2; part++ {
			told[part] += len(j.Since(part))
		}
		if len(j.news) > maxNews {
			t.Fatalf("%d events are kept", len(j.news))
		}
	}
	told[1] += len(j.Since(1))
	if want := min(3*maxNews, maxCreatedDates); told[0] != want || told[1] != want {
		t.Errorf("told %v, of %d", told, want)
	}
}

// TestDivide: parts have about as many exchanges each, and which operation is in which does not depend on chance.
func TestDivide(t *testing.T) {
	operations := map[uint64]exchange.Operation{}
	for seq := range uint64(100) {
		operations[seq] = exchange.Operation{Method: "GET", Template: fmt.Sprint("/", min(seq%9, 6))}
	}
	of := Divide(operations, 3)
	var sizes [3]int
	for _, op := range operations {
		sizes[of[op]]++
	}
	if slices.Min(sizes[:]) < 30 {
		t.Errorf("of a hundred exchanges parts have %v", sizes)
	}
	for range 20 {
		if again := Divide(operations, 3); !maps.Equal(of, again) {
			t.Fatalf("%v, and %v", of, again)
		}
	}
}
