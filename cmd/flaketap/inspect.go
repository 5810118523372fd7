package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/cmdline"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/report/inspect"
	"github.com/flaketap/flaketap/suite/mend"
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
			"flaketap inspect externals [RUN]        the services that the API asked (--external), and which operation asked what\n" +
			"flaketap inspect traces                 exchanges of several passes that belong to one trace (traceparent)\n" +
			"flaketap inspect bindings [--refused]   values that a later request took from an earlier answer, and the proof from runs\n" +
			"flaketap inspect why OPERATION [PLACE]  the values seen, run by run, and how they are judged\n" +
			"flaketap inspect claims FILE|DIR…       what the executions show about each assertion of a suite",
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
	show    func(o inspectOptions, args []string) error
}

// maxClaimFiles bounds the files of one inspect claims.
const maxClaimFiles = 1000

// topics lists what inspect shows, by name; "" is the whole.
func topics() map[string]topic {
	listing := func(show func(*inspect.Inspector) error) func(inspectOptions, []string) error {
		return func(o inspectOptions, _ []string) error { return o.inspecting(show) }
	}
	return map[string]topic{
		"":          {show: listing((*inspect.Inspector).Overview)},
		"passes":    {show: listing((*inspect.Inspector).Passes)},
		"runs":      {show: listing((*inspect.Inspector).Runs)},
		"sequences": {show: inspectOptions.sequences, filters: []string{"pass", "limit"}},
		"exchanges": {show: inspectOptions.exchanges,
			filters: []string{"sequence", "method", "path", "operation", "status", "fault", "fingerprint", "pass", "limit"}},
		"exchange":   {show: inspectOptions.exchange, args: 1},
		"operations": {show: listing((*inspect.Inspector).Operations), filters: []string{"limit"}},
		"externals":  {show: inspectOptions.externals, args: 1, filters: []string{"limit"}},
		"traces":     {show: listing((*inspect.Inspector).Traces), filters: []string{"limit"}},
		"bindings":   {show: inspectOptions.bindings, filters: []string{"limit", "refused"}},
		"claims":     {show: inspectOptions.claims, args: maxClaimFiles, filters: []string{"limit", "session"}},
		"why":        {show: inspectOptions.why, args: 3, filters: []string{"status", "limit"}},
	}
}

func (t *tool) inspect(c *cli.Context) error {
	args, err := t.arguments(c)
	if err != nil {
		return err
	}
	what := ""
	if len(args) > 0 {
		what, args = args[0], args[1:]
	}
	topic, ok := topics()[what]
	if !ok {
		return console.Usage(fmt.Errorf(
			"inspect: unknown subject %q: want one of passes, runs, sequences, exchanges, exchange, operations, externals, traces, bindings, why, claims",
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
	o, err := t.inspectOptions(c)
	if err != nil {
		return err
	}
	return topic.show(o, args)
}

// inspectOptions is what the flags of inspect ask for. The zero value of the filters lets all pass.
type inspectOptions struct {
	db       string
	analysis analysis.Options
	output   inspect.Output
	filter   inspect.Filter // exchanges; sequences has its pass, why its statuses
	refused  bool           // bindings: those that were refused instead
	session  string         // claims: the recording of the session that the suite came from; "" where it is not known
}

// inspectOptions reads the flags of inspect.
func (t *tool) inspectOptions(c *cli.Context) (o inspectOptions, err error) {
	o = inspectOptions{
		db: c.String("db"), analysis: t.analysisOptions(c), refused: c.Bool("refused"), session: c.String("session"),
		output: inspect.Output{Out: t.out, Form: report.Form(c.String("format")), Limit: c.Int("limit"),
			Console: t.consoleOptions(c)},
	}
	switch o.output.Form {
	case report.FormText, report.FormJSON, report.FormNDJSON:
	default:
		return o, console.Usage(fmt.Errorf("unknown --format %q: want one of text, json, ndjson", o.output.Form))
	}
	if o.output.Limit < 0 {
		return o, console.Usage(fmt.Errorf("--limit must be at least 0, got %d", o.output.Limit))
	}
	if o.filter, err = filterOptions(c); err != nil {
		return o, console.Usage(err)
	}
	return o, nil
}

// filterOptions reads the filters.
func filterOptions(c *cli.Context) (f inspect.Filter, err error) {
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

// inspecting shows something of the recording.
func (o inspectOptions) inspecting(show func(*inspect.Inspector) error) error {
	in, err := inspect.Open(o.db, o.analysis, o.output)
	if err != nil {
		return cmdline.NoRecording(err)
	}
	defer in.Close()
	sayHeld(o.output.Console, in.Holder())
	return show(in)
}

func (o inspectOptions) sequences([]string) error {
	return o.inspecting(func(in *inspect.Inspector) error { return in.Sequences(o.filter.Pass) })
}

func (o inspectOptions) exchanges([]string) error {
	return o.inspecting(func(in *inspect.Inspector) error { return in.Exchanges(o.filter) })
}

func (o inspectOptions) exchange(args []string) error {
	if len(args) == 0 {
		return console.Usage(errors.New("inspect exchange needs the number of an exchange"))
	}
	seq, err := strconv.ParseUint(args[0], 10, 64)
	if err != nil || seq == 0 {
		return console.Usage(fmt.Errorf("invalid exchange %q: want its position, counted from 1", args[0]))
	}
	return o.inspecting(func(in *inspect.Inspector) error { return in.Exchange(seq) })
}

func (o inspectOptions) externals(args []string) error {
	run := 0
	if len(args) > 0 {
		var err error
		if run, err = strconv.Atoi(args[0]); err != nil || run < 1 {
			return console.Usage(fmt.Errorf("invalid run %q: want its number, counted from 1", args[0]))
		}
	}
	return o.inspecting(func(in *inspect.Inspector) error { return in.Externals(run) })
}

func (o inspectOptions) bindings([]string) error {
	if o.refused {
		return o.inspecting((*inspect.Inspector).Refusals)
	}
	return o.inspecting((*inspect.Inspector).Bindings)
}

func (o inspectOptions) claims(paths []string) error {
	if len(paths) == 0 {
		return console.Usage(errors.New("inspect claims needs the FILEs of a suite's tests"))
	}
	read, err := mend.ReadFiles(paths, mend.FileOptions{Exclude: []string{o.db}})
	if err != nil {
		return err
	}
	var files []string
	for _, f := range read.All {
		files = append(files, f.Path)
	}
	j, err := o.judge()
	if err != nil {
		return err
	}
	session, err := sessionOf(o.session)
	if err != nil {
		return err
	}
	return inspect.Claims(files, sourceFrom(j), session, o.output)
}

// why explains a judgement. It judges the recording as map does, and has it in memory meanwhile.
func (o inspectOptions) why(args []string) error {
	operation, place, err := whyArgs(args)
	if err != nil {
		return console.Usage(err)
	}
	j, err := o.judge()
	if err != nil {
		return err
	}
	return inspect.Why(j, operation, place, o.filter.Statuses, o.output)
}

// judge judges the recording, and keeps its steps.
func (o inspectOptions) judge() (*analysis.Result, error) {
	j, err := analysis.JudgeWithSteps(o.db, o.analysis)
	if err != nil {
		return nil, cmdline.NoRecording(err)
	}
	sayHeld(o.output.Console, j.Holder)
	return j, nil
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
