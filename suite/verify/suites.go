package verify

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/console"
)

// Suite is a suite to verify.
type Suite struct {
	Name string // for people
	Arg  string // what {} in the command stands for; "" where the command names its suite itself
}

// Suites are the suites of a command line, by their files or folders and the command that runs them. It is a fault of
// usage where the command cannot tell them apart.
func Suites(names, command []string) ([]Suite, error) {
	text := strings.Join(command, "\x00")
	switch {
	case len(names) == 0 && strings.Contains(text, "{}"):
		return nil, console.Usage(errors.New("{} in the command needs a SUITE: flaketap verify SUITE -- CMD {}"))
	case len(names) > 1 && !strings.Contains(text, "{}") && !strings.Contains(text, "FLAKETAP_SUITE"):
		return nil, console.Usage(errors.New(
			"the command must contain {} where the suite belongs, as in -- pytest {}"))
	case len(names) == 0:
		return []Suite{{Name: filepath.Base(command[0])}}, nil
	}
	var out []Suite
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, console.Usage(fmt.Errorf("suite %s is given twice", name))
		}
		out = append(out, Suite{Name: name, Arg: name})
	}
	return out, nil
}
