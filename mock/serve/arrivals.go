package serve

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/mock/archive"
	"github.com/flaketap/flaketap/mock/search"
)

// Bounds of the requests that are taken of those that come while a search goes on.
const (
	maxArrivals  = 100
	perOperation = 3
)

// arrivals chooses, of requests that come one by one, those that are searched: one of each operation and shape, which
// is at which places it has values, whatever these are. What it was answered does not count: that follows the services.
type arrivals struct {
	known  []*exchange.Exchange // that are searched
	shapes []string
	taken  int // how many of these are not searched anyway
}

// has notes a request that is searched.
func (a *arrivals) has(e *exchange.Exchange) {
	a.known, a.shapes = append(a.known, e), append(a.shapes, placed(e))
}

// take returns what is to be searched of an exchange; news is false where one like it was taken before, where there are
// as many as there may be, and where it cannot be sent again.
func (a *arrivals) take(e *exchange.Exchange) (r search.Request, news bool) {
	if e.Request.Malformed || e.Unsendable() != "" || !strings.HasPrefix(e.Request.Target, "/") || e.Response == nil {
		return r, false
	}
	if a.taken >= maxArrivals {
		return r, false
	}
	operations, shape, alike := flow.Templates(append(slices.Clip(a.known), e)), placed(e), 0
	for i := range a.known {
		if operations[i] != operations[len(a.known)] {
			continue
		}
		if alike++; alike >= perOperation || a.shapes[i] == shape {
			return r, false
		}
	}
	if r, news = archive.RequestOf(e); news {
		a.has(e)
		a.taken++
	}
	return r, news
}

// placed are the places in query and body at which a request has values: of lists, those of their elements together.
func placed(e *exchange.Exchange) string {
	var out []string
	for _, site := range message.SitesOutsideHeader(&e.Request) {
		if site.Place.Root() == "path" {
			continue
		}
		p := site.Place.Segments()
		for i, segment := range p {
			if i > 0 && message.IsIndex(segment) {
				p[i] = exchange.Wildcard
			}
		}
		out = append(out, strings.Join(p, "/"))
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), " ")
}
