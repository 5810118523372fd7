package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/capture"
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/interrupt"
	"github.com/flaketap/flaketap/replay/runs"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/suite/steady"
	"github.com/flaketap/flaketap/volatility/analysis"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/urfave/cli/v2"
)

func (t *tool) steadyCommand() *cli.Command {
	return &cli.Command{
		Name:      "steady",
		Usage:     "serve an API to the recorded client with what moves held still",
		UsageText: "flaketap steady [--target URL] [--map FILE] [options] [-- CMD ARG…]",
		Description: "Each value that is known to move, and is still what was learned of it, is replaced by the recorded one; ids are\n" +
			"translated both ways, unordered arrays put back in the recorded order. All else passes as it is, regressions\n" +
			"included; the end says what did, and why. The status of CMD is returned.",
		Flags: common(append(proxyFlags(startFlags()...),
			&cli.StringFlag{Name: "map", Usage: "judge by this map's `FILE` and not by the runs in the recording"},
			&cli.StringFlag{Name: "listen", Usage: "`ADDR`ess to listen on (default: that of the recording, or any port where it is taken)"},
			&cli.StringFlag{Name: "reset", Usage: "`CMD or URL` that puts the API back to its start, before the client runs"},
			resetTimeoutFlag(),
			&cli.StringFlag{Name: "label", Usage: "the `NAME` of the recorded pass (default: the first pass)"},
			&cli.BoolFlag{Name: "explain", Usage: "say in every answer what passed as it is (" + steady.Header + ")"},
			&cli.StringFlag{Name: "raw", Usage: "write what passed as it is, and why, to `FILE`, as lines of JSON"},
			secretsFlag(),
		)...),
		Action: t.steady,
	}
}

// steadier holds an API still for one run of a client.
type steadier struct {
	console *console.Console
	session *capture.Session
	steady  *steady.Steady
	raw     *rawLog // nil where none is wanted
	shown   exchange.Redactor
}

func (t *tool) steady(c *cli.Context) (err error) {
	o, err := t.sessionOptions(c)
	if err != nil {
		return err
	}
	j, err := t.judgeSteady(c)
	if err != nil {
		return err
	}
	db, err := store.OpenReadOnly(c.String("db"))
	if err != nil {
		return noRecording(err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	pass, err := o.Recall(db, c.String("label"))
	if err != nil {
		return fmt.Errorf("steady %s: %w", c.String("db"), err)
	}
	s := &steadier{console: o.Console}
	if s.raw, err = openRawLog(c.String("raw"), c.String("db")); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.raw.close()) }()
	if s.steady, err = s.holding(db, pass, j, c.Bool("explain")); err != nil {
		return err
	}
	return s.serve(c.Context, o, db)
}

// judgeSteady judges the recording, by a map from a file where one is given.
func (t *tool) judgeSteady(c *cli.Context) (*analysis.Result, error) {
	var m *mapfile.Map
	if path := c.String("map"); path != "" {
		var err error
		if m, err = t.loadMap(c, path); err != nil {
			return nil, err
		}
	}
	o := t.analysisOptions(c)
	o.Reveal = true // what is held still is compared with what the API says
	j, err := analysis.Judge(c.String("db"), o)
	if err != nil {
		return nil, noRecording(err)
	}
	if m != nil {
		j.Map = m
	} else if len(j.Runs) == 0 {
		t.say(c, "flaketap: %s holds no runs: what moves cannot be told from what does not; flaketap rerun or replay makes some", c.String("db"))
	}
	return j, nil
}

// holding returns the rewriter for the pass that is run again.
func (s *steadier) holding(db *store.Store, pass exchange.Pass, j *analysis.Result, explain bool) (*steady.Steady, error) {
	o := steady.Options{
		Exchange: db.Exchange, Operations: j.Operations, Bindings: j.Bindings, Map: j.Map, Explain: explain,
	}
	s.shown = j.Redactor
	s.shown.Reveal = false
	if s.raw != nil {
		o.Raw = func(r steady.Raw) { s.raw.write(s.named(r.Operation), s.placed(r.Place), r) }
	}
	readable := store.Readable(iter.Seq2[*exchange.Exchange, error](runs.OfPass(db, pass.Number)), nil)
	return steady.New(readable, o)
}

