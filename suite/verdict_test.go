package suite

import (
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// failedLine is where a test of a real suite failed in one re-execution.
type failedLine struct {
	test string
	file string
	line int
}

// failedLines reads from a JUnit file of pytest in which line of the suite each failed test ended.
func failedLines(t *testing.T, path string) []failedLine {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Cases []struct {
			Name     string   `xml:"name,attr"`
			Failures []string `xml:"failure"`
		} `xml:"testsuite>testcase"`
	}
	if err := xml.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	at := regexp.MustCompile(`(?m)^(EvoMaster_\w+\.py):(\d+): `) // the first such line is the suite's, those of libraries follow
	var out []failedLine
	for _, c := range doc.Cases {
		for _, f := range c.Failures {
			m := at.FindStringSubmatch(f)
			if m == nil {
				t.Fatalf("%s: %s failed in no line of the suite: %s", path, c.Name, f)
			}
			n, _ := strconv.Atoi(m[2])
			out = append(out, failedLine{c.Name, m[1], n})
		}
	}
	return out
}

// session returns the answers of the fuzzing session that a real suite came from, nil where only the cut-down copy is
// there.
func (f fixture) session(t *testing.T) []*exchange.Exchange {
	if f.cut {
		return nil
	}
	return readHAR(t, filepath.Join(filepath.Dir(f.suites[0]), "session.har.gz"))
}

