package suggest

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/waits"
	"github.com/flaketap/flaketap/waits/read"
)

// WriteText writes an answer for people.
func (a *Answer) WriteText(w io.Writer) error {
	var out bytes.Buffer
	listed := tabwriter.NewWriter(&out, 0, 8, 2, ' ', 0)
	for _, x := range a.Waits {
		if x.Asked {
			x.write(&out)
			continue
		}
		fmt.Fprintf(listed, "%s:%d\t%s\t%s\t%s\n", console.OneLine(x.File), x.Line, x.Kind, known(x.Time), console.OneLine(x.Form))
	}
	listed.Flush()
	for _, lack := range a.Lacks {
		fmt.Fprintf(&out, "note: %s\n", console.OneLine(lack))
	}
	if _, err := w.Write(out.Bytes()); err != nil {
		return fmt.Errorf("write waits: %w", err)
	}
	return nil
}

// write writes a wait for which times were asked.
func (x *Wait) write(w io.Writer) {
	text := strings.ReplaceAll(x.Text, "\t", " ")
	fmt.Fprintf(w, "%s:%d  %s of %s  %s\n", console.OneLine(x.File), x.Line, x.Kind, known(x.Time), console.OneLine(text))
	if x.Failed.Times > 0 {
		fmt.Fprintf(w, "  its test %s failed in %d of %d%s\n", console.OneLine(x.Failed.Test), x.Failed.Times, x.Failed.Of, x.Failed.in())
	}
	for i, s := range x.Suggestions {
		fmt.Fprintf(w, "  %d. %s", i+1, s.Time)
		if s.Name != "" {
			fmt.Fprintf(w, " (%s)", console.OneLine(s.Name))
		}
		if s.Similarity > 0 { // a constant may have none
			fmt.Fprintf(w, "  similarity %.2f", s.Similarity)
		}
		fmt.Fprintln(w)
		for _, source := range s.Sources {
			fmt.Fprintf(w, "       %s\n", console.OneLine(Told(source)))
		}
	}
	switch {
	case x.Kind == read.Interval:
		fmt.Fprintln(w, "  no times: it says how often is looked, and looking less often mends nothing")
	case len(x.Suggestions) == 0:
		fmt.Fprintln(w, "  no times: nothing in the suite or its history is longer")
	case x.Kind == read.Sleep:
		fmt.Fprintf(w, "  a longer sleep costs its time in each run, whether it is needed or not\n")
	default:
		fmt.Fprintln(w, "  a longer cap costs nothing where the test passes, and delays one that fails")
	}
	fmt.Fprintln(w)
}

// in says in which line a test failed, if that is known.
func (f Failures) in() string {
	if f.Line == 0 {
		return ""
	}
	return fmt.Sprintf(", in line %d", f.Line)
}

// Told says where a time comes from.
func Told(s waits.Source) string {
	at := s.File
	if s.Line > 0 {
		at += fmt.Sprintf(":%d", s.Line)
	}
	commit := ""
	if s.Commit != nil {
		commit = fmt.Sprintf("commit %s, %q", short(s.Commit.Hash), s.Commit.Subject)
	}
	switch {
	case s.Why == waits.Once:
		return "this wait had it once: " + commit
	case s.Why == waits.Raised:
		return fmt.Sprintf("one like it was raised from %s: %s, %s", s.From, at, commit)
	case s.Why == waits.Constant:
		return fmt.Sprintf("the constant %s: %s", s.Text, at)
	case s.Commit != nil:
		return fmt.Sprintf("one like it came to %s: %s, %s", s.Text, at, commit)
	}
	return fmt.Sprintf("one like it has %s: %s", s.Text, at)
}

// known is a time, or that there is none.
func known(t time.Duration) string {
	if t == 0 {
		return "unknown time"
	}
	return t.String()
}

func short(hash string) string { return hash[:min(len(hash), 10)] }
