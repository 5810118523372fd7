package setup

import (
	"context"
	"slices"

	"github.com/flaketap/flaketap/exchange"

	"github.com/flaketap/flaketap/internal/bisect"
)

// pollution proves which of the calls that the suite sent before a test pollute it: with them before the test and its
// graft the wanted does not come true. Those that the data flow names are tried first; where it names none, and the
// suite's own executions contradict what holds on a fresh start, all that was before it is halved.
func (q *inquiry) pollution(ctx context.Context, found *Found, before []Ran) error {
	named := found.Polluters
	found.Polluters = nil
	if len(before) == 0 || !found.Proven && len(q.alone) > 0 {
		found.Polluters = named // nothing is known to hold that could be kept from holding
		return nil
	}
	for _, x := range named {
		i := slices.IndexFunc(before, func(r Ran) bool { return r.File == x.File && r.Test == x.Test && r.Call == x.Call })
		if i < 0 {
			continue
		}
		spoils, err := q.spoils(ctx, found.Graft, before[i:i+1])
		if err != nil {
			found.Polluters = append(found.Polluters, x)
			return err
		}
		if !spoils {
			continue
		}
		found.Polluters = append(found.Polluters, x)
	}
	if len(found.Polluters) > 0 || !isContradicted(q.test) {
		return nil
	}
	x, err := q.last(ctx, found.Graft, before)
	if x != nil {
		found.Polluters = append(found.Polluters, *x)
	}
	return err
}

// isContradicted reports whether an execution of the suite contradicted a claim.
func isContradicted(test []Wanted) bool {
	for _, w := range test {
		for _, r := range w.Seen {
			for _, c := range w.Claims {
				if ok, known := Satisfies(c, r); known && !ok {
					return true
				}
			}
		}
	}
	return false
}

// spoils reports whether the wanted does not come true with some calls before it.
func (q *inquiry) spoils(ctx context.Context, g Graft, before []Ran) (bool, error) {
	var sent []*exchange.Exchange
	for _, r := range before {
		sent = append(sent, r.Exchange)
	}
	t, err := q.try(ctx, loose(g), sent)
	return err == nil && !q.hit(t), err
}

// last finds the last call of the shortest beginning of the suite that spoils a test. It is nil where all of it does
// not, or where that call does not by itself.
func (q *inquiry) last(ctx context.Context, g Graft, before []Ran) (*Polluter, error) {
	if spoils, err := q.spoils(ctx, g, before); err != nil || !spoils {
		return nil, err
	}
	enough, err := bisect.Shortest(len(before), func(n int) (bool, error) { return q.spoils(ctx, g, before[:n]) })
	if err != nil {
		return nil, err
	}
	ran := before[enough-1]
	if spoils, err := q.spoils(ctx, g, before[enough-1:enough]); err != nil || !spoils {
		return nil, err
	}
	target, _ := exchange.SplitTarget(ran.Exchange.Request.Target)
	return &Polluter{File: ran.File, Test: ran.Test, Call: ran.Call, Request: ran.Exchange.Request.Method + " " +
		target}, nil
}
