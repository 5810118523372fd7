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
	"github.com/flaketap/flaketap/store"
	"github.com/urfave/cli/v2"
)

func (t *tool) inspectCommand() *cli.Command {
	return &cli.Command{
		Name:  "inspect",
		Usage: "list what a recording holds, show one exchange in full, explain one judgement",
		UsageText: "flaketap inspect                        what there is\n" +
			"flaketap inspect passes|runs|sequences\n" +
			"flaketap inspect exchanges [filters]\n" +
			"flaketap inspect exchange N             one exchange in full, and what the runs answered\n" +
			"flaketap inspect operations             the path templates, and what paths they stand for\n" +
			"flaketap inspect bindings [--refused]   values that a later request took from an earlier answer, and what runs say of that\n" +
			"flaketap inspect why OPERATION [PLACE]  the values seen, run by run, and what is made of them\n" +
			"flaketap inspect claims FILE…           what its executions show of each assertion of a suite",
		Description: "Secrets are shown as tokens. The JSON forms are described in docs/inspect.md.",
		Flags: common(
			&cli.StringFlag{Name: "format", Value: "text", Usage: "`FORM`: text, json or ndjson"},
			&cli.StringFlag{Name: "sequence", Usage: "exchanges: those of the sequence `NAME`, or that bear it as their mark"},
			&cli.StringFlag{Name: "method", Usage: "exchanges: those with a `METHOD`"},
			&cli.StringFlag{Name: "path", Usage: "exchanges: those with a `PATH`; * stands for any characters"},
			&cli.StringFlag{Name: "operation", Usage: "exchanges: those of an `OPERATION` such as \"GET /orders/{id}\""},
			&cli.StringFlag{Name: "status", Usage: "exchanges, why: those answered with a `STATUS`: 404, 5xx, or several with commas"},
			&cli.StringFlag{Name: "fault", Usage: "exchanges: those with a fault of a `KIND` (any, reset, timeout, …), or several with commas"},
			&cli.StringFlag{Name: "fingerprint", Usage: "exchanges: those whose request has this `FINGERPRINT`"},
			&cli.IntFlag{Name: "pass", Usage: "exchanges, sequences: those of pass `N`"},
			&cli.IntFlag{Name: "limit", Usage: "no more than `N` records; 0 for all"},
			&cli.BoolFlag{Name: "refused", Usage: "bindings: what might have been one and is none, with the reasons"},
			&cli.StringFlag{Name: "session", Usage: "claims: the recording's `FILE` of the fuzzing session that the suite came from"},
			&cli.BoolFlag{Name: "reveal", Usage: "show secrets as they are"},
			secretsFlag(),
			openapiFlag(),
		),
		Action: t.inspect,
	}
}

// topic is one thing that inspect shows.
type topic struct {
	args    int      // the arguments it takes at most
	filters []string // the filters that mean something for it
	texts   bool     // it shows what was said: the secrets of the recording must be known before
	show    func(*inspection, []string) error
}

func topics() map[string]topic {
	return map[string]topic{
		"":          {show: (*inspection).overview},
		"passes":    {show: (*inspection).passes},
		"runs":      {show: (*inspection).runs},
		"sequences": {show: (*inspection).sequences, texts: true, filters: []string{"pass", "limit"}},
		"exchanges": {show: (*inspection).exchanges, texts: true,
			filters: []string{"sequence", "method", "path", "operation", "status", "fault", "fingerprint", "pass", "limit"}},
		"exchange":   {show: (*inspection).exchange, texts: true, args: 1},
		"operations": {show: (*inspection).operations, filters: []string{"limit"}},
		"bindings":   {show: (*inspection).bindings, texts: true, filters: []string{"limit", "refused"}},
		"claims":     {show: (*inspection).claims, args: maxClaimFiles, filters: []string{"limit", "session"}},
		"why":        {show: (*inspection).why, args: 3, filters: []string{"status", "limit"}},
	}
}

// inspection is a recording that is looked at.
type inspection struct {
	*tool
	c         *cli.Context
	db        *store.Store
	recording exchange.Recording
	form      report.Form
	redactor  exchange.Redactor
	secrets   exchange.Secrets // what the redactor knows comes from
}

