package waits

import (
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/waits/past"
	"github.com/flaketap/flaketap/waits/rank"
	"github.com/flaketap/flaketap/waits/read"
)

// Corpus is a suite with its history, in which waits are looked for that are like another one.
type Corpus struct {
	links   *read.Links
	named   []constant // those of files that others name, which sound like times
	byName  map[string]*read.File
	commits []past.Commit
	texts   []documented // in the order of the index
	index   *rank.Index
	lines   map[string]fragment // lines of the history that were read, of which many are the same
}

// fragment is a line that was read by itself.
type fragment struct {
	waits []read.Wait
	words []string
}

// documented is a line with a time that may be like another one: of the suite, or of a change of its history.
type documented struct {
	file   *read.File // of the suite; nil for a change of a file that is gone
	wait   read.Wait
	commit *past.Commit // of the change that gave it the time; nil for a wait of the suite
	change *past.Change
	path   string
	old    time.Duration // what the change raised or lowered it from; 0: it came with it
	later  bool          // a later change of the same line gave it another time
}

// aroundLess is what a word of a neighboring line counts, to one of the line itself.
const aroundLess = 0.5

// constant is one of a file.
type constant struct {
	file *read.File
	read.Constant
}

// NewCorpus takes in the files of a suite, which it links with each other, and its history, the newest commit first,
// whose paths are those of the files.
func NewCorpus(files []*read.File, commits []past.Commit) *Corpus {
	c := &Corpus{links: read.Link(files), byName: map[string]*read.File{}, commits: commits, lines: map[string]fragment{}}
	var texts []rank.Text
	for _, f := range files {
		c.byName[f.Name] = f
		for _, w := range f.Waits {
			if w.Time > 0 {
				c.texts = append(c.texts, documented{file: f, wait: w, path: f.Name})
				texts = append(texts, textOf(w))
			}
		}
	}
	changed := map[string]bool{} // lines that a later commit gave another time, by file and what they said
	for i := range commits {
		for j := range commits[i].Edits {
			e := &commits[i].Edits[j]
			for k := range e.Changes {
				d, ok := c.documented(&commits[i], e, &e.Changes[k])
				if !ok {
					continue
				}
				key := e.File + "\x00" + strings.TrimSpace(d.change.New)
				d.later = changed[key]
				c.texts = append(c.texts, d)
				texts = append(texts, c.textOfChange(d))
				if d.change.Old != "" {
					changed[e.File+"\x00"+strings.TrimSpace(d.change.Old)] = true
				}
			}
		}
	}
	c.index = rank.New(texts)
	c.name(files)
	return c
}

// name collects the constants that files name of others.
func (c *Corpus) name(files []*read.File) {
	taken := map[*read.File]bool{}
	for _, f := range files {
		for _, other := range c.links.Known(f) {
			if other == f || taken[other] {
				continue
			}
			taken[other] = true
			for _, one := range other.Constants {
				if one.Timely() {
					c.named = append(c.named, constant{other, one})
				}
			}
		}
	}
}

// documented is a change that gave a line another time; not ok for any other change.
func (c *Corpus) documented(commit *past.Commit, e *past.Edit, change *past.Change) (documented, bool) {
	if change.New == "" || change.Old == "" {
		return documented{}, false
	}
	file := c.byName[e.File]
	l := read.LanguageOf(e.File)
	now, ok := c.timeIn(l, change.New, file, read.Sleep, read.Cap)
	if !ok {
		return documented{}, false
	}
	was, ok := c.timeIn(l, change.Old, file, read.Sleep, read.Cap)
	if !ok || was.Time == now.Time || was.Kind != now.Kind {
		return documented{}, false
	}
	return documented{file: file, wait: now, commit: commit, change: change, path: e.File, old: was.Time}, true
}

// timeIn is the first wait of some kinds with a time in a line that stands by itself.
func (c *Corpus) timeIn(l read.Language, line string, file *read.File, kinds ...read.Kind) (read.Wait, bool) {
	for _, w := range c.fragment(l, line, file).waits {
		if w.Time > 0 && slices.Contains(kinds, w.Kind) {
			return w, true
		}
	}
	return read.Wait{}, false
}

// textOf is the text by which a wait is compared.
func textOf(w read.Wait) rank.Text { return rank.TextOf(w.Own, w.Around, aroundLess) }

// textOfChange is that of a changed line.
func (c *Corpus) textOfChange(d documented) rank.Text {
	l := read.LanguageOf(d.path)
	own := c.fragment(l, d.change.New, nil).words
	around := slices.Concat(c.fragment(l, d.change.Above, nil).words, c.fragment(l, d.change.Below, nil).words)
	return rank.TextOf(own, around, aroundLess)
}

// fragment reads a line that stands by itself, once. One that names constants is read with those of its file each time.
func (c *Corpus) fragment(l read.Language, line string, file *read.File) fragment {
	key := string(l) + "\x00" + line
	known, ok := c.lines[key]
	if !ok {
		known.waits, known.words = read.Fragment(l, line, nil)
		c.lines[key] = known
	}
	if file != nil && slices.ContainsFunc(known.waits, func(w read.Wait) bool { return w.Time == 0 }) {
		found, _ := read.Fragment(l, line, file)
		return fragment{found, known.words}
	}
	return known
}
