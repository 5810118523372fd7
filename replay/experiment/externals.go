package experiment

import (
	"errors"
	"fmt"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay"
	"github.com/flaketap/flaketap/replay/service"
)

// maxChanged bounds how many values of external answers are changed, in a run each.
const maxChanged = 20

// externals has the external services of an API that is started here answer as they did when it was recorded, with one
// value changed in each run, end connections, or be late.
func externals(c service.Condition) Experiment {
	return Experiment{Name: c.Name, Value: c.Value, Help: c.What, Starts: true,
		make: func(value string, s situation) (Condition, error) {
			if value == "" { // whether any is possible
				value = service.HowExternals()[0]
			}
			return servicesThatAre(value, s)
		},
		several: func(value string, s situation) (out []Condition, err error) {
			kinds := []string{value}
			if value == "" {
				kinds = service.HowExternals()
			}
			for _, kind := range kinds {
				one, err := servicesThatAre(kind, s)
				if err != nil {
					return nil, err
				}
				if one.Name == exchange.ExternalsChanged {
					out = append(out, eachChanged(one, s.service.Lead.Recorded())...)
					continue
				}
				out = append(out, one)
			}
			return out, nil
		}}
}

// servicesThatAre makes the condition of one run.
func servicesThatAre(how string, s situation) (Condition, error) {
	if s.service != nil && s.service.Lead == nil {
		return Condition{}, impossible{errors.New("it needs --external, by which flaketap stands in the place of the services")}
	}
	c, err := environment(exchange.PerturbExternals, how, s)
	if recorded := c.Name == exchange.ExternalsFrozen || c.Name == exchange.ExternalsChanged; err == nil && recorded &&
		len(s.service.Lead.Recorded()) == 0 {
		err = impossible{errors.New("the recording has no answers of external services: record with --external, " +
			"and --allow or --stubs that give some")}
	}
	return c, err
}

// eachChanged makes a condition for each value, as far as there may be so many.
func eachChanged(one Condition, values []string) (out []Condition) {
	for i, value := range values[:min(len(values), maxChanged)] {
		c := one
		c.what = value
		if more := len(values) - maxChanged; i == maxChanged-1 && more > 0 {
			c.what += fmt.Sprintf("; %s not changed", console.Count(more, "further value"))
		}
		c.arrange = func(p *replay.Player) {
			one.arrange(p)
			p.Service.Environment.Change(value)
		}
		out = append(out, c)
	}
	return out
}
