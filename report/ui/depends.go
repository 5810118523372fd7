package ui

import (
	"maps"
	"net/http"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/report/inspect"
)

// dependsView says what an exchange takes from earlier ones, and what it gives to later ones.
type dependsView struct {
	N      uint64
	Name   string
	Age    age
	Takes  []linkView
	Gives  []linkView
	Before []exchangeName // all that it needs before it, in order
	After  []exchangeName // all that needs it
	More   int            // links for which there is no room
}

// linkView is a value that goes from one exchange to another.
type linkView struct {
	Name, Value string
	Here, There exchange.Place // where it stands in this exchange, and in the other
	Other       exchangeName
	Proof       string // what runs say of it
	State       string
}

// exchangeName names an exchange.
type exchangeName struct {
	N    uint64
	Name string
}

// The bounds on what is told of dependences.
const (
	maxLinks = 200
	maxChain = 200
)

func showDepends(s *Server, r *http.Request) (any, error) {
	at, step, done, err := s.step(r)
	if err != nil {
		return nil, err
	}
	defer done()
	j, err := s.judge.get(r.Context())
	if err != nil {
		return nil, err
	}
	n := step.Exchange.Seq
	v := dependsView{N: n, Age: s.age(j), Name: at.name(n).Name}
	needs, needed := edges{}, edges{}
	for i, b := range j.bound.Found {
		for _, use := range b.Uses {
			needs.add(use.Seq, b.Producer.Seq)
			needed.add(b.Producer.Seq, use.Seq)
			if use.Seq != n && b.Producer.Seq != n {
				continue
			}
			if len(v.Takes)+len(v.Gives) == maxLinks {
				v.More++
				continue
			}
			proof := j.bound.Proof(i)
			link := linkView{Name: report.ShowEnds(b.Name, maxShown), State: string(proof.State), Proof: proof.Evidence(),
				Value: report.ShowEnds(inspect.BoundValue(b, j.result.Redactor), maxShown)}
			from, to := j.result.Redactor.ShowPlace(b.Producer.Place), j.result.Redactor.ShowPlace(use.Place)
			if use.Seq == n {
				link.Here, link.There, link.Other = to, from, at.name(b.Producer.Seq)
				v.Takes = append(v.Takes, link)
			} else {
				link.Here, link.There, link.Other = from, to, at.name(use.Seq)
				v.Gives = append(v.Gives, link)
			}
		}
	}
	v.Before, v.After = at.names(needs.reach(n)), at.names(needed.reach(n))
	return v, nil
}

// name names an exchange by its request.
func (s *snapshot) name(seq uint64) exchangeName {
	e, err := s.db.Exchange(seq)
	if err != nil || seq > s.recording.Count {
		return exchangeName{seq, "cannot be read"}
	}
	entry := inspect.Entry(e, s.redactor)
	return exchangeName{seq, report.Show(entry.Method, 12) + " " + report.ShowEnds(entry.RequestTarget, maxShown)}
}

func (s *snapshot) names(seqs []uint64) []exchangeName {
	var out []exchangeName
	for _, seq := range seqs[:min(len(seqs), maxChain)] {
		out = append(out, s.name(seq))
	}
	return out
}

// edges lead from exchanges to others.
type edges map[uint64][]uint64

func (e edges) add(from, to uint64) { e[from] = append(e[from], to) }

// reach is what can be come to from an exchange, in the order of the recording.
func (e edges) reach(from uint64) []uint64 {
	seen := map[uint64]struct{}{from: {}}
	for open := []uint64{from}; len(open) > 0; {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		for _, to := range e[at] {
			if _, ok := seen[to]; !ok {
				seen[to] = struct{}{}
				open = append(open, to)
			}
		}
	}
	delete(seen, from)
	return slices.Sorted(maps.Keys(seen))
}
