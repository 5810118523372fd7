package truth

import (
	"mime"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/flaketap/flaketap/exchange"
)

// parts is what an answer has, by place: arrays with *, objects by key. leaves are scalars and empty containers,
// holders the other containers; each with the raw text of every value that has the place.
type parts struct{ leaves, holders map[exchange.Place][]string }

// dissect returns the parts of an answer. A body that is no JSON is one part; one of JSON lines is that, and an array.
func dissect(s Seen) parts {
	p := parts{map[exchange.Place][]string{}, map[exchange.Place][]string{}}
	p.leaves[exchange.PlaceStatus] = []string{strconv.Itoa(s.Status)}
	for name, values := range s.Header {
		p.leaves[exchange.HeaderPlace(name)] = values
	}
	kind, _, _ := mime.ParseMediaType(s.Header.Get("Content-Type"))
	switch {
	case len(s.Body) == 0:
	case kind == "application/json" || strings.HasSuffix(kind, "+json"):
		p.walk(exchange.PlaceBody, gjson.ParseBytes(s.Body))
	case kind == "application/x-ndjson":
		p.holders[exchange.PlaceBody] = []string{string(s.Body)}
		gjson.ForEachLine(string(s.Body), func(line gjson.Result) bool {
			p.walk(exchange.PlaceBody.Each(), line)
			return true
		})
	default:
		p.leaves[exchange.PlaceBody] = []string{string(s.Body)}
	}
	return p
}

func (p parts) walk(at exchange.Place, v gjson.Result) {
	if !v.IsArray() && !v.IsObject() || len(v.Raw) == 2 {
		p.leaves[at] = append(p.leaves[at], v.Raw)
		return
	}
	p.holders[at] = append(p.holders[at], v.Raw)
	v.ForEach(func(key, value gjson.Result) bool {
		if v.IsArray() {
			p.walk(at.Each(), value)
		} else {
			p.walk(at.Key(key.String()), value)
		}
		return true
	})
}

// at returns all that has a place, in a form that compares with ==: the values of leaves in any order, containers as
// they are written.
func (p parts) at(place exchange.Place) string {
	var all []string
	for _, from := range []map[exchange.Place][]string{p.leaves, p.holders} {
		if values, ok := from[place]; ok || !strings.Contains(string(place), exchange.Wildcard) {
			all = append(all, values...)
			continue
		}
		for q, values := range from {
			if place.Matches(q) {
				all = append(all, values...)
			}
		}
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// unlabelled returns the places of an answer that no label is about.
func (p parts) unlabelled(labels []Label) (stray []exchange.Place) {
	for q := range p.leaves {
		// An empty array has the place of what else holds elements: a label about those is about it too.
		if !slices.ContainsFunc(labels, func(l Label) bool { return l.Place.Matches(q) || l.Place.Within(q.Each()) }) {
			stray = append(stray, q)
		}
	}
	slices.Sort(stray)
	return stray
}
