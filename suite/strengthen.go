package suite

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/suite/setup"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// EnoughAnswers is how many answers to a call must agree before an assertion is added to it: a value that moves every
// other time would have moved in one of so many, but for a chance of 6 %. A lock asks as much of a stable place.
const EnoughAnswers = 5

// maxAsserted bounds how many assertions a call has when some were added to it, those that were there before included:
// more than that nobody reads.
const maxAsserted = 20

// firstElements is how many elements of a list are looked into, beside the last.
const firstElements = 3

// maxLiteral bounds the texts that an added assertion writes out, in bytes.
const maxLiteral = 200

// strengthening adds to one call of a test the assertions that all its answers bear: first what it lacks of status and
// content type, then the members of its body, those of the outer objects before those within them. What the map calls
// volatile is asserted by what is known to hold of it, and not at all where it follows the state.
type strengthening struct {
	p      *patcher
	t      *script.Test
	call   int
	fp     exchange.Fingerprint
	op     *mapfile.Operation
	trials []expr.Scope // those in which the call was answered
	tried  bool         // some of them have other tests before it

	lookedAt map[exchange.Place]bool // places that an assertion speaks of, whatever it says
	said     []*script.Assertion     // the assertions of the call
	equal    []exchange.Place        // places that they compare, or whose length they do
	room     int
	found    []addition
}

// addition is an assertion that is to be added.
type addition struct {
	claim exchange.Claim
	means expr.Expr
	moves mapfile.Category // why the place moves; "" where it does not
}

// strengthen adds assertions to the calls of a test that was patched. elsewhere are what it was answered with other
// tests before it.
func (p *patcher) strengthen(t *script.Test, trials []expr.Scope, elsewhere []setup.Trial) {
	for _, trial := range elsewhere {
		trials = append(trials, Grafting{}.Scope(t, trial))
	}
	for i, c := range t.Calls {
		if c.Unset != "" {
			return
		}
		step := p.matched[c]
		if step == nil || c.Guarded || p.script.Writer.Behind == nil {
			continue
		}
		s := &strengthening{p: p, t: t, call: i, fp: exchange.Exact(step.Exchange), op: p.src.operation(step.Exchange),
			tried: len(elsewhere) > 0}
		if s.op == nil || !s.answered(trials) {
			continue
		}
		if len(s.trials) < EnoughAnswers {
			p.out.Seldom++
			continue
		}
		s.survey()
		s.find(s.tried || !p.followsState(t, i, step))
		s.write()
	}
}

// answered takes in the trials in which the call was answered, and reports whether all are of the status that the suite
// expects.
func (s *strengthening) answered(trials []expr.Scope) bool {
	c := s.t.Calls[s.call]
	for _, trial := range trials {
		if a, ok := trial[c.Var].(*expr.Response); ok && a.Message() != nil {
			s.trials = append(s.trials, trial)
		}
	}
	status := expr.Distinct(expr.Answer{Var: c.Var, Part: expr.Status}, s.trials)
	return len(status) == 1 && (c.ExpectedStatus == "" || c.ExpectedStatus == status[0])
}

// survey notes what the call's assertions say already.
func (s *strengthening) survey() {
	s.lookedAt = map[exchange.Place]bool{}
	s.room = maxAsserted
	claims := script.Claims{Test: s.t}
	for _, a := range s.t.Assertions {
		about := false
		expr.Walk(a.Meaning, func(x expr.Expr) {
			var of script.Assertion
			if claims.Place(&of, x) && of.Call == s.call {
				about = true
				s.lookedAt[of.Place] = true
			}
		})
		if !about && (a.Relation == "" || a.Call != s.call) {
			continue
		}
		s.room--
		s.said = append(s.said, a)
		s.lookedAt[a.Place] = true
		if a.Relation == exchange.Equal || a.Relation == exchange.Length {
			s.equal = append(s.equal, a.Place)
		}
	}
}

// find gathers what can be added, the most telling first.
func (s *strengthening) find(body bool) {
	c := s.t.Calls[s.call]
	answer, _ := s.trials[0][c.Var].(*expr.Response)
	if status := (expr.Answer{Var: c.Var, Part: expr.Status}); !s.lookedAt[exchange.PlaceStatus] {
		s.add(status, expr.Cmp(status, expr.Eq, expr.Int(answer.Message().Status)))
	}
	kind, _, _ := strings.Cut(answer.Message().Header.Get("Content-Type"), ";")
	if header := expr.Header(c.Var, "content-type"); kind != "" && !s.lookedAt[exchange.HeaderPlace("content-type")] {
		s.add(header, expr.Cmp(expr.Str{Value: kind}, expr.In, header))
	}
	if body {
		s.members(answer)
	}
	s.headers(answer)
}

