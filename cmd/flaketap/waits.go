package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/waits/git"
	"github.com/flaketap/flaketap/waits/suggest"
)

func (t *tool) waitsCommand() *cli.Command {
	return &cli.Command{
		Name:  "waits",
		Usage: "find the waits of tests: times for those that are too short, and those that suites for a browser lack",
		UsageText: "flaketap waits suggest [FILE[:LINE]… | DIR] [options]\n" +
			"flaketap waits tune FILE:LINE [options] -- CMD {}\n" +
			"flaketap waits record --out FILE [options] -- CMD ARG…\n" +
			"flaketap waits hold --session FILE -- CMD ARG…\n" +
			"flaketap waits patch --session FILE SUITE… [options]\n" +
			"flaketap waits mark SPECS… [options]",
		Subcommands: []*cli.Command{
			t.waitsSuggestCommand(), t.waitsTuneCommand(), t.waitsRecordCommand(), t.waitsHoldCommand(), t.waitsPatchCommand(),
			t.waitsMarkCommand(),
			{Name: "driver", Hidden: true, Usage: "stand in for a driver",
				UsageText: "flaketap waits driver ADDR -- ARG…", Action: t.waitsDriver},
		},
		Action: t.listSubcommands,
	}
}

func (t *tool) waitsSuggestCommand() *cli.Command {
	return &cli.Command{
		Name:  "suggest",
		Usage: "list the waits of a suite, and rank longer times for one of them",
		UsageText: "flaketap waits suggest FILE[:LINE]… [options]   times for the waits of a file, or of a line\n" +
			"flaketap waits suggest [DIR] [--results FILE]… [options]   all waits of a suite, those of tests that failed first",
		Description: "Times come from waits like it in the same suite, from its history in git, and from named constants. No time is made up,\n" +
			"and none is proven to be enough. A sleep lets all of its time pass; a cap is for how long something is waited for.\n" +
			"docs/waits.md tells which waits are known, and describes the JSON.",
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "results",
				Usage: "`FILE` of what the runner left: JUnit XML, go test -json, jest --json, TAP; repeatable, one for each run"},
			&cli.StringFlag{Name: "suite", Usage: "`DIR` whose waits are looked at (default: the folder of tests around the FILE)"},
			&cli.IntFlag{Name: "most", Value: 5, Usage: "`N`umber of times that are suggested for a wait at most"},
			&cli.IntFlag{Name: "commits", Value: git.DefaultCommits, Usage: "`N`umber of commits that are read at most; 0 reads no history"},
			&cli.StringFlag{Name: "format", Value: "text", Usage: "`FORM`: text or json"},
		},
		Action: t.waitsSuggest,
	}
}

func (t *tool) waitsSuggest(c *cli.Context) error {
	o, err := t.waitsSuggestOptions(c)
	if err != nil {
		return err
	}
	answer, err := suggest.Run(c.Context, o.suggest)
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case err != nil:
		return fmt.Errorf("suggest times: %w", err)
	case o.json:
		return answer.WriteJSON(t.out)
	}
	if len(answer.Waits) == 0 {
		fmt.Fprintln(t.err, "flaketap: no waits were found; docs/waits.md lists those that are known")
	}
	return answer.WriteText(t.out)
}

// waitsSuggestOptions is what the flags of waits suggest ask for.
type waitsSuggestOptions struct {
	suggest suggest.Options
	json    bool
}

// waitsSuggestOptions reads the flags of waits suggest.
func (t *tool) waitsSuggestOptions(c *cli.Context) (o waitsSuggestOptions, err error) {
	o.suggest = suggest.Options{Suite: c.String("suite"), Results: c.StringSlice("results"), Most: c.Int("most"),
		Commits: c.Int("commits")}
	args, err := t.arguments(c)
	if err != nil {
		return o, err
	}
	switch form := c.String("format"); form {
	case "text", "json":
		o.json = form == "json"
	default:
		return o, console.Usage(fmt.Errorf("unknown --format %q: want one of text, json", form))
	}
	switch {
	case o.suggest.Most < 1:
		return o, console.Usage(fmt.Errorf("--most must be at least 1, got %d", o.suggest.Most))
	case o.suggest.Commits < 0:
		return o, console.Usage(fmt.Errorf("--commits must be at least 0, got %d", o.suggest.Commits))
	case o.suggest.Commits == 0:
		o.suggest.Commits = -1
	}
	for _, arg := range args {
		place, err := suggest.PlaceOf(strings.TrimSpace(arg))
		if err != nil {
			return o, err
		}
		o.suggest.Places = append(o.suggest.Places, place)
	}
	o.suggest.Cache = waitsCache()
	return o, nil
}

// waitsCache is the folder where what was read of histories is kept; "" without one: they are read each time.
func waitsCache() string {
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(cache, "flaketap", "waits")
}
