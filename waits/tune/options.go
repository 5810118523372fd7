package tune

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/waits/read"
	"github.com/flaketap/flaketap/waits/trial"
)

// Options say what is tuned, and how.
type Options struct {
	Args       []string // one, the line of the wait: FILE:LINE
	Suite      string   // the folder that is copied, and whose waits are looked at; "": the one around the file
	Cache      string   // the folder where what was read of histories is kept; "": none is
	From       string   // a time that a developer chose, in the place of those suggested; "": none
	Strategies []string // by their names; none: the best two that can be used
	// Validations are the runs that a time has to pass, Screen those that one has to pass which a search goes on from.
	Validations, Screen int
	Recording           func() (suite.Source, error) // opens a recording of the suite; nil: there is none
	Trial               trial.Options                // without Root and File
	Output              Output
}

// Check finds what is wrong with options before anything is read or run: wrong usage.
func (o *Options) Check() error {
	if err := o.check(); err != nil {
		return console.Usage(err)
	}
	return nil
}

func (o *Options) check() error {
	for _, name := range o.Strategies {
		if !slices.Contains(Strategies(), name) {
			return fmt.Errorf("unknown --strategy %q: want one of %s", name, strings.Join(Strategies(), ", "))
		}
	}
	if _, err := parseFrom(o.From); err != nil {
		return err
	}
	if err := o.Output.check(); err != nil {
		return err
	}
	command := strings.Join(o.Trial.Command, "\x00")
	switch {
	case len(o.Args) != 1:
		return errors.New("waits tune needs one FILE:LINE: flaketap waits tune FILE:LINE -- CMD {}")
	case len(o.Trial.Command) == 0:
		return errors.New("waits tune needs the command that runs the test: flaketap waits tune FILE:LINE -- CMD {}")
	case !strings.Contains(command, "{}") && !strings.Contains(command, "{file}") && !strings.Contains(command, "FLAKETAP_SUITE"):
		return errors.New("the command must contain {} where the suite belongs, or {file} for the file, as in -- pytest {file}: " +
			"each time is tried in a copy of the suite")
	case o.Validations < 1:
		return fmt.Errorf("--runs must be at least 1, got %d", o.Validations)
	case o.Screen < 1:
		return fmt.Errorf("--screen must be at least 1, got %d", o.Screen)
	case o.Trial.Timeout < 0:
		return fmt.Errorf("--timeout must be a duration such as 5m, got %s", o.Trial.Timeout)
	}
	return o.checkWorkers()
}

// checkWorkers refuses several workers where runs beside each other would meet at the API.
func (o *Options) checkWorkers() error {
	api := o.Trial.Service
	switch n := o.Trial.Workers; {
	case n < 1 || n > maxWorkers:
		return fmt.Errorf("--workers must be from 1 to %d, got %d", maxWorkers, n)
	case n == 1:
	case api != nil && !api.ChoosesPort():
		return errors.New("--workers needs {port} in --start: each instance of the API needs a port of its own")
	case o.Trial.Reset != "" && !strings.Contains(string(o.Trial.Reset), "{port}"):
		return errors.New("--workers needs {port} in --reset: it has to reset one instance of the API and leave the others")
	}
	return nil
}

// maxWorkers is the most runs that are made at once.
const maxWorkers = 64

// parseFrom reads a time that a developer chose: a number of milliseconds, or a duration. 0 is none.
func parseFrom(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		d, err = time.ParseDuration(text + "ms")
	}
	if err != nil || d < time.Millisecond || d > read.Longest {
		return 0, fmt.Errorf("--from must be a number of milliseconds, or a duration such as 1.5s, got %q", text)
	}
	return d, nil
}

// file is the file of the wait, and where it stands in its suite.
type file struct {
	path, root, name string
	text             []byte
	perm             os.FileMode
}

// open reads the file of a place in a suite.
func open(path, root string) (f file, err error) {
	f = file{path: path, root: root}
	info, err := os.Stat(path)
	if err == nil {
		f.perm = info.Mode().Perm()
		f.text, err = os.ReadFile(path)
	}
	real := path
	if err == nil {
		real, err = filepath.EvalSymlinks(path)
	}
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err == nil {
		f.name, err = filepath.Rel(root, real)
	}
	if err != nil {
		return f, fmt.Errorf("read test: %w", err)
	}
	if !filepath.IsLocal(f.name) {
		return f, console.Usage(fmt.Errorf("%s is not in the suite %s, of which copies are made", path, root))
	}
	return f, nil
}
