package waits

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/waits/past"
	"github.com/flaketap/flaketap/waits/read"
)

// Why says where a suggested time comes from.
type Why string

// The reasons.
const (
	Alike    Why = "alike"    // a wait like this one has it
	Raised   Why = "raised"   // a wait like this one was raised to it
	Once     Why = "once"     // this wait had it once
	Constant Why = "constant" // a constant that this file may name has it
)

// Source is one place that a suggested time comes from.
type Source struct {
	Why        Why
	File       string
	Line       int    // 0 in a history
	Text       string // the wait as it is written, or the constant's name
	Name       string // of the constant that it is; "" where it is none
	Similarity float64
	Commit     *past.Commit  // of a history
	From       time.Duration // what it was raised from, in a history
	score      float64
}

// Suggestion is a time for a wait.
type Suggestion struct {
	Time       time.Duration
	Name       string  // of a constant that has it; "" where none is known
	Similarity float64 // the largest of its sources
	Sources    []Source
	score      float64
}

// maxSources is how many places are told of one suggestion.
const maxSources = 3

// Suggest ranks the times for a wait of a file of the suite that are longer than its own, the best first: at most so
// many. An interval has none, as looking less often mends nothing.
func (c *Corpus) Suggest(f *read.File, w read.Wait, most int) []Suggestion {
	if w.Kind == read.Interval {
		return nil
	}
	var all []Source
	var times []time.Duration
	take := func(s Source, t time.Duration) {
		if t > w.Time {
			all, times = append(all, s), append(times, t)
		}
	}
	for i, similarity := range c.index.Similar(textOf(w)) {
		d := &c.texts[i]
		if similarity == 0 || d.wait.Kind != w.Kind {
			continue
		}
		s := d.source(similarity)
		s.score += nearness(f.Name, d.path)
		take(s, d.wait.Time)
	}
	c.once(f, w, take)
	c.constants(f, w, take)
	return gather(all, times, w, most)
}

// once takes the times that a wait had before it came to its own. One that was put there against flaking counts more.
func (c *Corpus) once(f *read.File, w read.Wait, take func(Source, time.Duration)) {
	steps := past.Lifeline(c.commits, f.Name, w.Line, w.Text)
	for i, step := range steps {
		was, ok := c.timeIn(f.Language, step.Change.Old, f, w.Kind, "")
		if !ok {
			continue
		}
		s := Source{Why: Once, File: f.Name, Text: was.Expr, Similarity: 1, Commit: step.Commit, score: 1.2}
		if i+1 < len(steps) && steps[i+1].Commit.Flaky() {
			s.Commit, s.score = steps[i+1].Commit, 1.4
		}
		take(s, was.Time)
	}
}

// source tells of a wait that is like another one, and weighs it.
func (d *documented) source(similarity float64) Source {
	s := Source{Why: Alike, File: d.path, Line: d.wait.Line, Text: d.wait.Expr, Name: d.wait.Name,
		Similarity: similarity, score: similarity}
	if d.commit == nil {
		return s
	}
	s.Why, s.Line, s.Commit, s.From = Raised, 0, d.commit, d.old
	switch {
	case d.old > d.wait.Time: // it was lowered to it
		s.Why = Alike
	case d.later:
		s.score *= 0.7
	case d.commit.Flaky():
		s.score *= 1.3
	default:
		s.score *= 1.1
	}
	return s
}

// nearness is what a place gains by how near to the wait it is.
func nearness(file, other string) float64 {
	switch {
	case file == other:
		return 0.02
	case path.Dir(file) == path.Dir(other):
		return 0.01
	}
	return 0
}

// capWords are parts of names that say that a time is waited for at most: no sleep is meant by them.
var capWords = []string{"timeout", "deadline", "limit", "max", "most"}

// unrelated is what a constant counts whose name has nothing of the wait's: less than anything that is alike.
const unrelated = 0.01

// constants takes those that sound like times, whether they are used or not: of the files that this one may name, and,
// as they count less, of those that others name.
func (c *Corpus) constants(f *read.File, w read.Wait, take func(Source, time.Duration)) {
	offer := func(file *read.File, one read.Constant, base float64) {
		t, ok := w.In(one)
		if !ok {
			return
		}
		caps := func(word string) bool { return slices.Contains(capWords, word) }
		if w.Kind == read.Sleep && slices.ContainsFunc(read.Words(one.Name), caps) {
			return
		}
		kin := 0.0
		if w.Name != "" {
			kin = shared(w.Name, one.Name)
		}
		if kin == 0 {
			base *= unrelated
		}
		take(Source{Why: Constant, File: file.Name, Line: one.Line, Text: one.Name, Name: one.Name, Similarity: kin,
			score: base + 0.5*kin}, t)
	}
	known := c.links.Known(f)
	for _, file := range known {
		for _, one := range file.Constants {
			if one.Timely() {
				offer(file, one, 0.25)
			}
		}
	}
	for _, one := range c.named {
		if one.file.Language == f.Language && !slices.Contains(known, one.file) {
			offer(one.file, one.Constant, 0.15)
		}
	}
}

// shared is the share of the parts of two names that both have.
func shared(a, b string) float64 {
	as, bs := read.Words(a), read.Words(b)
	n := 0
	for _, p := range as {
		if slices.Contains(bs, p) {
			n++
		}
	}
	return float64(n) / float64(max(1, len(as), len(bs)))
}

// gather puts the sources of the same time together, and ranks the times.
func gather(all []Source, times []time.Duration, w read.Wait, most int) []Suggestion {
	by := map[time.Duration]*Suggestion{}
	for i, s := range all {
		g := by[times[i]]
		if g == nil {
			g = &Suggestion{Time: times[i]}
			by[times[i]] = g
		}
		g.Sources = append(g.Sources, s)
	}
	out := make([]Suggestion, 0, len(by))
	for _, g := range by {
		slices.SortStableFunc(g.Sources, func(a, b Source) int {
			return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.File, b.File), a.Line-b.Line)
		})
		g.score = g.Sources[0].score + 0.005*float64(min(len(g.Sources), 5))
		for _, s := range g.Sources {
			g.Similarity = max(g.Similarity, s.Similarity)
			if g.Name == "" && s.Commit == nil {
				g.Name = s.Name
			}
		}
		g.Sources = g.Sources[:min(len(g.Sources), maxSources)]
		out = append(out, *g)
	}
	slices.SortFunc(out, func(a, b Suggestion) int {
		longer := cmp.Compare(b.Time, a.Time)
		if w.Kind == read.Sleep {
			longer = -longer // a sleep costs its time, a cap does not
		}
		return cmp.Or(cmp.Compare(b.score, a.score), longer)
	})
	return out[:min(len(out), most)]
}
