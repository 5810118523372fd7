package suite

import (
	"iter"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/history"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// maxObserved bounds how many different values of a place are gathered.
const maxObserved = 500

// siteOf is a place in the answers of an operation.
type siteOf struct {
	operation *mapfile.Operation
	place     exchange.Place
}

// textsAt returns the texts that stand at a place of the body in all answers of an operation, over the recording and
// all its runs, each once and in order. How texts are written, one test alone rarely shows.
func (p *patcher) textsAt(op *mapfile.Operation, place exchange.Place) []string {
	var out []string
	for _, v := range p.valuesAt(op, place) {
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	slices.Sort(out)
	return out
}

// valuesAt returns the values, but arrays and objects, that stand at a place of the body in all answers of an
// operation, each once.
func (p *patcher) valuesAt(op *mapfile.Operation, place exchange.Place) []any {
	at := siteOf{op, place}
	if p.values == nil {
		p.values = map[siteOf][]any{}
	}
	if values, ok := p.values[at]; ok {
		return values
	}
	found := map[string]bool{}
	var out []any
	for r := range p.answersOf(op) {
		history.Gather(r, place, func(v any) bool {
			if text := expr.Show(v); !found[text] {
				found[text] = true
				out = append(out, v)
			}
			return len(out) < maxObserved
		})
	}
	p.values[at] = out
	return out
}

// answersOf are all answers of an operation, over the recording and all its runs.
func (p *patcher) answersOf(op *mapfile.Operation) iter.Seq[*exchange.Response] {
	return func(yield func(*exchange.Response) bool) {
		for _, s := range p.src.Steps {
			if p.src.operation(s.Exchange) != op {
				continue
			}
			if !yield(s.Exchange.Response) {
				return
			}
			for _, o := range s.Observations {
				if o.Response != nil && o.Response.Status == op.Status && !yield(o.Response) {
					return
				}
			}
		}
	}
}
