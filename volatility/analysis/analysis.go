package analysis

import (
	"context"
	"fmt"
	"iter"
	"os"
	"os/user"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/volatility"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/rules"
)

// Rules are what the user says over what is found. The zero value says nothing.
type Rules struct {
	Bindings flow.Rules   // which values are bound or are not, and the path templates of an API description
	Places   []rules.Rule // how places are judged, see [rules.Apply]
}

// Options says how a recording is analyzed. The zero value takes what is found, and hides the secrets.
type Options struct {
	Rules Rules
	// what is secret beside what always is: names of members and headers, or places; see [exchange.Secrets]
	Secrets []string
	Reveal  bool // show secrets as they are
	// Context ends a judgement between two exchanges, with its own error; nil ends none. A long recording takes a minute.
	Context context.Context
	// Credentials are to be known as secrets too: they are sent to the API while work goes on with the result.
	Credentials flow.Credentials
	// ReadTemplates returns the path templates of a description of an API, none where a text is none. Those that the
	// client fetched while it was recorded name the operations then, unless Rules have templates. nil reads none.
	ReadTemplates func(body []byte) []string
	// Elsewhere judges, in the place of this process; nil has it do so itself.
	Elsewhere Elsewhere
}

// Elsewhere is who else judges.
type Elsewhere interface {
	// Judge makes the map that [volatility.Case.Judge] makes.
	Judge(ctx context.Context, c *volatility.Case, steps iter.Seq2[exchange.Step, error]) (*mapfile.Map, error)
}

// Result is a recording with everything that is known of it.
type Result struct {
	Recordings int // how many were judged as one, see [JudgeAll]; 0 for one
	Recording  exchange.Recording
	Runs       []exchange.Run
	// outlines of those that can be read, see [flow.Outliner]; nil after [Judge]
	Exchanges  []*exchange.Exchange
	Steps      []exchange.Step               // without the observations of repeat runs; nil after [Judge]
	Bindings   []exchange.Binding            // those that no run refuses
	Operations map[uint64]exchange.Operation // by Seq
	Redactor   exchange.Redactor
	Lapses     []flow.Lapse // the credentials that runs were refused with: what these were answered is no evidence
	Map        *mapfile.Map
	Holder     *store.Holder // who is still writing into the recording; nil where nobody is

	rules   flow.Rules        // by which the operations were told
	sieve   *flow.Sieve       // takes out what lapsed credentials were answered; nil where none lapsed
	secrets *exchange.Secrets // that were collected, for what is added
}

// retention is what stays in memory of a recording that was judged.
type retention int

const (
	retainMap retention = iota
	retainSteps
)

// Judge opens the recording in a database file, and judges it by its runs. It keeps neither exchanges nor steps. The
// error wraps [io/fs.ErrNotExist] where there is no such file.
func Judge(path string, o Options) (*Result, error) { return judge(path, o, retainMap) }

// JudgeWithSteps does what [Judge] does, and keeps the outlines of the exchanges, and the steps.
func JudgeWithSteps(path string, o Options) (*Result, error) { return judge(path, o, retainSteps) }

// JudgeStored does what [Judge] does with a database that is open, as it is while runs are added to it.
func JudgeStored(db *store.Store, o Options) (*Result, error) { return judgeStored(db, o, retainMap) }

func judge(path string, o Options, retain retention) (*Result, error) {
	db, err := store.OpenReadOnly(path)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	return judgeStored(db, o, retain)
}

