package main

import (
	"errors"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/flaketap/flaketap/internal/cmdline"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/report"
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
		return append([]string{"all"}, strings.Split(kindsText(), ", ")...)
	case "report --format":
		return formNames()
	case "map --format":
		return report.MapForms()
	}
	for _, name := range []string{command + " --" + flag, "--" + flag} {
		if words := fixedValues[name]; words != "" {
			return strings.Fields(words)
		}
	}
	return nil
}

// fixedValues are those that are the same in all builds, by command and flag, or by flag alone.
var fixedValues = map[string]string{
	"ca --":                   "print export",
	"inspect --":              "passes runs sequences exchanges exchange operations externals traces bindings why claims",
	"import --as":             "recording run",
	"import --condition":      "fresh continued unknown",
	"record --on-overload":    "wait drop",
	"record --on-store-error": "stop pass",
	"replay --pace":           "asap recorded x2",
	"stabilize --probe":       "auto always never",
	"replay --unsafe":         "send skip ask",
	"verify --fail-on":        "flaky survived",
	"waits record --window":   "rest paper",
	"map --fail-on":           "new any",
	"diff --fail-on":          "new any",
	"triage --fail-on":        failOnRegression + " " + failOnUnexplained,
	"--unknown":               "404 refuse",
	"--host-header":           "client target",
	"--reset-each":            "run sequence",
}
