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
	"github.com/flaketap/flaketap/exchange/redact"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/formats"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay/runs"
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
			changesFlag(),
			redactAtRestFlag(),
			secretsFlag(),
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
		return console.Usage(errors.New("import needs a FILE"))
	}
	condition, err := startCondition(c.String("condition"))
	if err != nil {
		return err
	}
	if as := c.String("as"); as != "recording" && as != "run" {
		return console.Usage(fmt.Errorf("--as is recording or run, not %q", as))
	}
	// Every file is read to its end before anything is stored, so that a broken one changes nothing.
	tallies := make([]tally, len(files))
	for i, file := range files {
		if tallies[i], err = readThrough(file); err != nil {
			return err
		}
	}
	if c.String("as") == "run" {
		return t.importRuns(c, files, tallies, condition)
	}
	return t.importRecording(c, files, tallies, condition)
}

// startCondition reads --condition.
func startCondition(s string) (exchange.Start, error) {
	switch start := exchange.Start(s); start {
	case exchange.StartFresh, exchange.StartContinued, exchange.StartUnknown:
		return start, nil
	}
	return "", console.Usage(fmt.Errorf("--condition is fresh, continued or unknown, not %q", s))
}

// importRecording stores each file as one pass. A recording that it made and could not fill is taken away again.
func (t *tool) importRecording(c *cli.Context, files []string, tallies []tally, condition exchange.Start) (err error) {
	path := c.String("db")
	_, serr := os.Stat(path)
	db, rest, err := openForRecording(c, store.Options{Doing: "importing"})
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, db.Close()); err != nil && errors.Is(serr, fs.ErrNotExist) {
			os.Remove(path)
		}
	}()
	for i, file := range files {
		if err := t.importPass(c, db, rest, file, tallies[i], condition); err != nil {
			return err
		}
		t.say(c, "%s: %s recorded in %s%s", file, console.Count(tallies[i].exchanges, "exchange"), path, tallies[i])
	}
	return nil
}

func (t *tool) importPass(c *cli.Context, db *store.Store, rest *redact.Rest, file string, all tally, condition exchange.Start) error {
	format, err := fileFormat(file)
	if err != nil {
		return err
	}
	bar := t.console(c).Progress(file)
	defer bar.Clear()
	done := 0
	for e, err := range redact.Each(rest, readFile(file, nil)) {
		if err != nil {
			return err
		}
		if done == 0 {
			pass := exchange.Pass{Label: c.String("label"), Started: all.from, Source: string(format), Start: condition, Target: e.Scheme + "://" + e.Addr}
			rec, err := db.Recording()
			if err != nil {
				return err
			}
			markRedacted(c, &pass, rec, rest)
			if _, err := db.BeginPass(pass); err != nil {
				return err
			}
		}
		if err := db.Record(e); err != nil {
			return err
		}
		done++
		bar.Update(done, all.exchanges)
	}
	if done == 0 {
		return fmt.Errorf("import %s: it is another file than a moment ago", file)
	}
	return db.EndPass(all.to)
}

// importRuns aligns each file with the recording and stores it as one more run, once all of them are known to have
// something in common with it.
func (t *tool) importRuns(c *cli.Context, files []string, tallies []tally, condition exchange.Start) (err error) {
	db, err := store.Open(c.String("db"), store.Options{Doing: "importing"})
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("import a run: there is no recording %s to align it with; import one --as recording first", c.String("db"))
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	rest, err := atRest(c, db)
	if err != nil {
		return err
	}
	recorded, err := runs.TrackOf(runs.OfPass(db, 0))
	if err != nil {
		return err
	}
	aligned := make([]*runs.Alignment, len(files))
	for i, file := range files {
		if aligned[i], err = alignFile(db, recorded, rest, file); err != nil {
			return fmt.Errorf("import %s: %w", file, err)
		}
	}
	for i, file := range files {
		all, exchanges := tallies[i], redact.Each(rest, readFile(file, nil))
		err := aligned[i].Store(db, exchange.Run{
			Kind: exchange.RunImport, Label: c.String("label"), Started: all.from, Ended: all.to, Target: all.target,
			Conditions: exchange.Conditions{Start: condition},
		}, exchanges)
		if err != nil {
			return fmt.Errorf("import %s: %w", file, err)
		}
		t.say(c, "%s: a run of %s%s", file, aligned[i], all)
		if err := t.sayDifferences(c, db, aligned[i], exchanges); err != nil {
			return fmt.Errorf("import %s: %w", file, err)
		}
	}
	return nil
}

