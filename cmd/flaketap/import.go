package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/formats"
	"github.com/flaketap/flaketap/store"
	"github.com/urfave/cli/v2"
)

func (t *tool) importCommand() *cli.Command {
	return &cli.Command{
		Name:      "import",
		Usage:     "take in what another tool recorded, as a recording or as a further run of one",
		UsageText: "flaketap import [--as recording|run] FILE…",
		Flags: common(
			&cli.StringFlag{Name: "as", Value: "recording", Usage: "`recording` or run; a run is aligned with the recording in --db"},
			&cli.StringFlag{Name: "label", Usage: "a `NAME` for what is imported"},
			&cli.StringFlag{Name: "condition", Value: "unknown", Usage: "what a run started from: `fresh`, continued or unknown"},
			&cli.BoolFlag{Name: "append", Usage: "add the recording as a further pass"},
		),
		Action: t.importFiles,
	}
}

func (t *tool) importFiles(c *cli.Context) error {
	if err := t.noClient(c); err != nil {
		return err
	}
	files := c.Args().Slice()
	if len(files) == 0 {
		return usageError{errors.New("import needs a FILE")}
	}
	condition, err := startCondition(c.String("condition"))
	if err != nil {
		return err
	}
	// Every file is read to its end before anything is stored, so that a broken one changes nothing.
	counts := make([]int, len(files))
	for i, file := range files {
		if counts[i], err = countFile(file); err != nil {
			return err
		}
	}
	switch c.String("as") {
	case "recording":
		return t.importRecording(c, files, counts, condition)
	case "run":
		return t.importRuns(c, files, condition)
	}
	return usageError{fmt.Errorf("--as is recording or run, not %q", c.String("as"))}
}

// startCondition reads --condition.
func startCondition(s string) (exchange.Start, error) {
	switch start := exchange.Start(s); start {
	case exchange.StartFresh, exchange.StartContinued, exchange.StartUnknown:
		return start, nil
	}
	return "", usageError{fmt.Errorf("--condition is fresh, continued or unknown, not %q", s)}
}

// importRecording stores each file as one pass.
func (t *tool) importRecording(c *cli.Context, files []string, counts []int, condition exchange.Start) (err error) {
	db, err := openForRecording(c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for i, file := range files {
		if err := t.importPass(c, db, file, counts[i], condition); err != nil {
			return err
		}
		t.say(c, "%s: %s recorded in %s", file, counted(counts[i], "exchange"), c.String("db"))
	}
	return nil
}

func (t *tool) importPass(c *cli.Context, db *store.Store, file string, total int, condition exchange.Start) error {
	format, err := fileFormat(file)
	if err != nil {
		return err
	}
	bar := &progress{tool: t, quiet: c.Bool("quiet"), what: file}
	defer bar.clear()
	var begun bool
	var last time.Time
	done := 0
	for e, err := range readFile(file) {
		if err != nil {
			return err
		}
		if !begun {
			begun = true
			pass := exchange.Pass{Label: c.String("label"), Started: e.Start, Source: string(format), Start: condition, Target: e.Scheme + "://" + e.Addr}
			if _, err := db.BeginPass(pass); err != nil {
				return err
			}
		}
		last = e.Start.Add(e.Latency)
		if err := db.Record(e); err != nil {
			return err
		}
		done++
		bar.update(done, total)
	}
	if !begun {
		return fmt.Errorf("import %s: no exchange in it", file)
	}
	return db.EndPass(last)
}

// importRuns aligns each file with the recording and stores it as one more run.
func (t *tool) importRuns(c *cli.Context, files []string, condition exchange.Start) (err error) {
	db, err := store.Open(c.String("db"), store.Options{})
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("import a run: there is no recording %s to align it with; import one --as recording first", c.String("db"))
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	rec, err := readRecording(db)
	if err != nil {
		return err
	}
	for _, file := range files {
		run, err := storeRun(db, rec.exchanges, file, exchange.Run{Kind: exchange.RunImport, Label: c.String("label"), Conditions: exchange.Conditions{Start: condition}})
		if err != nil {
			return fmt.Errorf("import %s: %w", file, err)
		}
		t.say(c, "%s: a run of %s; %s without a counterpart in it, %d of its own without one in the recording",
			file, counted(run.Steps, "step"), counted(run.Lost, "recorded exchange"), run.Added)
	}
	return nil
}

func storeRun(db *store.Store, recorded []*exchange.Exchange, file string, run exchange.Run) (exchange.Run, error) {
	var again []*exchange.Exchange
	for e, err := range readFile(file) {
		if err != nil {
			return run, err
		}
		again = append(again, e)
	}
	if len(again) == 0 {
		return run, errors.New("no exchange in it")
	}
	last := again[len(again)-1]
	run.Started, run.Ended = again[0].Start, last.Start.Add(last.Latency)
	run.Target = last.Scheme + "://" + last.Addr
	w, err := db.BeginRun(run)
	if err != nil {
		return run, err
	}
	for _, p := range flow.Align(recorded, again) {
		switch {
		case p.Run == nil:
			run.Lost++
		case p.Recorded == nil:
			run.Added++
		default:
			run.Steps++
			o := &exchange.Observation{
				Seq: p.Recorded.Seq, Start: p.Run.Start, Latency: p.Run.Latency,
				Sent: p.Run.Request, Response: p.Run.Response, Fault: p.Run.Fault,
			}
			if err := w.Observe(o); err != nil {
				return run, err
			}
		}
	}
	return run, w.Finish(run)
}

// countFile reads a file to its end and returns the number of exchanges in it.
func countFile(file string) (int, error) {
	n := 0
	for _, err := range readFile(file) {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// readFile yields the exchanges of a file, its form told by its content.
func readFile(file string) iter.Seq2[*exchange.Exchange, error] {
	return func(yield func(*exchange.Exchange, error) bool) {
		f, in, format, err := openFile(file)
		if err != nil {
			yield(nil, err)
			return
		}
		defer f.Close()
		for e, err := range formats.Read(format, in, formats.Options{File: file}) {
			if !yield(e, err) {
				return
			}
		}
	}
}

// fileFormat tells the form of a file by its content.
func fileFormat(file string) (formats.Format, error) {
	f, _, format, err := openFile(file)
	if err != nil {
		return "", err
	}
	return format, f.Close()
}

func openFile(file string) (*os.File, io.Reader, formats.Format, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, nil, "", fmt.Errorf("import: %w", err)
	}
	in := bufio.NewReaderSize(f, formats.DetectSize)
	head, err := in.Peek(formats.DetectSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, "", errors.Join(fmt.Errorf("import %s: %w", file, err), f.Close())
	}
	format, err := formats.Detect(head)
	if err != nil {
		return nil, nil, "", errors.Join(fmt.Errorf("import %s: %w", file, err), f.Close())
	}
	return f, in, format, nil
}
