package main

import (
	"flag"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// splitClient cuts the client's command line off, which stands behind the first "--".
func splitClient(args []string) (own, client []string) {
	if i := slices.Index(args, "--"); i >= 0 {
		return args[:i], args[i+1:]
	}
	return args, nil
}

// reorder moves the flags of a command before its positional arguments. The flag parser stops at the first positional
// argument and would take all that follows for arguments, without a word.
func reorder(app *cli.App, args []string) []string {
	if len(args) < 2 {
		return args
	}
	out, commands, flags := []string{args[0]}, app.Commands, app.Flags
	rest := args[1:]
	for len(rest) > 0 {
		c := find(commands, rest[0])
		if c == nil {
			break
		}
		out, commands, flags, rest = append(out, rest[0]), c.Subcommands, c.Flags, rest[1:]
	}
	var options, positional []string
	for i := 0; i < len(rest); i++ {
		arg := rest[i]
		if len(arg) < 2 || arg[0] != '-' {
			positional = append(positional, arg)
			continue
		}
		options = append(options, arg)
		name, _, inline := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if !inline && takesValue(flags, name) && i+1 < len(rest) {
			i++
			options = append(options, rest[i])
		}
	}
	return slices.Concat(out, options, positional)
}

func find(commands []*cli.Command, name string) *cli.Command {
	i := slices.IndexFunc(commands, func(c *cli.Command) bool { return c.HasName(name) })
	if i < 0 {
		return nil
	}
	return commands[i]
}

// takesValue reports whether the flag of that name is followed by a value.
func takesValue(flags []cli.Flag, name string) bool {
	for _, f := range flags {
		if !slices.Contains(f.Names(), name) {
			continue
		}
		set := flag.NewFlagSet("", flag.ContinueOnError)
		if f.Apply(set) != nil {
			return true
		}
		got := set.Lookup(name)
		b, ok := got.Value.(interface{ IsBoolFlag() bool })
		return !ok || !b.IsBoolFlag()
	}
	return false
}
