package suite

import (
	"bytes"
	"math/big"
	"slices"
	"strings"
	"unicode"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// What follows the state is the same in all executions that begin alike, and another in the next order of the tests.
// Where no trial shows it, the recording does: by a request that was answered otherwise at another time, by numbers
// that are counted on.

// followsState reports whether the body that answers a call follows the state: an assertion about it was weakened for
// that, or the same request was answered otherwise in the recording.
func (p *patcher) followsState(t *script.Test, call int, of *exchange.Step) bool {
	if slices.ContainsFunc(t.Assertions, func(a *script.Assertion) bool {
		return a.Call == call && slices.ContainsFunc(p.out.Changes, func(c Change) bool {
			return c.Test == t.Name && c.Line == a.At.FirstLine && c.Category == mapfile.State
		})
	}) {
		return true
	}
	e := of.Exchange
	body, _ := e.Response.Payload()
	return slices.ContainsFunc(p.src.Steps, func(s exchange.Step) bool {
		if s.Exchange == e || s.Exchange.Response == nil || exchange.Exact(s.Exchange) != exchange.Exact(e) {
			return false
		}
		other, _ := s.Exchange.Response.Payload()
		return s.Exchange.Response.Status != e.Response.Status || !bytes.Equal(body, other)
	})
}

// counted returns the names of members whose numbers are counted on: over the answers of some operation they differ,
// and never become less.
func (p *patcher) counted() map[string]bool {
	if p.counters != nil {
		return p.counters
	}
	type member struct {
		op   exchange.Operation
		name string
	}
	last, moved, back := map[member]*big.Int{}, map[member]bool{}, map[member]bool{}
	for _, s := range p.src.Steps {
		if s.Exchange.Response == nil {
			continue
		}
		v, _ := expr.NewResponse(s.Exchange.Response, nil).JSON()
		object, _ := v.(map[string]any)
		for name, v := range object {
			n, ok := v.(*big.Int)
			if !ok {
				continue
			}
			at := member{p.src.Operations[s.Exchange.Seq], name}
			if was := last[at]; was != nil {
				moved[at] = moved[at] || n.Cmp(was) > 0
				back[at] = back[at] || n.Cmp(was) < 0
			}
			last[at] = n
		}
	}
	p.counters = map[string]bool{}
	for at := range moved {
		if moved[at] && !back[at] {
			p.counters[at.name] = true
		}
	}
	return p.counters
}

// headerOf is a header of an operation's answers, by the name of the operation with its status.
type headerOf struct{ operation, name string }

// goesWith reports whether a header is the same in the answers to different requests of an operation, as recorded: what
// follows the state is not.
func (p *patcher) goesWith(op *mapfile.Operation, name string) bool {
	var first []string
	requests := map[string]bool{}
	for _, s := range p.src.Steps {
		if s.Exchange.Response == nil || p.src.operation(s.Exchange) != op {
			continue
		}
		values := s.Exchange.Response.Header.Values(name)
		if len(requests) > 0 && !slices.Equal(values, first) {
			return false
		}
		first = values
		requests[exchange.Exact(s.Exchange).String()] = true
	}
	return len(requests) > 1
}

// counts reports whether a value is one of those that are counted on, and not one that the call itself sends.
func (p *patcher) counts(c *script.Call, at expr.Expr, v any) bool {
	i, _ := at.(expr.Index)
	name, _ := i.I.(expr.Str)
	n, ok := v.(*big.Int)
	return ok && p.counted()[name.Value] && !slices.Contains(strings.FieldsFunc(c.Target+" "+c.Body, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), n.String())
}
