package findings

import (
	"iter"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/report/waiting"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/volatility/analysis"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// The bounds on what is gathered, so that no API can make a report as long as it likes. What is left out is counted.
const (
	maxRuns       = 60     // in what is told run by run: the newest
	maxOperations = 2000   // told one by one
	maxPlaces     = 20_000 // told one by one
	maxHints      = 1000
	maxSeen       = 2 // exchanges of a place
	maxSequences  = 2000
	maxSteps      = 40 // of a sequence
	maxBindings   = 60 // of a sequence
	maxUses       = 20 // of a binding
	maxOtherwise  = 100_000
	// MaxValue bounds a value, in bytes.
	MaxValue = 240
	maxText  = 400 // columns of a text
)

// Gather judges the recording in a database file, and gathers what a report shows of it. The error wraps
// [io/fs.ErrNotExist] where there is no such file.
func Gather(path string, o analysis.Options) (*Findings, error) {
	db, err := store.OpenReadOnly(path)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	return GatherStored(db, o)
}

// GatherStored does what [Gather] does with a database that is open.
func GatherStored(db *store.Store, o analysis.Options) (*Findings, error) {
	var f *Findings
	_, err := analysis.JudgeThen(db, o, func(j *analysis.Result, steps iter.Seq2[exchange.Step, error]) (err error) {
		f, err = Of(j, steps)
		return err
	})
	return f, err
}

// Without are the findings of no recording, to which those of files may be added.
func Without() (*Findings, error) {
	return Of(&analysis.Result{Map: &mapfile.Map{}}, func(func(exchange.Step, error) bool) {})
}

// Of gathers the findings of a recording that was judged, from its steps as [analysis.JudgeThen] gives them.
func Of(j *analysis.Result, steps iter.Seq2[exchange.Step, error]) (*Findings, error) {
	g := newGathering(j)
	for s, err := range steps {
		if err != nil {
			return nil, err
		}
		g.step(s)
	}
	f := &Findings{Flaketap: "report", Version: 1, Recorded: j.Recording.Started, Exchanges: int(j.Recording.Count),
		Warnings: []string{}, Summary: j.Map.Summary, Tests: []Test{}, Map: j.Map, redactor: j.Redactor}
	for _, w := range j.Map.Warnings {
		f.Warnings = append(f.Warnings, report.Show(w, maxText))
	}
	g.runs(f)
	g.operations(f)
	g.sequences(f)
	g.headline(f)
	if p := g.reads.Panel(); !p.Empty() {
		f.Waits = p
	}
	return f, nil
}

// OfSteps gathers the findings of a recording that was judged with its steps ([analysis.JudgeWithSteps]).
func OfSteps(j *analysis.Result) (*Findings, error) {
	return Of(j, func(yield func(exchange.Step, error) bool) {
		for _, s := range j.Steps {
			if !yield(s, nil) {
				return
			}
		}
	})
}

// state is how an exchange went in a run. The greater is the worse.
type state uint8

const (
	missing state = iota
	same
	moved     // a part of the answer differed
	otherwise // another status, or a fault in the place of an answer or the other way round
)

// gathering goes through the steps of a recording.
type gathering struct {
	judged  *analysis.Result
	columns []exchange.Run // those that are told run by run
	column  map[int]int    // of a run's number
	left    int            // runs that are not

	ops   map[operationKey]*operationSeen
	show  shower
	reads *waiting.Reads

	outliner    flow.Outliner
	outlines    []*exchange.Exchange
	states      [][]state          // of each outline, by column
	outcomes    map[[2]int]string  // of outline and column, where it was another
	volatiles   [][]*mapfile.Field // of each outline: the places in its status and body that move
	inSequences [][]int            // the outlines of each sequence
}

type operationKey struct {
	exchange.Operation
	status int
}

// operationSeen is what was seen of an operation with one recorded status.
type operationSeen struct {
	of       *mapfile.Operation
	answers  []int // by column
	same     []int // those with the recorded status
	fields   map[*mapfile.Field]*fieldSeen
	at       map[exchange.Place]*fieldSeen // of the places that differed; nil for those that nothing is told of
	volatile []*mapfile.Field              // in status and body
	drifts   bool                          // some of these only for some requests
}

// fieldSeen is what was seen of a place.
type fieldSeen struct {
	field  *mapfile.Field
	moved  []int // answers, by column
	seen   []Seen
	secret bool
}

func newGathering(j *analysis.Result) *gathering {
	g := &gathering{judged: j, column: map[int]int{}, ops: map[operationKey]*operationSeen{}, show: shower{j.Redactor},
		outcomes: map[[2]int]string{}, reads: waiting.NewReads(j.Operations, j.Redactor)}
	for _, r := range j.Map.Runs {
		if aside(r) == "" {
			g.columns = append(g.columns, r)
		}
	}
	g.left = max(0, len(g.columns)-maxRuns)
	g.columns = g.columns[g.left:]
	for i, r := range g.columns {
		g.column[r.Number] = i
	}
	for _, op := range j.Map.Operations {
		seen := &operationSeen{of: op, answers: make([]int, len(g.columns)), same: make([]int, len(g.columns)),
			fields: map[*mapfile.Field]*fieldSeen{}, at: map[exchange.Place]*fieldSeen{}}
		for _, f := range op.Fields {
			if !f.Counts() || !f.Volatile() {
				continue
			}
			seen.fields[f] = &fieldSeen{field: f, moved: make([]int, len(g.columns)), secret: g.show.hides(f)}
			if root := f.Place.Root(); root == "status" || root == "body" {
				seen.volatile = append(seen.volatile, f)
				seen.drifts = seen.drifts || f.Judgement == mapfile.Drift
			}
		}
		g.ops[operationKey{op.Operation, op.Status}] = seen
	}
	return g
}

// aside says why a run counts in nothing that is told run by run; "" where it counts.
func aside(r exchange.Run) string {
	switch {
	case r.Kind == exchange.RunRepeat:
		return "repeats requests"
	case r.Misled():
		return "sent values that mean nothing to the API"
	}
	return ""
}

// step takes one exchange with its observations.
func (g *gathering) step(s exchange.Step) {
	e := s.Exchange
	g.reads.Add(g.counted(s))
	op := g.ops[operationKey{g.judged.Operations[e.Seq], exchange.StatusOf(e.Response)}]
	n := len(g.outlines)
	g.outlines = append(g.outlines, g.outliner.Outline(e))
	g.states = append(g.states, make([]state, len(g.columns)))
	g.volatiles = append(g.volatiles, volatileIn(op, e))
	if op == nil || len(s.Observations) == 0 {
		return
	}
	recorded := compare.Read(e.Response, e.Fault)
	d := &differing{g: g, op: op, exchange: e, at: map[*fieldSeen][]difference{}}
	for _, o := range s.Observations {
		c, ok := g.column[o.Run]
		if !ok {
			continue
		}
		answer := compare.Read(o.Response, o.Fault)
		how := d.observe(c, recorded, answer)
		if how == otherwise && o.Settling != nil && o.Settling.Settled { // asked again, it was as recorded, after a delay
			how = moved
		}
		g.states[n][c] = max(g.states[n][c], how)
		if how == otherwise && len(g.outcomes) < maxOtherwise {
			g.outcomes[[2]int{n, c}] = outcome(o.Response, o.Fault)
		}
	}
	d.keep(g.states[n], func(c int) string { return g.outcomes[[2]int{n, c}] })
}

// counted is a step with the observations of the runs that are told one by one.
func (g *gathering) counted(s exchange.Step) exchange.Step {
	aside := func(o *exchange.Observation) bool { _, ok := g.column[o.Run]; return !ok }
	if slices.ContainsFunc(s.Observations, aside) {
		s.Observations = slices.DeleteFunc(slices.Clone(s.Observations), aside)
	}
	return s
}

// volatileIn returns the places in the status and the body of an answer that move.
func volatileIn(op *operationSeen, e *exchange.Exchange) []*mapfile.Field {
	switch {
	case op == nil:
		return nil
	case !op.drifts:
		return op.volatile
	}
	fp := exchange.Exact(e)
	return slices.DeleteFunc(slices.Clone(op.volatile), func(f *mapfile.Field) bool { return !f.AppliesTo(fp) })
}
