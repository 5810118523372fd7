package mutant

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/words"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/request"
)

// sequel is what a survey knows of answers that came after others.
type sequel struct {
	past  map[exchange.Operation]*Past
	gave  map[string]exchange.Operation // which operation first gave a particular value
	pairs map[pair]map[exchange.Place]string
}

// pair is a kind of answers that could be given again in the place of others: the places at which they differ, and what
// these hold, are remembered.
type pair struct {
	op     exchange.Operation
	status int // of the answer that is replaced
	kind   Kind
}

// The bounds on what a sequel remembers.
const (
	maxGave  = 100_000 // values of answers
	maxShows = 100     // places of a pair
)

// AddExchange takes in an exchange of an operation that was answered, as [Survey.Add] does, and what its answer has to
// do with its request and with the answers before it. They come in the order in which they were made.
func (s *Survey) AddExchange(op exchange.Operation, e *exchange.Exchange) {
	if s.past == nil {
		s.past, s.gave = map[exchange.Operation]*Past{}, map[string]exchange.Operation{}
		s.pairs = map[pair]map[exchange.Place]string{}
	}
	sent := request.ValuesOf(&e.Request)
	var given []string
	s.add(op, e.Response, func(raw string) string {
		value, ok := particular(raw)
		if !ok {
			return ""
		}
		given = append(given, value)
		if len(sent[value]) > 0 {
			return "of the request at " + string(sent[value][0])
		}
		if from, ok := s.gave[value]; ok {
			return "that an answer to " + from.String() + " gave before"
		}
		return ""
	})
	for _, value := range given {
		if _, there := s.gave[value]; !there && len(s.gave) < maxGave {
			s.gave[value] = op
		}
	}
	if s.past[op] == nil {
		s.past[op] = &Past{}
	}
	a := s.past[op].add(e)
	for _, f := range faults() {
		if f.again != nil && whole(e.Response) {
			s.pair(pair{op, e.Response.Status, f.kind}, e.Response, f.again(a))
		}
	}
}

// particular returns the value of a raw token that is so particular that what repeats it means the same.
func particular(raw string) (string, bool) {
	value := raw
	if raw[0] == '"' {
		if len(raw) > request.MaxLen || json.Unmarshal([]byte(raw), &value) != nil {
			return "", false
		}
	}
	return value, len(value) <= request.MaxLen && words.Particular(value)
}

// pair remembers where an answer differs from one that could be given in its place.
func (s *Survey) pair(p pair, now, again *exchange.Response) {
	if again == nil || !differ(again, now) {
		return
	}
	if s.pairs[p] == nil {
		s.pairs[p] = map[exchange.Place]string{}
	}
	if again.Status != now.Status {
		s.pairs[p][exchange.PlaceStatus] = ""
	}
	for _, d := range compare.Responses(now, again) {
		if d.General.Root() != "body" || len(s.pairs[p]) >= maxShows {
			continue
		}
		if _, _, part := d.General.Text(); part {
			continue
		}
		if _, there := s.pairs[p][d.General]; !there {
			v := seen{}
			if d.Before != "" {
				v.hold(d.Before[:1], d.Before)
			}
			s.pairs[p][d.General] = v.held
		}
	}
}

// again returns the mutants that give an answer again. Each is named by a place at which that shows: one that stays as
// it is in other runs, where there is one.
func (s *Survey) again(judge func(op exchange.Operation, status int, place exchange.Place) Judgement) []Mutant {
	var out []Mutant
	for p, places := range s.pairs {
		var shows []Mutant
		for place, held := range places {
			known := judge(p.op, p.status, place)
			if known.Ignored {
				continue
			}
			m := Mutant{Operation: p.op, Status: p.status, Place: cmp.Or(known.Place, place), Kind: p.kind,
				Volatile: known.Volatile, Plausible: true}
			switch {
			case place == exchange.PlaceStatus:
				m.Held = strconv.Itoa(p.status)
			case !exchange.Secret(place):
				m.Held = held
			}
			shows = append(shows, m)
		}
		if len(shows) > 0 {
			out = append(out, slices.MinFunc(shows, clearer))
		}
	}
	return out
}

// clearer compares two mutants by how clear it is from their places that an answer is another one.
func clearer(a, b Mutant) int {
	rank := func(m Mutant) int {
		switch {
		case m.Volatile:
			return 2
		case m.Held == "":
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(len(a.Place), len(b.Place)),
		strings.Compare(string(a.Place), string(b.Place)))
}
