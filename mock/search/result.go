package search

import (
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock/search/bound"
	"github.com/flaketap/flaketap/mock/search/pace"
)

// Behavior is one that was found, and confirmed.
type Behavior struct {
	Request  Request
	Status   int
	End      End
	Shape    string
	Calls    []Call // as the smallest stubs lead to them
	Findings []Finding
	Stubs    []byte // the smallest that reach it, as WireMock's mappings
	Trial    int    // in which it was first seen
	Asked    []Endpoint
	Proofs   [][]*exchange.Exchange // the trials with these stubs, as they were recorded
	Pace     pace.Class             // where it tells the behavior from another
	Whole    *Whole                 // nil: none are known
	Wait     bound.Wait             // what came of waiting longer, where its [End] is Hung

	setting setting
	hunt    *hunt
	sight   sight
	body    []byte
	paced   bool // its pace alone tells it from another
}

// Whole are stubs that reach a behavior, too, and whose answers are as whole as good ones; package whole finds them.
type Whole struct {
	Stubs  []byte
	Proofs [][]*exchange.Exchange
}

// Result is what a search found.
type Result struct {
	Behaviors  []*Behavior
	Fields     []Field
	Surfacings []Surfacing
	// Unsteady are requests that nothing was searched of: with no stubs they ended otherwise each time.
	Unsteady []Request
	// Unbegun are those of which nothing was searched for another reason: the search ended before what they do with no
	// stubs was confirmed.
	Unbegun []Request
}

// unsearched are the requests that have no behavior to begin with, by why that is.
func (s *searcher) unsearched() (unsteady, unbegun []Request) {
	for _, h := range s.hunts {
		switch {
		case len(h.seen) > 0:
		case h.unsteady:
			unsteady = append(unsteady, h.request)
		default:
			unbegun = append(unbegun, h.request)
		}
	}
	return unsteady, unbegun
}
