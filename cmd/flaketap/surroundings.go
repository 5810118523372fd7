package main

import (
	"errors"
	"fmt"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/urfave/cli/v2"
)

// libfaketimeFlag names what moves the clock of an API.
func libfaketimeFlag() cli.Flag {
	return &cli.StringFlag{Name: "libfaketime", EnvVars: []string{"FLAKETAP_LIBFAKETIME"}, Usage: "the library's `FILE` for --perturb clock, where it is not found by itself"}
}

// impossible is why there can be no such condition here, which is no mistake in what was given.
type impossible struct{ error }

// surroundings lists the perturbations of what an API finds around it, which flaketap runs itself. What asks for more
// than a variable of the environment may not be possible, or not do anything: that is for users to name.
func surroundings() []perturbation {
	usual := map[string]bool{"tz": true, "lang": true, "tmp": true, "user": true}
	var out []perturbation
	for _, c := range service.Conditions() {
		out = append(out, perturbation{name: c.Name, value: c.Value, what: c.What, usual: usual[c.Name], start: true,
			make: func(value string, s situation) (condition, error) { return surrounding(c.Name, value, s) }})
	}
	return out
}

// surrounding arranges that an API is started under a condition.
func surrounding(name, value string, s situation) (condition, error) {
	if s.service == nil {
		return condition{}, impossible{errors.New("it takes --start")}
	}
	if name == "restart" && s.reset == "" {
		return condition{}, impossible{errors.New("without a --reset every run begins with a new process and no reset")}
	}
	changed := *s.service
	changed.Environment = service.Environment{FakeTime: s.fakeTime}
	if err := changed.Environment.Add(name, value); err != nil {
		return condition{}, impossible{err}
	}
	if err := changed.Possible(); err != nil {
		return condition{}, impossible{err}
	}
	return condition{name: changed.Environment.Names()[0], arrange: func(p *replay.Player) {
		own := *p.Service
		own.Environment = changed.Environment
		p.Service = &own
	}}, nil
}

// can leaves out, of what a name for several conditions stands for, what is not possible here.
func can(all []wanted, s situation) []wanted {
	var out []wanted
	for _, w := range all {
		if w.start && !w.named {
			if _, err := w.make("", s); err != nil {
				continue
			}
		}
		out = append(out, w)
	}
	return out
}

// refused is the error of a condition that cannot be made of what was given.
func refused(w wanted, err error) error {
	given := ""
	if w.given != "" {
		given = "=" + w.given
	}
	var here impossible
	if errors.As(err, &here) {
		return console.Usage(fmt.Errorf("--perturb %s%s: %w", w.name, given, err))
	}
	return console.Usage(fmt.Errorf("--perturb %s takes %w, not %q", w.name, err, w.given))
}
