package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/report/inspect"
	"github.com/flaketap/flaketap/volatility/analysis"
	"github.com/urfave/cli/v2"
)

func (t *tool) inspectCommand() *cli.Command {
	return &cli.Command{
		Name:  "inspect",
		Usage: "list what a recording contains, show one exchange in full, explain one judgement",
		UsageText: "flaketap inspect                        an overview\n" +
			"flaketap inspect passes|runs|sequences\n" +
			"flaketap inspect exchanges [filters]\n" +
			"flaketap inspect exchange N             one exchange in full, and its answers in the runs\n" +
			"flaketap inspect operations             the path templates, and the paths they stand for\n" +
			"flaketap inspect bindings [--refused]   values that a later request took from an earlier answer, and the proof from runs\n" +
			"flaketap inspect why OPERATION [PLACE]  the values seen, run by run, and how they are judged\n" +
			"flaketap inspect claims FILE…           what the executions show about each assertion of a suite",
		Description: "Secrets are shown as tokens. The JSON forms are described in docs/inspect.md.",
		Flags: common(
			&cli.StringFlag{Name: "format", Value: "text", Usage: "`FORM`: text, json or ndjson"},
			&cli.StringFlag{Name: "sequence", Usage: "exchanges: those of the sequence `NAME`"},
			&cli.StringFlag{Name: "method", Usage: "exchanges: those with a `METHOD`"},
			&cli.StringFlag{Name: "path", Usage: "exchanges: those with a `PATH`; * stands for any characters"},
			&cli.StringFlag{Name: "operation", Usage: "exchanges: those of an `OPERATION` such as \"GET /orders/{id}\""},
			&cli.StringFlag{Name: "status",
				Usage: "exchanges, why: those answered with a `STATUS`: 404, 5xx, or several with commas"},
			&cli.StringFlag{Name: "fault",
				Usage: "exchanges: those with a fault of a `KIND` (any, reset, timeout, …), or several with commas"},
			&cli.StringFlag{Name: "fingerprint", Usage: "exchanges: those whose request has this `FINGERPRINT`"},
			&cli.IntFlag{Name: "pass", Usage: "exchanges, sequences: those of pass `N`"},
			&cli.IntFlag{Name: "limit", Usage: "show at most `N` records; 0 for all"},
			&cli.BoolFlag{Name: "refused", Usage: "bindings: candidates that were refused, with the reasons"},
			&cli.StringFlag{Name: "session",
				Usage: "claims: `FILE` of the recording of the fuzzing session that the suite came from"},
			&cli.BoolFlag{Name: "reveal", Usage: "show secrets in the clear"},
			secretsFlag(),
			openapiFlag(),
		),
		Action: t.inspect,
	}
}

// topic is one thing that inspect shows.
type topic struct {
	args    int      // the arguments it takes at most
	filters []string // the flags that mean something for it
	show    func(t *tool, c *cli.Context, args []string) error
}

// maxClaimFiles bounds the files of one inspect claims.
const maxClaimFiles = 1000

// topics lists what inspect shows, by name; "" is the whole.
func topics() map[string]topic {
	listing := func(show func(*inspect.Inspector) error) func(*tool, *cli.Context, []string) error {
		return func(t *tool, c *cli.Context, _ []string) error { return t.inspecting(c, show) }
	}
	return map[string]topic{
		"":          {show: listing((*inspect.Inspector).Overview)},
		"passes":    {show: listing((*inspect.Inspector).Passes)},
		"runs":      {show: listing((*inspect.Inspector).Runs)},
		"sequences": {show: (*tool).inspectSequences, filters: []string{"pass", "limit"}},
		"exchanges": {show: (*tool).inspectExchanges,
			filters: []string{"sequence", "method", "path", "operation", "status", "fault", "fingerprint", "pass", "limit"}},
		"exchange":   {show: (*tool).inspectExchange, args: 1},
		"operations": {show: listing((*inspect.Inspector).Operations), filters: []string{"limit"}},
		"bindings":   {show: (*tool).inspectBindings, filters: []string{"limit", "refused"}},
		"claims":     {show: (*tool).inspectClaims, args: maxClaimFiles, filters: []string{"limit", "session"}},
		"why":        {show: (*tool).inspectWhy, args: 3, filters: []string{"status", "limit"}},
	}
}

func (t *tool) inspect(c *cli.Context) error {
	if err := t.noClient(c); err != nil {
		return err
	}
	what, args := c.Args().First(), c.Args().Tail()
	topic, ok := topics()[what]
	if !ok {
		return console.Usage(fmt.Errorf(
			"inspect: unknown subject %q: want one of passes, runs, sequences, exchanges, exchange, operations, bindings, why, claims",
			what))
	}
	if len(args) > topic.args {
		return console.Usage(fmt.Errorf("inspect %s takes no arguments, got %q", what, args[topic.args]))
	}
	for _, name := range append([]string{"refused", "session"}, topics()["exchanges"].filters...) {
		if c.IsSet(name) && !slices.Contains(topic.filters, name) {
			return console.Usage(fmt.Errorf("--%s does not apply to inspect %s", name, what))
		}
	}
	switch form := report.Form(c.String("format")); form {
	case report.FormText, report.FormJSON, report.FormNDJSON:
	default:
		return console.Usage(fmt.Errorf("unknown --format %q: want one of text, json, ndjson", form))
	}
	return topic.show(t, c, args)
}

