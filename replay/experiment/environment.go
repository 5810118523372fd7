package experiment

import (
	"errors"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/replay"
	"github.com/flaketap/flaketap/replay/service"
)

// environments are the experiments with what an API finds around it, which is started here. What asks for more than a
// variable of the environment may not be possible, or may do nothing: that is for users to name.
func environments() []Experiment {
	usual := map[string]bool{"tz": true, "lang": true, "tmp": true, "user": true}
	var out []Experiment
	for _, c := range service.Conditions() {
		switch c.Name {
		case exchange.PerturbClock:
			out = append(out, clock(c))
			continue
		case exchange.PerturbExternals:
			out = append(out, externals(c))
			continue
		}
		out = append(out, Experiment{Name: c.Name, Value: c.Value, Help: c.What, Default: usual[c.Name], Starts: true,
			make: func(value string, s situation) (Condition, error) { return environment(c.Name, value, s) }})
	}
	return out
}

// environment arranges that an API is started in another environment.
func environment(name, value string, s situation) (Condition, error) {
	if s.service == nil {
		return Condition{}, impossible{errors.New("it needs --start")}
	}
	if name == "restart" && s.reset == "" {
		return Condition{}, impossible{errors.New("without --reset, every run begins with a new process and no reset")}
	}
	changed := *s.service
	changed.Environment = service.Environment{FakeTime: s.fakeTime}
	if err := changed.Environment.Add(name, value); err != nil {
		return Condition{}, impossible{err}
	}
	if err := changed.Possible(); err != nil {
		return Condition{}, impossible{err}
	}
	return Condition{Name: changed.Environment.Names()[0], arrange: func(p *replay.Player) {
		own := *p.Service
		own.Environment = changed.Environment
		p.Service = &own
	}}, nil
}