// judgeStored is the pipeline of three passes; the doc of the package says why there are three.
func judgeStored(db source, o Options, retain retention) (*Result, error) {
	gc := TuneGC(retain.garbage())
	defer gc.Restore()
	db = ending(o.Context, db)
	traced, err := trace(db, o, gc)
	if err != nil {
		return nil, err
	}
	if traced.Recording.Count == 0 {
		return nil, fmt.Errorf("judge %s: the recording contains no exchanges", db.Path())
	}
	if len(traced.Exchanges) == 0 && len(traced.Damage) > 0 {
		return nil, fmt.Errorf("judge %s: %w", db.Path(), traced.Damage[0])
	}
	traced.conceal()
	r := &Result{Recording: traced.Recording, Runs: traced.Runs, Bindings: traced.Bindings, Operations: traced.Operations,
		Redactor: traced.Redactor, Lapses: traced.Lapses, Holder: db.Holder(), rules: traced.rules, sieve: traced.sieve,
		secrets: traced.secrets}
	steps := sieved(db, traced.sieve)
	if retain == retainSteps {
		r.Exchanges, steps = traced.Exchanges, r.keeping(steps)
	}
	asked, err := outsideOf(db)
	if err != nil {
		return nil, err
	}
	traced.Exchanges = nil // the outlines have done their work
	c := &volatility.Case{Recording: r.Recording, Runs: r.Runs, Operations: r.Operations, Bindings: r.Bindings,
		Options: volatility.Options{Redactor: r.Redactor, Environment: environment(), Outside: asked}}
	if r.Map, err = o.judge(c, steps); err != nil {
		return nil, err
	}
	r.warn(traced.Damage)
	r.Map.Warnings = append(lapseWarnings(r.Lapses, r.Redactor), r.Map.Warnings...)
	r.apply(o.Rules.Places)
	return r, nil
}

// judge judges, here or elsewhere.
func (o Options) judge(c *volatility.Case, steps iter.Seq2[exchange.Step, error]) (*mapfile.Map, error) {
	if o.Elsewhere == nil {
		return c.Judge(steps)
	}
	ctx := o.Context
	if ctx == nil {
		ctx = context.Background()
	}
	return o.Elsewhere.Judge(ctx, c, steps)
}

// keeping keeps the steps as they pass, as [Result.Played] has them.
func (r *Result) keeping(steps iter.Seq2[exchange.Step, error]) iter.Seq2[exchange.Step, error] {
	played := r.Played()
	return func(yield func(exchange.Step, error) bool) {
		for s, err := range steps {
			if err == nil {
				r.Steps = append(r.Steps, played(s))
			}
			if !yield(s, err) {
				return
			}
		}
	}
}

// Played returns what takes out of a step the observations of repeat runs and of misled ones: what is left tells what
// the API answers to the recorded requests, one after the other.
func (r *Result) Played() func(exchange.Step) exchange.Step {
	aside := map[int]bool{}
	for _, run := range r.Runs {
		aside[run.Number] = run.Kind == exchange.RunRepeat || run.Misled()
	}
	return func(s exchange.Step) exchange.Step {
		s.Observations = slices.DeleteFunc(slices.Clone(s.Observations), func(o *exchange.Observation) bool {
			return aside[o.Run]
		})
		return s
	}
}

// warn has the map tell what could not be read, and whether secrets may show.
func (r *Result) warn(damage []*store.DamageError) {
	for _, d := range damage {
		r.Map.Warnings = append(r.Map.Warnings, d.Error())
	}
	if r.Redactor.Known.Full() {
		r.Map.Warnings = append(r.Map.Warnings,
			"too many secrets to know them all: some may be shown where nothing names them as such")
	}
}

// maxHidden is how many things that rules hide are listed one by one.
const maxHidden = 20

// apply has the user's rules decide, and puts what they hide among the warnings of the map, so that maps, suites and
// reports tell it alike.
func (r *Result) apply(places []rules.Rule) {
	hidden := rules.Apply(r.Map, places)
	for i, h := range hidden {
		if i == maxHidden {
			r.Map.Warnings = append(r.Map.Warnings,
				fmt.Sprintf("and %s that rules hide", console.Count(len(hidden)-i, "more thing")))
			break
		}
		r.Map.Warnings = append(r.Map.Warnings, h.String())
	}
}

// environment names what belongs to this machine, where the API under test commonly runs too.
func environment() []string {
	var out []string
	if host, err := os.Hostname(); err == nil {
		out = append(out, host)
	}
	if u, err := user.Current(); err == nil {
		out = append(out, u.Username)
	}
	return append(out, os.TempDir())
}
