package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/internal/cmdline"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay"
	"github.com/flaketap/flaketap/replay/experiment"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/flaketap/flaketap/report"
	"github.com/urfave/cli/v2"
	"golang.org/x/term"
)

func (t *tool) replayCommand() *cli.Command {
	return &cli.Command{
		Name:      "replay",
		Usage:     "send the recorded requests again and store the answers",
		UsageText: "flaketap replay [--runs N] [--bound P] [--reset CMD|URL] [--target URL]",
		Description: "With --bound a further run sends each GET and HEAD request again and again, until what was the same in all\n" +
			"answers moves with a chance below P (95 % confidence): 0.01 takes 299 observations of each operation. Requests that are\n" +
			"not safe to send again are observed in whole runs, as many as --max-runs allows.\n\n" +
			"--perturb adds runs, each under one changed condition, which is stored with the run. NAME*3 makes three runs:\n" +
			experiment.Help(),
		Flags: common(slices.Concat(upstreamFlags(startFlags()...), externalFlags(), authFlags(), []cli.Flag{
			&cli.IntFlag{Name: "runs", Value: 1, Usage: "`N`umber of runs"},
			&cli.Float64Flag{Name: "bound", Usage: "observe until what is judged stable moves with a chance below `P`, such as 0.01"},
			&cli.IntFlag{Name: "max-runs", Usage: "with --bound, up to `N` runs for requests that are not safe to repeat"},
			openapiFlag(),
			&cli.StringFlag{Name: "reset", Usage: "`CMD or URL` that resets the API, before every run"},
			resetEachFlag(),
			resetTimeoutFlag(),
			&cli.StringFlag{Name: "target", Usage: "base `URL` to replay to (default: the recorded one)"},
			&cli.BoolFlag{Name: "resume",
				Usage: "resume the last interrupted replay; give the same flags as then"},
			&cli.StringFlag{Name: "workers", Value: "1",
				Usage: "`N`umber of sequences to play at once, or nats://HOST:PORT/NAME, where each flaketap worker plays with an API of its own"},
			&cli.StringFlag{Name: "pace", Value: "asap",
				Usage: "send requests `asap`, at the recorded times (recorded), or twice as fast (x2)"},
			&cli.DurationFlag{Name: "settle", Value: time.Second,
				Usage: "repeat a read that follows a write for up to this `TIME`, until it answers as recorded (default: in the first run only)"},
			&cli.DurationFlag{Name: "timeout", Value: 30 * time.Second, Usage: "`TIME` to wait for an answer"},
		}, workFlags(), perturbFlags(), selectFlags())...),
		Action: t.replay,
	}
}

// perturbFlags are those that say under what further conditions runs are played.
func perturbFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "perturb",
			Usage: "more runs, each under changed `CONDITION`s, such as double,delay=5s,order=reverse*2; default and all name several"},
		&cli.StringFlag{Name: "libfaketime", EnvVars: []string{"FLAKETAP_LIBFAKETIME"},
			Usage: "`FILE` of the library for --perturb clock, if it is not found automatically"},
		&cli.IntFlag{Name: "trials", Value: 40,
			Usage: "at most `N` runs to search for what depends on order; 0 for no search"},
	}
}

// selectFlags are those that say which requests are sent, and how.
func selectFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "dry-run", Usage: "list what would be sent to which host, without sending anything"},
		&cli.StringFlag{Name: "format", Value: "text", Usage: "`FORM` of the list of --dry-run: text, json or ndjson"},
		&cli.StringSliceFlag{Name: "unsafe",
			Usage: "how to treat requests that may change something: `send`, skip, ask (per operation), or at most 5/s, 30/m"},
		&cli.StringSliceFlag{Name: "skip",
			Usage: "do not send requests with this `METHOD`: 'DELETE', 'POST /orders/{id}', '* /admin*', or signed ones: signed"},
	}
}

func (t *tool) replay(c *cli.Context) error {
	o, hub, err := t.replayOptions(c)
	if err != nil {
		return err
	}
	form, err := previewOption(c)
	if err != nil {
		return err
	}
	if form != "" {
		return t.preview(o, form)
	}
	if hub != "" {
		l, key, err := t.workOptions(c, hub)
		if err != nil {
			return err
		}
		defer l.Close()
		o.Elsewhere = &experiment.Elsewhere{Board: l.Work(), Key: key, Whole: c.IsSet("reset-each") && !o.Player.ResetEach}
	}
	return cmdline.NoRecordingAt(o.DB, experiment.Run(c.Context, o))
}

// replayOptions reads the flags of replay. hub is where the workers are that play the runs, "" where none do.
func (t *tool) replayOptions(c *cli.Context) (o experiment.Options, hub string, err error) {
	if err := t.alone(c); err != nil {
		return o, "", err
	}
	if o, err = runOptions(c); err != nil {
		return o, "", err
	}
	o.DB, o.Rules, o.Target, o.Console = c.String("db"), t.rules.Bindings, c.String("target"), t.consoleOptions(c)
	if term.IsTerminal(int(os.Stdin.Fd())) {
		o.Answers = os.Stdin
	}
	player, hub, err := t.playerOptions(c)
	if err != nil {
		return o, "", err
	}
	o.Player = *player
	if o.Requests, err = experiment.ReadSelection(c.StringSlice("unsafe"), c.StringSlice("skip")); err != nil {
		return o, "", err
	}
	o.Experiments, err = experiment.Read(c.StringSlice("perturb"), player.Service)
	if unknown := (experiment.UnknownError{}); errors.As(err, &unknown) {
		known := experiment.Names()
		err = console.Usage(fmt.Errorf("%w; %s", err,
			console.Suggest(unknown.Name, known, "want one of "+strings.Join(known, ", "))))
	}
	return o, hub, err
}

