package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"
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
}

// usageError is a mistake in the command line: exit code 2.
type usageError struct{ error }

// statusError carries the exit code of something that has said what there is to say, as a client's own status.
type statusError int

func (s statusError) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// run is the whole program, as a function of its arguments and streams. It returns the exit code.
func run(ctx context.Context, args []string, s streams) int {
	own, client := splitClient(args)
	t := &tool{streams: s, client: client}
	app := t.app()
	err := app.RunContext(ctx, reorder(app, own))
	var status statusError
	var usage usageError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &status):
		return int(status)
	case errors.As(err, &usage):
		fmt.Fprintf(s.err, "flaketap: %v\n", err)
		return exitUsage
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		err = errors.New("interrupted")
		fallthrough
	default:
		fmt.Fprintf(s.err, "flaketap: %v\n", err)
		if h := hint(err); h != "" {
			fmt.Fprintf(s.err, "flaketap: %s\n", h)
		}
		return exitFailed
	}
}

// app builds the command tree. Each command lives in the file of its name.
func (t *tool) app() *cli.App {
	app := &cli.App{
		Name:                 "flaketap",
		Usage:                "record what a fuzzer says to an API, learn what is volatile, and get a suite that does not flake",
		Version:              version(),
		Writer:               t.out,
		ErrWriter:            t.err,
		Suggest:              true,
		EnableBashCompletion: true,
		HideHelpCommand:      true,
		ExitErrHandler:       func(*cli.Context, error) {},
		OnUsageError:         func(_ *cli.Context, err error, _ bool) error { return usageError{err} },
		Commands: []*cli.Command{
			t.recordCommand(),
			t.replayCommand(),
			t.importCommand(),
			t.exportCommand(),
			t.mapCommand(),
			t.suiteCommand(),
			t.patchCommand(),
			t.reportCommand(),
			t.demoCommand(),
			t.versionCommand(),
		},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return usageError{fmt.Errorf("there is no command %q; flaketap --help lists them", c.Args().First())}
			}
			return cli.ShowAppHelp(c)
		},
	}
	for _, c := range app.Commands {
		settle(c)
	}
	return app
}

// settle gives a command and those below it what all commands have: usage errors with their own exit code, and the
// settings of the configuration file.
func settle(c *cli.Command) {
	c.OnUsageError = func(_ *cli.Context, err error, _ bool) error { return usageError{err} }
	if slices.ContainsFunc(c.Flags, func(f cli.Flag) bool { return f.Names()[0] == "config" }) {
		c.Before = configure
	}
	for _, sub := range c.Subcommands {
		settle(sub)
	}
}

// The flags that several commands have; each means the same in all of them.

func dbFlag() cli.Flag {
	return &cli.StringFlag{Name: "db", Value: "flaketap.db", EnvVars: []string{"FLAKETAP_DB"}, Usage: "the recording's `FILE`"}
}

func quietFlag() cli.Flag {
	return &cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "no progress and no summary"}
}

func logFlag() cli.Flag {
	return &cli.StringFlag{Name: "log-level", Value: "warn", EnvVars: []string{"FLAKETAP_LOG_LEVEL"}, Usage: "`LEVEL` of the log on stderr: debug, info, warn, error"}
}

func forceFlag() cli.Flag {
	return &cli.BoolFlag{Name: "force", Usage: "overwrite what is there"}
}

// common are the flags of every command that opens a recording.
func common(more ...cli.Flag) []cli.Flag {
	return append(more, dbFlag(), configFlag(), quietFlag(), logFlag())
}

// logger returns the log that the command's flags ask for.
func (t *tool) logger(c *cli.Context) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.String("log-level"))); err != nil {
		return nil, usageError{fmt.Errorf("log level %q is none of debug, info, warn, error", c.String("log-level"))}
	}
	return slog.New(slog.NewTextHandler(t.err, &slog.HandlerOptions{Level: level})), nil
}

// say writes a line of talk to stderr, unless the command was asked to be quiet.
func (t *tool) say(c *cli.Context, format string, args ...any) {
	if !c.Bool("quiet") {
		fmt.Fprintf(t.err, format+"\n", args...)
	}
}

// terminal reports whether talk goes to a terminal, where a progress line may be rewritten in place.
func (t *tool) terminal() bool {
	f, ok := t.err.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// noArgs refuses positional arguments for a command that has none.
func noArgs(c *cli.Context) error {
	if c.Args().Present() {
		return usageError{fmt.Errorf("%s takes no argument %q", c.Command.FullName(), c.Args().First())}
	}
	return nil
}

// notEmpty refuses flags that are given an empty value, as by a shell variable that is not set: what they ask for would
// be left out in silence.
func notEmpty(c *cli.Context, names ...string) error {
	for _, name := range names {
		if c.IsSet(name) && c.String(name) == "" {
			return usageError{fmt.Errorf("--%s is empty", name)}
		}
	}
	return nil
}

// noClient refuses a command line behind "--" for a command that starts no client.
func (t *tool) noClient(c *cli.Context) error {
	if len(t.client) > 0 {
		return usageError{fmt.Errorf("%s starts no command: nothing may stand behind --", c.Command.FullName())}
	}
	return nil
}

func (t *tool) versionCommand() *cli.Command {
	return &cli.Command{
		Name:  "version",
		Usage: "print the version",
		Action: func(*cli.Context) error {
			_, err := fmt.Fprintln(t.out, "flaketap", version())
			return err
		},
	}
}

// version returns the version that the Go tool wrote into the binary.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return strings.TrimPrefix(info.Main.Version, "v")
}
