package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// Diff is the difference of two maps, to be written.
type Diff struct {
	Old, New *mapfile.Map
	mapfile.Changes
}

// maxChanges is how many changes of a kind are told one by one.
const maxChanges = 500

// diffSection is the changes of one kind.
type diffSection struct {
	title string
	n     int
	rows  []diffRow
	more  int
}

// diffRow is one change in words.
type diffRow struct {
	operation     string // "GET /orders/{id} 200"
	place         string // "" for the operation itself
	before, after string
}

// sections puts the changes into words, by their kinds.
func (d Diff) sections() []diffSection {
	var out []diffSection
	add := func(title string, kind mapfile.ChangeKind, say func(mapfile.Change) (before, after string)) {
		s := diffSection{title: title}
		for _, c := range d.Of(kind) {
			if s.n++; len(s.rows) == maxChanges {
				s.more++
				continue
			}
			r := diffRow{operation: show(c.Operation.String(), maxName) + " " + status(c.Status),
				place: showEnds(string(c.Place), maxName)}
			if c.Place != "" {
				r.before, r.after = say(c)
			}
			s.rows = append(s.rows, r)
		}
		if s.n > 0 {
			out = append(out, s)
		}
	}
	add("began to move", mapfile.Began, said)
	add("moves, and was not seen before", mapfile.Unseen, said)
	add("stopped moving", mapfile.Stopped, said)
	add("judged otherwise", mapfile.Judged, said)
	add("something else holds", mapfile.Held, func(c mapfile.Change) (string, string) {
		return strings.Join(statements(&c.Old.Holds, maxValue), ", "), strings.Join(statements(&c.New.Holds, maxValue), ", ")
	})
	add("came", mapfile.Came, said)
	add("went", mapfile.Went, said)
	return out
}

// said puts into words what was and is said of a place.
func said(c mapfile.Change) (before, after string) {
	one := func(f *mapfile.Field) string {
		if f == nil {
			return ""
		}
		s := verdict(f.Judgement)
		if f.Category != "" {
			s += " " + show(string(f.Category), 20)
		}
		if f.Changed > 0 {
			s += fmt.Sprintf(" %d/%d", f.Changed, f.Of)
		}
		if f.Rule != nil {
			s += ", by a rule: " + show(string(f.Rule.Kind), 20)
		}
		return s
	}
	before, after = one(c.Old), one(c.New)
	switch {
	case c.Is(mapfile.Came) || c.Is(mapfile.Went):
	case c.Old == nil:
		before = "not listed"
	case c.New == nil:
		after = "not listed"
	}
	return before, after
}

// summary is the last line of a difference.
func (d Diff) summary() string {
	places := func(k mapfile.ChangeKind) int {
		return len(slices.DeleteFunc(d.Of(k), func(c mapfile.Change) bool { return c.Place == "" }))
	}
	operations := func(k mapfile.ChangeKind) int { return len(d.Of(k)) - places(k) }
	s := fmt.Sprintf("%s began to move, %d stopped, %d judged otherwise, %d of which something else holds; %d as they were",
		count(places(mapfile.Began), "place"), places(mapfile.Stopped), places(mapfile.Judged), places(mapfile.Held), d.Same)
	for _, more := range []struct {
		n    int
		text string
	}{
		{operations(mapfile.Came), "new operation"}, {operations(mapfile.Went), "lost operation"},
		{places(mapfile.Unseen), "unseen moving place"}, {places(mapfile.Came), "new place"}, {places(mapfile.Went), "lost place"},
	} {
		if more.n > 0 {
			s += ", " + count(more.n, more.text)
		}
	}
	if a, b := places(mapfile.Surer), places(mapfile.Unsurer); a+b > 0 {
		s += fmt.Sprintf("; bounds are lower at %d and higher at %d", a, b)
	}
	return s
}

// sides says what two maps rest on.
func (d Diff) sides() []string {
	one := func(name string, m *mapfile.Map) string {
		if m.Locked {
			return fmt.Sprintf("%s: a lock, %s", name, count(m.Summary.Volatile(), "volatile place"))
		}
		return fmt.Sprintf("%s: recorded %s, %s, %s, %s", name, clock(m.Recording.Started),
			count(m.Recording.Count, "exchange"),
			count(len(m.Runs), "run"), count(m.Summary.Volatile(), "volatile place"))
	}
	return []string{one("old", d.Old), one("new", d.New)}
}

