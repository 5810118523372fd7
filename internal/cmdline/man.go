package cmdline

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// ManPages returns a manual page for the program and one for each command, by name: "flaketap-record.1".
func ManPages(app *cli.App) map[string][]byte {
	pages := map[string][]byte{}
	var see []string
	var add func(name string, c *cli.Command)
	add = func(name string, c *cli.Command) {
		if c.Hidden {
			return
		}
		see = append(see, name)
		m := manual{name: name, usage: c.Usage, synopsis: c.UsageText, says: c.Description, flags: c.Flags,
			commands: c.Subcommands}
		pages[m.file()] = m.page(app.Version)
		for _, sub := range c.Subcommands {
			add(name+"-"+sub.Name, sub)
		}
	}
	for _, c := range app.Commands {
		add(app.Name+"-"+c.Name, c)
	}
	m := manual{name: app.Name, usage: app.Usage, synopsis: app.Name + " COMMAND [options] [arguments]", flags: app.Flags,
		commands: app.Commands, see: see}
	pages[m.file()] = m.page(app.Version)
	return pages
}

// manual is what stands on a manual page.
type manual struct {
	name, usage, synopsis, says string
	flags                       []cli.Flag
	commands                    []*cli.Command
	see                         []string
}

func (m manual) file() string { return m.name + ".1" }

// page writes the page in the macros of man(7).
func (m manual) page(version string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"flaketap %s\" \"flaketap\"\n.nh\n.ad l\n", strings.ToUpper(roff(m.name)), roff(version))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(m.name), roff(m.usage))
	literal(&b, "SYNOPSIS", m.synopsis)
	if m.says != "" {
		fmt.Fprintf(&b, ".SH DESCRIPTION\n%s\n", lines(m.says))
	}
	var commands []*cli.Command
	for _, c := range m.commands {
		if !c.Hidden {
			commands = append(commands, c)
		}
	}
	if len(commands) > 0 {
		b.WriteString(".SH COMMANDS\n")
		for _, c := range commands {
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(c.Name), lines(c.Usage))
		}
	}
	options(&b, m.flags)
	if len(m.see) > 0 {
		fmt.Fprint(&b, ".SH EXIT STATUS\n0 done, 1 failed, 2 wrong usage, 3 a gate that was asked for tripped;\n"+
			"a command that runs a client returns the client's own.\n.SH SEE ALSO\n")
		for i, name := range m.see {
			comma := ","
			if i == len(m.see)-1 {
				comma = ""
			}
			fmt.Fprintf(&b, ".BR %s (1)%s\n", roff(name), comma)
		}
	}
	return b.Bytes()
}

// literal writes lines as they stand.
func literal(b *bytes.Buffer, title, text string) {
	fmt.Fprintf(b, ".SH %s\n.nf\n%s\n.fi\n", title, lines(text))
}

// options writes the flags, with their values, variables and defaults, in the order of their names.
func options(b *bytes.Buffer, flags []cli.Flag) {
	sorted := slices.Clone(flags)
	slices.SortFunc(sorted, func(a, b cli.Flag) int { return strings.Compare(a.Names()[0], b.Names()[0]) })
	b.WriteString(".SH OPTIONS\n")
	for _, f := range sorted {
		d, ok := f.(cli.DocGenerationFlag)
		if !ok {
			continue
		}
		var names []string
		for _, name := range f.Names() {
			dashes := "--"
			if len(name) == 1 {
				dashes = "-"
			}
			names = append(names, "\\fB"+roff(dashes+name)+"\\fR")
		}
		head := strings.Join(names, ", ")
		if d.TakesValue() {
			value := placeholder(d.GetUsage())
			if value == "" {
				value = "VALUE"
			}
			head += " \\fI" + roff(value) + "\\fR"
		}
		text := strings.ReplaceAll(d.GetUsage(), "`", "")
		value := d.GetDefaultText()
		if d.TakesValue() && !slices.Contains([]string{"", "0", "0s"}, value) && !strings.Contains(text, "(default") {
			text += " (default: " + value + ")"
		}
		for _, name := range d.GetEnvVars() {
			text += "; the variable " + name + " stands for it"
		}
		fmt.Fprintf(b, ".TP\n%s\n%s\n", head, lines(text))
	}
	b.WriteString(".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nshow help\n")
}

// lines escapes a text of several lines: none of them is a request.
func lines(text string) string {
	all := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, l := range all {
		if all[i] = roff(l); strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			all[i] = `\&` + all[i]
		}
	}
	return strings.Join(all, "\n")
}

// roff escapes what would be more than text.
func roff(text string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`, "\u00a0", `\ `, "`", "\\(ga", "'", `\(aq`, "…", "...", `"`, `\(dq`).Replace(text)
}
