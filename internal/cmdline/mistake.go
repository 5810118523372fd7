package cmdline

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/flaketap/flaketap/internal/console"
)

// What the flag package says of a command line that it cannot read.
var (
	unknownFlag = regexp.MustCompile(`^flag provided but not defined: -(.+)$`)
	noValue     = regexp.MustCompile(`^flag needs an argument: -(.+)$`)
	wrongValue  = regexp.MustCompile(`(?s)^invalid (?:boolean )?value (".*") for (?:flag )?-([^:"]+): .*$`)
	noFlag      = regexp.MustCompile(`^bad flag syntax: (.+)$`)
)

// FlagMistake says what is wrong with the flags of a command, and what it would take instead.
func FlagMistake(command string, flags []cli.Flag, err error) error {
	text := err.Error()
	if m := unknownFlag.FindStringSubmatch(text); m != nil {
		if near := console.Nearest(m[1], FlagNames(flags)); near != "" {
			return console.Usage(fmt.Errorf("unknown flag --%s; did you mean --%s?", m[1], near))
		}
		return console.Usage(fmt.Errorf("unknown flag --%s; %s --help lists them", m[1], command))
	}
	if m := noValue.FindStringSubmatch(text); m != nil {
		return console.Usage(fmt.Errorf("--%s needs %s", m[1], takes(flags, m[1])))
	}
	if m := wrongValue.FindStringSubmatch(text); m != nil {
		return console.Usage(fmt.Errorf("--%s must be %s, got %s", m[2], takes(flags, m[2]), m[1]))
	}
	if m := noFlag.FindStringSubmatch(text); m != nil {
		return console.Usage(fmt.Errorf("%q is not a flag; %s --help lists them", m[1], command))
	}
	return console.Usage(err)
}

// takes says what values a flag takes.
func takes(flags []cli.Flag, name string) string {
	i := slices.IndexFunc(flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) })
	if i < 0 {
		return "a value"
	}
	switch flags[i].(type) {
	case *cli.IntFlag, *cli.Uint64Flag:
		return "a whole number such as 10"
	case *cli.Float64Flag:
		return "a number such as 0.05"
	case *cli.DurationFlag:
		return "a duration such as 30s or 2m"
	case *cli.BoolFlag:
		return "true or false"
	}
	return "a value"
}

// FlagNames lists the names of flags, without their short forms.
func FlagNames(flags []cli.Flag) []string {
	var out []string
	for _, f := range flags {
		out = append(out, f.Names()[0])
	}
	return out
}
