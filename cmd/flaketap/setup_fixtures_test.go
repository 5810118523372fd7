package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/setup"
	"github.com/flaketap/flaketap/volatility/analysis"
)

// TestFixtureSetUps: of each test of the real suites that failed for what was there before it, what it is given back, or
// why nothing is. What is expected was read in the sessions by hand.
//
//   - /news/4 was made by exchange 1595, 266 exchanges before the test first stood in the session.
//   - The list of 6 news holds what 6 requests had made, and one had changed.
//   - An id counts up: the test wants the 14th and the 16th.
//   - A product of the session's seed data was deleted, unpaired, by exchange 62. No test may do that: the product is not its own.
//   - The same for the list of products, which in the suite's own execution held what another of its tests had left: a
//     POST that answers 500 and saves.
func TestFixtureSetUps(t *testing.T) {
	t.Parallel()
	dir := fixtures(t)
	for api, want := range map[string]map[string]string{
		"news": {
			"test_1_put_on_text_anonymousModifications": "1595 POST /news 201; clean DELETE /news/4; newsId = 0 /body (4): call 0 /path/1, clean-up 0 /path/1",
			"test_1_get_on_news_returns_6_elements":     "it takes 7 earlier requests, more than 5",
			"test_5_post_on_news_returns_201":           "an id that the test itself makes differs at each start",
			"test_6_post_on_news_returns_201":           "an id that the test itself makes differs at each start",
		},
		"features": {
			"test_7_post_on_requires_causes500_internalServerError": "it takes DELETE /products/ELEARNING_SITE, which may touch what the test did not make",
			"test_0_get_on_products_returns_empty_list": "it takes DELETE /products/ELEARNING_SITE, which may touch what the test did not make; " +
				"polluted by test_0_get_on_product_showsFaults_100_201_209 call 0 POST /products/%3Cimg%20src=x%20onerror=alert('XSS')%3E",
		},
	} {
		t.Run(api, func(t *testing.T) {
			b := newBench(t)
			home := filepath.Join(dir, api, "python")
			session := importedWithRuns(b, "session.db", home+"/session.har.gz", home+"/runs/01.har.gz")
			suites := importedWithRuns(b, "suite.db", home+"/runs/01.har.gz", home+"/runs/0[2-9].har.gz", home+"/runs/10.har.gz")
			var answers []*exchange.Exchange
			for _, s := range session.Steps {
				answers = append(answers, s.Exchange)
			}
			got := map[string]string{}
			finder := setup.NewFinder(answers, flow.Rules{})
			files, err := filepath.Glob(filepath.Join(home, "*.py"))
			if err != nil {
				t.Fatal(err)
			}
			ran := ranBy(t, files, suites, answers)
			for _, file := range files {
				leanings := heldSuite(t, file, suites, answers).Dependencies()
				for _, l := range leanings {
					before := ran[:max(0, slices.IndexFunc(ran, func(r setup.Ran) bool { return r.Test == l.Test }))]
					g, ok := finder.For(l.Calls, before...)
					if ok != (g.Refused == "") || g.Proven || g.Why == "" {
						t.Errorf("%s: %v, %v, since %q", l.Test, ok, g.Proven, g.Why)
					}
					got[l.Test] = graftText(g)
				}
			}
			if !maps.Equal(got, want) {
				t.Errorf("%s", strings.Join(lines(got), "\n"))
			}
		})
	}
}

func lines(of map[string]string) (out []string) {
	for _, k := range slices.Sorted(maps.Keys(of)) {
		out = append(out, k+": "+of[k])
	}
	return out
}

// graftText shows a graft in one line.
func graftText(g setup.Graft) string {
	var out []string
	for _, s := range g.Steps {
		out = append(out, fmt.Sprintf("%d %s %s %d", s.Seq, s.Request.Method, s.Request.Target, s.Status))
	}
	for _, s := range g.CleanUp {
		out = append(out, fmt.Sprintf("clean %s %s", s.Request.Method, s.Request.Target))
	}
	for _, b := range g.Binds {
		var uses []string
		for _, u := range b.Uses {
			uses = append(uses, fmt.Sprintf("%s %d %s", u.In, u.At, u.Place))
		}
		out = append(out, fmt.Sprintf("%s = %d %s (%s): %s", b.Name, b.Step, b.Place, b.Value, strings.Join(uses, ", ")))
	}
	if g.Refused != "" {
		out = append(out, g.Refused)
	}
	for _, x := range g.Polluters {
		out = append(out, fmt.Sprintf("polluted by %s call %d %s", x.Test, x.Call, x.Request))
	}
	return strings.Join(out, "; ")
}

// ranBy lists what the recorded execution of a suite sent, with the tests that sent it.
func ranBy(t *testing.T, files []string, suites *analysis.Result, session []*exchange.Exchange) []setup.Ran {
	t.Helper()
	known := map[uint64]setup.Ran{}
	for _, file := range files {
		verdicts := heldSuite(t, file, suites, session).Verdicts()
		for _, v := range verdicts {
			if v.Seq > 0 {
				known[v.Seq] = setup.Ran{Test: v.Test, Call: v.Call}
			}
		}
	}
	var out []setup.Ran
	for _, s := range suites.Steps {
		if r, ok := known[s.Exchange.Seq]; ok {
			r.Exchange = s.Exchange
			out = append(out, r)
		}
	}
	return out
}

// heldSuite holds a file of a suite against its executions.
func heldSuite(t *testing.T, file string, suites *analysis.Result, session []*exchange.Exchange) *suite.BoundScript {
	t.Helper()
	script, err := suite.Read(filepath.Base(file), read(t, file))
	if err != nil {
		t.Fatal(err)
	}
	return suite.Bind(script, sourceFrom(suites), session)
}
