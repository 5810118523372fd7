package truth

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/flaketap/flaketap/exchange"
)

// sample is a truth of few places.
func sample() Truth {
	return Truth{
		Everywhere: []Label{{Place: "/status", Label: Stable}, {Place: "/header/date", Label: "Time", Protocol: true}},
		Operations: []Operation{
			{"GET", "/orders/{id}", 200, []Label{
				{Place: "/body/id", Label: "Rand"}, {Place: "/body/at", Label: "Time"}, {Place: "/body/name", Label: Stable},
				{Place: "/body/tags/*", Label: Stable}, {Place: "/body/follows", Label: Either},
				{Place: "/body/queue", Label: "Rand", List: true}, {Place: "/body/queue/*/n", Label: Either},
			}},
			{"GET", "/orders/recent", 200, []Label{{Place: "/body/at", Label: "Time"}}},
			{"*", "*", 404, []Label{{Place: "/body/error", Label: Stable}}},
		},
	}
}

func on200(template string, place exchange.Place, category string) Judged {
	return Judged{"GET", template, 200, place, category != Stable, category}
}

func TestScore(t *testing.T) {
	type counts struct{ Operations, Right, Wrong, Missed, Rested, Named, Unseen, Unlabelled int }
	tests := []struct {
		name   string
		judged []Judged
		want   counts
	}{
		{"nothing", nil, counts{}},
		{"all right", []Judged{
			on200("/orders/{id}", "/body/id", "Rand"), on200("/orders/{id}", "/body/at", "Time"), on200("/orders/{id}", "/body/queue", "Rand"),
			on200("/orders/{id}", "/header/date", "Time"),
		}, counts{Operations: 1, Right: 3, Rested: 3, Named: 3}},
		{"wrong category", []Judged{on200("/orders/{id}", "/body/id", "Time")}, counts{Operations: 1, Right: 1, Missed: 2, Rested: 3}},
		{"false positive", []Judged{on200("/orders/{id}", "/body/name", "Rand")}, counts{Operations: 1, Wrong: 1, Missed: 3, Rested: 2}},
		{"either way", []Judged{on200("/orders/{id}", "/body/follows", "Rand")}, counts{Operations: 1, Missed: 3, Rested: 3}},
		{"elements one by one", []Judged{
			on200("/orders/{id}", "/body/tags/0", "Rand"), on200("/orders/{id}", "/body/tags/1", Stable), on200("/orders/{id}", "/body/tags/2", "Rand"),
		}, counts{Operations: 1, Wrong: 1, Missed: 3, Rested: 2}},
		{"a member of a list", []Judged{on200("/orders/{id}", "/body/queue/*/n", "Rand")}, counts{Operations: 1, Right: 1, Missed: 2, Rested: 3, Named: 1}},
		{"deep in a list", []Judged{on200("/orders/{id}", "/body/queue/0/x/y", "Rand")}, counts{Operations: 1, Right: 1, Missed: 2, Rested: 3, Named: 1}},
		{"other parameter's name", []Judged{on200("/orders/{orderId}", "/body/id", "Rand")}, counts{Operations: 1, Right: 1, Missed: 2, Rested: 3, Named: 1}},
		{"a value for a parameter", []Judged{on200("/orders/7", "/body/id", "Rand"), on200("/orders/{x}", "/body/at", "Time")},
			counts{Operations: 1, Right: 2, Missed: 1, Rested: 3, Named: 2}},
		{"the literal is closer", []Judged{on200("/orders/recent", "/body/at", "Time")}, counts{Operations: 1, Right: 1, Rested: 1, Named: 1}},
		{"a parameter for a literal", []Judged{on200("/{x}/recent", "/body/at", "Time")}, counts{}},
		{"no such status", []Judged{{"GET", "/orders/{id}", 201, "/body/id", true, "Rand"}}, counts{}},
		{"any operation", []Judged{{"PUT", "/x", 404, "/body/error", true, "Rand"}, {"PUT", "/y", 404, "/body/error", false, ""}},
			counts{Operations: 2, Wrong: 1, Rested: 3}},
		{"no label", []Judged{on200("/orders/{id}", "/body/new", "Rand")}, counts{Operations: 1, Missed: 3, Rested: 3, Unlabelled: 1}},
		{"complete, unseen", []Judged{on200("/orders/{id}", "/status", Stable), on200("/orders/{id}", "/body/id", "Rand")},
			counts{Operations: 1, Right: 1, Rested: 1, Named: 1, Unseen: 4}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := Score(sample(), tt.judged)
			got := counts{r.Operations, r.Right, r.Wrong, r.Missed, r.Rested, r.Named, r.Unseen, len(r.Unlabelled)}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if len(r.FalsePositives) != r.Wrong || len(r.FalseNegatives) != r.Missed || len(r.WrongCategories) != r.Right-r.Named {
				t.Errorf("the lists do not fit the counts: %+v", r)
			}
		})
	}
}

