package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/flaketap/flaketap/internal/cmdline"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/mock/serve"
	"github.com/flaketap/flaketap/suite/workers"
	"github.com/flaketap/flaketap/volatility/analysis"
)

// Exit codes, as documented in the package comment.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
	exitGate   = 3
)

// streams are where a command writes: data to out, talk to err.
type streams struct {
	out, err io.Writer
}

// tool is what the commands share: the streams, and the client's command line that stood behind "--".
type tool struct {
	streams
	client []string
	rules  analysis.Rules // from the configuration file
	// outside are the external services of the API that the command starts; nil where its connections are its own
	outside *serve.Outside
	lent    *workers.Lent // lend the API in the place of a command that starts it; nil where that is not asked for
}

// run is the whole program, as a function of its arguments and streams. It returns the exit code.
func run(ctx context.Context, args []string, s streams) int {
	own, client := cmdline.SplitClient(args)
	t := &tool{streams: s, client: client}
	app := t.app()
	help := &cmdline.Sticky{To: s.out}
	app.Writer = help
	args, rules, err := cmdline.WithSettings(app, cmdline.Reorder(app, cmdline.HelpAfter(own)))
	if t.rules = rules; err == nil {
		err = app.RunContext(ctx, args)
	}
	if err == nil && help.Err != nil {
		err = fmt.Errorf("write help: %w", help.Err)
	}
	var status console.ExitStatus
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &status):
		return int(status)
	case console.IsUsage(err):
		fmt.Fprintf(s.err, "flaketap: %s\n", cmdline.Message(err))
		return exitUsage
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		err = errors.New("interrupted")
		fallthrough
	default:
		fmt.Fprintf(s.err, "flaketap: %s\n", cmdline.Message(err))
		return exitFailed
	}
}

// app builds the command tree. Each command lives in the file of its name.
func (t *tool) app() *cli.App {
	app := &cli.App{
		Name:            "flaketap",
		Usage:           "record a fuzzer's exchanges with an API, learn what is volatile, and get a suite that does not flake",
		Version:         cmdline.Version(),
		ErrWriter:       t.err,
		Suggest:         true,
		HideHelpCommand: true,
		ExitErrHandler:  func(*cli.Context, error) {},
		OnUsageError: func(c *cli.Context, err error, _ bool) error {
			return cmdline.FlagMistake("flaketap", c.App.Flags, err)
		},
		Commands: []*cli.Command{
			t.recordCommand(),
			t.inspectCommand(),
			t.caCommand(),
			t.replayCommand(),
			t.rerunCommand(),
			t.steadyCommand(),
			t.importCommand(),
			t.exportCommand(),
			t.mapCommand(),
			t.diffCommand(),
			t.suiteCommand(),
			t.patchCommand(),
			t.verifyCommand(),
			t.stabilizeCommand(),
			t.whyCommand(),
			t.triageCommand(),
			t.mockCommand(),
			t.waitsCommand(),
			t.hubCommand(),
			t.shipCommand(),
			t.collectCommand(),
			t.workerCommand(),
			t.reportCommand(),
			t.uiCommand(),
			t.initCommand(),
			t.doctorCommand(),
			t.demoCommand(),
			t.completionCommand(),
			t.manCommand(),
			t.versionCommand(),
		},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				known := console.Suggest(c.Args().First(), commandNames(c.App.Commands), "flaketap --help lists them")
				return console.Usage(fmt.Errorf("unknown command %q; %s", c.Args().First(), known))
			}
			if len(t.client) > 0 {
				return console.Usage(errors.New("a flaketap command is missing before --: for example, flaketap record -- CMD"))
			}
			return cli.ShowAppHelp(c)
		},
	}
	shown := cmdline.Examples()
	for _, c := range app.Commands {
		t.settle(c, "flaketap "+c.Name, shown)
	}
	return app
}

// commandNames lists the names of commands that users are told of.
func commandNames(commands []*cli.Command) []string {
	var out []string
	for _, c := range commands {
		if !c.Hidden {
			out = append(out, c.Name)
		}
	}
	return out
}

// listSubcommands is what a command does that needs one of those below it: it shows them, and refuses another word.
func (t *tool) listSubcommands(c *cli.Context) error {
	if c.Args().Present() {
		word := c.Args().First()
		known := console.Suggest(word, commandNames(c.Command.Subcommands), "flaketap "+c.Command.Name+" --help lists them")
		return console.Usage(fmt.Errorf("unknown command %q; %s", c.Command.Name+" "+word, known))
	}
	return cli.ShowSubcommandHelp(c)
}

