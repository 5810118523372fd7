package cmdline

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/flaketap/flaketap/internal/console"
)

// CheckOptions refuses what no flag takes: an empty value, as of a shell variable that is not set, for what it asks for
// would be left out in silence; another flag where a value was forgotten.
func CheckOptions(c *cli.Context) error {
	for _, f := range c.Command.Flags {
		name := f.Names()[0]
		var values []string
		switch f.(type) {
		case *cli.StringFlag:
			values = []string{c.String(name)}
		case *cli.StringSliceFlag:
			values = c.StringSlice(name)
		}
		for _, v := range values {
			switch {
			case v == "" && c.IsSet(name):
				return console.Usage(fmt.Errorf("--%s is empty", name))
			case strings.HasPrefix(v, "--"):
				return console.Usage(fmt.Errorf("--%s needs a value, but the flag %s follows", name, v))
			}
		}
	}
	return nil
}