// alignFile aligns the exchanges of a file with the recorded ones. It is an error if none has a counterpart.
func alignFile(db *store.Store, recorded *flow.Track, rest *redact.Rest, file string) (*runs.Alignment, error) {
	exchanges := redact.Each(rest, readFile(file, nil))
	run, err := runs.TrackOf(exchanges)
	if err != nil {
		return nil, err
	}
	p := runs.Align(recorded, run)
	return p, p.Check(db, exchanges)
}

// tally is what a first reading of a file found.
type tally struct {
	exchanges int
	target    string    // where the last exchange went
	from, to  time.Time // when the first was sent and the last had been answered; the time of the import where the file has no times
	untimed   int       // exchanges without a time
	skipped   noted     // entries that were left out
	lossy     noted     // entries that were taken in without something
}

// noted counts entries that have something to be said of, and says it of the first.
type noted struct {
	n   int
	why string
}

// String is what the user is told of entries that were not taken in as they stand, "" where there are none.
func (t tally) String() string {
	var s string
	if t.skipped.n > 0 {
		s += fmt.Sprintf("; %s left out (%s)", entries(t.skipped.n), t.skipped.why)
	}
	if t.lossy.n > 0 {
		s += fmt.Sprintf("; %s not whole (%s)", entries(t.lossy.n), t.lossy.why)
	}
	if t.untimed > 0 {
		s += fmt.Sprintf("; %s without a time, in the order of the file", console.Count(t.untimed, "exchange"))
	}
	return s
}

func entries(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", n)
}

func (t *tally) note(n formats.Note) {
	at := &t.lossy
	if n.Skipped {
		at = &t.skipped
	}
	if at.n++; at.n == 1 {
		at.why = fmt.Sprintf("entry %d: %s", n.Entry, console.OneLine(n.Reason))
	}
}

// readThrough reads a file to its end.
func readThrough(file string) (tally, error) {
	var t tally
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return t, fmt.Errorf("import: %w", err)
	case info.IsDir():
		return t, fmt.Errorf("import %s: it is a folder; name the files in it", file)
	case !info.Mode().IsRegular():
		return t, fmt.Errorf("import %s: it is no regular file, and is read more than once; save what comes out of it to a file", file)
	}
	for e, err := range readFile(file, t.note) {
		if err != nil {
			return t, err
		}
		t.exchanges++
		t.target = e.Scheme + "://" + e.Addr
		if e.Start.IsZero() {
			t.untimed++
			continue
		}
		if t.from.IsZero() || e.Start.Before(t.from) {
			t.from = e.Start
		}
		if end := e.Start.Add(e.Latency); end.After(t.to) {
			t.to = end
		}
	}
	if t.exchanges == 0 {
		return t, fmt.Errorf("import %s: there is no exchange in it%s", file, t)
	}
	if t.from.IsZero() {
		t.from = time.Now()
		t.to = t.from
	}
	return t, nil
}

// readFile yields the exchanges of a file, its form told by its content; note is told of entries that are not taken in
// as they stand.
func readFile(file string, note func(formats.Note)) iter.Seq2[*exchange.Exchange, error] {
	return func(yield func(*exchange.Exchange, error) bool) {
		f, in, format, err := openFile(file)
		if err != nil {
			yield(nil, err)
			return
		}
		defer f.Close()
		for e, err := range formats.Read(format, in, formats.Options{File: file, Note: note}) {
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
