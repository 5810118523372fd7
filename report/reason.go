package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/notation"
)

// Explanation is one of the categories that something speaks for.
type Explanation struct {
	Category mapfile.Category `json:"category"`
	Weight   float64          `json:"weight"`
	Says     string           `json:"says"`
	Evidence []Reason         `json:"evidence"`
}

// Experiment is something to be tried, and what it would tell.
type Experiment struct {
	Try   string `json:"try"` // a command, its own values in capital letters
	Tells string `json:"tells"`
}

// explanations puts the competing explanations of a field into words.
func explanations(f *mapfile.Field) []Explanation {
	out := []Explanation{}
	for _, e := range f.Explanations {
		x := Explanation{Category: e.Category, Weight: e.Weight, Says: "the value " + why(e.Category), Evidence: []Reason{}}
		for _, code := range e.Evidence {
			x.Evidence = append(x.Evidence, Reason{code, Evidence(code)})
		}
		out = append(out, x)
	}
	return out
}

// reasoning says in sentences how the judgement comes about.
func reasoning(f *mapfile.Field, runs []exchange.Run) []string {
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	judged, category := f.Judgement, f.Category
	if f.Rule != nil {
		judged, category = f.Rule.Judgement, f.Rule.Category
	}
	switch {
	case f.Of == 0:
		say("there are no runs yet: all evidence comes from within the recording")
	case f.Changed > 0:
		say("it differed from the recorded value in %d of %s, in %s", f.Changed, count(f.Of, "observation"),
			count(len(runs), "run"))
	default:
		say("it was as recorded in all of %s, in %s", count(f.Of, "observation"), count(len(runs), "run"))
	}
	switch judged {
	case mapfile.Jitter:
		say("the runs differ from each other, or it differs from answer to answer by its nature: it is volatile for every request")
	case mapfile.Drift:
		if n := len(f.Fingerprints); n > 0 {
			say("the runs agree with each other but not with the recording: it is volatile in the answers to the %s that showed it", count(n, "request"))
		} else {
			say("the runs agree with each other but not with the recording")
		}
	case mapfile.WouldMove:
		say("it did not move, but what explains its value will")
	case mapfile.Hint:
		say("it only looks like values that move elsewhere; looks alone disable no assertion")
	case mapfile.Stable:
		say("there is no evidence that it moves; the chance is below %s (95 %% confidence%s)", percent(f.Bound),
			restsOn(f.Pooled))
	}
	for i, e := range f.Explanations {
		first := "the reason is not known"
		if len(e.Evidence) > 0 {
			first = strings.ReplaceAll(Evidence(e.Evidence[0]), "\n", " ")
		}
		switch {
		case i == 0 && e.Category == category:
			say("its category is %s (the value %s): %s", e.Category, why(e.Category), first)
		default:
			say("%s would explain it too (the value %s; weight %.2f): %s", e.Category, why(e.Category), e.Weight, first)
		}
	}
	if f.Protocol {
		say("HTTP itself moves it: excluded from totals and assertions")
	}
	return append(out, ruled(f)...)
}

// ruled says what a rule of the user's made of a judgement.
func ruled(f *mapfile.Field) []string {
	if f.Rule == nil {
		return nil
	}
	said := map[mapfile.RuleKind]string{
		mapfile.Ignore: "a rule ignores it: excluded from totals and assertions",
		mapfile.Pin:    "a rule pins it: it is judged stable, even if it moved",
		mapfile.Force:  "a rule forces it: it is judged volatile, whatever the runs show",
	}[f.Rule.Kind]
	if f.Rule.Because != "" {
		said += "; because " + f.Rule.Because
	}
	was := verdict(f.Rule.Judgement)
	if f.Rule.Category != "" {
		was += ", " + string(f.Rule.Category)
	}
	return []string{said, "without the rule it would be judged " + was}
}

// speaking is all that speaks for the judgement of a field, and for what else would explain it.
type speaking []mapfile.Evidence

// has reports whether one of some signs is among the evidence.
func (s speaking) has(signs ...mapfile.Sign) bool {
	return slices.ContainsFunc(s, func(e mapfile.Evidence) bool { return slices.Contains(signs, e.Sign) })
}

// looks reports whether the values look like something of which a condition holds.
func (s speaking) looks(holds func(notation.Hint) bool) bool {
	return slices.ContainsFunc(s, func(e mapfile.Evidence) bool {
		return e.Sign == mapfile.SignLooks && holds(notation.Hint(e.Detail))
	})
}

// nearClock reports whether the value is what a clock showed, to the unit.
func (s speaking) nearClock(u mapfile.ClockUnit) bool {
	return slices.Contains(s, mapfile.NearClock(u))
}

// competes is the least weight of an explanation that leaves the first in doubt.
const competes = 0.2

// may reports whether a category is that of a field, or one of those that compete for it.
func may(f *mapfile.Field, c mapfile.Category) bool {
	return f.Category == c || slices.ContainsFunc(f.Explanations,
		func(e mapfile.Explanation) bool { return e.Category == c && e.Weight >= competes })
}

