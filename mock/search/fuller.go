package search

import (
	"github.com/flaketap/flaketap/mock/search/tree"
	"github.com/flaketap/flaketap/mock/search/typical"
)

// follows is the good answer that is tried behind a failure of an endpoint: that of the base where the request goes
// well with it and it has no less than the one that led furthest, which may lack what the API can do without.
func (h *hunt) follows(l *lister, current Answer) Answer {
	best := h.known.best(l.endpoint, h, current)
	well := l.base.answered(l.endpoint) && l.base.sight.status/100 == 2
	if well && len(tree.Places(current.JSON)) >= len(tree.Places(best.JSON)) {
		return current
	}
	return best
}

// enlarge adds the good answer with all numbers large that are 1, where the request goes well: a share of 1 is none,
// and nobody is asked for it.
func (h *hunt) enlarge(l *lister, current Answer) {
	if !l.base.answered(l.endpoint) || l.base.sight.status/100 != 2 {
		return
	}
	var is bool
	if current.JSON, is = typical.Enlarged(current.JSON); is {
		l.add(value, 0, "large numbers", current).enlarged = true
	}
}
