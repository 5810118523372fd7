package read

import (
	"strings"
	"time"
)

// Kind is what a wait does with its time.
type Kind string

// The kinds.
const (
	// Sleep lets all of its time pass, whatever happens: a lower bound.
	Sleep Kind = "sleep"
	// Cap ends a wait for something that does not come: an upper bound, which costs nothing where it comes.
	Cap Kind = "cap"
	// Interval is the time between two looks.
	Interval Kind = "interval"
)

// Wait is one place of a text that waits.
type Wait struct {
	Kind Kind
	Form string        // the call, and its argument if that has a name: "cy.wait", "toBeVisible timeout"
	Time time.Duration // 0: a constant that is not known
	Expr string        // as it is written: "500", "2 * time.Second", "WAIT_LONG"
	Name string        // of the constant that it is; "" where it is none
	From int           // the line where the call begins
	Line int           // the line where the time stands
	Text string        // that line, without what it is indented by; of a long one its beginning
	Test string        // the name of the test or function around; "" where there is none

	At     Span // the time, as it is written
	UnitAt Span // the unit, where another argument names that: the SECONDS of atMost(5, SECONDS)
	Typed  bool // it is a time by itself, as 2 * time.Second is, and not a number

	Own    []string // the words of the line where the call begins, and of that where the time stands
	Around []string // those of the next lines with words before and behind

	unit time.Duration // of a plain number
	made []token       // what the time is made of, where that has constants of another file: 2 * WAIT_LONG
}

// Span is a piece of a file, in bytes; the zero Span is none.
type Span struct{ Start, End int }

// Unit is what a plain number stands for in the place of the wait's time.
func (w Wait) Unit() time.Duration { return w.unit }

// In returns the time that a constant has where it stands in the place of the wait's own: a number is in the unit that
// the call takes.
func (w Wait) In(c Constant) (time.Duration, bool) {
	unit := w.unit
	all := parts(c.Name)
	if named, ok := unitNames[all[max(0, len(all)-1)]]; ok && len(all) > 1 {
		unit = named
	}
	return c.value().as(unit)
}

// Constant is a name that a file gives a number or a time.
type Constant struct {
	Name   string  // with those of the objects around: "TIMEOUTS.page"
	Number float64 // where it has no unit
	Time   time.Duration
	Line   int
}

// File is what was read of one.
type File struct {
	Name      string // its path, with slashes
	Language  Language
	Lines     int // how many it has
	Waits     []Wait
	Constants []Constant
	Imports   []string // what it names of other files, as it is written there

	tests     []header          // by their first lines
	byName    map[string][]int  // constants, by the last part of their names
	extends   []string          // classes that it names where it declares one
	aliases   map[string]string // names under which it imports calls that wait, and those names
	fromMilli bool              // it speaks to Playwright from Python, whose times are milliseconds
}

// The bounds on what one file may hold.
const (
	maxWaits     = 5_000
	maxConstants = 5_000
	maxWords     = 64 // of one line
	maxWord      = 64 // in bytes
)

// Parse reads a file of that name, whose extension tells the language. One in a language that is not read has nothing.
func Parse(name string, src []byte) *File {
	f := &File{Name: name, Language: LanguageOf(name)}
	if f.Language == "" {
		return f
	}
	tokens := lex(string(src), f.Language)
	f.imports(tokens)
	f.readAliases(tokens)
	w := &walker{file: f, tokens: tokens}
	w.constants()
	w.parameters()
	w.walk()
	f.texts(string(src))
	f.near(tokens)
	return f
}

// maxText bounds the text of a line that is kept, in bytes.
const maxText = 300

// texts gives waits the texts of their lines, and counts these.
func (f *File) texts(src string) {
	next := 0
	for text := range strings.Lines(src) {
		f.Lines++
		for next < len(f.Waits) && f.Waits[next].Line == f.Lines {
			text = strings.TrimSpace(text)
			f.Waits[next].Text = strings.ToValidUTF8(text[:min(len(text), maxText)], "")
			next++
		}
	}
}

// Fragment reads a line that stands by itself, as in a difference: calls may begin before it and end behind it. The
// file's constants are known where f is not nil.
func Fragment(l Language, line string, f *File) ([]Wait, []string) {
	known := &File{Language: l}
	if f != nil {
		known.Constants, known.byName, known.fromMilli = f.Constants, f.byName, f.fromMilli
		known.aliases = f.aliases
	}
	tokens := lex(line, l)
	w := &walker{file: known, tokens: tokens, fragment: true}
	w.walk()
	return known.Waits, vocabulary{}.wordsFrom(tokens, 0, 1)
}

// ConstantIn reads a line that stands by itself and gives a name that sounds like that of a time a value.
func ConstantIn(l Language, line string) (Constant, bool) {
	alone := &File{Language: l}
	w := &walker{file: alone, tokens: lex(line, l), fragment: true}
	w.constants()
	for _, c := range alone.Constants {
		if c.Timely() {
			return c, true
		}
	}
	return Constant{}, false
}
