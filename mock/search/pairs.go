package search

import (
	"fmt"
	"slices"

	"github.com/flaketap/flaketap/mock/search/tree"
	"github.com/flaketap/flaketap/mock/search/typical"
)

// maxPairs is with how many answers of other bases a base is tried.
const maxPairs = 8

// pairs lists the answers of other endpoints that led to behaviors of their own, to be tried beside the one that led to
// a base: what two of them do together shows with neither alone. Those count where the request goes well, as what fails
// ends it before the other one matters; the last ones, which had most beside them, come first.
func (h *hunt) pairs(b *base) []change {
	if !b.goesWell() {
		return nil
	}
	l := &lister{base: b}
	for _, o := range slices.Backward(h.bases) {
		a, set := o.setting[o.changed]
		if len(l.out) >= maxPairs || !set || o == b || o.changed == b.changed || !o.goesWell() ||
			!slices.Contains(b.endpoints, o.changed) || digest(a) == digest(b.setting[o.changed]) {
			continue
		}
		l.endpoint = o.changed
		l.add(pairing, len(l.out), fmt.Sprintf("beside another %x", digest(a)), a).pairs = true
	}
	return l.out
}

// goesWell reports whether the request succeeded, by an answer that was changed.
func (b *base) goesWell() bool { return b.sight.status/100 == 2 && b.changed != Endpoint{} }

// follows is the good answer that is tried behind a failure of an endpoint: that of the base where the request goes well
// with it and it has no less than the one that led furthest, which may lack what the API can do without.
func (h *hunt) follows(l *lister, current Answer) Answer {
	best := h.known.best(l.endpoint, h, current)
	if l.base.answered(l.endpoint) && l.base.sight.status/100 == 2 && len(tree.Places(current.JSON)) >= len(tree.Places(best.JSON)) {
		return current
	}
	return best
}

// enlarge adds the good answer with all numbers large that are 1, where the request goes well: a share of 1 is none, and
// nobody is asked for it.
func (h *hunt) enlarge(l *lister, current Answer) {
	if !l.base.answered(l.endpoint) || l.base.sight.status/100 != 2 {
		return
	}
	var is bool
	if current.JSON, is = typical.Enlarged(current.JSON); is {
		l.add(value, 0, "large numbers", current).enlarged = true
	}
}
