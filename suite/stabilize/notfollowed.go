package stabilize

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/mend"
	"github.com/flaketap/flaketap/suite/probe"
	"github.com/flaketap/flaketap/suite/results"
	"github.com/flaketap/flaketap/suite/script"
)

// NotFollowed is an assertion of the suite as it was that no patch can change, since what it looks at is not followed
// to an answer, and that failed in some runs.
type NotFollowed struct {
	Test   string   `json:"test"`    // in which it failed most
	AlsoIn []string `json:"also_in"` // other tests in which it failed
	File   string   `json:"file"`    // in the suite
	Line   int      `json:"line"`
	Text   string   `json:"text"`
	Reason string   `json:"reason"` // why it is not followed
	Failed int      `json:"failed"` // runs of that test in which it failed, of
	Of     int      `json:"of"`     // those that were looked at
	Saw    []string `json:"saw"`    // some of the values that it saw, as JSON where they are such
	// Expected are some of those that it expected.
	Expected []string `json:"expected"`
	Places   []Blamed `json:"places"` // that it looks at, the surest first; none where nothing ties it to any
}

// Blamed is a place in an answer that an assertion looks at, and that moves.
type Blamed struct {
	Exchange  string `json:"exchange"`  // "GET /orders/7"
	Operation string `json:"operation"` // "GET /orders/{id}"
	Place     string `json:"place"`
	Category  string `json:"category"`
	KnownBy   string `json:"known_by"` // as of flaketap why
	Differed  int    `json:"differed"` // executions that differ from the first, of
	Of        int    `json:"of"`
	// Do says what to do; Write is a line that does it, "" where none is known.
	Do    string `json:"do"`
	Write string `json:"write"`
}

// Observed is assertions that failed in the runs of one form of the suite.
type Observed struct {
	DB         string // the recording of these runs
	Suite      string // that form, a file or a folder
	Assertions []results.Asserted
}

// Explainer finds what observed assertions look at: for each of them the places that move, the surest first.
type Explainer func(ctx context.Context, o Observed) ([][]Blamed, error)

