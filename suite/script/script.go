package script

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
)

// Script is a suite file, read to its meaning.
type Script struct {
	File  string
	Tests []*Test

	Beside        Beside // other files
	dialect       Dialect
	Writer        Writer
	Data          []byte // the file
	Text          string // the file without its byte-order mark
	BOM           string
	Lines         []string             // of the text, each with its end
	GeneratorBugs map[int]GeneratorBug // lines of the text that are not as they were in the file, by their numbers
}

// Beside is the text of another file of a suite, by its path, which begins with the folder of the file that is read as
// the name of that does; false where there is none, or none that can be read. The text of a folder, whose path ends
// with a slash, is the names of its files, a line each.
type Beside func(path string) (text string, ok bool)

// Test is one test.
type Test struct {
	Name       string
	Line       int // of the beginning of its definition, from 1
	Calls      []*Call
	Assertions []*Assertion

	Head Span // its definition: what is said of the whole test stands above it
	// where what is done before its first statement is written: the beginning of a line, in bytes
	BodyStart   int
	BodyEnd     int          // where what is done after its last statement is written, as above
	Indent      string       // that of its statements
	Extractions []Extraction // in order
	Fresh       []FreshName  // what it draws anew in each run, by flaketap's doing
	Skipped     bool         // something keeps it from running: a decorator, an annotation
	Turn        int          // tests of an earlier turn run first, whatever order the runner has within one
	Runs        []Run        // where its runs take turns with those of other tests; nil where they follow each other
	Groups      []Group      // those that it stands in, the outermost first
}

// Group is what tests stand in together: a class, or a describe.
type Group struct {
	Name  string
	Start int // where it begins in its file, in bytes
}

// Run is one of the runs of a test that runs with several values.
type Run struct {
	From int // its first call, by its number
	// Place orders it among all runs of its file that begin with the same numbers: each table that the test stands in says
	// where it stands in the file, and its row; the test says where it stands itself.
	Place []int
}

// Call is one request that a test sends.
type Call struct {
	Line   int
	Var    string // the variable that takes the answer: "res_0"; one of our own making where the suite has none
	Method string
	// Target is path and query below the base URL, as the suite writes them. A NUL stands for a part that the suite
	// takes from a variable.
	Target string
	// Location is the variable that the target is resolved from, Target then being what is used where that is empty;
	// "" where the target stands in the suite.
	Location string
	Body     string // as sent; "" for an empty one
	Dynamic  bool   // the body holds what the suite takes from a variable
	Accept   string
	Guarded  bool   // it is expected to fail: it stands in a try or an assertRaises
	Follows  bool   // the client goes where an answer redirects it to, and shows the last answer
	Unset    string // the variable that it uses and nothing assigns, so that the test cannot go on; "" mostly
	// AnyOrder is that it is sent before or after others of its test that are so, in another order each time.
	AnyOrder bool
	// Once names a call that is sent once for several tests, as by a beforeAll: each of them has one of that name, and the
	// first to run sends it. "" mostly.
	Once string
	// Maybe is that a set-up sends it only where a variable that others hand on has no value, or where a look found
	// nothing.
	Maybe bool
	// Hook is whether a hook or a fixture sends it, before the first statement of its test.
	Hook bool
	// Many is whether it stands for any number of requests in a row: its test runs with several values, or it stands in a
	// loop. Anew is whether it is the first that its test sends in another of its runs, which begins however the run
	// before it ended.
	Many, Anew bool
	// Last is that the test sees, of the many requests that it stands for, the answer to the last: those of a loop that
	// waits for something.
	Last bool

	ExpectedStatus string // the status that the test asserts of the answer, as a token; "" where it asserts none

	Client   *expr.Client // the library that sends it
	At       Span         // the statement, or the chain of calls, that sends it
	TargetAt Span         // the expression of its URL; empty where it cannot be written anew
	BodyAt   Span         // the expression of its body; empty where there is none, or it cannot be written anew

	// Given is the source of the expression that its target has for its one unknown part, where that stands for it all
	// over the test; "" mostly. [Call.Passed] tells its value.
	Given string

	SentTarget  string   // the target that was sent, in an execution or in the session; known to what writes a set-up
	Headers     []Header // that it sends, in order, as far as the suite says so
	MoreHeaders bool     // it may send others, which the suite does not write out
}