// serve lets the client run.
func (s *steadier) serve(ctx context.Context, o capture.Options, db *store.Store) (err error) {
	if s.session, err = capture.Open(o); err != nil {
		return err
	}
	defer s.session.Close()
	s.session.WarnOpen()
	s.session.Proxy.Rewriter, s.session.Proxy.Recorder = s.steady, unrecorded{}
	interrupt.CatchBrokenPipe()
	recording, err := db.Recording()
	if err != nil {
		return err
	}
	if err := s.session.StartAPI(ctx, capture.APILog{DB: db.Path(), Kind: "steady", Number: 1, Key: recording.Key}); err != nil {
		return err
	}
	if err := s.session.ResetAPI(ctx); err != nil {
		return err
	}
	s.console.Warn("flaketap: holding still %s -> %s", s.session.Addr(), cmp.Or(s.session.Targets(), "any"))
	status, err := s.session.Run(ctx)
	s.tell(s.steady.Summary())
	if err == nil && status != 0 {
		return console.ExitStatus(status)
	}
	return err
}

// unrecorded takes exchanges that nobody keeps.
type unrecorded struct{}

func (unrecorded) Record(*exchange.Exchange) error { return nil }

// maxTold bounds the lines about what passed as it is.
const maxTold = 20

// tell says what was held still, and what was not.
func (s *steadier) tell(sum steady.Summary) {
	if stats := s.session.Proxy.Stats(); sum.Requests == 0 && stats.Faults > 0 {
		s.console.Say("flaketap: %s, none of them answered by %s: is the API running?", console.Count(int(stats.Exchanges), "request"), cmp.Or(s.session.Targets(), "the API"))
		return
	} else if sum.Requests == 0 {
		s.console.Say("flaketap: nothing came through. %s", s.session.WhyNothing())
		return
	}
	s.console.Say("flaketap: %s, %d of them as recorded; %s held still%s, %s translated, %s put back in order",
		console.Count(sum.Requests, "request"), sum.Found, console.Count(sum.HeldValues(), "value"), byCategory(sum.Held),
		console.Count(sum.Ids, "id"), console.Count(sum.Ordered, "array"))
	if sum.Passed == 0 {
		return
	}
	s.console.Say("flaketap: %s passed as it is:", console.Count(sum.Passed, "thing"))
	for i, r := range sum.Raw {
		if i == maxTold {
			s.console.Say("flaketap:   and %s; --raw FILE lists them", console.Count(len(sum.Raw)-i+sum.Dropped, "more"))
			break
		}
		place := ""
		if r.Place != "" {
			place = " " + s.placed(r.Place)
		}
		s.console.Say("flaketap:   %s%s: %s (%d)", s.named(r.Operation), place, r.Reason, r.Count)
	}
}

// named and placed write an operation and a place without secrets.
func (s *steadier) named(op exchange.Operation) string {
	return console.OneLine(s.shown.Show("", op.String()))
}

func (s *steadier) placed(p exchange.Place) string {
	return console.OneLine(string(s.shown.ShowPlace(p)))
}

// byCategory says why the values move that were held still: " (Rand 3, Time 12)".
func byCategory(held map[mapfile.Category]int) string {
	var parts []string
	for c, n := range held {
		parts = append(parts, fmt.Sprintf("%s %d", cmp.Or(string(c), "unexplained"), n))
	}
	if len(parts) == 0 {
		return ""
	}
	slices.Sort(parts)
	return " (" + strings.Join(parts, ", ") + ")"
}

// rawLog is the file that lists what passed as it is.
type rawLog struct {
	f   *os.File
	w   *bufio.Writer
	err error
}

// openRawLog makes the file; "" gives none.
func openRawLog(path, db string) (*rawLog, error) {
	if path == "" {
		return nil, nil
	}
	if sameFile(path, db) {
		return nil, console.Usage(fmt.Errorf("--raw %s is the recording", path))
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("write what passes raw: %w", err)
	}
	return &rawLog{f: f, w: bufio.NewWriter(f)}, nil
}

func sameFile(a, b string) bool {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(x, y)
}

// write adds a line.
func (l *rawLog) write(operation, place string, r steady.Raw) {
	line, err := json.Marshal(struct {
		Operation string `json:"operation"`
		Seq       uint64 `json:"exchange,omitempty"`
		Place     string `json:"place,omitempty"`
		Reason    string `json:"reason"`
	}{operation, r.Seq, place, r.Reason})
	if err == nil {
		_, err = l.w.Write(append(line, '\n'))
	}
	if l.err == nil {
		l.err = err
	}
}

func (l *rawLog) close() error {
	if l == nil {
		return nil
	}
	if err := errors.Join(l.err, l.w.Flush(), l.f.Close()); err != nil {
		return fmt.Errorf("write what passes raw: %w", err)
	}
	return nil
}
