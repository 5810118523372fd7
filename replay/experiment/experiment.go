package experiment

import (
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/replay"
	"github.com/flaketap/flaketap/replay/service"
)

// Experiment is a way to observe an API under another condition than that of its recording.
type Experiment struct {
	Name    string
	Value   string // what may follow =, for people; "" where nothing may
	Help    string // for people
	Default bool   // one of those that "default" stands for
	Starts  bool   // it needs an API that is started here
	Local   bool   // it is not for an API on another machine, unless it is asked for by its own name

	// make makes the condition of one run. value is what followed =, "" where nothing did.
	make func(value string, s situation) (Condition, error)
	// several makes those of several runs, where one run is not enough for a value, as it rarely is for ""; none where one
	// is. nil where one always is.
	several func(value string, s situation) ([]Condition, error)
}

// withoutValue makes conditions of several runs where no value was given.
func withoutValue(several func(situation) ([]Condition, error)) func(string, situation) ([]Condition, error) {
	return func(value string, s situation) ([]Condition, error) {
		if value != "" {
			return nil, nil
		}
		return several(s)
	}
}

// Experiments lists what there is.
func Experiments() []Experiment {
	return append([]Experiment{
		double(),
		delay(),
		language(),
		connection(),
		order(),
		workers(),
		bindings(),
		client(),
	}, append(environments(), crowd())...)
}

// Condition is an experiment as one run has it.
type Condition struct {
	Name    string           // as it is stored with the run; "" for a run as recorded
	kind    exchange.RunKind // RunReplay where it is ""
	wait    time.Duration    // before the run
	further int              // how often each repeatable request is sent besides
	besides int              // how many requests are sent besides in all
	over    func() bool      // reports that the run would tell nothing new; nil where it always does
	order   ordering         // of the sequences; nil: as recorded
	without []string         // the names of the bindings that are left out
	what    string           // what the name alone does not tell, for people
	// credentials says that credentials may be invalid under it: a run that is refused for that tells nothing
	credentials bool
	arrange     func(*replay.Player)
}

// Apply changes how a player plays to what the condition asks for; undo puts the player back. It sends nothing.
func (c *Condition) Apply(p *replay.Player) (undo func()) {
	before := *p
	if c.arrange != nil {
		c.arrange(p)
	}
	return func() { *p = before }
}

// putAround adds to what a player puts around the sending of requests. The list may be shared with other players.
func putAround(p *replay.Player, around replay.Around) {
	p.Around = append(p.Around[:len(p.Around):len(p.Around)], around)
}

// situation is what conditions are made for.
type situation struct {
	load     *load
	service  *service.Service // nil where others run the API
	reset    service.Reset
	fakeTime string // the library that moves clocks, where it was named
	bindings []exchange.Binding
	proofs   []flow.Proof // what earlier runs say of them
	local    bool         // the API runs on this machine
	// operations names the operation of each exchange
	operations func() (map[uint64]exchange.Operation, error)
	exchanges  iter.Seq[*exchange.Exchange]
	sent       func(*exchange.Exchange) bool // reports whether an exchange is played
}

// Names lists what [Read] takes.
func Names() []string {
	var out []string
	for _, e := range Experiments() {
		out = append(out, e.Name)
	}
	return append(out, "default", "all")
}

// Help lists the experiments for people, a line each.
func Help() string {
	var b strings.Builder
	var usual, started []string
	for _, e := range Experiments() {
		name, help := e.Name, e.Help
		if e.Value != "" {
			name += "[=" + e.Value + "]"
		}
		if e.Starts {
			help += " (with --start)"
		}
		fmt.Fprintf(&b, "  %-28s %s\n", name, help)
		switch {
		case e.Default && e.Starts:
			started = append(started, e.Name+" ")
		case e.Default:
			usual = append(usual, e.Name+" ")
		}
	}
	fmt.Fprintf(&b, "  default                      %sand with --start %s\n",
		strings.Join(usual, ""), strings.Join(started, ""))
	b.WriteString("  all                          all that are possible here")
	return b.String()
}
