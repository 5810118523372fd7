package capture

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/formats"
	"github.com/flaketap/flaketap/internal/console"
)

// fileSummary is what a first reading of a file found.
type fileSummary struct {
	exchanges int
	target    string // where the last exchange went
	// when the first was sent and the last had been answered; the time of the import where the file has no times
	from, to time.Time
	untimed  int       // exchanges without a time
	skipped  noteCount // entries that were left out
	lossy    noteCount // entries that were taken in without something
}

// noteCount counts entries that have something to be said of, and says it of the first.
type noteCount struct {
	n   int
	why string
}

// String is what the user is told of entries that were not taken in as they stand, "" where there are none.
func (t fileSummary) String() string {
	var s string
	if t.skipped.n > 0 {
		s += fmt.Sprintf("; %s left out (%s)", entries(t.skipped.n), t.skipped.why)
	}
	if t.lossy.n > 0 {
		s += fmt.Sprintf("; %s incomplete (%s)", entries(t.lossy.n), t.lossy.why)
	}
	if t.untimed > 0 {
		s += fmt.Sprintf("; %s without a time, kept in file order", console.Count(t.untimed, "exchange"))
	}
	return s
}

func entries(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", n)
}

func (t *fileSummary) note(n formats.Note) {
	at := &t.lossy
	if n.Skipped {
		at = &t.skipped
	}
	if at.n++; at.n == 1 {
		at.why = fmt.Sprintf("entry %d: %s", n.Entry, console.OneLine(n.Reason))
	}
}

// readThrough reads a file to its end.
func readThrough(file string) (fileSummary, error) {
	var t fileSummary
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return t, fmt.Errorf("import: %w", err)
	case info.IsDir():
		return t, fmt.Errorf("import %s: it is a folder; give the files in it", file)
	case !info.Mode().IsRegular():
		return t, fmt.Errorf("import %s: not a regular file; save its contents to a file first, because it is read more than once", file)
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
		err := fmt.Errorf("import %s: it contains no exchanges%s", file, t)
		if t.String() != "" {
			return t, err // it says why
		}
		return t, console.Advise(err, "export it anew from the tool that recorded it, answers included")
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
