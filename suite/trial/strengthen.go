package trial

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/mutant"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// Strengthened is what [Result.Strengthen] did to a plan.
type Strengthened struct {
	Planted int // faults in answers
	Before  int // how many of them the plan told as it was
	Added   []Added
	Missed  []Missed // the faults that it does not tell
}

// After is how many of the faults the plan tells now.
func (s *Strengthened) After() int { return s.Planted - len(s.Missed) }

// Added is an assertion that was added to a test.
type Added struct {
	Test    string
	Step    string // "GET /orders/{id}"
	Place   exchange.Place
	Says    string // "is integer"
	Answers int    // that bear it: all of the recording, the runs and the trials
}

// Missed is a fault that no assertion tells, and why none was added.
type Missed struct {
	mutant.Mutant
	Why string
}

// Why no assertion was added that would have told a fault.
const (
	missedAlike    = "sound answers may be so too"
	missedMoves    = "what would tell it is not so in each answer of the recording, the runs and the trials"
	missedSame     = "what is the same in each of these answers, such as its type, is so with the fault too"
	missedSeldom   = "there are fewer than five answers, in the recording, the runs and the trials"
	missedUntested = "no test is about the answer"
	missedHidden   = "the assertion would show a secret"
)

// Strengthen plants faults in what the tests were answered, and adds the assertions that would have told those which
// none tells, as far as each answer bears them: of the recording, of its runs, and of all trials. What a plan that was
// tried can say of a place is mostly there already, for the trials have said it: what is added is rare.
func (r *Result) Strengthen(ctx context.Context, src suite.Source) (out Strengthened, err error) {
	sound, all := r.faults(src)
	missed, err := r.survivors(ctx, src, sound, all)
	if err != nil {
		return out, err
	}
	out.Planted, out.Before = len(all), len(all)-len(missed)
	s := &strengthening{Result: r, src: src}
	for _, f := range missed {
		if why := s.tell(f); why != "" {
			out.Missed = append(out.Missed, Missed{f.Mutant, why})
		}
	}
	out.Added = s.added
	return out, nil
}

// strengthening adds assertions to a plan.
type strengthening struct {
	*Result
	src   suite.Source
	added []Added
}

// tell has the plan tell a fault, where it can. It returns why it cannot, and "" else.
func (s *strengthening) tell(f fault) (why string) {
	why = missedUntested
	for i := range s.Plan.Tests {
		t := &s.Plan.Tests[i]
		for j := range t.Steps {
			step := &t.Steps[j]
			at, changed := f.changed[step.Seq]
			if !changed || step.Role != plan.Tested && !step.Single {
				continue
			}
			moves := f.Volatile || slices.ContainsFunc(step.Checks, func(c plan.Check) bool {
				return c.Why != "" && (c.Place.Matches(f.Place) || f.Place.Within(c.Place))
			})
			c, n, not := s.telling(f, moves, step.Seq, f.faulty[at].Response)
			if not != "" {
				why = not
				continue
			}
			if len(step.Checks[0].Statuses) != 1 {
				c.If = f.Status
			}
			if !slices.ContainsFunc(step.Checks, func(o plan.Check) bool { return same(o, c) }) {
				step.Checks = append(step.Checks, c)
				s.added = append(s.added, Added{t.Name, step.Title, c.Place, says(c.Holds), n})
			}
			return ""
		}
	}
	return why
}

// telling is an assertion of the value or of the type that holds of each answer to an exchange, n of them, and fails of
// a faulty one; else it says why there is none. Of a place that moves, or follows what was sent before, it is that of
// the type alone.
func (s *strengthening) telling(f fault, moves bool, seq uint64, faulty *exchange.Response,
) (c plan.Check, n int, why string) {
	if f.Assertion() == "" {
		return c, 0, missedAlike
	}
	var seen [][]string
	for _, r := range s.observed(seq, f.Status) {
		seen = append(seen, tokens(r, f.Place))
	}
	if len(seen) < suite.EnoughAnswers {
		return c, 0, missedSeldom
	}
	if s.comesAndGoes(f) {
		return c, 0, missedMoves
	}
	c = plan.Check{Kind: plan.CheckHolds, Place: f.Place, Optional: strings.Contains(string(f.Place), "/*")}
	why = missedSame
	for _, h := range statements(seen, moves) {
		c.Holds = h
		if holdsOf(c, tokens(faulty, f.Place)) {
			continue
		}
		if !holds(c, seen) {
			why = missedMoves
			continue
		}
		shown := s.src.Redactor.Show(f.Place, plan.TextOf(string(h.Equal)))
		if s.src.Redactor.ShowPlace(f.Place) != f.Place ||
			len(h.Equal) > 0 && (s.src.Redactor.Secret(f.Place) || shown != plan.TextOf(string(h.Equal))) {
			return c, 0, missedHidden
		}
		return c, len(seen), ""
	}
	return c, 0, why
}

// comesAndGoes reports whether the map knows of answers without the place of a fault, or of others in what holds it.
func (s *strengthening) comesAndGoes(f fault) bool {
	op := s.src.Map.Operation(f.Operation, f.Status)
	if op == nil {
		return false
	}
	if at := op.At(f.Place); at != nil && at.SometimesAbsent() {
		return true
	}
	for p := f.Place.Parent(); p != ""; p = p.Parent() {
		if at := op.At(p); at != nil && at.Volatile() {
			return true
		}
	}
	return false
}

// observed are the answers of a status to an exchange: of the recording, the runs and the trials.
func (s *strengthening) observed(seq uint64, status int) (out []*exchange.Response) {
	add := func(r *exchange.Response) {
		if r != nil && r.Status == status {
			out = append(out, r)
		}
	}
	for i := range s.src.Steps {
		if step := &s.src.Steps[i]; step.Exchange.Seq == seq {
			add(step.Exchange.Response)
			for _, o := range step.Observations {
				add(o.Response)
			}
		}
	}
	for _, r := range s.options.Answers.Tested(seq) {
		add(r.Response)
	}
	return out
}

// statements lists what may be said of a place, the strongest first, by what the first answer has there.
func statements(seen [][]string, moves bool) (out []mapfile.Holds) {
	if len(seen[0]) == 0 {
		return nil
	}
	raw := seen[0][0]
	kind := plan.KindOf(raw)
	if kind != "array" && kind != "object" && !moves {
		out = append(out, mapfile.Holds{Type: kind, Equal: json.RawMessage(raw)})
	}
	return append(out, mapfile.Holds{Type: kind})
}

// holds reports whether an assertion holds of the tokens of each answer.
func holds(c plan.Check, seen [][]string) bool {
	return !slices.ContainsFunc(seen, func(found []string) bool { return !holdsOf(c, found) })
}

// holdsOf reports whether the values of a place in an answer are as an assertion says, and there where they must be.
func holdsOf(c plan.Check, found []string) bool {
	wrong := func(raw string) bool { return c.Holds.Satisfied(raw, time.Time{}) != nil }
	return (c.Optional || len(found) > 0) && !slices.ContainsFunc(found, wrong)
}

// same reports whether two assertions of one place say the same of its values.
func same(a, b plan.Check) bool {
	return a.Kind == b.Kind && a.Place == b.Place && says(a.Holds) == says(b.Holds)
}

// says puts an added statement in words.
func says(h mapfile.Holds) string {
	if len(h.Equal) > 0 {
		return "is " + string(h.Equal)
	}
	return fmt.Sprintf("is of type %s", h.Type)
}
