package trial

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/testbed/truth"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// TestLabels holds the judgement of 10 runs against the labels: these are the figures that are promised. With -v it prints
// the table of all judges, what each finds by category and by what it would take to see it, and where they are wrong.
func TestLabels(t *testing.T) {
	for _, api := range apis {
		t.Run(api.name, func(t *testing.T) {
			session := api.play(t, 0)
			for _, judge := range judges {
				labels, all := only(api.labels(t), judge.labels), judge.verdict(t, session)
				r := truth.Score(labels, all)
				t.Logf("| %s, %s | %d | %.3f | %.3f | %.3f |", api.name, judge.name, r.Places, r.Precision, r.Recall, r.Category)
				report(t, labels, all, r)
				if judge.name == judges[0].name {
					floors(t, r, api)
				}
			}
		})
	}
}

// floors fails the test where a figure is lower than promised.
func floors(t *testing.T, r truth.Result, api labelled) {
	t.Helper()
	if r.Places < 250 || r.Precision < 0.99 || r.Recall < api.recall || r.Category < api.category {
		t.Errorf("precision %.3f, recall %.3f, category %.3f over %d places; wanted are 0.99, %.2f, %.2f over 250",
			r.Precision, r.Recall, r.Category, r.Places, api.recall, api.category)
	}
}

// report logs what is found of each kind of label, and the disagreements.
func report(t *testing.T, labels truth.Truth, all []truth.Judged, r truth.Result) {
	t.Helper()
	for _, category := range []string{"Time", "Rand", "Crypt", "Unord", "RunMsg", "State", "Env"} {
		k := truth.Score(only(labels, func(l truth.Label) bool { return l.Label == category }), all)
		t.Logf("    %s: %d of %d found, %d of them with the right category", category, k.Right, k.Right+k.Missed, k.Named)
	}
	for _, need := range truth.Needs() {
		k := truth.Score(only(labels, func(l truth.Label) bool { return l.Needs == need }), all)
		t.Logf("    needs %s: %d of %d found, %d of them with the right category", cmp.Or(need, "nothing"), k.Right, k.Right+k.Missed, k.Named)
	}
	for _, list := range []struct {
		name string
		all  []truth.Disagreement
	}{{"stays", r.FalsePositives}, {"missed", r.FalseNegatives}, {"category", r.WrongCategories}} {
		for _, d := range list.all {
			t.Logf("        %s: %s", list.name, d)
		}
	}
}

// only returns the truth with no labels but some.
func only(labels truth.Truth, is func(truth.Label) bool) truth.Truth {
	keep := func(labels []truth.Label) []truth.Label {
		labels = slices.Clone(labels)
		for i, l := range labels {
			if !is(l) {
				labels[i].Label = truth.Either
			}
		}
		return labels
	}
	labels.Everywhere = keep(labels.Everywhere)
	labels.Operations = slices.Clone(labels.Operations)
	for i := range labels.Operations {
		labels.Operations[i].Places = keep(labels.Operations[i].Places)
	}
	return labels
}

func TestSeeds(t *testing.T)     { sameForAllSeeds(t, 4) }
func TestEvalSeeds(t *testing.T) { sameForAllSeeds(t, 30) }

// sameForAllSeeds proves that the figures are not those of one seed: whatever the day and the hour, the speed of the answers, the
// randomness and its chances, and however far the API's clock is off by seconds, they lie within a hundredth of their median.
func sameForAllSeeds(t *testing.T, n uint64) {
	t.Helper()
	for _, api := range apis {
		t.Run(api.name, func(t *testing.T) {
			labels, results := api.labels(t), make([]truth.Result, n)
			t.Run("seeds", func(t *testing.T) {
				for i := range n {
					t.Run(fmt.Sprint(i+1), func(t *testing.T) {
						t.Parallel()
						session := api.play(t, i+1)
						m := judge(t, session, 10)
						results[i] = truth.Score(labels, verdicts(m))
						explain(t, m, results[i])
					})
				}
			})
			for _, figure := range []struct {
				name string
				of   func(truth.Result) float64
			}{
				{"precision", func(r truth.Result) float64 { return r.Precision }},
				{"recall", func(r truth.Result) float64 { return r.Recall }},
				{"category", func(r truth.Result) float64 { return r.Category }},
			} {
				var all []float64
				for _, r := range results {
					all = append(all, figure.of(r))
				}
				slices.Sort(all)
				low, median, high := all[0], all[len(all)/2], all[len(all)-1]
				t.Logf("%s of %d seeds: %.3f to %.3f, median %.3f", figure.name, n, low, high, median)
				if median-low > 0.01 || high-median > 0.01 {
					t.Errorf("%s is not the same for all seeds", figure.name)
				}
			}
		})
	}
}

// explain logs the disagreements with what the map says of the places.
func explain(t *testing.T, m *mapfile.Map, r truth.Result) {
	t.Helper()
	for _, d := range slices.Concat(r.FalsePositives, r.FalseNegatives, r.WrongCategories) {
		t.Log(d)
		for _, op := range m.Operations {
			if op.Method != d.Method || op.Status != d.Status || !sameTemplate(op.Template, d.Template) {
				continue
			}
			for _, f := range op.Fields {
				if f.Place == d.Place || f.Place.Matches(d.Place) || d.Place.Matches(f.Place) {
					t.Logf("    %s: %s, %d of %d, %v, as %s", f.Place, f.Judgement, f.Changed, f.Of, f.Evidence, f.Samples)
				}
			}
		}
	}
}

// sameTemplate reports whether two templates differ in the names of parameters alone.
func sameTemplate(a, b string) bool {
	wild := func(s string) exchange.Place {
		p := exchange.Place(s)
		for i, part := range p.Segments() {
			if part != "" && part[0] == '{' {
				p = p.General(i)
			}
		}
		return p
	}
	return wild(a) == wild(b)
}

// BenchmarkLabels prints the same figures for the benchmarks' table.
func BenchmarkLabels(b *testing.B) {
	for _, api := range apis {
		session := api.play(b, 0)
		for _, judge := range judges {
			labels := only(api.labels(b), judge.labels)
			b.Run(api.name+"/"+judge.name, func(b *testing.B) {
				var r truth.Result
				for b.Loop() {
					r = truth.Score(labels, judge.verdict(b, session))
				}
				b.ReportMetric(float64(r.Places), "places")
				b.ReportMetric(r.Precision, "precision")
				b.ReportMetric(r.Recall, "recall")
				b.ReportMetric(r.Category, "category")
			})
		}
	}
}