// previewOption reads --dry-run and the form of its list; "" where requests are to be sent.
func previewOption(c *cli.Context) (report.Form, error) {
	switch form := report.Form(c.String("format")); {
	case c.IsSet("format") && !c.Bool("dry-run"):
		return "", console.Usage(errors.New("--format needs --dry-run"))
	case form != report.FormText && form != report.FormJSON && form != report.FormNDJSON:
		return "", console.Usage(fmt.Errorf("unknown --format %q: want one of text, json, ndjson", form))
	case c.Bool("dry-run"):
		return form, nil
	}
	return "", nil
}

// preview lists what a run would send.
func (t *tool) preview(o experiment.Options, form report.Form) error {
	rows, holder, err := experiment.Preview(o)
	if err != nil {
		return cmdline.NoRecordingAt(o.DB, err)
	}
	sayHeld(o.Console, holder)
	l := report.NewListing(t.out, form, report.Column{Name: "HOST", Max: 44},
		report.Column{Name: "METHOD", Max: 10},
		report.Column{Name: "OPERATION", Max: 60}, report.Column{Name: "REQUESTS", Right: true},
		report.Column{Name: "", Max: 6}, report.Column{Name: "NOTE"})
	for _, i := range rows {
		unsafe, note := "", ""
		if i.Unsafe {
			unsafe = "unsafe"
		}
		switch {
		case i.Skipped != "":
			note = "not sent: " + i.Skipped
		case i.Signed != "":
			note = "cannot be replayed faithfully: " + i.Signed
		}
		if err := l.Add(&i, i.Host, i.Method, i.Operation, fmt.Sprint(i.Requests), unsafe, note); err != nil {
			return errors.Join(err, l.Close())
		}
	}
	return l.Close()
}

// playerOptions reads what runs are played by, and how fast. hub is as replayOptions has it.
func (t *tool) playerOptions(c *cli.Context) (p *replay.Player, hub string, err error) {
	pace, err := replay.ParsePace(c.String("pace"))
	if err != nil {
		return nil, "", console.Usage(fmt.Errorf("--pace: %w", err))
	}
	service, reset, err := t.startOptions(c)
	if err != nil {
		return nil, "", err
	}
	workers, hub, err := experiment.ReadWorkers(c.String("workers"))
	if err != nil {
		return nil, "", err
	}
	each, err := resetEachOption(c, workers, hub)
	if err != nil {
		return nil, "", err
	}
	if p, err = t.apiOptions(c, service, reset); err != nil {
		return nil, "", err
	}
	p.ResetEach, p.Workers, p.Pace, p.Settle, p.Timeout = each, workers, pace, c.Duration("settle"),
		c.Duration("timeout")
	return p, hub, nil
}

// apiOptions reads how a player reaches an API that startOptions told of, how long it may take to reset it, and what it
// sends in the place of secrets.
func (t *tool) apiOptions(c *cli.Context, service *service.Service, reset service.Reset) (*replay.Player, error) {
	level, err := logLevelOption(c)
	if err != nil {
		return nil, err
	}
	upstream, dial, err := upstreamOptions(c).Open()
	if err != nil {
		return nil, err
	}
	credentials, err := credentialOptions(c)
	if err != nil {
		return nil, err
	}
	return &replay.Player{
		Service: service, Reset: reset, ResetTimeout: c.Duration("reset-timeout"),
		Credentials: credentials, TLS: upstream, Dial: dial, Log: t.logger(level),
	}, nil
}

// runOptions reads how many runs are played, and up to what, and finds the mistakes in the flags that need no look at a
// file.
func runOptions(c *cli.Context) (o experiment.Options, err error) {
	o = experiment.Options{
		Runs: c.Int("runs"), Trials: c.Int("trials"), FakeTime: c.String("libfaketime"), SettleAll: c.IsSet("settle"),
		Bound: c.Float64("bound"), MaxRuns: c.Int("max-runs"), Resume: c.Bool("resume"),
	}
	if d := c.Duration("timeout"); d <= 0 {
		return o, console.Usage(fmt.Errorf("--timeout must be a duration such as 30s, got %s", d))
	}
	if d := c.Duration("settle"); d < 0 {
		return o, console.Usage(fmt.Errorf("--settle must be a duration such as 2s, or 0, got %s", d))
	}
	if o.Runs < 1 {
		return o, console.Usage(fmt.Errorf("--runs must be at least 1, got %d", o.Runs))
	}
	if c.IsSet("max-runs") && (!c.IsSet("bound") || o.MaxRuns < o.Runs) {
		return o, console.Usage(errors.New("--max-runs needs --bound, and must be at least --runs"))
	}
	if o.Trials < 0 {
		return o, console.Usage(fmt.Errorf("--trials must be at least 0, got %d", o.Trials))
	}
	if b := o.Bound; c.IsSet("bound") && !(b >= minBound && b < 1) {
		return o, console.Usage(fmt.Errorf("--bound must be a chance from %v to 1, such as 0.01, got %v", minBound, b))
	}
	return o, nil
}

// minBound is the smallest chance that --bound may ask for: it takes 2 995 looks.
const minBound = 0.001