// AssertedHeader reports whether a response header is worth an assertion, its name in lower case: not those of the
// connection and the framing, those that the protocol moves, and the server's name.
func AssertedHeader(name string) bool {
	switch name {
	case "", "connection", "keep-alive", "transfer-encoding", "content-length", "content-encoding", "trailer", "te",
		"upgrade", "via", "date", "age", "server", "alt-svc", "proxy-connection":
		return false
	}
	return true
}

// headers adds the headers that the answers have in common, each once for an operation: what goes with every answer of
// it need not be said of each.
func (s *strengthening) headers(answer *expr.Response) {
	c := s.t.Calls[s.call]
	var names []string
	for _, f := range answer.Message().Header {
		names = append(names, strings.ToLower(strings.TrimSpace(f.Name)))
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		place := exchange.HeaderPlace(name)
		at := headerOf{s.op.Name(), name}
		if !AssertedHeader(name) || s.lookedAt[place] || name == "content-type" || name == "set-cookie" || s.p.headers[at] {
			continue
		}
		value := strings.Join(answer.Message().Header.Values(name), ", ")
		if s.hidden(place, value) || !s.tried && !s.p.goesWith(s.op, name) {
			continue
		}
		header := expr.Header(c.Var, name)
		if s.add(header, expr.Cmp(header, expr.Eq, expr.Str{Value: value})) {
			s.p.headers[at] = true
		}
	}
}

// members adds what can be said of the members of a body in JSON.
func (s *strengthening) members(answer *expr.Response) {
	type node struct {
		at expr.Expr
		v  any
	}
	root, err := answer.JSON()
	if err != nil {
		return
	}
	var objects []node
	queue := []node{{expr.Answer{Var: s.t.Calls[s.call].Var, Part: expr.JSON}, root}}
	for ; len(queue) > 0 && s.room > 0; queue = queue[1:] {
		at := queue[0].at
		switch v := queue[0].v.(type) {
		case map[string]any:
			objects = append(objects, queue[0])
			for _, k := range slices.Sorted(maps.Keys(v)) {
				queue = append(queue, node{expr.Index{X: at, I: expr.Str{Value: k}}, v[k]})
			}
		case expr.Items:
			if place, ok := s.place(at); ok && !slices.Contains(s.equal, place) {
				s.add(at, expr.Cmp(expr.Len{X: at}, expr.Eq, expr.Int(len(v))))
			}
			for i, e := range v {
				if i < firstElements || i == len(v)-1 {
					queue = append(queue, node{expr.Index{X: at, I: expr.Int(i)}, e})
				}
			}
		default:
			s.scalar(at, v)
		}
	}
	if !s.p.script.Writer.CountsMembers {
		return
	}
	for _, o := range objects {
		v, _ := o.v.(map[string]any)
		if place, ok := s.place(o.at); ok && !slices.Contains(s.equal, place) && !s.comesAndGoes(place) {
			s.add(o.at, expr.Cmp(expr.Len{X: o.at}, expr.Eq, expr.Int(len(v))))
		}
	}
}

// comesAndGoes reports whether an object lacks a member in some answer of the operation.
func (s *strengthening) comesAndGoes(object exchange.Place) bool {
	return slices.ContainsFunc(s.op.Fields, func(f *mapfile.Field) bool {
		parent := f.Place.Parent()
		return f.SometimesAbsent() && (parent == object || parent.Matches(object))
	})
}

// place returns the place that an expression looks at; false where it is none.
func (s *strengthening) place(x expr.Expr) (exchange.Place, bool) {
	var a script.Assertion
	ok := script.Claims{Test: s.t}.Place(&a, x)
	return a.Place, ok
}

// scalar adds what can be said of a value of the body that no assertion looks at.
func (s *strengthening) scalar(at expr.Expr, v any) {
	place, ok := s.place(at)
	if !ok || s.lookedAt[place] || s.compared(place) {
		return
	}
	text, _ := v.(string)
	value, ok := expr.Literal(v)
	if !ok || s.hidden(place, text) {
		return
	}
	statements := append([]expr.Expr{expr.Same(at, value)}, s.learned(at, place)...)
	if s.p.counts(s.t.Calls[s.call], at, v) {
		statements = append(statements, expr.IsType{X: at, Types: []expr.Type{expr.TypeInt}})
		if !s.tried {
			statements = statements[len(statements)-1:]
		}
	}
	s.add(at, statements...)
}