// notFollowed lists the assertions that failed and that no patch could change, by the runs of each round: those that
// were seen in an earlier one by that.
func (s *session) notFollowed(ctx context.Context, out *Result) error {
	out.NotFollowed = []NotFollowed{}
	if s.o.Explain == nil {
		return nil
	}
	original := readForms(s.rounds[0].files)
	known := map[probe.Line]bool{}
	for _, r := range s.rounds {
		seen, err := s.sightings(r)
		if err != nil {
			return err
		}
		now := original
		if r.number > 1 {
			now = readForms(r.files)
		}
		var here []group
		for _, g := range grouped(seen, now, original) {
			if !known[g.key()] && !out.mends(g) {
				here = append(here, g)
			}
			known[g.key()] = true
		}
		if err := s.explained(ctx, out, r, here); err != nil {
			return err
		}
	}
	slices.SortStableFunc(out.NotFollowed, func(a, b NotFollowed) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return nil
}

// group is the sightings of one assertion in all tests.
type group struct {
	*form             // the file of the suite as it was
	line  int         // in that
	in    []*sighting // those of the test that failed most first
}

func (g group) key() probe.Line { return probe.Line{File: g.name, Line: g.line} }

// grouped are the sightings of assertions that are not followed, by their lines in the suite as it was. now is the form
// of the suite that ran.
func grouped(all []*sighting, now, original forms) []group {
	var out []group
	index := map[probe.Line]int{}
	for _, one := range all {
		f, was := now.file(one.at[0].File), original.file(one.at[0].File)
		if f == nil || was == nil || now.follows(one) {
			continue
		}
		line := f.lineIn(was, one.at[0].Line)
		if line == 0 {
			continue
		}
		if a, ok := was.spanned(line); ok {
			line = a.At.FirstLine
		}
		g := group{form: was, line: line}
		i, ok := index[g.key()]
		if !ok {
			i = len(out)
			index[g.key()], out = i, append(out, g)
		}
		out[i].in = append(out[i].in, one)
	}
	for _, g := range out {
		slices.SortStableFunc(g.in, func(a, b *sighting) int { return cmp.Compare(b.Failed(), a.Failed()) })
	}
	return out
}

// luck is the chance below which it is not by luck that an assertion has not failed any more.
const luck = 0.01

// mends reports whether an assertion holds in the last form of the suite, by what else was changed: its test passes in
// each run, where by luck it would not.
func (r *Result) mends(g group) bool {
	if r.After.Runs == 0 || r.Rounds == 0 {
		return false
	}
	for _, one := range g.in {
		failed := float64(one.Failed()) / float64(max(1, len(one.Runs)))
		if r.stillFails(one.Test) || math.Pow(1-failed, float64(r.After.Runs)) >= luck {
			return false
		}
	}
	return true
}

// stillFails reports whether a test of such a name fails in the suite's last form. Runners name tests otherwise than
// what mutes them.
func (r *Result) stillFails(test string) bool {
	fold := func(name string) string { return script.Folded(strings.ReplaceAll(name, " › ", ".")) }
	folded := fold(test)
	return slices.ContainsFunc(r.Unhelped, func(u Unhelped) bool {
		name := fold(u.Test)
		return u.Failed > 0 && u.Order == "" && (strings.HasSuffix(name, folded) || strings.HasSuffix(folded, name))
	})
}

// explained adds the assertions of a round to the result, with what they look at.
func (s *session) explained(ctx context.Context, out *Result, r *round, all []group) error {
	if len(all) == 0 {
		return nil
	}
	show, err := s.show(r)
	if err != nil {
		return err
	}
	o := Observed{DB: s.work.db(r.number), Suite: r.suite.Arg}
	if r.number > 1 {
		if err := s.work.compose(r, s.o); err != nil {
			return err
		}
	}
	for _, g := range all {
		o.Assertions = append(o.Assertions, g.in[0].Asserted)
	}
	places, err := s.o.Explain(ctx, o)
	if err != nil {
		return fmt.Errorf("explain assertions that are not followed: %w", err)
	}
	_, runs := r.judged()
	for i, g := range all {
		one := NotFollowed{Test: g.in[0].Test, AlsoIn: []string{}, File: g.name, Line: g.line, Text: show(g.text(g.line)),
			Reason: g.reason(g.line), Failed: g.in[0].Failed(), Of: len(runs), Saw: []string{}, Expected: []string{},
			Places: append([]Blamed{}, places[i]...)}
		for _, other := range g.in[1:] {
			one.AlsoIn = append(one.AlsoIn, other.Test)
		}
		one.Saw, one.Expected = g.in[0].values(g.text(g.line), show)
		out.NotFollowed = append(out.NotFollowed, one)
	}
	return nil
}

// shownValues bounds the values of an assertion that are shown.
const shownValues = 5

// values are what an assertion saw and what it expected: where its text has what is told to be the former, it is the
// latter, as people write both first.
func (s *sighting) values(text string, show func(string) string) (saw, expected []string) {
	written := func(all []string) bool {
		return len(all) > 0 && !slices.ContainsFunc(all, func(v string) bool {
			return !strings.Contains(text, strings.Trim(v, `"`))
		})
	}
	saw, expected = s.saw, s.expected
	if written(saw) && !written(expected) && len(expected) > 0 {
		saw, expected = expected, saw
	}
	shown := func(all []string) []string {
		out := []string{}
		for _, v := range all[:min(len(all), shownValues)] {
			out = append(out, console.OneLine(show(v)))
		}
		return out
	}
	return shown(saw), shown(expected)
}

// forms are the files of one form of the suite, by their names with slashes.
type forms map[string]*form

// form is a file of the suite: which of its lines assertions stand in that are followed, and which not.
type form struct {
	name     string
	lines    []string
	refused  string                    // why it is not read; "" where it is
	followed map[int]bool              // by line
	unknown  map[int]*script.Assertion // by the first line
}

// readForms reads the files of a suite.
func readForms(files []mend.File) forms {
	out := forms{}
	for _, f := range files {
		name := filepath.ToSlash(f.Name)
		one := &form{name: name, lines: script.SplitLines(string(f.Data)), followed: map[int]bool{},
			unknown: map[int]*script.Assertion{}}
		out[name] = one
		if !suite.Readable(f.Name) {
			one.refused = "its file is in no form that is read"
			continue
		}
		read, err := suite.ReadAmong(f.Path, f.Data, mend.OnDisk)
		if err != nil {
			one.refused = "no test is followed to it"
			continue
		}
		for _, t := range read.Tests {
			for _, a := range t.Assertions {
				one.add(a)
			}
		}
	}
	return out
}

func (f *form) add(a *script.Assertion) {
	if a.Meaning == nil || a.Reason == script.UnderCondition {
		f.unknown[a.At.FirstLine] = a
		return
	}
	for line := a.At.FirstLine; line <= a.At.LastLine; line++ {
		f.followed[line] = true
	}
}

// file is the file of a name, or the only one whose path ends with it: runners name files in several ways.
func (f forms) file(name string) *form {
	if one := f[name]; one != nil {
		return one
	}
	var found []*form
	for path, one := range f {
		if strings.HasSuffix("/"+path, "/"+name) || strings.HasSuffix("/"+name, "/"+path) {
			found = append(found, one)
		}
	}
	if len(found) != 1 {
		return nil
	}
	return found[0]
}

// follows reports whether an assertion that failed is followed to an answer: where it stands, or where a test calls
// what does nothing but assert. Of one of which the calls are not known this may be so, unless it is listed as not
// followed, or nothing of the suite is read.
func (f forms) follows(one *sighting) bool {
	if one.From.Line == 0 {
		_, not := f.file(one.at[0].File).spanned(one.at[0].Line)
		return !not && slices.ContainsFunc(slices.Collect(maps.Values(f)), func(o *form) bool { return o.refused == "" })
	}
	for i, at := range one.at {
		file := f.file(at.File)
		if file == nil {
			continue
		}
		if _, not := file.spanned(at.Line); i == 0 && not {
			return false
		}
		if file.followed[at.Line] {
			return true
		}
	}
	return false
}

// spanned is the assertion that is not followed in whose lines one is.
func (f *form) spanned(line int) (*script.Assertion, bool) {
	for _, a := range f.unknown {
		if a.At.FirstLine <= line && line <= a.At.LastLine {
			return a, true
		}
	}
	return nil, false
}

// reason is why an assertion of a line is not followed.
func (f *form) reason(line int) string {
	if a, ok := f.spanned(line); ok && a.Reason != "" {
		return a.Reason
	}
	return cmp.Or(f.refused, "no test is followed to it")
}

// text is the assertion of a line, as written.
func (f *form) text(line int) string {
	if a, ok := f.spanned(line); ok {
		return a.Text
	}
	if line < 1 || line > len(f.lines) {
		return ""
	}
	return strings.TrimSpace(f.lines[line-1])
}

// lineIn is where a line of a patched file stands in the file as it was: the same text, after as many others like it; 0
// where there are more of it, or fewer.
func (f *form) lineIn(was *form, line int) int {
	if f == was {
		return line
	}
	if line < 1 || line > len(f.lines) {
		return 0
	}
	nth, now := 0, 0
	for i, text := range f.lines {
		if text == f.lines[line-1] {
			if now++; i < line {
				nth = now
			}
		}
	}
	found, before := 0, 0
	for i, text := range was.lines {
		if text == f.lines[line-1] {
			if before++; before == nth {
				found = i + 1
			}
		}
	}
	if now != before {
		return 0
	}
	return found
}

// notFollowedText writes the assertions that no patch can change.
func (r *Result) notFollowedText(w io.Writer) {
	for _, n := range r.NotFollowed {
		fmt.Fprintf(w, "not followed: %s:%d: %s\n", console.OneLine(n.File), n.Line, shortened(n.Text))
		also := ""
		if len(n.AlsoIn) > 0 {
			also = fmt.Sprintf(" (and in %s)", console.Count(len(n.AlsoIn), "other test"))
		}
		fmt.Fprintf(w, "   it fails in %d of %d runs of %s%s%s; %s\n", n.Failed, n.Of, console.OneLine(n.Test), also,
			n.sawText(), n.Reason)
		told := map[string]bool{} // several answers to one request read alike
		for _, p := range n.Places {
			var text strings.Builder
			p.text(&text)
			if !told[text.String()] {
				fmt.Fprint(w, text.String())
			}
			told[text.String()] = true
		}
		switch {
		case len(n.Places) > 0:
		case len(n.Saw) == 1 && n.Failed == n.Of && n.Of > 1:
			fmt.Fprintln(w, "   it saw the same in each run: what it expects is of another state, or was never true")
		default:
			fmt.Fprintln(w, "   no place of its test's answers that moves is known to be what it looks at")
		}
	}
}

// text writes what an assertion looks at, and what to do.
func (p Blamed) text(w io.Writer) {
	fmt.Fprintf(w, "   %s: %s, %s\n", console.OneLine(p.Exchange), p.Place, p.Category)
	fmt.Fprintf(w, "   do: %s\n", console.OneLine(p.Do))
	if p.Write == "" {
		return
	}
	name := "write:"
	for line := range strings.Lines(p.Write) {
		code := strings.TrimLeft(line, " \t")
		fmt.Fprintf(w, "   %-6s %s%s\n", name, line[:len(line)-len(code)], console.OneLine(strings.TrimRight(code, "\r\n")))
		name = ""
	}
}

// sawText says what an assertion saw.
func (n NotFollowed) sawText() string {
	if len(n.Saw) == 0 {
		return ""
	}
	out := ": it saw " + shortened(strings.Join(n.Saw, ", "))
	if len(n.Expected) > 0 {
		out += ", and expected " + shortened(strings.Join(n.Expected, ", "))
	}
	return out
}

// shortened is a text on one line, which is not too long.
func shortened(text string) string {
	const most = 160
	line := []rune(console.OneLine(strings.Join(strings.Fields(text), " ")))
	if len(line) > most {
		return string(line[:most-1]) + "…"
	}
	return string(line)
}
