package cmdline

import (
	"embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/flaketap/flaketap/internal/console"
)

// scripts are what shells load. Each asks the program for candidates, so none knows a command or flag by itself.
//
//go:embed completion
var scripts embed.FS

// Shells are the shells whose completion there is a script for.
func Shells() []string { return []string{"bash", "zsh", "fish", "powershell"} }

// CompletionScript returns what a shell loads to complete command lines.
func CompletionScript(shell string) ([]byte, error) {
	if !slices.Contains(Shells(), shell) {
		return nil, console.Usage(fmt.Errorf("unknown shell %q: want one of %s", shell, strings.Join(Shells(), ", ")))
	}
	return scripts.ReadFile("completion/flaketap." + shell)
}

// Values returns the words that may stand for a flag of a command, named as it is started, "demo api"; with flag "",
// for its positional arguments. nil means any.
type Values func(command, flag string) []string

// Candidate is a word that may stand where one is typed, and what it means.
type Candidate struct{ Word, Says string }

// Candidates are the words that may stand at the end of a command line.
type Candidates struct {
	Words  []Candidate
	Beside PathKind // what may stand there, too
}

// PathKind says which paths may stand somewhere.
type PathKind string

// The kinds of paths.
const (
	NoPath  PathKind = "none"
	Files   PathKind = "files"
	Folders PathKind = "folders"
)

// Complete returns what may stand in the place of the last of words, which is being typed; they are what follows the
// program's name.
func Complete(app *cli.App, values Values, words []string) Candidates {
	if len(words) == 0 {
		words = []string{""}
	}
	before, typed := words[:len(words)-1], words[len(words)-1]
	if slices.Contains(before, "--") {
		return Candidates{Beside: Files} // the client's command line
	}
	at := place{commands: app.Commands, flags: app.Flags}
	for i := 0; i < len(before); i++ {
		name, _, inline := strings.Cut(strings.TrimLeft(before[i], "-"), "=")
		switch {
		case strings.HasPrefix(before[i], "-") && !inline && takesValue(at.flags, name):
			if i++; i == len(before) {
				return at.value(values, name, "")
			}
		case !strings.HasPrefix(before[i], "-"):
			at.enter(before[i])
		}
	}
	if name, _, inline := strings.Cut(strings.TrimLeft(typed, "-"), "="); inline && strings.HasPrefix(typed, "-") {
		return at.value(values, name, typed[:strings.IndexByte(typed, '=')+1])
	}
	if strings.HasPrefix(typed, "-") {
		return at.flagNames().fitting(typed)
	}
	return at.argument(values).fitting(typed)
}

// place is how far a command line has been read.
type place struct {
	path     []string // the names of commands
	commands []*cli.Command
	flags    []cli.Flag
}

func (p *place) enter(word string) {
	if c := find(p.commands, word); c != nil && !c.Hidden {
		p.path, p.commands, p.flags = append(p.path, c.Name), c.Subcommands, c.Flags
	} else if word != "help" || len(p.path) > 0 {
		p.commands = nil // what follows are arguments
	}
}

// value returns what may stand for a flag; each word begins with prefix.
func (p *place) value(values Values, name, prefix string) (out Candidates) {
	out.Beside = NoPath
	i := slices.IndexFunc(p.flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) })
	if i < 0 {
		return out
	}
	f, ok := p.flags[i].(cli.DocGenerationFlag)
	if !ok {
		return out
	}
	known := values(strings.Join(p.path, " "), f.Names()[0])
	if known == nil {
		known = listed(f.GetUsage())
	}
	for _, v := range known {
		out.Words = append(out.Words, Candidate{prefix + v, ""})
	}
	switch placeholder(f.GetUsage()) {
	case "FILE", "DB":
		out.Beside = Files
	case "DIR":
		out.Beside = Folders
	}
	return out
}

// placeholder is how the help of a flag calls its value.
func placeholder(usage string) string {
	_, rest, _ := strings.Cut(usage, "`")
	name, _, _ := strings.Cut(rest, "`")
	return name
}

// listed are the values that the help of a flag ends with, where it lists them: "`FORM`: text, json or ndjson (for …)".
func listed(usage string) (out []string) {
	_, list, found := strings.Cut(usage, ": ")
	if !found || placeholder(usage) == "" {
		return nil
	}
	if scope, rest, more := strings.Cut(list, "`: "); more && strings.Contains(scope, "`") {
		list = rest // "export: `FORM`: pem, der"
	}
	list, _, _ = strings.Cut(list, " (")
	list, _, _ = strings.Cut(list, ";")
	for word := range strings.SplitSeq(strings.ReplaceAll(list, " or ", ", "), ", ") {
		if word == "" || strings.ContainsFunc(word, func(r rune) bool {
			return r != '-' && (r < 'a' || r > 'z') && (r < '0' || r > '9')
		}) {
			return nil
		}
		out = append(out, word)
	}
	if len(out) < 2 {
		return nil
	}
	return out
}

// flagNames lists the flags of the command that the line is in.
func (p *place) flagNames() (out Candidates) {
	out.Beside = NoPath
	for _, f := range p.flags {
		says := ""
		if d, ok := f.(cli.DocGenerationFlag); ok {
			says = strings.ReplaceAll(d.GetUsage(), "`", "")
		}
		out.Words = append(out.Words, Candidate{"--" + f.Names()[0], says})
	}
	out.Words = append(out.Words, Candidate{"--help", "show help"})
	if len(p.path) == 0 {
		out.Words = append(out.Words, Candidate{"--version", "print the version"})
	}
	return out
}

// argument lists what may stand where no flag is typed.
func (p *place) argument(values Values) (out Candidates) {
	out.Beside = NoPath
	for _, c := range p.commands {
		if !c.Hidden {
			out.Words = append(out.Words, Candidate{c.Name, c.Usage})
		}
	}
	if len(p.path) == 0 {
		return out
	}
	for _, v := range values(strings.Join(p.path, " "), "") {
		out.Words = append(out.Words, Candidate{v, ""})
	}
	if len(out.Words) == 0 {
		out.Beside = Files
	}
	return out
}

// fitting leaves those words that begin with what is typed.
func (c Candidates) fitting(typed string) Candidates {
	c.Words = slices.DeleteFunc(c.Words, func(w Candidate) bool { return !strings.HasPrefix(w.Word, typed) })
	return c
}

// Write writes candidates as the scripts read them: a line for each word, with what it means behind a tab, and a last
// one that says which paths may stand there, too.
func (c Candidates) Write(w io.Writer) error {
	for _, word := range c.Words {
		if _, err := fmt.Fprintf(w, "%s\t%s\n", word.Word, console.OneLine(word.Says)); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, ":%s\n", c.Beside)
	return err
}
