package mend

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/results"
	"github.com/flaketap/flaketap/suite/setup"
)

// SetUps finds what the tests of a suite depend on.
type SetUps struct {
	finder    *setup.Finder
	search    *setup.Search // nil where nothing is tried
	turns     *turns        // its trials are made by
	ran       []setup.Ran   // what the recorded execution of the suite sent, in order
	progress  *console.Progress
	playing   *console.Progress // of tests with others before them
	watching  *console.Progress // of reads that came too early
	trials    int
	tried     int // tests
	proven    int
	drawn     int // tests that draw values anew
	unhelped  []unhelped
	restraint Restraint
	ended     int // tests for which this is done
	of        int // tests in all
}

// unhelped is a test that fails for what was there before it, and is not given that back.
type unhelped struct {
	file, test, why string
	takes           []string
}

// InferSetUps finds set-ups by what the exchanges of the session say. Rules are what the user says of bindings.
func InferSetUps(session []*exchange.Exchange, rules flow.Rules) *SetUps {
	return &SetUps{finder: setup.NewFinder(session, rules), turns: newTurns(make([]setup.Trier, 1))}
}

// TrySetUps finds set-ups by trials on an API, which show what those that the session says are worth. Each test gets so
// many trials at most. There is a trier at least; where there are several, each with an API of its own, so many tests
// are searched for at once.
func TrySetUps(session []*exchange.Exchange, rules flow.Rules, triers []setup.Trier, trials int,
	c *console.Console) *SetUps {
	s := InferSetUps(session, rules)
	s.turns = newTurns(triers)
	s.progress = c.Progress("searching for set-ups: test")
	s.playing = c.Progress("playing tests alone and backwards: trial")
	s.watching = c.Progress("watching reads that come too early: trial")
	s.search = &setup.Search{Finder: s.finder, Trier: s.turns, Limit: trials}
	return s
}

// searchFor returns what searches for the set-up of one test.
func (s *SetUps) searchFor(l suite.Dependency) *setup.Search {
	search, test := *s.search, l.Test
	search.LookFirst = results.Among(s.restraint.LookFirst, test)
	if !l.Drawn {
		search.Draw = rand.IntN
		search.Leans = func(made *exchange.Request, value string) string { return leans(s.ran, l, made, value) }
	}
	search.IfMissing = func(g setup.Graft) bool { return l.IfMissing(suite.Grafting{Graft: g, Calls: l.Calls}) }
	search.Able = func(g setup.Graft) bool { return l.Refuses(suite.Grafting{Graft: g, Calls: l.Calls}) == "" }
	search.Progress = func(int, int) {
		s.trials++
		s.progress.Rename(fmt.Sprintf("searching for set-ups, %s, trial %d: test", console.OneLine(test), s.trials))
		s.progress.Update(s.ended+1, s.of)
	}
	return &search
}

// ranBy takes in what the recorded execution of the suite sent.
func (s *SetUps) ranBy(tests []boundFile) {
	for _, f := range tests {
		s.ran = append(s.ran, f.Ran()...)
	}
	slices.SortStableFunc(s.ran, func(a, b setup.Ran) int { return cmp.Compare(a.Exchange.Seq, b.Exchange.Seq) })
}

// find finds what tests depend on, in their order.
func (s *SetUps) find(ctx context.Context, tests []suite.Dependency) ([]suite.Grafting, error) {
	out := make([]suite.Grafting, len(tests))
	s.of += len(tests)
	err := s.turns.each(ctx, len(tests), func(ctx context.Context, i int) (err error) {
		out[i], err = s.findOne(ctx, tests[i])
		s.ended++
		return err
	})
	for i, l := range tests {
		if lacks(out[i], l) {
			s.unhelped = append(s.unhelped, unhelped{l.File, l.Test, out[i].Refused, out[i].Takes})
		}
	}
	return out, err
}

// findOne finds what one test depends on, and what it was answered behind that.
func (s *SetUps) findOne(ctx context.Context, l suite.Dependency) (suite.Grafting, error) {
	first := slices.IndexFunc(s.ran, func(r setup.Ran) bool { return r.File == l.File && r.Test == l.Test })
	before := s.ran[:max(0, first)]
	g := suite.Grafting{Calls: l.Calls}
	switch {
	case results.Among(s.restraint.Withhold, l.Test):
		found, _ := s.finder.For(l.Calls, before...)
		g.Refused, g.Takes = withheld, found.Takes
		for _, step := range found.Steps {
			g.Takes = append(g.Takes, step.Request.Method+" "+step.Request.Target)
		}
	case s.search == nil:
		g.Graft, _ = s.finder.For(l.Calls, before...)
		if why := untried(l.Calls); why != "" && !g.Gives() {
			g.Graft = setup.Graft{Refused: why, Polluters: g.Polluters}
		}
	default:
		if err := s.try(ctx, &g, l, before); err != nil {
			return suite.Grafting{}, err
		}
	}
	if why := l.Refuses(g); why != "" {
		refused := setup.Graft{Refused: why, Polluters: g.Polluters}
		for _, step := range g.Steps {
			refused.Takes = append(refused.Takes, step.Request.Method+" "+step.Request.Target)
		}
		g.Graft, g.Trials = refused, nil
	}
	g.Comments = marks(g, l)
	recorded := setup.Trial{Answers: l.Session}
	for _, b := range g.Binds {
		recorded.Values = append(recorded.Values, b.Value)
	}
	g.Trials = append([]setup.Trial{recorded}, g.Trials...)
	return g, nil
}

