package suggest

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/flaketap/flaketap/waits"
	"github.com/flaketap/flaketap/waits/read"
)

// WriteText writes an answer for people.
func (a *Answer) WriteText(out io.Writer) error {
	w := &sticky{w: out}
	listed := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	for _, x := range a.Waits {
		if !x.Asked {
			fmt.Fprintf(listed, "%s:%d\t%s\t%s\t%s\n", clean(x.File), x.Line, x.Kind, known(x.Time), clean(x.Form))
			continue
		}
		x.write(w)
	}
	listed.Flush()
	for _, lack := range a.Lacks {
		fmt.Fprintf(w, "note: %s\n", clean(lack))
	}
	return w.err
}

// write writes a wait for which times were asked.
func (x *Wait) write(w io.Writer) {
	fmt.Fprintf(w, "%s:%d  %s of %s  %s\n", clean(x.File), x.Line, x.Kind, known(x.Time), clean(x.Text))
	if x.Failed.Times > 0 {
		fmt.Fprintf(w, "  its test %s failed in %d of %d%s\n", clean(x.Failed.Test), x.Failed.Times, x.Failed.Of, x.Failed.in())
	}
	for i, s := range x.Suggestions {
		name := ""
		if s.Name != "" {
			name = " (" + clean(s.Name) + ")"
		}
		fmt.Fprintf(w, "  %d. %s%s  similarity %.2f\n", i+1, s.Time, name, s.Similarity)
		for _, source := range s.Sources {
			fmt.Fprintf(w, "       %s\n", clean(x.told(source)))
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

// told says where a time comes from.
func (x *Wait) told(s waits.Source) string {
	at := ""
	if s.File != "" {
		at = x.show(s.File)
		if s.Line > 0 {
			at += fmt.Sprintf(":%d", s.Line)
		}
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

// clean takes out of what a file holds, or is named, what steers a terminal: control characters, and those that turn
// the direction of the text.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// sticky keeps the first error of writing.
type sticky struct {
	w   io.Writer
	err error
}

func (s *sticky) Write(p []byte) (int, error) {
	if s.err == nil {
		_, s.err = s.w.Write(p)
	}
	return len(p), s.err
}
