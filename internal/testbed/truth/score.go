package truth

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// Judged is what a judge says of one place: one field of a map.
type Judged struct {
	Method   string
	Template string // as the judge inferred it: parameters may bear other names, or stand as they were sent
	Status   int    // the recorded status
	Place    exchange.Place
	Volatile bool
	Category string // why, where Volatile is true
}

// Result is how well a list of verdicts agrees with the truth, over the labelled places of the operations judged.
type Result struct {
	Operations int `json:"operations"` // labelled operations that the judge saw
	// of them: the API's own; what is said of any operation is true of other APIs too
	Own    int `json:"own"`
	Places int `json:"places"` // labelled places that count: Right + Wrong + Missed + Rested

	Right  int `json:"truePositives"`  // move, and are judged so
	Wrong  int `json:"falsePositives"` // stay, and are judged to move
	Missed int `json:"falseNegatives"` // move, and are not judged so
	Rested int `json:"trueNegatives"`  // stay, and are not judged to move
	Named  int `json:"rightCategory"`  // of Right: those with the right category

	Precision float64 `json:"precision"` // Right of Right and Wrong; 1 where there are none
	Recall    float64 `json:"recall"`    // Right of Right and Missed; 1 where there are none
	Category  float64 `json:"category"`  // Named of Right; 1 where there are none

	FalsePositives  []Disagreement `json:"falsePositiveList"`
	FalseNegatives  []Disagreement `json:"falseNegativeList"`
	WrongCategories []Disagreement `json:"wrongCategoryList"`

	// Unseen counts the labelled places that a judge who lists stable places too does not list: no answer had them.
	Unseen int `json:"unseen"`
	// Unlabelled lists what is judged to move and has no label: no figure counts it.
	Unlabelled []Judged `json:"unlabelled"`
}

// Disagreement is a place where the judge and the truth differ.
type Disagreement struct {
	Method   string         `json:"method"`
	Template string         `json:"template"` // the truth's
	Status   int            `json:"status"`
	Place    exchange.Place `json:"place"` // the truth's
	Truth    string         `json:"truth"`
	Judged   string         `json:"judged"` // the judge's category; "stable" where it does not call the place moving
	Note     string         `json:"note,omitempty"`
}

// String returns the disagreement on one line.
func (d Disagreement) String() string {
	s := fmt.Sprintf("%s %s %d %s: %s, judged %s", d.Method, d.Template, d.Status, d.Place, d.Truth, d.Judged)
	if d.Note != "" {
		s += " (" + d.Note + ")"
	}
	return s
}

// Score holds verdicts against the truth. A labelled place that no verdict calls volatile counts as called stable, so
// that a judge need not list stable places; one who does is not blamed for places that no answer had. Several verdicts
// on one labelled place (elements judged one by one, an operation judged under two templates) count as one, which is
// volatile where any of them is.
func Score(truth Truth, judged []Judged) Result {
	r := Result{
		FalsePositives: []Disagreement{}, FalseNegatives: []Disagreement{}, WrongCategories: []Disagreement{},
		Unlabelled: []Judged{},
	}
	for _, g := range group(&truth, judged) {
		r.Operations++
		if g.truth.Template != "*" {
			r.Own++
		}
		r.judge(&truth, g)
	}
	r.Places = r.Right + r.Wrong + r.Missed + r.Rested
	r.Precision, r.Recall, r.Category = share(r.Right, r.Wrong), share(r.Right, r.Missed), share(r.Named, r.Right-r.Named)
	return r
}

// share returns n of n+rest, and 1 where both are 0.
func share(n, rest int) float64 {
	if n+rest == 0 {
		return 1
	}
	return float64(n) / float64(n+rest)
}

// judgedOperation is one operation of the truth with the verdicts on it.
type judgedOperation struct {
	method, template string // the truth's; the judge's own where the truth is that of any operation
	truth            *Operation
	verdicts         []Judged
}

