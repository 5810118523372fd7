package cmdline

import (
	"fmt"

	"github.com/flaketap/flaketap/internal/console"
)

// One returns the one argument that a command takes, which is a what; otherwise, where that is not "", stands for none.
func One(command string, args []string, what, otherwise string) (string, error) {
	switch {
	case len(args) == 0 && otherwise != "":
		return otherwise, nil
	case len(args) != 1:
		return "", console.Usage(fmt.Errorf("%s needs one %s", command, what))
	}
	return args[0], nil
}
