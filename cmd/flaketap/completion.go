package main

import (
	"errors"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/flaketap/flaketap/internal/cmdline"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/suite/mutant"
)

func (t *tool) completionCommand() *cli.Command {
	return &cli.Command{
		Name:  "completion",
		Usage: "print what a shell loads to complete flaketap's command lines",
		UsageText: "flaketap completion bash|zsh|fish|powershell\n" +
			"   bash        source <(flaketap completion bash)\n" +
			"   zsh         source <(flaketap completion zsh)\n" +
			"   fish        flaketap completion fish | source\n" +
			"   powershell  flaketap completion powershell | Out-String | Invoke-Expression",
		Action: t.completion,
		Subcommands: []*cli.Command{{
			Name: "candidates", Hidden: true, Usage: "list what may stand in the place of the last word",
			UsageText: "flaketap completion candidates [--new] -- WORD…",
			Flags:     []cli.Flag{&cli.BoolFlag{Name: "new", Usage: "the last word is yet to be typed"}},
			Action:    t.candidates,
		}},
	}
}

func (t *tool) completion(c *cli.Context) error {
	args, err := t.arguments(c)
	if err != nil {
		return err
	}
	if len(args) != 1 {
		return console.Usage(errors.New("completion needs the name of one shell: flaketap completion bash|zsh|fish|powershell"))
	}
	script, err := cmdline.CompletionScript(args[0])
	if err == nil {
		_, err = t.out.Write(script)
	}
	return err
}

func (t *tool) candidates(c *cli.Context) error {
	words := t.client
	if c.Bool("new") {
		words = append(words, "")
	}
	return cmdline.Complete(t.app(), flagValues, words).Write(t.out)
}

// flagValues are values of flags, and arguments, that their help does not list in one row.
func flagValues(command, flag string) []string {
	switch command + " --" + flag {
	case "completion --":
		return cmdline.Shells()
	case "man --":
		return commandNames((&tool{}).app().Commands)
	case "stabilize --mutate", "verify --mutate":
		return append([]string{"all"}, strings.Split(mutant.Names(), ", ")...)
	case "report --format":
		return formNames()
	case "map --format":
		return report.MapForms()
	case "triage --fail-on":
		return []string{failOnRegression, failOnUnexplained}
	}
	return cmdline.FixedValues(command, flag)
}