// settle gives a command and those below it what all commands have: usage errors with their own exit code, the
// templates of an OpenAPI file, and the refusal of values that no flag takes. name is that by which it is started;
// shown are the examples of all.
func (t *tool) settle(c *cli.Command, name string, shown map[string][]string) {
	cmdline.WithExamples(c, shown[name])
	c.OnUsageError = func(_ *cli.Context, err error, _ bool) error {
		return cmdline.FlagMistake(name, c.Flags, err)
	}
	for _, f := range c.Flags {
		if s, ok := f.(*cli.StringFlag); ok { // an empty variable is one that is not set
			s.EnvVars = slices.DeleteFunc(s.EnvVars, func(name string) bool {
				value, set := os.LookupEnv(name)
				return set && value == ""
			})
		}
	}
	c.Before = func(ctx *cli.Context) error {
		if cmdline.HasFlag(c, "config") {
			var err error
			if t.rules.Bindings.Paths, err = describedPaths(ctx.String("openapi")); err != nil {
				return err
			}
		}
		if err := cmdline.CheckOptions(ctx); err != nil || !cmdline.HasFlag(c, "log-level") {
			return err
		}
		_, err := logLevelOption(ctx)
		return err
	}
	if cmdline.HasFlag(c, "external") {
		c.After = func(ctx *cli.Context) error { return t.tellOutside(ctx.Bool("quiet")) }
	}
	for _, sub := range c.Subcommands {
		t.settle(sub, name+" "+sub.Name, shown)
	}
}

// The flags that several commands have; each means the same in all of them.

// defaultDB is the recording where no other is named.
const defaultDB = "flaketap.db"

func dbFlag() cli.Flag {
	return &cli.StringFlag{Name: "db", Value: defaultDB, EnvVars: []string{"FLAKETAP_DB"},
		Usage: "`FILE` of the recording"}
}

func quietFlag() cli.Flag {
	return &cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "no progress and no summary"}
}

func configFlag() cli.Flag {
	return &cli.StringFlag{Name: "config", EnvVars: []string{"FLAKETAP_CONFIG"}, Usage: "`FILE` of settings (default: " +
		cmdline.DefaultConfig + ", if it exists)"}
}

func logFlag() cli.Flag {
	return &cli.StringFlag{Name: "log-level", Value: "warn", EnvVars: []string{"FLAKETAP_LOG_LEVEL"},
		Usage: "`LEVEL` of the log on stderr: debug, info, warn, error"}
}

func forceFlag() cli.Flag {
	return &cli.BoolFlag{Name: "force", Usage: "overwrite existing files"}
}

// common are the flags of every command that opens a recording.
func common(more ...cli.Flag) []cli.Flag {
	return append(more, dbFlag(), configFlag(), quietFlag(), logFlag())
}

// logLevelOption reads from which level on the log is written.
func logLevelOption(c *cli.Context) (level slog.Level, err error) {
	if err := level.UnmarshalText([]byte(c.String("log-level"))); err != nil {
		return level, console.Usage(fmt.Errorf("unknown --log-level %q: want one of debug, info, warn, error",
			c.String("log-level")))
	}
	return level, nil
}

// logger returns a log from a level on.
func (t *tool) logger(level slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(t.err, &slog.HandlerOptions{Level: level}))
}

// consoleOptions reads how a command talks to the person who started it.
func (t *tool) consoleOptions(c *cli.Context) *console.Console {
	return &console.Console{Err: t.err, Quiet: c.Bool("quiet")}
}

// noArguments refuses positional arguments, for a command that has none.
func noArguments(command string, args cli.Args) error {
	if args.Present() {
		return console.Usage(fmt.Errorf("%s takes no arguments, got %q; flaketap %[1]s --help lists its flags", command, args.First()))
	}
	return nil
}

// alone refuses positional arguments and a command line behind "--", for a command that takes neither.
func (t *tool) alone(c *cli.Context) error {
	if err := noArguments(c.Command.FullName(), c.Args()); err != nil {
		return err
	}
	_, err := t.arguments(c)
	return err
}

// arguments returns the positional arguments of a command that starts no client, and refuses a command line behind
// "--".
func (t *tool) arguments(c *cli.Context) ([]string, error) {
	if len(t.client) > 0 {
		return nil, console.Usage(fmt.Errorf("%s does not run a command: remove -- and what follows it",
			c.Command.FullName()))
	}
	return c.Args().Slice(), nil
}

func (t *tool) versionCommand() *cli.Command {
	return &cli.Command{
		Name:  "version",
		Usage: "print the version",
		Action: func(c *cli.Context) error {
			if err := t.alone(c); err != nil {
				return err
			}
			_, err := fmt.Fprintln(t.out, "flaketap", cmdline.Version())
			return err
		},
	}
}
