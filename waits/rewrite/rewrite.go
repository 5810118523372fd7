package rewrite

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/flaketap/flaketap/waits/read"
)

// Place is where a wait's time stands in a file.
type Place struct {
	name string
	src  []byte
	wait read.Wait
	form form
}

// form is how a time is written in a place.
type form struct {
	span read.Span                    // what is replaced
	text func(t time.Duration) string // of a multiple of step
	step time.Duration
	// Where the unit gives way too: what is written for it, in which step is a millisecond; "" where it stays.
	unit string
}

// At is the place of a wait that was read from a file of that name.
func At(name string, src []byte, w read.Wait) Place {
	if w.At.Start < 0 || w.At.Start > w.At.End || max(w.At.End, w.UnitAt.End) > len(src) {
		w.At, w.UnitAt = read.Span{}, read.Span{} // of another text, where there is nothing to be written
	}
	return Place{name, src, w, formOf(read.LanguageOf(name), src, w)}
}

// Step is the least difference of times that can be written there: a millisecond, or the unit of whole numbers.
func (p Place) Step() time.Duration { return p.form.step }

// Round is a time that can be written there: the next one that is not shorter.
func (p Place) Round(t time.Duration) time.Duration {
	return (t + p.form.step - 1) / p.form.step * p.form.step
}

// Write returns the file with a time in that place, rounded as [Place.Round] does, and how that is written.
func (p Place) Write(t time.Duration) (out []byte, written string, err error) {
	t = p.Round(t)
	written = p.form.text(t)
	at := p.form.span
	edits := []edit{{at, written}}
	if p.form.unit != "" && t%p.wait.Unit() != 0 {
		edits = append(edits, edit{p.wait.UnitAt, p.form.unit})
	}
	out = apply(p.src, edits)
	if !p.holds(out, t) {
		return nil, "", fmt.Errorf("write a time of %s in the place of %s: it is in a form that cannot be written", t, p.wait.Expr)
	}
	return out, written, nil
}

// holds reports whether the wait has a time in a text that was written, and all other waits are as they were.
func (p Place) holds(out []byte, t time.Duration) bool {
	before, after := read.Parse(p.name, p.src).Waits, read.Parse(p.name, out).Waits
	if len(before) != len(after) || len(before) == 0 {
		return false
	}
	found := false
	for i, w := range before {
		now := after[i]
		switch {
		case w.At == p.wait.At && w.Kind == p.wait.Kind:
			found = now.Time == t && now.Kind == w.Kind && (now.Form == w.Form || p.form.unit != "") // it may stand in it
			if !found {
				return false
			}
		case now.Time != w.Time || now.Form != w.Form:
			return false
		}
	}
	return found
}

// edit puts a text in the place of another.
type edit struct {
	at   read.Span
	text string
}

// apply makes edits that do not overlap.
func apply(src []byte, edits []edit) []byte {
	if len(edits) > 1 && edits[1].at.Start < edits[0].at.Start {
		edits[0], edits[1] = edits[1], edits[0]
	}
	var out bytes.Buffer
	done := 0
	for _, e := range edits {
		out.Write(src[done:e.at.Start])
		out.WriteString(e.text)
		done = e.at.End
	}
	out.Write(src[done:])
	return out.Bytes()
}

// formOf tells how a time is written in the place of a wait's.
func formOf(l read.Language, src []byte, w read.Wait) form {
	f := form{span: fallback(src, w.At), step: time.Millisecond}
	expr := string(src[f.span.Start:f.span.End])
	switch {
	case l == read.Go && strings.HasPrefix(expr, `"`):
		f.text = func(t time.Duration) string { return strconv.Quote(t.String()) }
	case l == read.Go:
		f.text = goTime(src, f.span)
	case l == read.Python && w.Typed && strings.HasSuffix(expr, ")") && strings.Contains(expr, "timedelta(") && !strings.Contains(expr, ".total_seconds"):
		before, _, _ := strings.Cut(expr, "timedelta(")
		f.text = func(t time.Duration) string {
			return before + "timedelta(milliseconds=" + in(t, time.Millisecond) + ")"
		}
	case l == read.Java || l == read.Kotlin:
		f.jvm(src, w, expr)
	default:
		f.text = func(t time.Duration) string { return in(t, w.Unit()) }
	}
	return f
}

// fallback is the part of a time that is replaced: of process.env.WAIT || 500 what stands behind the sign.
func fallback(src []byte, at read.Span) read.Span {
	expr := string(src[at.Start:at.End])
	for _, sign := range []string{"||", "??", " or "} {
		if i := strings.LastIndex(expr, sign); i >= 0 {
			rest := expr[i+len(sign):]
			return read.Span{Start: at.End - len(strings.TrimLeft(rest, " \t\r\n")), End: at.End}
		}
	}
	return at
}

// in writes a time as a number of units.
func in(t, unit time.Duration) string {
	return strconv.FormatFloat(float64(t)/float64(unit), 'f', -1, 64)
}

// goTime writes times as gofmt has them: with blanks around the sign where it is the only argument.
func goTime(src []byte, at read.Span) func(time.Duration) string {
	if !bytes.Contains(src, []byte(`"time"`)) {
		return func(t time.Duration) string { return strconv.FormatInt(int64(t), 10) }
	}
	before, after := bytes.TrimRight(src[:at.Start], " \t\r\n"), bytes.TrimLeft(src[at.End:], " \t\r\n")
	sign := " * "
	if bytes.HasSuffix(before, []byte(",")) || bytes.HasPrefix(after, []byte(",")) && bytes.HasSuffix(before, []byte("(")) {
		sign = "*"
	}
	return func(t time.Duration) string {
		if t%time.Second == 0 {
			return in(t, time.Second) + sign + "time.Second"
		}
		return in(t, time.Millisecond) + sign + "time.Millisecond"
	}
}
