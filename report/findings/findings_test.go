package findings

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/testbed/recorded"
	"github.com/flaketap/flaketap/volatility/analysis"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

func gather(t *testing.T, all []recorded.Call, runs int) *Findings {
	t.Helper()
	f, err := Gather(recorded.Write(t, all, runs), analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// place returns the place of an operation.
func (f *Findings) place(t *testing.T, operation string, place exchange.Place) *Place {
	t.Helper()
	for i, p := range f.Places {
		at := slices.IndexFunc(f.Operations, func(o Operation) bool { return o.ID == p.Operation })
		if p.Place == place && f.Operations[at].Operation == operation {
			return &f.Places[i]
		}
	}
	t.Fatalf("no place %s of %s in %+v", place, operation, f.Places)
	return nil
}

func TestValuesAreThoseOfTheRuns(t *testing.T) {
	f := gather(t, recorded.Shop(), 4)
	p := f.place(t, "GET /orders/{id}", "/body/at")
	if len(p.Seen) != 1 || p.Seen[0].Recorded != `"2026-01-02T03:04:05Z"` || p.Seen[0].Seq != 2 {
		t.Fatalf("%+v", p.Seen)
	}
	for i, r := range p.Seen[0].Runs {
		want := SeenRun{Run: i + 1, Moved: true, Value: fmt.Sprintf(`"2026-01-02T%02d:04:05Z"`, 4+i)}
		if r != want {
			t.Errorf("%+v, want %+v", r, want)
		}
	}
	tags := f.place(t, "GET /tags", "/body/tags")
	if got := tags.Seen[0].Runs[2]; got.Moved || got.Value != tags.Seen[0].Recorded {
		t.Errorf("a run that saw the recorded order has %+v", got)
	}
	if got := tags.ByRun; got[0].Moved != 1 || got[2].Moved != 0 || got[2].Of != 1 {
		t.Errorf("run by run %+v", got)
	}
	status := f.place(t, "GET /stock", exchange.PlaceStatus)
	if got := status.Conditions[0]; got.Words != "replayed, after a reset, delay=2h" || got.Moved != 1 || got.Of != 2 || !slices.Equal(got.Runs, []int{2, 4}) {
		t.Errorf("the conditions that moved the status are %+v", status.Conditions)
	}
}

func TestSequencesSayHowTheyWent(t *testing.T) {
	f := gather(t, recorded.Shop(), 4)
	var got []string
	for _, s := range f.Sequences {
		got = append(got, fmt.Sprint(s.Name, " ", s.Risk, " ", s.Places, " ", s.Otherwise))
	}
	want := []string{"reads not-reproduced 1 [2]", "orders at-risk 3 []", "lists at-risk 1 []", "steady steady 0 []"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if h := f.Headline; h.AtRisk != 3 || h.Of != 4 || h.NotReproduced != 1 || h.Unit != "sequence" {
		t.Errorf("%+v", h)
	}
	orders := f.Sequences[1]
	if b := orders.Bindings; len(b) != 1 || b[0].From != 1 || b[0].Uses[0] != (exchange.Ref{Seq: 2, Place: "/path/1"}) {
		t.Errorf("the bindings of orders are %+v", b)
	}
	if runs := f.Sequences[0].Steps[0].Runs; runs[0].How != "same" || runs[1] != (Went{2, "otherwise", "503"}) {
		t.Errorf("%+v", runs)
	}
	if r := f.Runs[1]; r.NotReproduced != 1 || f.Runs[0].NotReproduced != 0 {
		t.Errorf("%+v", f.Runs)
	}
}

func TestActionsCountWhatTheyHelp(t *testing.T) {
	f := gather(t, recorded.Shop(), 4)
	for _, a := range f.Headline.Actions {
		if a.Sequences < 1 || a.Sequences > len(f.Sequences) || a.Places < 1 {
			t.Errorf("%+v", a)
		}
	}
	if len(f.Headline.Actions) == 0 {
		t.Error("there is nothing to do")
	}
}

// TestWhatIsLeftOutIsCounted: the headline counts sequences that the list of them has no room for.
func TestWhatIsLeftOutIsCounted(t *testing.T) {
	var all []recorded.Call
	for i := range maxSequences + 5 {
		all = append(all, recorded.Call{Sequence: fmt.Sprint("case-", i), Request: fmt.Sprint("GET /n/", i), Status: recorded.Always(200),
			Body: recorded.Shop()[2].Body}) // a list whose order moves
	}
	f := gather(t, all, 2)
	if h := f.Headline; len(f.Sequences) != maxSequences || f.Left.Sequences != 5 || h.Of != len(all) || h.AtRisk != len(all) {
		t.Errorf("%d told, %d left, %+v", len(f.Sequences), f.Left.Sequences, h)
	}
}

func TestSameRecordingSameFindings(t *testing.T) {
	path := recorded.Write(t, recorded.Shop(), 4)
	var docs [2]string
	for i := range docs {
		f, err := Gather(path, analysis.Options{})
		if err != nil {
			t.Fatal(err)
		}
		doc, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		docs[i] = string(doc)
	}
	if docs[0] != docs[1] {
		t.Error("they differ")
	}
}

// TestSecretsAreTokens: no value that an answer names as secret is in the findings, wherever it is echoed.
func TestSecretsAreTokens(t *testing.T) {
	token := func(run int) string { return fmt.Sprintf("tkn-%d-5f3a9c7e1b", 1000+run) }
	f := gather(t, []recorded.Call{
		{Sequence: "a", Request: "POST /login", Status: recorded.Always(200), Body: func(run int) string {
			return fmt.Sprintf(`{"access_token":%q,"said":"take %s"}`, token(run), token(run))
		}},
		{Sequence: "a", Request: "GET /by/" + token(0), Status: recorded.Always(200), Body: func(run int) string { return fmt.Sprintf(`{"echo":%q}`, token(run)) }},
	}, 3)
	doc, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(doc), "5f3a9c7e1b") {
		t.Errorf("a secret is in %s", doc)
	}
	if len(f.Places) == 0 || !strings.Contains(string(doc), "secret:") {
		t.Errorf("the secret moves, and is not shown as a token: %s", doc)
	}
}

func TestIdsOutliveNamesOfParameters(t *testing.T) {
	op := func(template string) *mapfile.Operation {
		return &mapfile.Operation{Operation: exchange.Operation{Method: "GET", Template: template}, Status: 200}
	}
	if a, b := PlaceID(op("/a/{id}/b-{x}.json"), "/body"), PlaceID(op("/a/{orderId}/b-{y}.json"), "/body"); a != b {
		t.Errorf("%s and %s", a, b)
	}
	seen := map[string]string{}
	for _, template := range []string{"/a", "/a/{id}", "/a/{", "/a/}", "/a/{id", "/b", "/a/{}/{}", "/{a/b}"} {
		got := PlaceID(op(template), "/body")
		if other, known := seen[got]; known {
			t.Errorf("%s and %s have the same id", template, other)
		}
		seen[got] = template
	}
}

func TestSince(t *testing.T) {
	f, old := gather(t, recorded.Shop(), 4), gather(t, recorded.Shop()[2:], 4)
	for _, op := range old.Map.Operations { // the tags were steady then
		for _, field := range op.Fields {
			if field.Place == "/body/tags" {
				*field = mapfile.Field{Place: field.Place, Judgement: mapfile.Stable, Of: 40, Bound: 0.07}
			}
		}
	}
	f.Compare(old.Map)
	if p := f.place(t, "GET /tags", "/body/tags"); p.Since != mapfile.Began || f.Since.Began != 1 || f.Since.Unseen != 3 {
		t.Errorf("%q, %+v", p.Since, f.Since)
	}
	if c := f.Since.Changes[0]; c.Before != "stable" || c.After != "jitter, Unord" || c.PlaceID != f.place(t, "GET /tags", "/body/tags").ID {
		t.Errorf("%+v", c)
	}
}

func TestRatesAreReadOfBoth(t *testing.T) {
	dir := t.TempDir()
	write := func(name, doc string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(doc), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("report.json", `{"flaketap": "stabilize-report", "version": 1, "holds": true, "before": {"runs": 5, "tests": 8, "failing": 2, "failure_rate": 0.2},
		"after": {"runs": 10, "tests": 8, "failing": 0, "failure_rate": 0},
		"unhelped": [{"test": "a", "file": "a.py", "failed": 0, "of": 10, "why": "it needs a user"},
			{"test": "b", "file": "a.py", "failed": 5, "of": 5, "order": "backwards", "why": "1 is not 4"}]}`)
	verified := write("verified.json", `{"flaketap": "verification", "runs": 10, "suites": [{"suite": "s", "tests": 2, "fr": 0.5, "failing": [{"name": "a", "ran": 10, "failed": 4}]},
		{"suite": "p", "tests": 2, "fr": 0.1, "failing": [{"name": "a", "ran": 10, "failed": 1}, {"name": "b", "ran": 10, "failed": 2}]}]}`)
	r, err := ReadRates(dir)
	if err != nil || len(r.Forms) != 2 || r.Forms[0].Rate != 0.2 || !r.Holds || r.tests[0].Why != "it needs a user" || r.tests[0].After != nil {
		t.Errorf("%+v, %v", r, err)
	}
	if b := r.tests[1]; b.After != nil || b.Why != "run backwards, it fails in 5 of 5 runs: 1 is not 4" {
		t.Errorf("a test that holds in its order alone: %+v", b)
	}
	if r, err = ReadRates(verified); err != nil || r.Holds || len(r.tests) != 2 || *r.tests[0].After != (Failed{1, 10}) || r.tests[1].Before != nil {
		t.Errorf("%+v, %v", r, err)
	}
	for doc, want := range map[string]string{`{`: "unexpected end", `{"flaketap": "volatile-map"}`: "not a report of stabilize or verify"} {
		if _, err := ReadRates(write("other.json", doc)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", doc, err)
		}
	}
	if r, err := FindRates(filepath.Join(dir, "none.db")); r != nil || err != nil {
		t.Errorf("%+v, %v", r, err)
	}
}

func FuzzDecodeRates(f *testing.F) {
	f.Add([]byte(`{"flaketap": "stabilize-report", "before": {"runs": 1}, "unhelped": [{}], "not_followed": [{"test": "a"}]}`))
	f.Add([]byte(`{"flaketap": "verification", "suites": [{"failing": [{"suite": "s"}]}, {}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := DecodeRates(data)
		if err == nil {
			(&Findings{}).Measure(r)
		}
	})
}

// TestExcerptsShowWhatDiffers: an excerpt is short, is no broken text, and holds the first difference of long values.
func TestExcerptsShowWhatDiffers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		head := strings.Repeat(rapid.StringN(1, 3, 9).Draw(t, "head"), rapid.IntRange(0, 400).Draw(t, "times"))
		tail := rapid.StringN(0, 300, -1).Draw(t, "tail")
		a, b := head+"1"+tail, head+"2"+tail
		from := begin(a, b)
		x, y := excerpt(a, from), excerpt(b, from)
		if len(x) > MaxValue+utf8.UTFMax || !utf8.ValidString(x) {
			t.Fatalf("%d bytes: %q", len(x), x)
		}
		if x == y {
			t.Fatalf("%q does not show what differs", x)
		}
	})
}

// TestLateIsReproduced: what was answered as recorded once it was asked for again counts as reproduced, as replay counts it.
func TestLateIsReproduced(t *testing.T) {
	j, err := analysis.JudgeWithSteps(recorded.Write(t, recorded.Shop(), 4), analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{1, 0} {
		f, err := OfSteps(j)
		if err != nil {
			t.Fatal(err)
		}
		if f.Headline.NotReproduced != want {
			t.Errorf("%d sequences were not reproduced, want %d", f.Headline.NotReproduced, want)
		}
		for _, s := range j.Steps {
			for _, o := range s.Observations {
				if exchange.StatusOf(o.Response) != exchange.StatusOf(s.Exchange.Response) {
					o.Settling = &exchange.Settling{Settled: true, Looks: 1}
				}
			}
		}
	}
}