// Header is a header that a call sends.
type Header struct {
	Name  string
	Value string // a NUL stands for a part that the suite takes from a variable
	At    Span   // the expression of its value; empty where it cannot be written anew
}

// Assertion is one assertion that is not commented out.
type Assertion struct {
	exchange.Claim        // zero but for where it stands, where the assertion is none of the generator's
	Text           string // as written
	Reason         string // why it was not understood; "" where it was

	// x is its meaning, nil where it could not be read; the answer of a call has the name of its variable there.
	Meaning expr.Expr
	At      Span
	Ours    bool            // flaketap wrote it, as the comment above says
	Prior   *PriorWeakening // what it says, where flaketap wrote it and it is to be weakened further
	Guards  []expr.Expr     // the conditions under which it says nothing, as above
	Rebound bool            // what it means is not what is written: it speaks of a value that a set-up gives
	// it compares with a stored snapshot, all members included
	Snapshot bool
	Plain    bool // what is said in its place is said without the snapshot
	// Looked is what it looks at, by the names that are known where it stands, whether these are followed or not; nil
	// where that is not known, or is another part of an answer each time, as of a loop over names.
	Looked expr.Expr
	// Uses are those of the function that it stands in; none where it stands in a test
	Uses []Use
	Runs bool // it is one of several runs of its test, or turns of a loop: what is said in its place is said of all
}

// Subject returns the expression whose value the assertion compares; nil where it compares none.
func (a *Assertion) Subject() expr.Expr {
	if a.Prior != nil {
		return a.Prior.Subject
	}
	switch x := expr.Last(a.Meaning).(type) {
	case expr.Compare:
		switch a.Relation {
		case exchange.Contains, exchange.Present, exchange.Absent:
			return x.Y
		case exchange.Length:
			return expr.Counted(x.X)
		}
		return x.X
	case expr.SameItems:
		return x.X
	case expr.IsURI:
		return x.X
	case expr.IsEmpty:
		return x.X
	case expr.HasPrefix:
		return x.X
	case expr.HasSuffix:
		return x.X
	case expr.IsType:
		return x.X
	case expr.Match:
		return x.X
	case expr.IsDigits:
		return x.X
	}
	return nil
}

// PriorWeakening is what a statement of flaketap's has said until now, where more has been seen since than it admits.
type PriorWeakening struct {
	Subject expr.Expr // what it looks at
	Values  []any     // values that it admits: those that it lists, or one of each type that it speaks of
}

// Understood reports whether the assertion was read to a claim, or was written by flaketap.
func (a *Assertion) Understood() bool { return a.Reason == "" }

// Extraction is an assignment of a test, to a variable other than those of a request: of what an answer gave, mostly.
type Extraction struct {
	Name  string
	Value expr.Expr // as of an [Assertion]
	At    Span
}

// Span is a piece of a file that begins on a line of its own: a statement, or a link of a chain of calls.
type Span struct {
	Indent    string // the white space before it
	FirstLine int    // its lines, from 1
	LastLine  int
	Start     int // where it begins and ends, in bytes
	End       int
}

// GeneratorBug is a line that the generator wrote wrong and that was read as what it must have meant.
type GeneratorBug struct {
	At     Span // of the assertion
	Reason string
	Before string
	After  string
}

// Edit replaces the bytes from start to end of the script's text; or, where it has an indentation, begins each line
// between them with that.
type Edit struct {
	Start, End int
	Text       string
	Indent     string
	// Once is that it stands for all that are the same, as several changes need the same import. Those of one place are
	// made in the order of their texts.
	Once bool
}