// Text writes the difference for people.
func (d Diff) Text(w io.Writer) error {
	t := &text{}
	for _, s := range d.sides() {
		t.line("%s", s)
	}
	for _, s := range d.Notes {
		t.paragraph("note:", s)
	}
	for _, s := range d.sections() {
		t.line("")
		t.line("%s", s.title)
		last := ""
		for _, r := range s.rows {
			if r.operation != last {
				t.line("  %s", r.operation)
			}
			if last = r.operation; r.place != "" {
				t.paragraph("    "+r.place+":", arrow(r.before, r.after))
			}
		}
		if s.more > 0 {
			t.line("  and %d more", s.more)
		}
	}
	t.line("")
	t.paragraph("in all:", d.summary())
	if _, err := w.Write(t.out.Bytes()); err != nil {
		return fmt.Errorf("write difference: %w", err)
	}
	return nil
}

// arrow puts before and after beside each other.
func arrow(before, after string) string {
	return strings.TrimSpace(strings.Join(known(before, after), " -> "))
}

// Markdown writes the difference as a comment on a pull request: what began to move as a table, the rest folded.
func (d Diff) Markdown(w io.Writer) error {
	m := &MarkdownWriter{}
	m.Line("### Volatile places: %s", Prose(d.summary()))
	m.Line("")
	for _, s := range d.sides() {
		m.Line("- %s", Prose(s))
	}
	for _, s := range d.Notes {
		m.Line("- note: %s", Prose(s))
	}
	for i, s := range d.sections() {
		folded := i > 0 || s.title != "began to move"
		m.Line("")
		if folded {
			m.Line("<details><summary>%s (%d)</summary>\n", s.title, s.n)
		} else {
			m.Line("**%s** (%d)\n", s.title, s.n)
		}
		m.Row("operation", "place", "was", "is")
		m.Row("---", "---", "---", "---")
		for _, r := range s.rows {
			m.Row(CodeSpan(r.operation), CodeSpan(r.place), CodeSpan(r.before), CodeSpan(r.after))
		}
		if s.more > 0 {
			m.Line("\nand %d more", s.more)
		}
		if folded {
			m.Line("\n</details>")
		}
	}
	return m.To(w)
}

// The JSON of a difference.
type (
	diffFile struct {
		Flaketap string         `json:"flaketap"` // "map-diff"
		Version  int            `json:"version"`
		Old      diffSide       `json:"old"`
		New      diffSide       `json:"new"`
		Notes    []string       `json:"notes"`
		Summary  map[string]int `json:"summary"` // changes by kind, and "same"
		Changes  []diffChange   `json:"changes"`
	}
	diffSide struct {
		Recording exchange.Recording `json:"recording"`
		Runs      int                `json:"runs"`
		Summary   mapfile.Summary    `json:"summary"`
	}
	diffChange struct {
		Operation string               `json:"operation"`
		Status    int                  `json:"status"`
		Place     exchange.Place       `json:"place"`
		Kinds     []mapfile.ChangeKind `json:"kinds"`
		Old       *diffField           `json:"old"`
		New       *diffField           `json:"new"`
	}
	diffField struct {
		Judgement mapfile.Judgement `json:"judgement"`
		Category  mapfile.Category  `json:"category"`
		Changed   int               `json:"changed"`
		Of        int               `json:"of"`
		Bound     float64           `json:"bound"`
		Evidence  []string          `json:"evidence"`
		Holds     mapfile.Holds     `json:"holds"`
		Rule      *mapfile.Ruling   `json:"rule,omitempty"`
	}
)

// JSON writes the difference for programs.
func (d Diff) JSON(w io.Writer) error {
	side := func(m *mapfile.Map) diffSide {
		s := diffSide{m.Recording, len(m.Runs), m.Summary}
		s.Recording.Passes = append([]exchange.Pass{}, s.Recording.Passes...)
		return s
	}
	field := func(f *mapfile.Field) *diffField {
		if f == nil {
			return nil
		}
		return &diffField{f.Judgement, f.Category, f.Changed, f.Of, f.Bound, append([]string{}, f.Evidence...),
			f.Holds, f.Rule}
	}
	out := diffFile{Flaketap: "map-diff", Version: 1, Old: side(d.Old), New: side(d.New),
		Notes:   append([]string{}, d.Notes...),
		Summary: map[string]int{"same": d.Same}, Changes: []diffChange{}}
	for _, k := range []mapfile.ChangeKind{mapfile.Began, mapfile.Unseen, mapfile.Stopped, mapfile.Judged, mapfile.Held,
		mapfile.Surer, mapfile.Unsurer, mapfile.Came, mapfile.Went} {
		out.Summary[string(k)] = len(d.Of(k))
	}
	for _, c := range d.Changes.Changes {
		out.Changes = append(out.Changes, diffChange{c.Operation.String(), c.Status, c.Place, c.Kinds, field(c.Old),
			field(c.New)})
	}
	return JSON(w, out)
}