// group puts the verdicts to the operations of the truth, in the truth's order. Verdicts on an operation that the truth
// does not know are left out, and so are they from every list.
func group(truth *Truth, judged []Judged) []judgedOperation {
	type key struct {
		truth            *Operation
		method, template string
	}
	found, order := map[key]*judgedOperation{}, []key{}
	for _, j := range judged {
		o := truth.Of(j.Method, j.Template, j.Status)
		if o == nil {
			continue
		}
		k := key{o, o.Method, o.Template}
		if o.Template == "*" {
			k.method, k.template = j.Method, j.Template
		}
		if found[k] == nil {
			found[k] = &judgedOperation{method: k.method, template: k.template, truth: o}
			order = append(order, k)
		}
		found[k].verdicts = append(found[k].verdicts, j)
	}
	all := make([]judgedOperation, 0, len(order))
	for _, k := range order {
		all = append(all, *found[k])
	}
	slices.SortStableFunc(all, func(a, b judgedOperation) int {
		return cmp.Or(cmp.Compare(a.template, b.template), cmp.Compare(a.method, b.method),
			cmp.Compare(a.truth.Status, b.truth.Status))
	})
	return all
}

// Of returns the truth about an operation as a judge names it: the closest template with the status, else the
// truth about any operation with it; nil where there is neither.
func (t *Truth) Of(method, template string, status int) *Operation {
	var best, fallback *Operation
	closest := 0
	for i := range t.Operations {
		o := &t.Operations[i]
		if o.Status != status {
			continue
		}
		if o.Template == "*" {
			fallback = o
		} else if n := closeness(o.Template, template); o.Method == method && n > closest {
			best, closest = o, n
		}
	}
	if best != nil {
		return best
	}
	return fallback
}

// closeness says how well a judge's template fits one of the truth: 0 not at all; else the better, the more segments
// are the same. A parameter is any other parameter; a literal may be a value of the truth's parameter.
func closeness(truth, judged string) int {
	a, b := strings.Split(truth, "/"), strings.Split(judged, "/")
	if len(a) != len(b) {
		return 0
	}
	n := 1
	for i := range a {
		switch {
		case a[i] == b[i], isParameter(a[i]) && isParameter(b[i]):
			n += 2
		case isParameter(a[i]):
			n++
		default:
			return 0
		}
	}
	return n
}

func isParameter(segment string) bool {
	return strings.HasPrefix(segment, "{") && strings.HasSuffix(segment, "}")
}

// judge counts the places of one operation.
func (r *Result) judge(truth *Truth, g judgedOperation) {
	// Every answer has a status: a judge who lists one that stays lists all that stays.
	complete := slices.ContainsFunc(g.verdicts, func(j Judged) bool {
		return j.Place == exchange.PlaceStatus &&
			!j.Volatile
	})
	used := make([]bool, len(g.verdicts))
	for _, label := range truth.Labels(g.truth) {
		var moving []Judged
		met := false
		for i, j := range g.verdicts {
			if label.covers(j.Place) {
				met, used[i] = true, true
				if j.Volatile {
					moving = append(moving, j)
				}
			}
		}
		switch {
		case label.Label == Either || label.Protocol:
		case complete && !met:
			r.Unseen++
		default:
			r.count(g, label, moving)
		}
	}
	for i, j := range g.verdicts {
		if j.Volatile && !used[i] {
			r.Unlabelled = append(r.Unlabelled, j)
		}
	}
}

// count counts one labelled place, of which the verdicts that call it moving are given.
func (r *Result) count(g judgedOperation, label Label, moving []Judged) {
	d := Disagreement{g.method, g.template, g.truth.Status, label.Place, label.Label, Stable, label.Note}
	if len(moving) > 0 {
		d.Judged = moving[0].Category
	}
	switch {
	case label.Moves() && len(moving) == 0:
		r.Missed++
		r.FalseNegatives = append(r.FalseNegatives, d)
	case label.Moves():
		r.Right++
		if slices.ContainsFunc(moving, func(j Judged) bool { return j.Category == label.Label }) {
			r.Named++
		} else {
			r.WrongCategories = append(r.WrongCategories, d)
		}
	case len(moving) > 0:
		r.Wrong++
		r.FalsePositives = append(r.FalsePositives, d)
	default:
		r.Rested++
	}
}

// covers reports whether a verdict on a place is one on the labelled place: it is the same, one of them stands for the
// other by its wildcards, or the label is that of a list and the verdict is on something in it.
func (l Label) covers(p exchange.Place) bool {
	if l.Place == p || l.Place.Matches(p) || p.Matches(l.Place) {
		return true
	}
	depth := strings.Count(string(l.Place), "/")
	if !l.List || strings.Count(string(p), "/") <= depth {
		return false
	}
	for strings.Count(string(p), "/") > depth {
		p = p.Parent()
	}
	return l.Place.Matches(p)
}