// Apply makes edits of a text. Those that replace do not overlap.
func Apply(text string, edits []Edit) string {
	var shifts []Edit
	edits = slices.DeleteFunc(slices.Clone(edits), func(e Edit) bool {
		if e.Indent != "" {
			shifts = append(shifts, e)
		}
		return e.Indent != ""
	})
	slices.SortStableFunc(edits, func(a, b Edit) int {
		if a.Once && b.Once {
			return cmp.Or(a.Start-b.Start, strings.Compare(a.Text, b.Text))
		}
		return cmp.Or(a.Start-b.Start, min(1, a.End-a.Start)-min(1, b.End-b.Start)) // what is put before what is replaced
	})
	edits = slices.CompactFunc(edits, func(a, b Edit) bool { return a.Once && a == b })
	var b strings.Builder
	fresh := true // at the beginning of a line
	write := func(line, indent string) {
		if fresh && indent != "" && strings.Trim(line, "\r\n") != "" {
			b.WriteString(indent)
		}
		b.WriteString(line)
		fresh = strings.HasSuffix(line, "\n")
	}
	indentAt := func(at int) string {
		for _, x := range shifts {
			if x.Start <= at && at < x.End {
				return x.Indent
			}
		}
		return ""
	}
	at := 0
	for _, e := range append(edits, Edit{Start: len(text), End: len(text)}) {
		for line := range strings.Lines(text[at:e.Start]) {
			write(line, indentAt(at))
			at += len(line)
		}
		for line := range strings.Lines(e.Text) {
			write(line, indentAt(e.Start))
		}
		at = e.End
	}
	return b.String()
}

// Addition is an assertion that is added to a file.
type Addition struct {
	Text    string // as [Writer.Assert] wrote it
	Comment string // that goes above it, as [Script.Comment] makes it; "" for none
}

// below returns the edit that writes lines below one that ends with a piece of the file, each with its indentation;
// false where more than an end of the statement or a comment stands behind that.
func (s *Script) below(at Span, adds []Addition) (Edit, bool) {
	rest, ok := s.behind(at)
	end := at.End + len(strings.TrimSuffix(rest, "\r"))
	return Edit{Start: end, End: end, Text: s.linesOf(at.Indent, adds)}, ok
}

// behind is what stands behind a piece of the file in its line; false where that is more than an end of the statement
// or a comment.
func (s *Script) behind(at Span) (rest string, ok bool) {
	rest, _, _ = strings.Cut(s.Text[at.End:], "\n")
	code := strings.Trim(rest, "; \t\r")
	return rest, code == "" || strings.HasPrefix(code, strings.TrimSpace(s.dialect.Mark))
}

// Lines is the [Writer.Behind] of dialects whose assertions are lines of their own.
func Lines(s *Script, _ *Test, a *Assertion, adds []Addition) (Edit, bool) {
	return s.below(a.At, adds)
}

// linesOf are additions as lines that follow one, each with an indentation.
func (s *Script) linesOf(indent string, adds []Addition) string {
	eol, text := LineEnd(s.Lines[0]), ""
	for _, add := range adds {
		if add.Comment != "" {
			text += eol + indent + add.Comment
		}
		text += eol + indent + add.Text
	}
	return text
}

// Within returns the edit that goes on with a chain of calls behind one of its links, each link on a line of its own;
// false where more than the end of the statement stands behind that on its line.
func (s *Script) Within(link Span, adds []Addition) (Edit, bool) {
	rest, _, _ := strings.Cut(s.Text[link.End:], "\n")
	return Edit{Start: link.End, End: link.End, Text: s.linesOf(link.Indent, adds)}, strings.Trim(rest, "; \t\r") == ""
}

// Calls returns how many requests the tests send. One that several tests speak of counts once.
func (s *Script) Calls() int {
	calls := map[*Call]bool{}
	for _, t := range s.Tests {
		for _, c := range t.Calls {
			calls[c] = true
		}
	}
	return len(calls)
}

// Repeats reports whether a call of the tests stands for any number of requests.
func (s *Script) Repeats() bool {
	return slices.ContainsFunc(s.Tests, func(t *Test) bool {
		return slices.ContainsFunc(t.Calls, func(c *Call) bool { return c.Many })
	})
}

// Commented reports whether the line above the given one, both from 1, is a comment of flaketap's.
func (s *Script) Commented(line int) bool {
	return line > 1 && strings.HasPrefix(strings.TrimLeft(s.Lines[line-2], " \t"), s.dialect.Mark+CommentMark)
}

