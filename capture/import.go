package capture

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/exchange/redact"
	"github.com/flaketap/flaketap/flow/align"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay/runs"
	"github.com/flaketap/flaketap/store"
)

// ImportOptions say which files are taken in, and as what.
type ImportOptions struct {
	Destination
	Files []string       // each becomes one pass, or one run
	Label string         // names what is imported; "" for none
	Start exchange.Start // what the runs or passes started from
	// how many requests of a run that were lost, added or changed are listed, at most, of each kind
	Changes int
	Console *console.Console
}

// Import stores each file as one pass of a recording. A recording that it made and could not fill is taken away again.
// Every file is read to its end before anything is stored, so that a broken one changes nothing.
func Import(o ImportOptions) (err error) {
	found, err := o.readThrough()
	if err != nil {
		return err
	}
	_, serr := os.Stat(o.DB)
	db, rest, err := o.open(store.Options{Doing: "importing"})
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, db.Close()); err != nil && errors.Is(serr, fs.ErrNotExist) {
			os.Remove(o.DB)
		}
	}()
	for i, file := range o.Files {
		if err := o.importPass(db, rest, file, found[i]); err != nil {
			return err
		}
		o.Console.Say("%s: %s recorded in %s%s", file, console.Count(found[i].exchanges, "exchange"), o.DB, found[i])
	}
	return nil
}

func (o *ImportOptions) importPass(db *store.Store, rest *redact.Rest, file string, all fileSummary) error {
	format, err := fileFormat(file)
	if err != nil {
		return err
	}
	bar := o.Console.Progress(file)
	defer bar.Clear()
	done := 0
	for e, err := range redact.Each(rest, readFile(file, nil)) {
		if err != nil {
			return err
		}
		if done == 0 {
			pass := exchange.Pass{Label: o.Label, Started: all.from, Source: string(format), Start: o.Start,
				Target: e.Scheme + "://" + e.Addr}
			rec, err := db.Recording()
			if err != nil {
				return err
			}
			o.mark(&pass, rec, rest)
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
		return fmt.Errorf("import %s: the file changed while it was read", file)
	}
	return db.EndPass(all.to)
}

// ImportRuns aligns each file with a recording that is there and stores it as one more run, once all of them are known
// to have something in common with it. Every file is read to its end before anything is stored.
func ImportRuns(o ImportOptions) (err error) {
	found, err := o.readThrough()
	if err != nil {
		return err
	}
	db, err := store.Open(o.DB, store.Options{Doing: "importing"})
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("import a run: no recording %s to align it with; import one with --as recording first", o.DB)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	rest, err := o.rest(db)
	if err != nil {
		return err
	}
	recorded, err := runs.TrackOf(db.Exchanges())
	if err != nil {
		return err
	}
	aligned := make([]*runs.Alignment, len(o.Files))
	for i, file := range o.Files {
		if aligned[i], err = alignFile(db, recorded, rest, file); err != nil {
			return fmt.Errorf("import %s: %w", file, err)
		}
	}
	for i, file := range o.Files {
		if err := o.importRun(db, aligned[i], redact.Each(rest, readFile(file, nil)), file, found[i]); err != nil {
			return fmt.Errorf("import %s: %w", file, err)
		}
	}
	return nil
}

func (o *ImportOptions) importRun(db *store.Store, p *runs.Alignment, exchanges runs.Source, file string,
	all fileSummary) error {
	err := p.Store(db, exchange.Run{
		Kind: exchange.RunImport, Label: o.Label, Started: all.from, Ended: all.to, Target: all.target,
		Conditions: exchange.Conditions{Start: o.Start},
	}, exchanges, nil)
	if err != nil {
		return err
	}
	o.Console.Say("%s: a run of %s%s", file, p, all)
	return sayDifferences(o.Console, db, p, exchanges, o.Changes)
}

// alignFile aligns the exchanges of a file with the recorded ones. It is an error if none has a counterpart.
func alignFile(db *store.Store, recorded *align.Track, rest *redact.Rest, file string) (*runs.Alignment, error) {
	exchanges := redact.Each(rest, readFile(file, nil))
	run, err := runs.TrackOf(exchanges)
	if err != nil {
		return nil, err
	}
	p := runs.Align(recorded, run)
	return p, p.Check(db, exchanges)
}

// readThrough reads all files to their ends.
func (o *ImportOptions) readThrough() ([]fileSummary, error) {
	found := make([]fileSummary, len(o.Files))
	for i, file := range o.Files {
		var err error
		if found[i], err = readThrough(file); err != nil {
			return nil, err
		}
	}
	return found, nil
}
