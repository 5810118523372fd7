package search

import (
	"fmt"
	"slices"
	"testing"
)

// A success after an answer that says no is a behavior of its own, though the API says what it says after a good one.
func TestWrongSuccessIsKept(t *testing.T) {
	o := oneRequest("/usage/7")
	o.Trials = 100
	found := searchWorld(t, o, func(w *world, _ Request) (int, string) {
		r := w.get("grid.example:80", "/readings")
		if r.gone || r.status >= 500 || r.status == 404 || r.json == nil {
			return 502, `{"error": "no readings"}`
		}
		return 200, `{"readings": 0}`
	})
	findings := map[string]int{}
	for _, b := range found.Behaviors {
		if b.Shape == `{readings: number}` {
			findings[Listed(b.Findings)]++
			if len(b.Proofs) != proofs {
				t.Errorf("it is proven %d times", len(b.Proofs))
			}
		}
	}
	if findings[""] != 1 || findings["success"] != 1 || len(findings) != 2 {
		t.Errorf("readings are told with findings %v", findings)
	}
}

// What shows while fields are followed, once nothing is looked for any more, is found as well; but not what is not seen
// again, nor more than the budget has room for.
func TestLateSightsAreKept(t *testing.T) {
	for _, steady := range []bool{true, false} {
		o := oneRequest("/pages")
		o.Trials = 300
		times := 0
		found := searchWorld(t, o, func(w *world, _ Request) (int, string) {
			r := w.get("a.example:80", "/page")
			if r.gone || r.status != 200 {
				return 502, `{"error": "no page"}`
			}
			n, is := at(r.json, "pages").(float64)
			if !is {
				return 502, `{"error": "KeyError: 'pages'"}`
			}
			if times++; n > 20 && (steady || times%2 == 0) {
				for range 12 {
					w.get("b.example:80", "/archive")
				}
			}
			return 200, fmt.Sprintf(`{"pages": %v}`, n)
		})
		kept := slices.ContainsFunc(found.Behaviors, func(b *Behavior) bool {
			return slices.ContainsFunc(b.Calls, func(c Call) bool { return c.Service == "b.example:80" })
		})
		if kept != steady {
			t.Errorf("steady %v: kept %v, of %q", steady, kept, outline(found.Behaviors))
		}
	}
}

// Of those that wait to be looked at only so many are kept in mind, those that were found meanwhile not counted.
func TestGlimpsesAreBounded(t *testing.T) {
	h := &hunt{}
	s := &searcher{}
	at := func(i int) sight { return sight{rest: fmt.Sprint(i)} }
	for i := range 2 * mostGlimpses {
		s.glimpse(h, setting{}, at(i), []Finding{ServerError})
		s.glimpse(h, setting{}, at(i), []Finding{ServerError}) // the same once more
		s.glimpse(h, setting{}, at(-1-i), nil)                 // nothing is wrong with it
	}
	if len(s.beside) != mostGlimpses {
		t.Fatalf("%d are kept in mind", len(s.beside))
	}
	s.found = append(s.found, &Behavior{hunt: h, sight: at(0), Findings: []Finding{ServerError}})
	s.glimpse(h, setting{}, at(1000), []Finding{ServerError})
	if last := s.beside[len(s.beside)-1]; len(s.beside) != mostGlimpses || last.sight.rest != "1000" {
		t.Errorf("%d are kept in mind, the last %q", len(s.beside), last.sight.rest)
	}
}

// An API that asks page after page when it is given up may only be slow; one that asks the same over and over, or waits,
// is not.
func TestBusyIsNoHang(t *testing.T) {
	for name, c := range map[string]struct {
		end      End
		times    int
		findings []Finding
		kept     bool
	}{
		"page after page":         {Hung, 40, []Finding{HangFinding}, false},
		"the same over and over":  {Hung, 40, []Finding{HangFinding, Endless}, true},
		"waits":                   {Hung, 2, []Finding{HangFinding}, true},
		"pages, and then it ends": {Answered, 40, []Finding{ServerError}, true},
	} {
		s := &searcher{}
		s.glimpse(&hunt{}, setting{}, sight{end: c.end, times: map[Endpoint]int{{Path: "/pages"}: c.times, {Path: "/a"}: 1}}, c.findings)
		if kept := len(s.beside) == 1; kept != c.kept {
			t.Errorf("%s: kept %v", name, kept)
		}
	}
}

// So many calls that something should have ended them are another behavior than several; how many they are while the API
// hangs depends on the machine.
func TestOften(t *testing.T) {
	for _, c := range []struct {
		end         End
		times, want int
	}{
		{Answered, 1, 1}, {Answered, 2, 2}, {Answered, 3, 3}, {Answered, 9, 3}, {Answered, 10, 10}, {Answered, 500, 10},
		{Hung, 2, 2}, {Hung, 9, 3}, {Hung, 500, 3}, {Broke, 500, 10},
	} {
		if got := (Outcome{End: c.end}).often(c.times); got != c.want {
			t.Errorf("%q, %d calls: %d, want %d", c.end, c.times, got, c.want)
		}
	}
}
