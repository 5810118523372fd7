package experiment

import (
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/replay"
)

// bindings plays runs that leave out bindings, as many as prove those that are not proven yet.
func bindings() Experiment {
	return Experiment{Name: exchange.PerturbBindings,
		Help: "runs that send recorded values where run values would be carried over, to prove the bindings; sends unsafe requests too",
		several: withoutValue(func(s situation) ([]Condition, error) {
			var out []Condition
			for _, round := range flow.Rounds(s.bindings, s.proofs, 0) {
				var names []string
				for _, b := range round {
					names = append(names, b.Name)
				}
				out = append(out, Condition{Name: exchange.PerturbBindings, without: names, arrange: func(p *replay.Player) {
					p.Bindings = flow.Without(p.Bindings, names...)
				}})
			}
			return out, nil
		})}
}