// CommentAbove returns the comment of flaketap's in the line above that in which a piece of the file begins: where it
// stands, without indentation and line end, and what it says.
func (s *Script) CommentAbove(at Span) (Span, string, bool) {
	begin := strings.LastIndexAny(s.Text[:at.Start], "\r\n") + 1
	if begin == 0 || !s.Commented(at.FirstLine) {
		return Span{}, "", false
	}
	line := s.Lines[at.FirstLine-2]
	text := strings.TrimLeft(line, " \t")
	says := strings.TrimRight(text, "\r\n")
	indent := line[:len(line)-len(text)]
	out := Span{Indent: indent, FirstLine: at.FirstLine - 1, LastLine: at.FirstLine - 1, Start: begin - len(text)}
	out.End = out.Start + len(says)
	return out, strings.TrimPrefix(says, s.dialect.Mark+CommentMark), true
}

// BeginsLine reports whether only white space stands before a piece of the file in its line.
func (s *Script) BeginsLine(at Span) bool {
	begin := strings.LastIndexAny(s.Text[:at.Start], "\r\n") + 1
	return strings.Trim(s.Text[begin:at.Start], " \t") == ""
}

// CommentOut comments out each line of a span.
func (s *Script) CommentOut(at Span) []Edit {
	var out []Edit
	pos := at.Start
	for n := at.FirstLine; n <= at.LastLine; n++ {
		out = append(out, Edit{Start: pos, End: pos, Text: s.dialect.Mark})
		length := len(s.Lines[n-1])
		if n == at.FirstLine { // which may begin with other statements
			length = strings.IndexAny(s.Text[pos:], "\r\n") + 1
			if strings.HasSuffix(s.Lines[n-1], "\r\n") {
				length++
			}
		}
		pos += length
	}
	return out
}

// Comment is a comment of flaketap's that ends with its line, in the script's language.
func (s *Script) Comment(text string) string { return s.PlainComment(CommentMark + text) }

// PlainComment is a comment that ends with its line, whatever the text is.
func (s *Script) PlainComment(text string) string {
	text = OneLine(text)
	if s.Writer.Escape != nil {
		text = s.Writer.Escape(text)
	}
	return s.dialect.Mark + text
}

// OneLine makes a text fit for a comment that ends with its line.
func OneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text)
}

// LineEnd is the line end that a text ends with; "" where it ends with none.
func LineEnd(line string) string { return line[len(strings.TrimRight(line, "\r\n")):] }

// EOL is how the file's lines end: as its first does, and with "\n" where that has no end.
func (s *Script) EOL() string { return cmp.Or(LineEnd(s.Lines[0]), "\n") }

// commentMark begins every comment that flaketap writes into a suite, behind what the suite's language begins it with.
const CommentMark = "flaketap: "

// LineStarts lists where the lines of a script begin, in bytes.
func LineStarts(s *Script) []int {
	out := make([]int, len(s.Lines))
	pos := 0
	for i, l := range s.Lines {
		out[i] = pos
		pos += len(l)
	}
	return out
}

// Sends reports whether a call sends what another does, as far as it is written out.
func (c *Call) Sends(other *Call) bool {
	return c.Method == other.Method && c.Target == other.Target && c.Body == other.Body && !c.Dynamic && !other.Dynamic
}

// LooksAt reports whether an assertion of the test looks at the answer to a call.
func (t *Test) LooksAt(c *Call) bool {
	return slices.ContainsFunc(t.Assertions, func(a *Assertion) bool { return slices.Contains(t.Answers(a.Meaning), c) })
}

// HasSetUp reports whether a test has a set-up of flaketap's.
func (t *Test) HasSetUp() bool {
	return slices.ContainsFunc(t.Calls, func(c *Call) bool { return strings.HasPrefix(c.Var, SetUpPrefix) }) ||
		slices.ContainsFunc(t.Extractions, func(k Extraction) bool { return strings.HasPrefix(k.Name, SetUpPrefix) })
}

// SentByHook notes that calls are sent before the first statement of their test; once for several tests, under a name
// that these have in common, "" where it is for each.
func SentByHook(calls []*Call, name string) {
	for i, c := range calls {
		c.Hook = true
		if name != "" && c.Once == "" {
			c.Once = fmt.Sprintf("%s.%d", name, i)
		}
	}
}

// Header returns the n-th header of a name, in lower case, that a call sends.
func (c *Call) Header(name string, n int) (Header, bool) {
	for _, h := range c.Headers {
		if strings.EqualFold(h.Name, name) {
			if n == 0 {
				return h, true
			}
			n--
		}
	}
	return Header{}, false
}
