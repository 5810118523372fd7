package demo

import (
	"fmt"
	"io"

	"github.com/flaketap/flaketap/internal/testbed/truth"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// Score holds a map against labels.
func Score(m *mapfile.Map, labels truth.Truth) truth.Result {
	var judged []truth.Judged
	for _, op := range m.Operations {
		for _, f := range op.Fields {
			judged = append(judged, truth.Judged{
				Method: op.Method, Template: op.Template, Status: op.Status, Place: f.Place,
				Volatile: f.Volatile(), Category: string(f.Category),
			})
		}
	}
	return truth.Score(labels, judged)
}

// printScore prints the figures and every place that was judged wrongly.
func printScore(w io.Writer, r truth.Result) {
	fmt.Fprintf(w, "precision %.3f  recall %.3f  category accuracy %.3f  (%d labeled places of %d operations)\n",
		r.Precision, r.Recall, r.Category, r.Places, r.Operations)
	for _, list := range []struct {
		name  string
		items []truth.Disagreement
	}{{"stable, but judged volatile", r.FalsePositives}, {"volatile, but not found", r.FalseNegatives},
		{"wrong category", r.WrongCategories}} {
		for i, item := range list.items {
			if i == 0 {
				fmt.Fprintf(w, "%s:\n", list.name)
			}
			fmt.Fprintf(w, "  %s\n", item)
		}
	}
}
