package findings

import (
	"cmp"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// runs tells the runs, and what each of them moved.
func (g *gathering) runs(f *Findings) {
	moved := make([]int, len(g.columns))
	for _, op := range g.ops {
		for _, field := range op.fields {
			for c, n := range field.moved {
				if n > 0 {
					moved[c]++
				}
			}
		}
	}
	f.Runs, f.Left.Runs = []Run{}, g.left
	for _, r := range g.judged.Map.Runs {
		run := Run{Number: r.Number, Words: report.RunWords(r), Label: report.Show(r.Label, maxText), Started: r.Started,
			Ended: r.Ended, Target: report.Target(r.Target), Answers: r.Steps, Lost: r.Lost, Added: r.Added, Aside: aside(r)}
		if c, ok := g.column[r.Number]; ok {
			run.Moved = moved[c]
		} else if run.Aside == "" {
			continue
		}
		f.Runs = append(f.Runs, run)
	}
}

// operations tells the operations with their places.
func (g *gathering) operations(f *Findings) {
	common := g.common(f)
	reasons := map[mapfile.Category]int{}
	f.Operations, f.Places, f.Hints = []Operation{}, []Place{}, []Hint{}
	for _, op := range g.judged.Map.Operations {
		seen := g.ops[operationKey{op.Operation, op.Status}]
		one := Operation{ID: OperationID(op), Operation: report.ShowEnds(op.Operation.String(), maxText), Status: op.Status,
			Exchanges: op.Exchanges, ByRun: seen.byRun(g.columns)}
		for _, field := range op.Fields {
			switch {
			case !field.Counts():
			case field.Volatile():
				one.Volatile++
				reasons[field.Category]++
				p := Place{ID: PlaceID(op, field.Place), Operation: one.ID, Place: field.Place, Common: common[field]}
				if p.Common == "" {
					p = g.place(p, field, []*operationSeen{seen}, []*mapfile.Field{field})
				}
				f.add(p)
			default:
				one.Steady++
				one.Bound = max(one.Bound, field.Bound)
				if field.Judgement == mapfile.Hint {
					f.hint(one, field)
				}
			}
		}
		if len(f.Operations) < maxOperations {
			f.Operations = append(f.Operations, one)
		} else {
			f.Left.Operations++
		}
	}
	f.Categories = []CategoryCount{}
	for _, c := range report.Categories() {
		if n := reasons[c]; n > 0 {
			f.Categories = append(f.Categories, CategoryCount{c, "the value " + report.Says(c), n})
		}
	}
}

func (f *Findings) add(p Place) {
	if len(f.Places) == maxPlaces || len(f.Operations) == maxOperations {
		f.Left.Places++
		return
	}
	f.Places = append(f.Places, p)
}

func (f *Findings) hint(op Operation, field *mapfile.Field) {
	if len(f.Hints) == maxHints {
		f.Left.Hints++
		return
	}
	h := Hint{Operation: op.ID, Place: field.Place, Samples: samples(field), Looks: []string{}}
	for _, code := range field.Evidence {
		if e := mapfile.ParseEvidence(code); e.Sign == mapfile.SignLooks {
			h.Looks = append(h.Looks, e.Detail)
		}
	}
	f.Hints = append(f.Hints, h)
}

// common tells the places that most operations share, and returns of the fields that they speak for their ids.
func (g *gathering) common(f *Findings) map[*mapfile.Field]string {
	folded, _ := g.judged.Map.Fold(func(f *mapfile.Field) bool { return f.Counts() && f.Volatile() })
	said := map[*mapfile.Field]string{}
	f.Common = []Place{}
	owner := map[*mapfile.Field]*operationSeen{}
	for _, op := range g.ops {
		for field := range op.fields {
			owner[field] = op
		}
	}
	for _, c := range folded {
		p := Place{ID: id("p", c.Host, string(c.Field.Place)), Place: c.Field.Place, Folded: len(c.Folded)}
		for _, name := range c.Except[:min(len(c.Except), 20)] {
			p.Except = append(p.Except, report.ShowEnds(name, maxText))
		}
		var of []*operationSeen
		for _, field := range c.Folded {
			said[field] = p.ID
			of = append(of, owner[field])
		}
		f.Common = append(f.Common, g.place(p, c.Field, of, c.Folded))
	}
	return said
}

// place fills in what is said of a field, and what was seen of it: in one operation, or of each of those that a common
// place speaks for.
func (g *gathering) place(p Place, f *mapfile.Field, in []*operationSeen, parts []*mapfile.Field) Place {
	runs := g.judged.Map.Runs
	p.Judgement, p.Category = f.Judgement, f.Category
	p.Changed, p.Of, p.Bound, p.Pooled = f.Changed, f.Of, f.Bound, f.Pooled
	w := report.NewWhy(&mapfile.Operation{}, f, runs)
	p.Holds, p.Do, p.Settle = w.Statements, report.Advise(f, runs), w.Settle
	for _, r := range w.Evidence {
		if e := mapfile.ParseEvidence(r.Code); e.Sign != mapfile.SignMoved { // that it moved, and how often, is told already
			p.Reasons = append(p.Reasons, r)
		}
	}
	for _, x := range w.Explained {
		if x.Category != f.Category {
			p.Rivals = append(p.Rivals, x)
		}
	}
	for _, s := range f.Warnings {
		p.Warnings = append(p.Warnings, report.Show(s, maxText))
	}
	if f.Rule != nil {
		p.Ruled = string(f.Rule.Kind)
	}
	for _, r := range g.columns {
		p.ByRun = append(p.ByRun, report.WhyRun{Run: r.Number})
	}
	for i, op := range in {
		seen := op.fields[parts[i]]
		p.Seen = append(p.Seen, seen.seen...)
		compared := op.same
		if f.Place == exchange.PlaceStatus {
			compared = op.answers
		}
		for c := range g.columns {
			p.ByRun[c].Moved += seen.moved[c]
			p.ByRun[c].Of += compared[c]
		}
	}
	p.Seen = p.Seen[:min(len(p.Seen), maxSeen)]
	if len(p.Seen) == 0 {
		p.Samples = samples(f)
	}
	p.Conditions = conditions(g.columns, p.ByRun)
	return p
}

// conditions adds up what was seen in the runs under the same conditions, what moved most often first.
func conditions(runs []exchange.Run, byRun []report.WhyRun) []Condition {
	var out []Condition
	for i, r := range runs {
		words := report.RunWords(r)
		at := slices.IndexFunc(out, func(c Condition) bool { return c.Words == words })
		if at < 0 {
			at = len(out)
			out = append(out, Condition{Words: words})
		}
		out[at].Runs = append(out[at].Runs, r.Number)
		out[at].Moved += byRun[i].Moved
		out[at].Of += byRun[i].Of
	}
	slices.SortStableFunc(out, func(a, b Condition) int { return cmp.Compare(b.Moved*max(a.Of, 1), a.Moved*max(b.Of, 1)) })
	return out
}

// byRun tells what became of an operation in each run.
func (o *operationSeen) byRun(runs []exchange.Run) []InRun {
	out := make([]InRun, len(runs))
	for i, r := range runs {
		out[i] = InRun{Run: r.Number, Answers: o.answers[i], Otherwise: o.answers[i] - o.same[i]}
		for _, f := range o.fields {
			if f.moved[i] > 0 {
				out[i].Moved++
			}
		}
	}
	return out
}

// Told are the places that something is said of: the common ones, and those that none of these speaks for.
func (f *Findings) Told() []Place {
	return slices.DeleteFunc(slices.Concat(f.Common, f.Places), func(p Place) bool { return p.Common != "" })
}

// Names are what the operations of places are called, by their ids: "GET /orders/{id} 200".
func (f *Findings) Names() map[string]string {
	out := map[string]string{"": "most operations"} // those of a common place
	for _, op := range f.Operations {
		out[op.ID] = op.Operation + " " + report.Status(op.Status)
	}
	return out
}

// Compared are the numbers of the runs that count in what is told run by run, in their order.
func (f *Findings) Compared() []int {
	var out []int
	for _, r := range f.Runs {
		if r.Aside == "" {
			out = append(out, r.Number)
		}
	}
	return out
}

// samples are the values that a judgement keeps, cut.
func samples(f *mapfile.Field) []string {
	out := []string{}
	for _, s := range f.Samples[:min(len(f.Samples), maxSeen)] {
		out = append(out, excerpt(string(s), 0))
	}
	return out
}
