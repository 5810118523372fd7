package mocked

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// The order of calls that an API makes side by side says nothing. A machine with little to do shows them under way at
// the same time, one that is busy may show one after the other, in either order. So what is known of two calls in one
// trial counts for all behaviors: a test that makes both asserts its calls in any order.

// sideBySide are the calls that were made side by side, by what names the two.
type sideBySide map[[2]string]bool

func (s sideBySide) add(a, b mock.Asked) {
	pair := [2]string{named(a), named(b)}
	slices.Sort(pair[:])
	s[pair] = true
}

// named is what a call is known by in other trials: its query and body may be others there.
func named(c mock.Asked) string {
	path, _, _ := strings.Cut(c.Target, "?")
	return strings.Join([]string{c.Service, c.Method, path}, " ")
}

// learn takes what the trials of one behavior show.
func (s sideBySide) learn(trials []mock.Noted) {
	for _, t := range trials {
		for _, of := range t.Beside {
			first, last := max(of[0], 0), min(of[1], len(t.Calls)-1)
			for i := first; i <= last; i++ {
				for _, before := range t.Calls[first:i] {
					s.add(before, t.Calls[i])
				}
			}
		}
	}
	first := trials[0].Calls
	known := occurrences(first)
	for _, t := range trials[1:] {
		s.turned(first, known, occurrences(t.Calls))
	}
}

// turned takes calls that came the other way round in another trial: the first call of one text, the second, and so on
// of the one trial are those of the other. calls are those of the first trial, known and others what names them.
func (s sideBySide) turned(calls []mock.Asked, known, others []occurrence) {
	in := map[occurrence]int{}
	for i, o := range others {
		in[o] = i + 1
	}
	at := make([]int, len(known)) // in the other trial, from 1
	for i, o := range known {
		at[i] = in[o]
	}
	if slices.IsSorted(slices.DeleteFunc(slices.Clone(at), func(i int) bool { return i == 0 })) {
		return // none changed places, which is so for the most part, and there may be many
	}
	for i, a := range at {
		for k, b := range at[i+1:] {
			if b > 0 && b < a {
				s.add(calls[i], calls[i+1+k])
			}
		}
	}
}

// occurrence is which of the equal calls of a trial a call is.
type occurrence struct {
	text   string
	number int
}

// occurrences are the calls of a trial by what names them in others, so that a call that is made again later is not
// taken for one that has changed places.
func occurrences(calls []mock.Asked) (out []occurrence) {
	times := map[string]int{}
	for _, c := range calls {
		text := same(c)
		times[text]++
		out = append(out, occurrence{text, times[text]})
	}
	return out
}

// same is the same text for equal calls.
func same(c mock.Asked) string {
	c.Times = 0
	out, _ := json.Marshal(c) // it was JSON
	return string(out)
}

// among reports whether some of calls are made side by side.
func (s sideBySide) among(calls []mock.Asked) bool {
	times := map[string]int{}
	for _, c := range calls {
		times[named(c)]++
	}
	for pair := range s {
		if a, b := pair[0], pair[1]; times[a] > 0 && times[b] > 0 && (a != b || times[a] > 1) {
			return true
		}
	}
	return false
}

// late reports whether some answer comes late. An API that gives it up asks for the next while it is under way, and yet
// one after the other: that says nothing of other behaviors.
func late(stubs []byte) bool {
	all, err := mock.ParseStubs(stubs, mock.NoFile)
	return err == nil && slices.ContainsFunc(all, func(s mock.Stub) bool { return s.Response.Delay > 0 })
}

// alike reports whether all trials made the same calls, in whatever order, though with other values, perhaps.
func alike(trials []mock.Noted) bool {
	names := func(t mock.Noted) (out []string) {
		for _, c := range t.Calls {
			out = append(out, named(c))
		}
		slices.Sort(out)
		return out
	}
	return !slices.ContainsFunc(trials, func(t mock.Noted) bool { return !slices.Equal(names(trials[0]), names(t)) })
}

// journals are what the trials of a behavior noted, and the trials with their journals as tests are told them.
func journals(trials [][]*exchange.Exchange) (noted []mock.Noted, bare [][]*exchange.Exchange, err error) {
	if len(trials) == 0 {
		return nil, nil, errors.New("no trial of it is stored")
	}
	for _, trial := range trials {
		if len(trial) != 2 || trial[1].Response == nil {
			return nil, nil, errors.New("a trial of it is not stored as a whole")
		}
		var n mock.Noted
		payload, err := trial[1].Response.Payload()
		if err == nil {
			err = json.Unmarshal(payload, &n)
		}
		if err != nil {
			return nil, nil, errors.New("what was asked in a trial of it is not stored as a whole")
		}
		noted, bare = append(noted, n), append(bare, journaling(trial, map[string]any{"calls": listed(n.Calls)}))
	}
	return noted, bare, nil
}

// listed are calls as a journal lists them: where there are none, as an empty list.
func listed(calls []mock.Asked) []mock.Asked { return append([]mock.Asked{}, calls...) }

// journaling is a trial with another journal.
func journaling(trial []*exchange.Exchange, journal any) []*exchange.Exchange {
	body, _ := json.Marshal(journal) // bodies are JSON by construction
	other := *trial[1]
	other.Response = exchange.ParseResponse(exchange.Message{Head: other.Response.Head, Body: body})
	return []*exchange.Exchange{trial[0], &other}
}

// sorted is a trial whose journal lists the calls in an order that says nothing.
func sorted(trial []*exchange.Exchange, calls []mock.Asked) []*exchange.Exchange {
	calls = listed(calls)
	slices.SortFunc(calls, func(a, b mock.Asked) int {
		return cmp.Or(strings.Compare(named(a), named(b)), strings.Compare(same(a), same(b)))
	})
	return journaling(trial, map[string]any{"calls": calls})
}

// stateOrder has the map say that the calls come in any order.
func stateOrder(src *suite.Source) {
	step := src.Steps[1]
	op := src.Map.Operation(src.Operations[step.Exchange.Seq], step.Exchange.Response.Status)
	if op == nil {
		return
	}
	op.Fields = slices.DeleteFunc(op.Fields, func(f *mapfile.Field) bool { return f.Place == callsPlace })
	op.Fields = append(op.Fields, &mapfile.Field{Place: callsPlace, Judgement: mapfile.WouldMove, Category: mapfile.Unord,
		Of: len(step.Observations), Holds: mapfile.Holds{Type: "array", Order: "any"}})
	op.Index()
}
