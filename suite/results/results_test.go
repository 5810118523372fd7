package results

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/google/go-cmp/cmp"
)

func TestRead(t *testing.T) {
	for name, tt := range map[string]struct {
		in   string
		want []Result
	}{
		"pytest": {
			`<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests"><testsuite name="pytest" errors="0" failures="1">` +
				`<testcase classname="test_orders.Orders" name="test_get" time="0.25"/>` +
				`<testcase classname="test_orders.Orders" name="test_put" time="0.5"><failure message="assert 404 == 204&#10;more">trace` + "\x1b[31m" + `</failure></testcase>` +
				`<testcase classname="" name="test_bad"><error message="collection failure">ImportError</error></testcase>` +
				`<testcase classname="test_orders.Orders" name="test_skip"><skipped message="not today"/></testcase></testsuite></testsuites>`,
			[]Result{
				{"test_orders.Orders", "test_get", Pass, "", 250 * time.Millisecond},
				{"test_orders.Orders", "test_put", Fail, "assert 404 == 204\nmore", 500 * time.Millisecond},
				{"pytest", "test_bad", Error, "collection failure", 0},
				{"test_orders.Orders", "test_skip", Skip, "", 0},
			},
		},
		"surefire": {
			"\ufeff<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"org.x.OrdersTest\" time=\"1,234.5\">\n" +
				"  <properties><property name=\"failure\" value=\"no\"/></properties>\n" +
				"  <testcase name=\"a\" classname=\"org.x.OrdersTest\" time=\"1,234.5\"><system-out><![CDATA[<failure>]]></system-out></testcase>\n" +
				"  <testcase name=\"b\" classname=\"org.x.OrdersTest\"><failure type=\"java.lang.AssertionError\"><![CDATA[java.lang.AssertionError: 1]]></failure></testcase>\n" +
				"  <testcase name=\"c\" classname=\"org.x.OrdersTest\"><flakyFailure message=\"once\">x</flakyFailure></testcase></testsuite>",
			[]Result{
				{"org.x.OrdersTest", "a", Pass, "", 1234500 * time.Millisecond},
				{"org.x.OrdersTest", "b", Fail, "java.lang.AssertionError: 1", 0},
				{"org.x.OrdersTest", "c", Pass, "", 0},
			},
		},
		"newman has one class for all requests": {
			`<testsuites name="shop"><testsuite name="Orders / get one" tests="2"><testcase name="status" classname="Shop"/>` +
				`<testcase name="status" classname="Shop"><failure type="AssertionFailure" message="expected 1"/></testcase></testsuite>` +
				`<testsuite name="Orders / put one"><testcase name="status" classname="Shop"/></testsuite></testsuites>`,
			[]Result{
				{"Orders / get one / Shop", "status", Pass, "", 0},
				{"Orders / get one / Shop", "status#2", Fail, "expected 1", 0},
				{"Orders / put one / Shop", "status", Pass, "", 0},
			},
		},
		"the element around says less than the class, or all there is": {
			`<testsuites><testsuite name="org.x"><testcase classname="org.x.A" name="a"/><testcase classname="org.x.B" name="a"/><testcase name="a"/></testsuite></testsuites>`,
			[]Result{{"org.x.A", "a", Pass, "", 0}, {"org.x.B", "a", Pass, "", 0}, {"org.x", "a", Pass, "", 0}},
		},
		"a failure and a broken tear-down are one failure": {
			`<testsuite><testcase name="a"><failure message="first"><b>deep</b></failure><error message="second"/></testcase></testsuite>`,
			[]Result{{"", "a", Error, "second", 0}},
		},
		"latin1": {
			"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><testsuite><testcase name=\"gr\xfc\xdf\"/></testsuite>",
			[]Result{{"", "grüß", Pass, "", 0}},
		},
		"go test": {
			"# example.org/broken\n" +
				`{"Action":"start","Package":"example.org/a"}` + "\n" +
				`{"Action":"run","Package":"example.org/a","Test":"TestGet"}` + "\r\n" +
				`{"Action":"output","Package":"example.org/a","Test":"TestGet","Output":"    a_test.go:7: 404\n"}` + "\n" +
				`{"Action":"fail","Package":"example.org/a","Test":"TestGet","Elapsed":0.5}` + "\n" +
				`{"Action":"pass","Package":"example.org/a","Test":"TestPut/one","Elapsed":0.25}` + "\n" +
				`{"Action":"skip","Package":"example.org/a","Test":"TestSkip"}` + "\n" +
				`{"Action":"run","Package":"example.org/a","Test":"TestPanic"}` + "\n" +
				`{"Action":"fail","Package":"example.org/a","Elapsed":1}` + "\n" +
				`{"Action":"output","Package":"example.org/broken","Output":"FAIL [build failed]\n"}` + "\n" +
				`{"Action":"fail","Package":"example.org/broken"}` + "\n",
			[]Result{
				{"example.org/a", "TestGet", Fail, "a_test.go:7: 404", 500 * time.Millisecond},
				{"example.org/a", "TestPut/one", Pass, "", 250 * time.Millisecond},
				{"example.org/a", "TestSkip", Skip, "", 0},
				{"example.org/broken", "(package)", Error, "FAIL [build failed]", 0},
				{"example.org/a", "TestPanic", Error, "it never ended", 0},
			},
		},
		"jest": {
			`{"numTotalTests":3,"testResults":[{"name":"/tmp/x/orders.test.js","status":"failed","message":"","assertionResults":[` +
				`{"ancestorTitles":["orders"],"fullName":"orders get","status":"passed","title":"get","duration":12,"failureMessages":[]},` +
				`{"ancestorTitles":["orders"],"fullName":"orders put","status":"failed","title":"put","duration":null,"failureMessages":["Error: 1","Error: 2"]},` +
				`{"ancestorTitles":["a"],"fullName":"","status":"todo","title":"b"}]},` +
				`{"name":"bad.test.js","status":"failed","message":"SyntaxError","assertionResults":[]}]}` + "\n> done",
			[]Result{
				{"orders.test.js", "orders get", Pass, "", 12 * time.Millisecond},
				{"orders.test.js", "orders put", Fail, "Error: 1\nError: 2", 0},
				{"orders.test.js", "a b", Skip, "", 0},
				{"bad.test.js", "(file)", Error, "SyntaxError", 0},
			},
		},
		"jest, what cleans up fails": {
			`{"testResults":[{"name":"a.test.js","status":"failed","message":"afterAll: no","assertionResults":[{"fullName":"x","status":"passed"}]}]}`,
			[]Result{{"a.test.js", "x", Pass, "", 0}, {"a.test.js", "(file)", Error, "afterAll: no", 0}},
		},
		"go test -count=2": {
			`{"Action":"run","Package":"p","Test":"T"}` + "\n" + `{"Action":"pass","Package":"p","Test":"T"}` + "\n" +
				`{"Action":"run","Package":"p","Test":"T"}` + "\n" + `{"Action":"output","Package":"p","Test":"T","Output":"no"}` + "\n" +
				`{"Action":"fail","Package":"p","Test":"T"}` + "\n" + `{"Action":"fail","Package":"p"}` + "\n",
			[]Result{{"p", "T", Pass, "", 0}, {"p", "T#2", Fail, "no", 0}},
		},
		"failed, then skipped": {
			`<testsuite><testcase name="a"><failure message="no"/><skipped/></testcase></testsuite>`,
			[]Result{{"", "a", Fail, "no", 0}},
		},
		"tap that breaks off": {
			"ok 1 - a\nok 2 - b\n1..4 # of today\n",
			[]Result{{"", "a", Pass, "", 0}, {"", "b", Pass, "", 0}, {"", "(plan)", Error, "4 tests were planned, 2 ran", 0}},
		},
		"tap": {
			"TAP version 13\n1..5\nok 1 - gets # time=3ms\n    not ok 1 - inner\nnot ok 2 - puts\n  ---\n  message: 404\n  ...\n" +
				"ok 3 # SKIP no network\nnot ok 4 - later # TODO\nokay\nok\nBail out! no API\nok 9 - never\n",
			[]Result{
				{"", "gets", Pass, "", 0}, {"", "puts", Fail, "not ok 2 - puts", 0}, {"", "test 3", Skip, "", 0},
				{"", "later", Skip, "", 0}, {"", "test ", Pass, "", 0}, {"", "(bail out)", Error, "no API", 0},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Read(strings.NewReader(tt.in), "r")
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		in, want string
		tests    int
	}{
		"nothing":            {"", "no test results", 0},
		"talk":               {"all is well\n", "no test results", 0},
		"go test in words":   {"ok  \texample.org/a\t0.012s\n--- FAIL: TestX (0.00s)\nFAIL\texample.org/b\t0.003s\n", "no test results", 0},
		"html":               {"<html><body>no</body></html>", "no test results", 0},
		"broken off":         {"<testsuite>\n<testcase name='a'/>\n<testcase name='b'>", "it ends inside \"testcase\"", 1},
		"crossed":            {"<testsuite>\n<testcase name='a'></testsuite>", "line 2: element \"testsuite\" ends", 0},
		"deep":               {"<testsuite>" + strings.Repeat("<a>", 100), "elements nest deeper than 64", 0},
		"no XML":             {"<testsuite>\n<testcase name='a'/><testcase =>", "line 2: ", 1},
		"unknown encoding":   {"<?xml version='1.0' encoding='ebcdic'?><testsuite/>", "no test results", 0},
		"jest, cut":          {`{"testResults":[{"name":"a"`, "unexpected EOF", 0},
		"jest, of no object": {`{"testResults":7}`, "cannot unmarshal number", 0},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Read(strings.NewReader(tt.in), "left.xml")
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "left.xml") {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
			if len(got) != tt.tests {
				t.Errorf("%d results before the error, want %d", len(got), tt.tests)
			}
		})
	}
	if _, err := Read(strings.NewReader("?"), "x"); !errors.Is(err, ErrUnknown) {
		t.Errorf("%v is not ErrUnknown", err)
	}
}