func TestScoreShares(t *testing.T) {
	r := Score(sample(), []Judged{
		on200("/orders/{id}", "/body/id", "Rand"), on200("/orders/{id}", "/body/at", "Rand"), on200("/orders/{id}", "/body/name", "Rand"),
	})
	if math.Abs(r.Precision-2.0/3) > 1e-9 || math.Abs(r.Recall-2.0/3) > 1e-9 || r.Category != 0.5 || r.Places != 6 {
		t.Errorf("%+v", r)
	}
	want := "GET /orders/{id} 200 /body/name: stable, judged Rand"
	if got := r.FalsePositives[0].String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if r := Score(sample(), nil); r.Precision != 1 || r.Recall != 1 || r.Category != 1 {
		t.Errorf("of nothing: %+v", r)
	}
}

// TestScoreOfTruth proves that who repeats the truth is right throughout, and who says the contrary never is.
func TestScoreOfTruth(t *testing.T) {
	truth := sample()
	var same, contrary []Judged
	for _, o := range truth.Operations {
		for _, l := range truth.Labels(&o) {
			if l.Label == Either {
				continue
			}
			category := l.Label
			same = append(same, Judged{o.Method, o.Template, o.Status, l.Place, l.Moves(), category})
			contrary = append(contrary, Judged{o.Method, o.Template, o.Status, l.Place, !l.Moves(), "Unk"})
		}
	}
	r := Score(truth, same)
	if r.Wrong+r.Missed+r.Unseen+len(r.Unlabelled) != 0 || r.Precision != 1 || r.Recall != 1 || r.Category != 1 {
		t.Errorf("the truth itself: %+v", r)
	}
	if r := Score(truth, contrary); r.Precision > 0.05 || r.Named != 0 {
		t.Errorf("the contrary: precision %.3f, recall %.3f, named %d", r.Precision, r.Recall, r.Named)
	}
}

// TestScoreAny proves that no list of verdicts breaks the scoring, nor its sums.
func TestScoreAny(t *testing.T) {
	truth := sample()
	rapid.Check(t, func(t *rapid.T) {
		judged := rapid.SliceOf(rapid.Custom(func(t *rapid.T) Judged {
			o := rapid.SampledFrom(truth.Operations).Draw(t, "operation")
			place := exchange.Place(rapid.StringMatching(`(/[a-z*~0-9]{0,6}){0,4}`).Draw(t, "place"))
			if len(o.Places) > 0 && rapid.Bool().Draw(t, "known") {
				place = rapid.SampledFrom(o.Places).Draw(t, "label").Place
			}
			return Judged{o.Method, o.Template, o.Status, place, rapid.Bool().Draw(t, "volatile"), "Rand"}
		})).Draw(t, "judged")
		r := Score(truth, judged)
		if r.Right+r.Wrong+r.Missed+r.Rested != r.Places || r.Named > r.Right || len(r.FalsePositives) != r.Wrong || len(r.FalseNegatives) != r.Missed {
			t.Fatalf("%+v", r)
		}
		for _, share := range []float64{r.Precision, r.Recall, r.Category} {
			if share < 0 || share > 1 {
				t.Fatalf("%+v", r)
			}
		}
	})
}
