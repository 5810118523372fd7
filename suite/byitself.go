package suite

import (
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// Executions with the tests in another order say nothing against what a test asserts in its own: what others did before
// may make the difference. They do where a thing that the test itself made is seen to come to another value while the
// test only reads it: then it is time that passes, of which a slow machine has as much in any order. And they do where
// a test flakes: one order of the tests is no reason for two outcomes.

// inAnotherOrder weakens the assertions of a test whose values move on by themselves, and where it flakes, all that
// some execution does not contradict and another does, or that lie on a place which moves; it keeps the others.
func (p *patcher) inAnotherOrder(t *script.Test) {
	flakes := p.flaking(t.Name)
	p.known, p.remarks = map[placeOf]mapfile.Category{}, nil
	trials := p.trials(t)
	for _, a := range t.Assertions {
		switch {
		case len(a.Uses) > 0:
			p.shared(t, a)
		case flakes && !alwaysFails(a, trials), p.movesByItself(t, a, trials):
			p.assertion(t, a, trials)
		default:
			p.out.Kept++
		}
	}
	p.agree(t)
}

// alwaysFails reports whether each execution that comes to an assertion contradicts it.
func alwaysFails(a *script.Assertion, trials []expr.Scope) bool {
	if a.Meaning == nil {
		return false
	}
	seen, failed := hold(a.Meaning, trials)
	return failed > 0 && failed == len(seen)
}

// movesByItself reports whether in some execution the value that an assertion expects stood under the same name in the
// answer to the request that made the thing, and another stands where the assertion looks, with nothing but reads of
// the thing between.
func (p *patcher) movesByItself(t *script.Test, a *script.Assertion, trials []expr.Scope) bool {
	if a.Meaning == nil || !a.Understood() || len(a.Uses) > 0 || a.Relation != exchange.Equal || a.Place.Root() != "body" {
		return false
	}
	claimed, err := expr.ParseJSON([]byte(a.Value))
	if err != nil {
		return false
	}
	read := t.Calls[a.Call]
	for i, made := range t.Calls[:a.Call] {
		if made.Method != "POST" || read.Method != "GET" || !p.onlyRead(made, t.Calls[i+1:a.Call+1]) {
			continue
		}
		before, ok := memberAt(made.Var, a.Place)
		after, _ := memberAt(read.Var, a.Place)
		if ok && slices.ContainsFunc(trials, func(s expr.Scope) bool {
			was, err := s.Eval(before)
			is, too := s.Eval(after)
			return err == nil && too == nil && expr.Equal(was, claimed) && !expr.Equal(is, claimed)
		}) {
			return true
		}
	}
	return false
}

// onlyRead reports whether the last of some calls asks for what another made, by an id that this was answered, and
// whether none of them asks to change it.
func (p *patcher) onlyRead(made *script.Call, calls []*script.Call) bool {
	by, last := p.matched[made], p.matched[calls[len(calls)-1]]
	if by == nil || last == nil || by.Exchange.Response == nil {
		return false
	}
	answer, err := expr.NewResponse(by.Exchange.Response, made.Client).JSON()
	members, isObject := answer.(map[string]any)
	if err != nil || !isObject {
		return false
	}
	names := func(step *exchange.Step, id string) bool {
		path, _, _ := strings.Cut(step.Exchange.Request.Target, "?")
		return slices.Contains(strings.Split(path, "/"), id)
	}
	for _, v := range members {
		id := strings.Trim(expr.Show(v), `"`)
		if id == "" || !names(last, id) || names(by, id) {
			continue
		}
		return !slices.ContainsFunc(calls, func(c *script.Call) bool {
			step := p.matched[c]
			if step == nil || step.Exchange.Request.Safe() {
				return step == nil
			}
			body, err := step.Exchange.Request.Payload()
			return err != nil || names(step, id) || strings.Contains(string(body), id)
		})
	}
	return false
}

// memberAt is the member of an answer's JSON at a place; false where elements of arrays lie on the way.
func memberAt(answer string, place exchange.Place) (expr.Expr, bool) {
	x := expr.Expr(expr.Answer{Var: answer, Part: expr.JSON})
	segments := place.Segments()[1:]
	for _, segment := range segments {
		if _, err := strconv.Atoi(segment); err == nil {
			return nil, false
		}
		x = expr.Index{X: x, I: expr.Str{Value: segment}}
	}
	return x, len(segments) > 0
}
