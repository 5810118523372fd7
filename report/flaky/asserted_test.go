package flaky

import (
	"fmt"
	"testing"
	"time"

	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/mend"
	"github.com/flaketap/flaketap/suite/results"
	"github.com/flaketap/flaketap/suite/script"
)

// prices is a suite with a helper that two tests share; the first line of its assertion is 5.
const prices = `import requests
URL = "http://127.0.0.1:8080"
def shared(body):
    print(body)
    assert body["price"] == 7
    assert body["drawn"] == "abc"
def test_price():
    res = requests.get(URL + "/price")
    shared(res.json())
`

// observed is an assertion of a line that failed in each execution, with what it saw in them.
func observed(test string, line int, saw ...string) results.Asserted {
	out := results.Asserted{Test: test, Where: results.Where{File: "test_a.py", Line: line}, From: results.Where{File: "test_a.py", Line: 9}}
	for run, value := range saw {
		x := results.AssertedIn{Run: run}
		x.Name, x.Outcome, x.Trace = test, results.Fail, value
		x.Start = begun.Add(time.Duration(run)*time.Hour - time.Second)
		x.End = x.Start.Add(2500 * time.Millisecond)
		if value != "" {
			x.Saw = []string{value, "7"}
		}
		out.Runs = append(out.Runs, x)
	}
	return out
}

// messages are the same failures where nothing but a message tells what was seen.
func messages(a results.Asserted, message string) results.Asserted {
	for i, x := range a.Runs {
		a.Runs[i].Saw, a.Runs[i].Trace = nil, fmt.Sprintf(message, x.Trace)
	}
	return a
}

// What an assertion looks at that was not read is known by the values that it saw, in the answers of its test: by the
// marks, the suite or the times; and what a person could write is said in its own words.
func TestAsserted(t *testing.T) {
	in := input(t,
		call{"", "/price", []string{`200 {"price":4,"other":9,"drawn":"aaaa1111"}`, `200 {"price":6,"other":9,"drawn":"bbbb2222"}`, `200 {"price":4,"other":3,"drawn":"cccc3333"}`}},
		call{"", "/more", []string{`200 {"price":4}`, `200 {"price":5}`, `200 {"price":4}`}})
	read, err := suite.ReadAmong("suite/test_a.py", []byte(prices), mend.OnDisk)
	if err != nil {
		t.Fatal(err)
	}
	source := SourceFile{Path: "suite/test_a.py", Data: []byte(prices)}
	for _, c := range []struct {
		name    string
		files   []*script.Script
		seen    results.Asserted
		place   string
		known   string
		instead string
	}{
		{"by the suite", []*script.Script{read}, observed("test_price", 5, "4", "6", "4"), "/body/price", report.KnownByValue, `assert isinstance(body["price"], int)`},
		{"by the times", nil, observed("other_name", 5, "4", "6", "4"), "/body/price", report.KnownByValue, ""},
		{"another value in one run", []*script.Script{read}, observed("test_price", 5, "4", "6", "9"), "/body/price", report.KnownByLine, ""},
		{"one value that is particular", []*script.Script{read}, observed("test_price", 6, `"aaaa1111"`), "/body/drawn", report.KnownByValue, `assert re.fullmatch(r"[0-9a-fA-F]+", body["drawn"])`},
		{"no values", []*script.Script{read}, observed("test_price", 6, "", ""), "/body/drawn", report.KnownByLine, ""},
		{"messages alone", nil, messages(observed("other_name", 4, "4", "6", "4"), "the price is %s, not 7"), "/body/price", report.KnownByMessage, ""},
		{"one message for all", nil, messages(observed("other_name", 4, "4", "4", "4"), "the price is %s, not 7"), "", "", ""},
		{"values of nothing", []*script.Script{read}, observed("test_price", 4, "88", "99"), "", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			in.Files, in.Sources = c.files, []SourceFile{source}
			found := in.Asserted([]results.Asserted{c.seen})[0]
			if c.place == "" {
				if len(found) > 0 {
					t.Errorf("%+v", found[0].FlakeCause)
				}
				return
			}
			if len(found) != 1 || string(found[0].Place) != c.place || found[0].Known != c.known {
				t.Fatalf("%+v", found)
			}
			if found[0].Instead != c.instead || len(found[0].Next) == 0 || found[0].Exchange.Seq != 1 {
				t.Errorf("instead %q, %+v", found[0].Instead, found[0].Exchange)
			}
		})
	}
}