// TestEveryRealFailureIsExplained: every assertion that failed in a real re-execution lies on a place that the map calls
// volatile, or is contradicted by all executions alike, or is a slip of the generator; and nothing of that is said of a
// statement that did not fail, but where the test had ended before it.
func TestEveryRealFailureIsExplained(t *testing.T) {
	// By statement that failed: the finding, the category, and whether the session proves that it was true once.
	want := map[string]string{
		"news/test_1_put_on_text_anonymousModifications":                 "state State proven",
		"news/test_7_put_on_text_returns_400":                            "slip GenErr",
		"news/test_1_get_on_news_returns_6_elements":                     "volatile State proven",
		"news/test_5_post_on_news_returns_201":                           "slip GenErr",
		"news/test_6_post_on_news_returns_201":                           "slip GenErr",
		"features/test_0_get_on_products_returns_empty_list":             "volatile State proven",
		"features/test_7_post_on_requires_causes500_internalServerError": "volatile State proven",
		"features/test_6_post_on_requires_causes500_internalServerError": "slip GenErr",
		"features/test_15_put_on_featur_causes500_internalServerError":   "slip GenErr",
	}
	got := map[string]string{}
	for _, f := range fixtures(t) {
		session := f.session(t)
		src := judged(t, source(t, f.runs), f.starts()...)
		var all []Verdict
		for _, file := range f.suites {
			script, err := Read(filepath.Base(file), read(t, file))
			if err != nil {
				t.Fatal(err)
			}
			verdicts := Bind(script, src, session).Verdicts()
			all = append(all, verdicts...)
			t.Logf("%s: %s", file, counts(verdicts))
		}
		ended := map[string]int{} // by test, the first line that it failed in
		for _, run := range f.runs {
			for _, at := range failedLines(t, strings.TrimSuffix(run, ".har.gz")+".xml") {
				key := at.file + at.test
				if first, ok := ended[key]; !ok || at.line < first {
					ended[key] = at.line
				}
				i := slices.IndexFunc(all, func(v Verdict) bool {
					return v.File == at.file && v.Test == at.test && v.Line <= at.line && at.line <= v.Last
				})
				if i < 0 || !all[i].explains() {
					t.Errorf("%s: %s failed in %s:%d, which nothing explains", run, at.test, at.file, at.line)
					continue
				}
				got[f.name+"/"+at.test] = all[i].brief()
			}
		}
		for _, v := range all {
			if end, failed := ended[v.File+v.Test]; v.Failed > 0 && (!failed || v.Line < end) {
				t.Errorf("%s:%d: %s never failed, and is called %s: %s", v.File, v.Line, v.Text, v.Finding, v.Reason)
			}
			if v.Finding == Unexplained {
				t.Errorf("%s:%d: %s: %s", v.File, v.Line, v.Text, v.Reason)
			}
		}
		if f.cut { // two runs, and no session: too few to say more of what moved
			for _, m := range []map[string]string{want, got} {
				for k, v := range m {
					v = strings.TrimSuffix(v, " proven")
					if strings.HasPrefix(v, string(Moving)) {
						v = string(Moving)
					}
					m[k] = v
				}
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what failed and why (-want +got):\n%s", diff)
	}
}

func (x *Verdict) explains() bool {
	switch x.Finding {
	case Moving:
		return x.Field != nil && x.Field.Volatile()
	case Stale:
		return x.Category == mapfile.State
	case GeneratorBug:
		return x.Category == mapfile.GenErr
	}
	return false
}

func (x *Verdict) brief() string {
	s := fmt.Sprintf("%s %s", x.Finding, x.Category)
	if x.Proven {
		s += " proven"
	}
	return s
}

// counts says how many statements there are of each finding.
func counts(verdicts []Verdict) string {
	n := map[Finding]int{}
	for _, v := range verdicts {
		n[v.Finding]++
	}
	var out []string
	for _, f := range []Finding{Holding, Moving, Stale, GeneratorBug, Unseen, Unexplained} {
		out = append(out, fmt.Sprintf("%d %s", n[f], f))
	}
	return strings.Join(out, ", ")
}

// TestPlacesCalledStableNeverMoved holds the map of the real re-executions against their every answer, by the raw values
// alone.
func TestPlacesCalledStableNeverMoved(t *testing.T) {
	for _, f := range fixtures(t) {
		src := judged(t, source(t, f.runs), f.starts()...)
		held := 0
		for _, s := range src.Steps {
			op, fp := src.operation(s.Exchange), exchange.Exact(s.Exchange)
			for _, o := range s.Observations {
				for _, place := range moved(s.Exchange.Response, o.Response) {
					if op.Volatile(place, fp) == nil {
						t.Errorf("%s: exchange %d, %s %s: %s moved in run %d, and is called stable", f.name, s.Exchange.Seq, op.Method, op.Template, place, o.Run)
					}
				}
				held++
			}
		}
		if held < len(src.Steps) {
			t.Errorf("%s: only %d answers of %d steps were held against the map", f.name, held, len(src.Steps))
		}
	}
}

// moved lists the places of two answers at which one has another raw value than the other, or none.
func moved(a, b *exchange.Response) []exchange.Place {
	values := func(r *exchange.Response) map[exchange.Place]string {
		out := map[exchange.Place]string{}
		compare.Walk(r, func(place exchange.Place, raw string) {
			if raw != "" && (raw[0] == '{' || raw[0] == '[') && place.Root() == "body" {
				raw = raw[:1] // what is in it is held against what is in the other
			}
			out[place] = raw
		})
		return out
	}
	var out []exchange.Place
	x, y := values(a), values(b)
	for place, raw := range x {
		if other, ok := y[place]; !ok || other != raw {
			out = append(out, place)
		}
	}
	for place := range y {
		if _, ok := x[place]; !ok {
			out = append(out, place)
		}
	}
	slices.Sort(out)
	return out
}

// TestVerdicts: what is found of one assertion by what was seen of its answer, in the executions and in the session.
func TestVerdicts(t *testing.T) {
	type found struct {
		Finding Finding
		Failed  int
		Of      int
		Proven  bool
	}
	for _, c := range []struct {
		name    string
		line    string
		seen    []*exchange.Response
		session []*exchange.Response
		mapped  bool
		want    found
	}{
		{"holds", `assert res_0.json()["a"] == 1`, replies(`{"a":1}`, `{"a":1.0}`), nil, true, found{Holding, 0, 2, false}},
		{"moves", `assert res_0.json()["a"] == 1`, replies(`{"a":1}`, `{"a":2}`, `{"a":3}`), nil, true, found{Moving, 2, 3, false}},
		{"text of what moves", `assert "1" in res_0.text`, replies(`{"a":1}`, `{"a":2}`, `{"a":3}`), nil, true, found{Moving, 2, 3, false}},
		{"moves, and no map says so", `assert res_0.json()["a"] == 1`, replies(`{"a":1}`, `{"a":2}`), nil, false, found{Unexplained, 1, 2, false}},
		{"other values each time, and no map says so", `assert res_0.json()["a"] == 1`, replies(`{"a":3}`, `{"a":2}`), nil, false, found{Unexplained, 2, 2, false}},
		{"not what the executions agree on", `assert res_0.json()["a"] == 1`, replies(`{"a":2}`, `{"a":2}`), nil, true, found{Stale, 2, 2, false}},
		{"what the session saw", `assert res_0.json()["a"] == 1`, replies(`{"a":2}`, `{"a":2}`), replies(`{"a":3}`, `{"a":1}`), true, found{Stale, 2, 2, true}},
		{"what not even the session saw", `assert res_0.json()["a"] == 1`, replies(`{"a":2}`, `{"a":2}`), replies(`{"a":3}`, `{"a":4}`), true, found{GeneratorBug, 2, 2, false}},
		{"no literal", `assert res_0.json()["a"] == -Infinity`, replies(`{"a":-1e400}`, `{"a":-1e400}`), nil, true, found{GeneratorBug, 2, 2, false}},
		{"taken from what is not there", `location_0 = res_0.headers['location']`, replies(`{}`, `{}`), nil, true, found{GeneratorBug, 2, 2, false}},
		{"taken from what was there once", `location_0 = res_0.headers['location']`, replies(`{}`, `{}`), []*exchange.Response{reply(200, "Location: /x\r\n", "")}, true, found{Stale, 2, 2, true}},
		{"a header that was there once", `assert "location" in res_0.headers`, replies(`{}`, `{}`), nil, true, found{Stale, 2, 2, false}},
		{"never came", `assert res_0.json()["a"] == 1`, nil, replies(`{"a":1}`), false, found{Unseen, 0, 0, false}},
	} {
		var src Source
		if len(c.seen) > 0 {
			src.Steps = []exchange.Step{stepOf(1, "/x0", c.seen)}
		}
		if c.mapped {
			src = judged(t, src)
		}
		var session []*exchange.Exchange
		for _, r := range c.session {
			session = append(session, stepOf(1, "/x0", []*exchange.Response{r}).Exchange)
		}
		script, err := Read("t.py", []byte(suiteOf([]string{c.line})))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		got := Bind(script, src, session).Verdicts()
		if len(got) != 1 {
			t.Fatalf("%s: %+v", c.name, got)
		}
		v := got[0]
		if diff := cmp.Diff(c.want, found{v.Finding, v.Failed, v.Of, v.Proven}); diff != "" {
			t.Errorf("%s (-want +got):\n%s%s", c.name, diff, v.Reason)
		}
		if v.Text != c.line || v.Line != 10 || v.Last != 10 || v.Test != "test_0" || v.File != "t.py" {
			t.Errorf("%s: %+v", c.name, v)
		}
	}
}

// An array whose elements come in another order each time is no state that all executions agree on.
func TestVerdictOnAnArray(t *testing.T) {
	script, err := Read("t.js", []byte(oneAssertion(t, "t.js", `expect(res_0.body.a).toEqual([1,2,3]);`)))
	if err != nil {
		t.Fatal(err)
	}
	src := Source{Steps: []exchange.Step{stepOf(1, "/x0", replies(`{"a":[3,1,2]}`, `{"a":[2,1,3]}`))}}
	got := Bind(script, src, nil).Verdicts()
	if len(got) != 1 || got[0].Finding != Unexplained || !strings.Contains(got[0].Reason, "[3,1,2], [2,1,3]") {
		t.Errorf("%+v", got)
	}
}
