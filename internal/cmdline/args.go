package cmdline

import (
	"flag"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// SplitClient cuts the client's command line off, which stands behind the first "--".
func SplitClient(args []string) (own, client []string) {
	if i := slices.Index(args, "--"); i >= 0 {
		return args[:i], args[i+1:]
	}
	return args, nil
}

// HelpAfter puts "help COMMAND" as "COMMAND --help", so that both ways of asking have one answer.
func HelpAfter(args []string) []string {
	if len(args) < 2 || args[1] != "help" {
		return args
	}
	return slices.Concat(args[:1], args[2:], []string{"--help"})
}

// Reorder moves the flags of a command before its positional arguments. The flag parser stops at the first positional
// argument and would take all that follows for arguments, without a word.
func Reorder(app *cli.App, args []string) []string {
	if len(args) < 2 {
		return args
	}
	out, commands, flags := []string{args[0]}, app.Commands, app.Flags
	rest, named := args[1:], true // by the next word a command has to be named
	for len(rest) > 0 {
		c := find(commands, rest[0])
		if c == nil {
			break
		}
		out, commands, flags, rest = append(out, rest[0]), c.Subcommands, c.Flags, rest[1:]
		named = len(flags) == 0 && slices.ContainsFunc(commands, func(c *cli.Command) bool { return !c.Hidden })
	}
	isFlag := func(arg string) bool { return strings.HasPrefix(arg, "-") }
	if named && len(rest) > 0 && !isFlag(rest[0]) { // there is no such command: that is the mistake, not its flags
		return append(out, slices.DeleteFunc(slices.Clone(rest), isFlag)...)
	}
	var options, positional []string
	asked := false
	for i := 0; i < len(rest); i++ {
		arg := rest[i]
		if len(arg) < 2 || arg[0] != '-' {
			positional = append(positional, arg)
			continue
		}
		options = append(options, arg)
		name, _, inline := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		asked = asked || arg == "--help" || arg == "-h"
		if !inline && takesValue(flags, name) && i+1 < len(rest) {
			i++
			options = append(options, rest[i])
		}
	}
	if asked && len(out) > 1 {
		positional = nil // the parser would look for the help of a command of that name
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

// line is a command line whose flags stand before its positional arguments.
type line struct {
	command *cli.Command      // the innermost that is named; nil where none is
	words   int               // how many arguments come before its flags: the program and the names of commands
	options map[string]string // the values of the flags that are given, by the names under which they are
}

// commandLine reads a command line that Reorder has put in order.
func commandLine(app *cli.App, args []string) line {
	l, commands := line{words: 1, options: map[string]string{}}, app.Commands
	for l.words < len(args) {
		c := find(commands, args[l.words])
		if c == nil {
			break
		}
		l.command, commands = c, c.Subcommands
		l.words++
	}
	for i := l.words; l.command != nil && i < len(args) && len(args[i]) > 1 && args[i][0] == '-'; i++ {
		name, value, inline := strings.Cut(strings.TrimLeft(args[i], "-"), "=")
		if !inline && takesValue(l.command.Flags, name) && i+1 < len(args) {
			i++
			value = args[i]
		}
		l.options[name] = value
	}
	return l
}

// has reports whether a flag is given under one of its names.
func (l line) has(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { _, ok := l.options[name]; return ok })
}

// value returns the value of a flag of the command, by one of its names: that of the command line, else that of the
// environment.
func (l line) value(name string) string {
	f := flagOf(l.command, name)
	for _, name := range f.Names() {
		if v := l.options[name]; v != "" {
			return v
		}
	}
	if f, ok := f.(cli.DocGenerationFlag); ok {
		for _, name := range f.GetEnvVars() {
			if v := os.Getenv(name); v != "" {
				return v
			}
		}
	}
	return ""
}

// HasFlag reports whether a command has the flag of that name.
func HasFlag(c *cli.Command, name string) bool {
	return slices.ContainsFunc(c.Flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) })
}

// flagOf returns the flag of a command that has a name; nil where none has.
func flagOf(c *cli.Command, name string) cli.Flag {
	i := slices.IndexFunc(c.Flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) })
	if i < 0 {
		return nil
	}
	return c.Flags[i]
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
