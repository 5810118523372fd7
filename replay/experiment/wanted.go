package experiment

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay/service"
)

// Wanted is an experiment that a user asks for.
type Wanted struct {
	Experiment
	given string // what followed =
	times int    // how many runs
	named bool   // by itself, and not by a name for several
}

// maxTimes bounds how many runs one condition may be given.
const maxTimes = 1000

// UnknownError is the mistake of a name that no experiment has.
type UnknownError struct{ Name string }

func (e UnknownError) Error() string { return fmt.Sprintf("unknown --perturb %q", e.Name) }

// Read reads what a user asks for: names of experiments, each with =VALUE and *N runs if wanted, or default and all for
// several. api is the API that is started here, which some experiments need; nil where others run it. The errors are
// mistakes in the command line.
func Read(values []string, api *service.Service) ([]Wanted, error) {
	known := Experiments()
	var out []Wanted
	for _, v := range values {
		text, times, err := cutTimes(strings.TrimSpace(v))
		if err != nil {
			return nil, console.Usage(err)
		}
		name, value, _ := strings.Cut(text, "=")
		if name == "accept-language" {
			name = "language"
		}
		if name == "default" || name == "all" {
			for _, e := range known {
				if (e.Default || name == "all") && (api != nil || !e.Starts) {
					out = append(out, Wanted{Experiment: e, times: times})
				}
			}
			continue
		}
		i := slices.IndexFunc(known, func(e Experiment) bool { return e.Name == name })
		switch {
		case i < 0:
			return nil, console.Usage(UnknownError{name})
		case known[i].Starts && api == nil:
			return nil, console.Usage(fmt.Errorf(
				"--perturb %s needs --start CMD, which runs the API",
				name))
		case value != "" && known[i].Value == "":
			return nil, console.Usage(fmt.Errorf("--perturb %s takes no value, got %q", name, v))
		}
		out = append(out, Wanted{known[i], value, times, true})
	}
	return out, nil
}

// cutTimes cuts the number of runs off a condition: 3 of "double*3".
func cutTimes(text string) (string, int, error) {
	text, number, found := strings.Cut(text, "*")
	if !found {
		return text, 1, nil
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > maxTimes {
		return "", 0, fmt.Errorf("--perturb %s*%s: the number of runs after * must be from 1 to %d", text, number, maxTimes)
	}
	return text, n, nil
}

// conditions makes the conditions of the runs that are wanted, in order.
func conditions(all []Wanted, s situation) ([]Condition, error) {
	var out []Condition
	for _, w := range possible(all, s) {
		if w.several != nil {
			made, err := w.several(w.given, s)
			if err != nil {
				return nil, w.refused(err)
			}
			if out = append(out, slices.Repeat(made, w.times)...); len(made) > 0 || w.given == "" {
				continue
			}
		}
		for range w.times {
			made, err := w.make(w.given, s)
			if err != nil {
				return nil, w.refused(err)
			}
			out = append(out, made)
		}
	}
	return out, nil
}

// possible leaves out, of what a name for several experiments stands for, what is not possible here.
func possible(all []Wanted, s situation) []Wanted {
	var out []Wanted
	for _, w := range all {
		if w.Local && !w.named && !s.local {
			continue
		}
		if w.Starts && !w.named {
			if _, err := w.make("", s); err != nil {
				continue
			}
		}
		out = append(out, w)
	}
	return out
}

// impossible is why there can be no such condition here, which is no mistake in what was given.
type impossible struct{ error }

// refused is the error of a condition that cannot be made of what was given.
func (w Wanted) refused(err error) error {
	given := ""
	if w.given != "" {
		given = "=" + w.given
	}
	var here impossible
	if errors.As(err, &here) {
		return console.Usage(fmt.Errorf("--perturb %s%s: %w", w.Name, given, err))
	}
	return console.Usage(fmt.Errorf("--perturb %s must be %w, got %q", w.Name, err, w.given))
}