// hidden reports whether a text is not to be written out: a secret, or one that nobody reads.
func (s *strengthening) hidden(place exchange.Place, text string) bool {
	r := s.p.src.Redactor
	return r.Secret(place) || len(text) > maxLiteral || r.Show(place, text) != text
}

// compared reports whether an assertion compares what a place is in as a whole.
func (s *strengthening) compared(place exchange.Place) bool {
	for p := place.Parent(); p != ""; p = p.Parent() {
		if slices.ContainsFunc(s.said, func(a *script.Assertion) bool {
			return a.Relation == exchange.Equal && a.Place == p
		}) {
			return true
		}
	}
	return false
}

// learned gives what the map says will hold of a place that moves of itself; nothing of what follows the state, where
// another state would have other values.
func (s *strengthening) learned(at expr.Expr, place exchange.Place) []expr.Expr {
	f := s.op.Volatile(place, s.fp)
	if f == nil || f.Apart() || f.Category == mapfile.State || !f.Place.Matches(place) {
		return nil
	}
	return expr.Learned(at, f.Holds, s.p.textsAt(s.op, f.Place))
}

// add adds the first of some statements about a place that holds in every trial, where there is room. The first of them
// says what was answered, and is for a place that does not move alone. It reports whether there was one.
func (s *strengthening) add(at expr.Expr, statements ...expr.Expr) bool {
	a := script.Assertion{}
	if !(script.Claims{Test: s.t}).Place(&a, at) || s.room == 0 {
		return false
	}
	moves := mapfile.Category("")
	if f := s.op.Volatile(a.Place, s.fp); f != nil && len(statements) > 0 {
		statements, moves = statements[1:], f.Category
	}
	for _, x := range statements {
		if slices.ContainsFunc(s.said, func(a *script.Assertion) bool { return expr.Identical(a.Meaning, x) }) {
			return false
		}
		seen, failed := hold(x, s.trials)
		if failed > 0 || len(seen) < len(s.trials) {
			continue
		}
		claim := exchange.Claim{Call: s.call, Place: a.Place, Relation: exchange.Equal}
		s.found = append(s.found, addition{claim: claim, means: x, moves: moves})
		s.room--
		return true
	}
	return false
}

// write writes what was found behind the last assertion of the call that stays as it is and has room behind it.
func (s *strengthening) write() {
	for _, a := range slices.Backward(s.said) {
		if a.Call != s.call || a.Reason == script.UnderCondition || s.p.changed(a) {
			continue
		}
		adds, changes := s.writeFor(a)
		if edit, ok := s.p.script.Writer.Behind(s.p.script, s.t, a, adds); ok && len(adds) > 0 {
			s.p.edits = append(s.p.edits, edit)
			for _, c := range changes {
				s.p.change(c, s.t, a.At.LastLine)
			}
			return
		}
	}
}

// changed reports whether an assertion was changed.
func (p *patcher) changed(a *script.Assertion) bool {
	return slices.ContainsFunc(p.edits, func(e script.Edit) bool { return e.Start < a.At.End && a.At.Start < e.End }) ||
		slices.ContainsFunc(p.out.Changes, func(c Change) bool { return c.Test == a.Test && c.Line == a.At.FirstLine })
}

// writeFor writes what was found as it stands behind an assertion, beneath a comment for all that say what was
// answered, and one for each that does not.
func (s *strengthening) writeFor(last *script.Assertion) (adds []script.Addition, changes []Change) {
	w := s.p.script
	said := ""
	slices.SortStableFunc(s.found, func(a, b addition) int { return strings.Compare(string(a.moves), string(b.moves)) })
	for _, add := range s.found {
		a := *last // which stands where the new one is to
		a.Claim, a.Meaning, a.Rebound, a.Ours = add.claim, nil, true, true
		text, ok := w.Writer.Assert(w, s.t, &a, add.means)
		if !ok {
			continue
		}
		comment := fmt.Sprintf(addedMark+"so in all %d answers", len(s.trials))
		if add.moves != "" {
			comment = fmt.Sprintf(addedMark+"%s moves, and holds this in all %d answers; %s", add.claim.Place, len(s.trials),
				add.moves)
		}
		line := script.Addition{Text: text}
		if comment != said {
			line.Comment = w.Comment(comment)
			said = comment
		}
		adds = append(adds, line)
		changes = append(changes, Change{Kind: Added, Place: add.claim.Place, Category: add.moves, Of: len(s.trials),
			Reason: comment, After: text})
	}
	return adds, changes
}