// doubted reports whether more than one category competes.
func doubted(f *mapfile.Field) bool {
	n := 0
	for _, e := range f.Explanations {
		if e.Weight >= competes {
			n++
		}
	}
	return n > 1
}

// made are the runs that there are, by what settles something.
type made struct {
	played    int // those as recorded, and under conditions, but not those that repeat requests
	reset     bool
	perturbed map[string]bool // by the names of conditions, without their values
}

func runsMade(runs []exchange.Run) made {
	m := made{perturbed: map[string]bool{}}
	for _, r := range runs {
		if r.Kind != exchange.RunRepeat {
			m.played++
		}
		m.reset = m.reset || r.Conditions.Start == exchange.StartReset || r.Conditions.Start == exchange.StartFresh
		for _, p := range r.Conditions.Perturb {
			name, _, _ := strings.Cut(p, "=")
			m.perturbed[name] = true
		}
	}
	return m
}

// experiments lists what would settle what is in doubt about a field, and has not been tried.
func experiments(f *mapfile.Field, runs []exchange.Run) []Experiment {
	m, evidence := runsMade(runs), speaking(f.Speaking())
	out := []Experiment{}
	add := func(try, tells string) { out = append(out, Experiment{try, tells}) }
	condition := func(name, value, tells string) {
		if !m.perturbed[name] {
			add("flaketap replay --perturb "+name+value, tells)
		}
	}
	if m.played == 0 {
		add("flaketap replay --runs 10 --reset CMD", "whether it moves: there are no runs yet")
	}
	moved := f.Judgement == mapfile.Jitter || f.Judgement == mapfile.Drift
	if moved && m.played == 1 {
		add("flaketap replay --runs 1",
			"jitter from drift: a second run that differs from the first is jitter, one that agrees is drift")
	}
	clock := may(f, mapfile.Time) || evidence.looks(notation.Hint.IsTime)
	random := may(f, mapfile.Rand) || may(f, mapfile.Crypt) || evidence.looks(notation.Hint.IsRandom)
	doubtful := f.Category == mapfile.Unk || f.Judgement == mapfile.Hint || doubted(f)
	if clock && (random || doubtful) || random && doubtful || f.Category == mapfile.Unk {
		condition("double", "", "Time from Rand: two requests at the same instant get the same time, but different random values")
	}
	if clock && (f.Judgement != mapfile.Jitter || doubtful) {
		condition("delay", "="+pause(evidence), "Time: a later run shows another time, but the same seed data")
	}
	if (may(f, mapfile.State) || f.Category == mapfile.Unk || f.Judgement == mapfile.Drift) && !m.reset && m.played > 0 {
		add("flaketap replay --reset CMD",
			"State: if leftovers of earlier runs move it, runs from the recorded start agree with the recording")
	}
	if may(f, mapfile.State) && m.reset {
		condition("order", "=reverse", "State: whether it depends on what was sent before within the run")
	}
	switch {
	case evidence.has(mapfile.SignHoldsHost, mapfile.SignAddressDialed, mapfile.SignFollowsAddress):
		add("flaketap replay --target URL", "Env: an API on another port or host answers with its own")
	case may(f, mapfile.Env), evidence.has(mapfile.SignEnvironment), evidence.looks(is(notation.HintTempPath)):
		condition("tz", "", "Env: whether it follows the time zone of the API's machine (with --start); for the rest, use another machine")
	}
	return append(out, surer(f, m)...)
}

func is(h notation.Hint) func(notation.Hint) bool {
	return func(other notation.Hint) bool { return other == h }
}

// pause is how much later a run must be for a clock of the precision that the value has to show something else.
func pause(evidence speaking) string {
	switch {
	case evidence.nearClock(mapfile.UnitDay), evidence.looks(is(notation.HintDate)):
		return "25h"
	case evidence.nearClock(mapfile.UnitMinute):
		return "61s"
	}
	return "2s"
}

// surer says how many more runs bring the bound of a place that never moved below 5 % and 1 %.
func surer(f *mapfile.Field, m made) []Experiment {
	var out []Experiment
	if f.Changed > 0 || f.Of == 0 || m.played == 0 {
		return out
	}
	perRun := max(1, f.Of/m.played)
	for _, bound := range []float64{0.05, 0.01} {
		if f.Bound <= bound {
			continue
		}
		n := (observations(bound) - f.Of + perRun - 1) / perRun
		out = append(out, Experiment{fmt.Sprintf("flaketap replay --runs %d", max(1, n)),
			fmt.Sprintf("if it does not change, the chance that it moves is below %s instead of %s: %s in total", percent(bound),
				percent(f.Bound), count(observations(bound), "observation"))})
	}
	return out
}

// observations is how many observations without a change bring the one-sided 95 % bound to a chance.
func observations(bound float64) int {
	return int(math.Ceil(math.Log(0.05)/math.Log(1-bound) - 1e-9))
}