// inspectOutput reads how something is to be shown.
func (t *tool) inspectOutput(c *cli.Context) inspect.Output {
	return inspect.Output{Out: t.out, Form: report.Form(c.String("format")), Limit: c.Int("limit"), Console: t.console(c)}
}

// inspecting shows something of the recording.
func (t *tool) inspecting(c *cli.Context, show func(*inspect.Inspector) error) error {
	in, err := inspect.Open(c.String("db"), t.analysisOptions(c), t.inspectOutput(c))
	if err != nil {
		return noRecording(err)
	}
	defer in.Close()
	t.sayHeld(c, in.Holder())
	return show(in)
}

func (t *tool) inspectSequences(c *cli.Context, _ []string) error {
	return t.inspecting(c, func(in *inspect.Inspector) error { return in.Sequences(c.Int("pass")) })
}

func (t *tool) inspectExchanges(c *cli.Context, _ []string) error {
	f, err := exchangeFilter(c)
	if err != nil {
		return console.Usage(err)
	}
	return t.inspecting(c, func(in *inspect.Inspector) error { return in.Exchanges(f) })
}

// exchangeFilter reads the filters.
func exchangeFilter(c *cli.Context) (f inspect.Filter, err error) {
	f = inspect.Filter{Method: c.String("method"), Path: c.String("path"), Sequence: c.String("sequence"),
		Pass: c.Int("pass")}
	if op := c.String("operation"); op != "" {
		if f.Operation, err = inspect.ParseOperation(op); err != nil {
			return f, err
		}
	}
	if f.Statuses, err = inspect.ParseStatuses(c.String("status")); err != nil {
		return f, fmt.Errorf("--status: %w", err)
	}
	if f.Faults, err = inspect.ParseFaults(c.String("fault")); err != nil {
		return f, fmt.Errorf("--fault: %w", err)
	}
	if s := c.String("fingerprint"); s != "" {
		fp, err := exchange.ParseFingerprint(s)
		if err != nil {
			return f, fmt.Errorf("--fingerprint: %w", err)
		}
		f.Fingerprint = &fp
	}
	return f, nil
}

func (t *tool) inspectExchange(c *cli.Context, args []string) error {
	if len(args) == 0 {
		return console.Usage(errors.New("inspect exchange needs the number of an exchange"))
	}
	seq, err := strconv.ParseUint(args[0], 10, 64)
	if err != nil || seq == 0 {
		return console.Usage(fmt.Errorf("invalid exchange %q: want its position, counted from 1", args[0]))
	}
	return t.inspecting(c, func(in *inspect.Inspector) error { return in.Exchange(seq) })
}

func (t *tool) inspectBindings(c *cli.Context, _ []string) error {
	if c.Bool("refused") {
		return t.inspecting(c, (*inspect.Inspector).Refusals)
	}
	return t.inspecting(c, (*inspect.Inspector).Bindings)
}

func (t *tool) inspectClaims(c *cli.Context, files []string) error {
	if len(files) == 0 {
		return console.Usage(errors.New("inspect claims needs the FILEs of a suite's tests"))
	}
	j, err := analysis.JudgeWithSteps(c.String("db"), t.analysisOptions(c))
	if err != nil {
		return noRecording(err)
	}
	t.sayHeld(c, j.Holder)
	session, err := sessionOf(c.String("session"))
	if err != nil {
		return err
	}
	return inspect.Claims(files, sourceFrom(j), session, t.inspectOutput(c))
}

// inspectWhy explains a judgement. It judges the recording as map does, and has it in memory meanwhile.
func (t *tool) inspectWhy(c *cli.Context, args []string) error {
	operation, place, err := whyArgs(args)
	if err != nil {
		return console.Usage(err)
	}
	statuses, err := inspect.ParseStatuses(c.String("status"))
	if err != nil {
		return console.Usage(fmt.Errorf("--status: %w", err))
	}
	j, err := analysis.JudgeWithSteps(c.String("db"), t.analysisOptions(c))
	if err != nil {
		return noRecording(err)
	}
	t.sayHeld(c, j.Holder)
	return inspect.Why(j, operation, place, statuses, t.inspectOutput(c))
}

// whyArgs reads OPERATION, in one argument or two, and PLACE.
func whyArgs(args []string) (operation string, place exchange.Place, err error) {
	if len(args) > 0 && !strings.Contains(args[0], " ") && len(args) > 1 {
		args = append([]string{args[0] + " " + args[1]}, args[2:]...)
	}
	if len(args) == 0 || !strings.Contains(args[0], " ") {
		return "", "", errors.New(`inspect why needs an OPERATION such as "GET /orders/{id}"`)
	}
	if len(args) > 2 {
		return "", "", fmt.Errorf("inspect why takes one OPERATION and one PLACE, got also %q", args[2])
	}
	if len(args) == 2 {
		place = exchange.Place("/" + strings.TrimPrefix(args[1], "/"))
	}
	return args[0], place, nil
}
