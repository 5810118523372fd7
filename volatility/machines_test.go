package volatility

import (
	"fmt"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// TestByMachine: what differs between machines and not within one comes of the machine. What differs within one too,
// between builds of the API, or where no machine was asked twice, is no such evidence.
func TestByMachine(t *testing.T) {
	north := exchange.Machine{Host: "north", Zone: "Europe/Oslo", Version: "1"}
	south := exchange.Machine{Host: "south", Zone: "Africa/Maseru", Version: "1"}
	newer := exchange.Machine{Host: "south", Zone: "Africa/Maseru", Version: "2"}
	// by turns, so that each plays some of each run
	turns := func(one, other exchange.Machine) func(run, step int) exchange.Machine {
		return func(run, step int) exchange.Machine {
			if (run+step)%2 == 0 {
				return one
			}
			return other
		}
	}
	word := func(text func(run, step int) string) func(c call) answer {
		return func(c call) answer { return body(`{"greeting":%q}`, text(c.run, c.step)) }
	}
	of := func(machine func(run, step int) exchange.Machine) func(run, step int) string {
		return func(run, step int) string {
			if run == 0 {
				return "hei"
			}
			return pick(machine(run, step).Host == "north", "hei", "lumela")
		}
	}
	for _, test := range []struct {
		name    string
		runs    int
		machine func(run, step int) exchange.Machine
		answer  func(run, step int) string
		want    bool
	}{
		{"each machine has its own", 4, turns(north, south), of(turns(north, south)), true},
		{"it is drawn in each run", 4, turns(north, south), func(run, step int) string {
			return pick((run/2+step)%2 == 0, "hei", "lumela")
		}, false},
		{"the builds differ", 4, turns(north, newer), of(turns(north, newer)), false},
		{"no machine was asked twice", 2, turns(north, south), of(turns(north, south)), false},
		{"all is one machine", 4, turns(south, south), of(turns(north, south)), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := &api{runs: test.runs, steps: 3, machine: test.machine, answer: word(test.answer)}
			f := field(t, a.judge(t), "/body/greeting")
			has := strings.Contains(fmt.Sprint(f.Evidence), "by-machine")
			if has != test.want || has && (f.Category != mapfile.Env || f.Judgement != mapfile.Drift) {
				t.Errorf("%s %s %q", f.Judgement, f.Category, f.Evidence)
			}
		})
	}
}