func (t *tool) inspect(c *cli.Context) error {
	if err := t.noClient(c); err != nil {
		return err
	}
	what, args := c.Args().First(), c.Args().Tail()
	topic, ok := topics()[what]
	if !ok {
		return console.Usage(fmt.Errorf("there is no %q to inspect; passes, runs, sequences, exchanges, exchange, operations, bindings, why and claims are", what))
	}
	if len(args) > topic.args {
		return console.Usage(fmt.Errorf("inspect %s takes no argument %q", what, args[topic.args]))
	}
	for _, name := range append([]string{"refused", "session"}, topics()["exchanges"].filters...) {
		if c.IsSet(name) && !slices.Contains(topic.filters, name) {
			return console.Usage(fmt.Errorf("--%s means nothing for inspect %s", name, what))
		}
	}
	form := report.Form(c.String("format"))
	switch form {
	case report.FormText, report.FormJSON, report.FormNDJSON:
	default:
		return console.Usage(fmt.Errorf("--format %q is not known; text, json and ndjson are", form))
	}
	db, err := store.OpenReadOnly(c.String("db"))
	if err != nil {
		return noRecording(err)
	}
	defer db.Close()
	t.sayHeld(c, db.Holder())
	rec, err := db.Recording()
	if err != nil {
		return err
	}
	in := &inspection{tool: t, c: c, db: db, recording: rec, form: form,
		redactor: exchange.Redactor{Key: rec.Key, Reveal: c.Bool("reveal")}}
	if topic.texts && !in.redactor.Reveal {
		if err := in.learnSecrets(); err != nil {
			return err
		}
	}
	return topic.show(in, args)
}

// learnSecrets goes through the recording once: a secret that one exchange names is one wherever another repeats it.
func (in *inspection) learnSecrets() error {
	in.secrets.Named, in.secrets.Stored = in.c.StringSlice("secrets"), in.recording.Redacted()
	for e, err := range in.db.Exchanges() {
		if err != nil {
			return err
		}
		in.secrets.Exchange(e)
	}
	in.redactor.Known = in.secrets.Known()
	return nil
}

// text is a text as it may be shown that stands at a place of a message, or "" where it stands at none. What is shown of
// a recording goes through here, through token, or through package formats.
func (in *inspection) text(place exchange.Place, s string) string { return in.redactor.Show(place, s) }

// listing begins a listing in the form that was asked for.
func (in *inspection) listing(columns ...report.Column) *report.Listing {
	return report.NewListing(in.out, in.form, columns...)
}

// enough reports whether a listing has as many records as were asked for.
func (in *inspection) enough(l *report.Listing) bool {
	limit := in.c.Int("limit")
	return limit > 0 && l.Count() >= limit
}

// document writes one JSON document, on one line where lines were asked for.
func (in *inspection) document(v any) error {
	if in.form == report.FormJSON {
		return report.JSON(in.out, v)
	}
	l := in.listing()
	return errors.Join(l.Add(v), l.Close())
}

// overview is the JSON of an inspection without a topic.
type overview struct {
	Recording exchange.Recording `json:"recording"`
	Runs      []exchange.Run     `json:"runs"`
	Faults    int                `json:"faults"`
	Statuses  map[string]int     `json:"statuses"` // exchanges by status
	Sequences int                `json:"marked_sequences"`
	Cut       int                `json:"cut"` // exchanges of which a body was not stored whole
}

// overview tells what there is: one pass through the recording, which holds no exchange.
func (in *inspection) overview([]string) error {
	runs, err := in.db.Runs()
	if err != nil {
		return err
	}
	o := overview{Recording: in.recording, Runs: runs, Statuses: map[string]int{}}
	o.Recording.Passes = filled(o.Recording.Passes)
	o.Runs = filled(o.Runs)
	marks := map[mark]struct{}{}
	for e, err := range in.db.Exchanges() {
		if err != nil {
			return err
		}
		if e.Sequence != "" {
			marks[mark{e.Pass, e.Sequence}] = struct{}{}
		}
		switch {
		case e.Fault != nil:
			o.Faults++
		default:
			o.Statuses[strconv.Itoa(e.Response.Status)]++
		}
		if e.Request.Cut > 0 || e.Response != nil && e.Response.Cut > 0 {
			o.Cut++
		}
	}
	o.Sequences = len(marks)
	if in.form != report.FormText {
		return in.document(o)
	}
	return in.overviewText(o)
}

// mark is a mark within its pass.
type mark struct {
	pass int
	name string
}

func (in *inspection) overviewText(o overview) error {
	line := func(format string, args ...any) { fmt.Fprintf(in.out, format+"\n", args...) }
	line("%s: %d exchanges in %d passes, %d runs", in.c.String("db"), o.Recording.Count, len(o.Recording.Passes), len(o.Runs))
	var by []string
	for status, n := range o.Statuses {
		by = append(by, fmt.Sprintf("%s ×%d", status, n))
	}
	slices.Sort(by)
	if len(by) > 0 {
		line("answers: %s", strings.Join(by, ", "))
	}
	if o.Faults > 0 {
		line("faults: %d", o.Faults)
	}
	if o.Cut > 0 {
		line("bodies not stored whole: %d", o.Cut)
	}
	if o.Sequences > 0 {
		line("sequences marked by the client: %d", o.Sequences)
	}
	line("")
	if err := in.passes(nil); err != nil || len(o.Runs) == 0 {
		return err
	}
	line("")
	return in.runs(nil)
}

// filled returns a list that encodes as one, be it empty.
func filled[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
