package suite

import (
	"maps"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// maxObserved bounds how many different texts of a place are gathered.
const maxObserved = 500

// siteOf is a place in the answers of an operation.
type siteOf struct {
	operation *mapfile.Operation
	place     exchange.Place
}

// textsAt returns the texts that stand at a place of the body in all answers of an operation, over the recording and
// all its runs, each once and in order. How texts are written, one test alone rarely shows.
func (p *patcher) textsAt(op *mapfile.Operation, place exchange.Place) []string {
	at := siteOf{op, place}
	if p.texts == nil {
		p.texts = map[siteOf][]string{}
	}
	if texts, ok := p.texts[at]; ok {
		return texts
	}
	found := map[string]bool{}
	for _, s := range p.src.Steps {
		if p.src.operation(s.Exchange) != op {
			continue
		}
		gatherTexts(found, s.Exchange.Response, place)
		for _, o := range s.Observations {
			if o.Response != nil && o.Response.Status == op.Status {
				gatherTexts(found, o.Response, place)
			}
		}
	}
	p.texts[at] = slices.Sorted(maps.Keys(found))
	return p.texts[at]
}

// gatherTexts adds the texts that stand at a place, with wildcards, of the body of an answer.
func gatherTexts(found map[string]bool, r *exchange.Response, place exchange.Place) {
	gather(r, place, func(v any) bool {
		if s, ok := v.(string); ok {
			found[s] = true
		}
		return len(found) < maxObserved
	})
}

// gather calls a function for each value that is no array and no object and stands at a place, with wildcards, of the
// body of an answer, until it has had enough.
func gather(r *exchange.Response, place exchange.Place, take func(v any) bool) {
	if r == nil || place.Root() != "body" {
		return
	}
	root, err := expr.NewResponse(r, nil).JSON()
	if err != nil {
		return
	}
	more := true
	var walk func(v any, at exchange.Place)
	walk = func(v any, at exchange.Place) {
		if !more {
			return
		}
		switch v := v.(type) {
		case expr.Items:
			for i, e := range v {
				walk(e, at.Index(i))
			}
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(v)) {
				walk(v[k], at.Key(k))
			}
		default:
			if place.Matches(at) {
				more = take(v)
			}
		}
	}
	walk(root, exchange.PlaceBody)
}