// withheld is why a test is given nothing that fails among the others with what it was given.
const withheld = "with the set-up that holds for it alone, it fails among the other tests of the suite"

// try finds what a test depends on by trials.
func (s *SetUps) try(ctx context.Context, g *suite.Grafting, l suite.Dependency, before []setup.Ran) error {
	found, err := s.searchFor(l).Find(ctx, g.Calls, before...)
	if err != nil {
		return err
	}
	s.tried++
	g.Graft = found.Graft
	if found.Proven && len(found.Steps) > 0 {
		s.proven++
	}
	if len(g.Fresh()) > 0 {
		s.drawn++
	}
	g.Trials = found.Trials
	return nil
}

// untried says what a person can do for a test that names what may be taken, where nothing shows which of its values
// that is; "" where it names nothing of the kind.
func untried(test []setup.Wanted) string {
	call, refused, of := setup.Conflict(test)
	if call < 0 || refused == of {
		return ""
	}
	names := setup.Names(&test[call].Request)
	if len(names) == 0 {
		return ""
	}
	target, _ := exchange.SplitTarget(test[call].Request.Target)
	return fmt.Sprintf("%s %s was refused in %d of %d, as if what it names were there already: have it send another %q in each run, or try that on an API (--reset or --start)",
		test[call].Request.Method, target, refused, of, names[0])
}

// leans names a test that sends a value and has not made it itself: another test is to have done that before.
func leans(ran []setup.Ran, by suite.Dependency, made *exchange.Request, value string) string {
	makes := map[string]bool{} // by test, whether the first of its requests that have the value makes it
	for _, r := range ran {
		test := r.File + "\x00" + r.Test
		_, known := makes[test]
		if known || r.File == by.File && (r.Test == by.Test || by.Follows(r.Test, value)) ||
			!setup.Sends(&r.Exchange.Request, value) {
			continue
		}
		if makes[test] = r.Makes(made); !makes[test] {
			return r.Test
		}
	}
	return ""
}

// lacks reports whether a test fails for what it is not given back.
func lacks(g suite.Grafting, l suite.Dependency) bool {
	return g.Refused != "" && l.Failing && !g.Needless()
}

// maxTakes bounds the requests that a line lists.
const maxTakes = 12

// withRequests adds to the reason why nothing is given back the requests that it would take.
func withRequests(why string, takes []string) string {
	if len(takes) == 0 || len(takes) == 1 && strings.Contains(why, takes[0]) {
		return why
	}
	more := ""
	if n := len(takes) - maxTakes; n > 0 {
		takes, more = takes[:maxTakes], fmt.Sprintf(" and %d more", n)
	}
	return why + "; the session has " + strings.Join(takes, ", ") + more
}

// maxUnhelped bounds the tests that [SetUps.Unhelped] says.
const maxUnhelped = 10

// Unhelped says in a line each which tests fail for what they are not given back, why, and which requests of the
// session it would take.
func (s *SetUps) Unhelped() []string {
	var out []string
	for i, u := range s.unhelped {
		if i == maxUnhelped {
			return append(out, fmt.Sprintf("no set-up for %s more (--report lists them)",
				console.Count(len(s.unhelped)-i, "test")))
		}
		out = append(out, "no set-up for "+u.test+": "+withRequests(u.why, u.takes))
	}
	return out
}

// marks are the remarks about a whole test.
func marks(g suite.Grafting, l suite.Dependency) []string {
	var out []string
	if lacks(g, l) {
		out = append(out, "what it depends on is not restored: "+withRequests(g.Refused, g.Takes))
	}
	for _, path := range g.Left {
		out = append(out, fmt.Sprintf("what its set-up makes is not deleted: %s may belong to something else where the test runs",
			path))
	}
	for _, x := range g.Polluters {
		kept := "holds on a fresh start only: %s leaves something behind (%s)"
		if lacks(g, l) { // and so it holds on none
			kept = "nor does it expect what %s leaves behind (%s)"
		}
		out = append(out, fmt.Sprintf(kept, x.Test, x.Request))
	}
	return out
}

// Summary says what was tried; "" where nothing was. It ends the progress.
func (s *SetUps) Summary() string {
	if s.search == nil {
		return ""
	}
	s.progress.Clear()
	values := ""
	if s.drawn > 0 {
		values = " and fresh values for " + strconv.Itoa(s.drawn)
	}
	return fmt.Sprintf("verified %s%s for %s depending on earlier requests, in %s",
		console.Count(s.proven, "set-up"), values, console.Count(s.tried, "test"), console.Count(s.trials, "trial"))
}
