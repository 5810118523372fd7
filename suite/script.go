package suite

import (
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

	dialect Dialect
	writer  Writer
	data    []byte // the file
	text    string // the file without its byte-order mark
	bom     string
	lines   []string     // of the text, each with its end
	slips   map[int]slip // lines of the text that are not as they were in the file, by their numbers
}

// Test is one test.
type Test struct {
	Name       string
	Line       int // of the beginning of its definition, from 1
	Calls      []*Call
	Assertions []*Assertion

	head    span     // its definition: what is said of the whole test stands above it
	open    int      // where what is done before its first statement is written: the beginning of a line, in bytes
	end     int      // where what is done after its last statement is written, as above
	indent  string   // that of its statements
	takings []taking // in order
	skipped bool     // something keeps it from running: a decorator, an annotation
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
	Unset    string // the variable that it uses and nothing assigns, so that the test cannot go on; "" mostly

	expected string // the status that the test asserts of the answer, as a token; "" where it asserts none

	client *expr.Client // the library that sends it
	at     span         // the statement, or the chain of calls, that sends it
	target span         // the expression of its URL; empty where it cannot be written anew
	body   span         // the expression of its body; empty where there is none, or it cannot be written anew

	sent    string   // the target that was sent, in an execution or in the session; known to what writes a set-up
	headers []header // that it sends, in order, as far as the suite says so
	unclear bool     // it may send others, which the suite does not write out
}

// header is a header that a call sends.
type header struct {
	name  string
	value string // a NUL stands for a part that the suite takes from a variable
	at    span   // the expression of its value; empty where it cannot be written anew
}

// Assertion is one assertion that is not commented out.
type Assertion struct {
	exchange.Claim        // zero but for where it stands, where the assertion is none of the generator's
	Text           string // as written
	Reason         string // why it was not understood; "" where it was

	// x is its meaning, nil where it could not be read; the answer of a call has the name of its variable there.
	x       expr.Expr
	at      span
	ours    bool        // flaketap wrote it, as the comment above says
	earlier *earlier    // what it says, where flaketap wrote it and it is to be weakened further
	guards  []expr.Expr // the conditions under which it says nothing, as above
	bound   bool        // what it means is not what is written: it speaks of a value that a set-up gives
}

// Subject returns the expression whose value the assertion compares; nil where it compares none.
func (a *Assertion) Subject() expr.Expr {
	if a.earlier != nil {
		return a.earlier.subject
	}
	switch x := expr.Last(a.x).(type) {
	case expr.Compare:
		switch a.Relation {
		case exchange.Contains, exchange.Present, exchange.Absent:
			return x.Y
		case exchange.Length:
			return expr.Counted(x.X)
		}
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

// earlier is what a statement of flaketap's has said until now, where more has been seen since than it admits.
type earlier struct {
	subject expr.Expr // what it looks at
	values  []any     // values that it admits: those that it lists, or one of each type that it speaks of
}

// Understood reports whether the assertion was read to a claim, or was written by flaketap.
func (a *Assertion) Understood() bool { return a.Reason == "" }

// taking is an assignment of a test, to a variable other than those of a request: of what an answer gave, mostly.
type taking struct {
	name string
	x    expr.Expr // as of an [Assertion]
	at   span
}

// span is a piece of a file that begins on a line of its own: a statement, or a link of a chain of calls.
type span struct {
	indent string // the white space before it
	first  int    // its lines, from 1
	last   int
	start  int // where it begins and ends, in bytes
	end    int
}

// slip is a line that the generator wrote wrong and that was read as what it must have meant.
type slip struct {
	at     span // of the assertion
	reason string
	before string
	after  string
}

// edit replaces the bytes from start to end of the script's text.
type edit struct {
	start, end int
	text       string
}

// Calls returns how many requests the tests send.
func (s *Script) Calls() int {
	n := 0
	for _, t := range s.Tests {
		n += len(t.Calls)
	}
	return n
}

// commented reports whether the line above the given one, both from 1, is a comment of flaketap's.
func (s *Script) commented(line int) bool {
	return line > 1 && strings.HasPrefix(strings.TrimLeft(s.lines[line-2], " \t"), s.dialect.Mark+commentMark)
}

// commentOut comments out each line of a span.
func (s *Script) commentOut(at span) []edit {
	var out []edit
	pos := at.start
	for n := at.first; n <= at.last; n++ {
		out = append(out, edit{pos, pos, s.dialect.Mark})
		line := s.lines[n-1]
		if n == at.first {
			line = line[len(at.indent):]
		}
		pos += len(line)
	}
	return out
}

// comment is a comment of flaketap's that ends with its line, in the script's language.
func (s *Script) comment(text string) string { return s.plainComment(commentMark + text) }

// plainComment is a comment that ends with its line, whatever the text is.
func (s *Script) plainComment(text string) string {
	text = oneLineOf(text)
	if s.writer.Escape != nil {
		text = s.writer.Escape(text)
	}
	return s.dialect.Mark + text
}

// oneLineOf makes a text fit for a comment that ends with its line.
func oneLineOf(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text)
}

// lineEnd is the line end that a text ends with; "" where it ends with none.
func lineEnd(line string) string { return line[len(strings.TrimRight(line, "\r\n")):] }

// commentMark begins every comment that flaketap writes into a suite, behind what the suite's language begins it with.
const commentMark = "flaketap: "

// lineStarts lists where the lines of a script begin, in bytes.
func lineStarts(s *Script) []int {
	out := make([]int, len(s.lines))
	pos := 0
	for i, l := range s.lines {
		out[i] = pos
		pos += len(l)
	}
	return out
}

// given reports whether a test has a set-up of flaketap's.
func (t *Test) given() bool {
	return slices.ContainsFunc(t.Calls, func(c *Call) bool { return strings.HasPrefix(c.Var, setUpName) }) ||
		slices.ContainsFunc(t.takings, func(k taking) bool { return strings.HasPrefix(k.name, setUpName) })
}

// header returns the n-th header of a name, in lower case, that a call sends.
func (c *Call) header(name string, n int) (header, bool) {
	for _, h := range c.headers {
		if strings.EqualFold(h.name, name) {
			if n == 0 {
				return h, true
			}
			n--
		}
	}
	return header{}, false
}