// TestFixtures holds the rates against suites whose executions somebody else has counted.
func TestFixtures(t *testing.T) {
	for name, want := range map[string]Rates{
		"news":     {Executions: 11, Tests: 21, Runs: 231, Failures: 55, Consistent: 5, FR: 0.238, FRc: 0.238},
		"features": {Executions: 11, Tests: 33, Runs: 363, Failures: 43, Consistent: 3, Unstable: 1, FR: 0.118, FRc: 0.091, FRu: 0.030},
	} {
		files, _ := filepath.Glob("../../../shared/fixtures/" + name + "/python/runs/*.xml")
		needs.That(t, "the folder of recorded sessions (shared/fixtures)", len(files) > 0)
		var runs [][]Result
		for _, file := range files {
			f, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			run, err := Read(f, file)
			f.Close()
			if err != nil {
				t.Fatal(err)
			}
			runs = append(runs, run)
		}
		got := RatesOf(Tally(runs), len(runs))
		for _, f := range []*float64{&got.FR, &got.FRc, &got.FRu} {
			*f = math.Round(*f*1000) / 1000
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestRates(t *testing.T) {
	one := func(outcomes string) []Result { // one letter a test, in the order a, b, c, …; a space where it is missing
		var out []Result
		for i, c := range outcomes {
			if c != ' ' {
				out = append(out, Result{Name: string(rune('a' + i)), Outcome: map[rune]Outcome{'p': Pass, 'f': Fail, 'e': Error, 's': Skip}[c]})
			}
		}
		return out
	}
	for name, tt := range map[string]struct {
		runs []string
		want Rates
	}{
		"none":                        {nil, Rates{}},
		"all pass":                    {[]string{"pp", "pp"}, Rates{Executions: 2, Tests: 2, Runs: 4}},
		"one always, one at times":    {[]string{"fpp", "epf"}, Rates{2, 3, 6, 3, 1, 1, 0.5, 1. / 3, 1. / 3}},
		"skipped is not run":          {[]string{"sp", "sf"}, Rates{2, 1, 2, 1, 0, 1, 0.5, 0, 1}},
		"fails whenever it is run":    {[]string{"fp", " p", "fp"}, Rates{3, 2, 5, 2, 1, 0, 0.4, 0.5, 0}},
		"what is skipped once counts": {[]string{"p", "s"}, Rates{Executions: 2, Tests: 1, Runs: 1}},
	} {
		var runs [][]Result
		for _, r := range tt.runs {
			runs = append(runs, one(r))
		}
		tests := Tally(runs)
		if d := cmp.Diff(tt.want, RatesOf(tests, len(runs))); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if r := tt.want; r.FRc > r.FR+1e-9 && name != "fails whenever it is run" || r.FR > r.FRc+r.FRu+1e-9 {
			t.Errorf("%s: FRc ≤ FR ≤ FRc + FRu does not hold of %+v", name, r)
		}
	}
	steady := Tally([][]Result{one("pfp"), one("pp ")})
	for i, want := range []bool{true, false, false} {
		if steady[i].Steady(2) != want {
			t.Errorf("test %s: steady is %v", steady[i].Name, !want)
		}
	}
}

func TestBounds(t *testing.T) {
	long := strings.Repeat("ü", MaxMessage)
	got, err := Read(strings.NewReader(`<testsuite><testcase name="`+long+`"><failure>`+long+`</failure></testcase></testsuite>`), "r")
	if err != nil || len(got) != 1 {
		t.Fatalf("%d results, %v", len(got), err)
	}
	if n := len(got[0].Name); n > maxName {
		t.Errorf("a name of %d bytes", n)
	}
	if n := len(got[0].Message); n > MaxMessage || n < MaxMessage/2 {
		t.Errorf("a message of %d bytes", n)
	}
}

func TestFromStatus(t *testing.T) {
	if r := FromStatus("cmd", 0, time.Second); r.Failed() || r.Name != "cmd" {
		t.Errorf("%+v", r)
	}
	if r := FromStatus("cmd", 3, time.Second); !r.Failed() || r.Message != "exit status 3" {
		t.Errorf("%+v", r)
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`<testsuites><testsuite name="s"><testcase classname="c" name="n" time="1"><failure message="m">t</failure></testcase></testsuite></testsuites>`,
		`{"Action":"run","Package":"p","Test":"T"}` + "\n" + `{"Action":"fail","Package":"p","Test":"T","Elapsed":1}`,
		`{"testResults":[{"name":"n","assertionResults":[{"fullName":"f","status":"failed","failureMessages":["m"]}]}]}`,
		"TAP version 13\n1..1\nnot ok 1 - x # TODO y\nBail out!", "<a", "", "\ufeff<testsuite/>",
		"test_a (m.C.test_a)\nA test ... FAIL\ntest_b (m.C) ... xok\n" + unittestRule + "\nFAIL: test_a (m.C.test_a)\n" + unittestLine +
			"\nFile \"a.py\", line 3\n" + unittestLine + "\nRan 2 tests",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := Read(strings.NewReader(string(data)), "f")
		if err == nil && got == nil && len(data) == 0 {
			t.Error("nothing is results")
		}
		seen := map[ID]bool{}
		for _, r := range got {
			if r.Outcome == "" || len(r.Name) > maxName+20 || len(r.Message) > MaxMessage || r.Duration < 0 {
				t.Errorf("%+v", r)
			}
			seen[r.ID()] = true
		}
		detailed, _ := ReadDetailed(strings.NewReader(string(data)), "f")
		if d := cmp.Diff(got, Plain(detailed)); d != "" {
			t.Error(d)
		}
		for _, r := range detailed {
			if len(r.Trace) > maxTrace || r.Where.Line < 0 || r.Where.String() != "" && !r.Failed() {
				t.Errorf("%+v", r)
			}
		}
		RatesOf(Tally([][]Result{got, got}), 2)
	})
}

func TestKills(t *testing.T) {
	plain := func(name string, o Outcome) Result { return Result{Name: name, Outcome: o} }
	tests := Tally([][]Result{
		{plain("steady", Pass), plain("failing", Fail), plain("flaky", Pass), plain("seldom", Pass)},
		{plain("steady", Pass), plain("failing", Fail), plain("flaky", Fail)},
	})
	names := func(ids []ID) string {
		var out []string
		for _, id := range ids {
			out = append(out, id.Name)
		}
		return strings.Join(out, " ")
	}
	for _, tt := range []struct {
		with  []Result
		broke bool
		want  string
	}{
		{[]Result{plain("steady", Pass), plain("failing", Fail), plain("flaky", Fail), plain("seldom", Fail), plain("new", Fail)}, true, ""},
		{[]Result{plain("steady", Fail)}, true, "steady"},
		{[]Result{plain("steady", Error)}, false, "steady"},
		{[]Result{plain("steady", Skip)}, true, ""},
		{nil, false, ""},
		{nil, true, "steady"},
	} {
		if got := names(Kills(tests, 2, tt.with, tt.broke)); got != tt.want {
			t.Errorf("%v, broke off %v: killed by %q, want %q", tt.with, tt.broke, got, tt.want)
		}
	}
}

func TestJoin(t *testing.T) {
	one := []Result{{Name: "a"}, {Name: "a#2"}, {Suite: "s", Name: "a"}}
	var names []string
	for _, r := range Join(one, one) {
		names = append(names, r.ID().String())
	}
	if d := cmp.Diff([]string{"a", "a#2", "s › a", "a#3", "a#2#2", "s › a#2"}, names); d != "" {
		t.Error(d)
	}
}
