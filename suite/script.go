package suite

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
)

// maxSuite bounds the size of a suite file, in bytes.
const maxSuite = 64 << 20

// Script is a suite file, read to its meaning.
type Script struct {
	File  string
	Tests []*Test

	language language
	data     []byte // the file
	text     string // the file without its byte-order mark
	bom      string
	lines    []string     // of the text, each with its end
	slips    map[int]slip // lines of the text that are not as they were in the file, by their numbers
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

// language is a form of suites: how they are read, and how what flaketap has to say is written in them.
type language interface {
	// read reads the tests of a script's text. The error is a *SyntaxError.
	read(s *Script) error
	// mark is what a comment that fills a line begins with, a blank included: "# ", "// ".
	mark() string
	// write returns the source text that says x in the place of an assertion, and false where the language cannot say
	// it there.
	write(s *Script, t *Test, a *Assertion, x expr.Expr) (string, bool)
	// disable returns the edits that comment an assertion out.
	disable(s *Script, a *Assertion) []edit
	// lenient returns the source text of a taking that gives an empty text where the answer lacks what it takes, and its
	// meaning; false where it does so already, or cannot.
	lenient(s *Script, k *taking) (string, expr.Expr, bool)
	// unset returns the lines that go above a call whose variable c.Unset nothing assigns, so that it can be sent as it
	// was; false where there is no one remedy.
	unset(c *Call) ([]string, bool)
	// skip returns the line that goes above a test's definition to keep it from running, and says why.
	skip(reason string) string
	// path is how FlakyCatch's comments name what an assertion looks at: ["id"], .id, 'id'.
	path(t *Test, a *Assertion, subject expr.Expr) string
}

// inPlace is a language whose tests are kept from running where they are defined, and not by a line above.
type inPlace interface {
	skipped(s *Script, t *Test) []edit
}

// mover is a language in which what is said may have to stand elsewhere than the assertion did; it returns no edits where not.
type mover interface {
	instead(s *Script, t *Test, a *Assertion, text, comment string) []edit
}

// commenter is a language in which a comment is more than a line of its own.
type commenter interface {
	above(s *Script, at span, lines []string) edit
}

// guarder is a language in which a taking ends the test where the answer is another than the one that has what is taken, as JSON of
// an error has no token. It returns the statement that goes on with an empty text there, and its meaning.
type guarder interface {
	guarded(s *Script, k *taking, c *Call) (string, expr.Expr)
}

// escaper is a language that reads escapes in comments too.
type escaper interface {
	escaped(text string) string
}

// languages lists the forms that are known, by the end of the file's name.
func languages() map[string]language {
	return map[string]language{
		".py":   unittest{},
		".java": &junit{},
		".kt":   &junit{kotlin: true},
		".js":   jest{}, ".mjs": jest{}, ".cjs": jest{}, ".ts": jest{},
		".json": &postman{},
		".hurl": hurlFile{},
	}
}

// Forms says for people which suites [Read] reads.
const Forms = "EvoMaster's tests in Python (.py), Java and Kotlin (.java, .kt), and for Jest (.js, .mjs, .cjs, .ts); Postman's collections (.json); Hurl's files (.hurl)"

// Readable reports whether a file may hold tests of a form that [Read] knows, by its name.
func Readable(name string) bool {
	_, ok := languages()[strings.ToLower(path.Ext(name))]
	return ok
}

// Read reads a suite, patched ones included, in the form that its name tells. The error is a [SyntaxError] where the
// file is no suite of that form, or is damaged.
func Read(name string, data []byte) (*Script, error) {
	l, ok := languages()[strings.ToLower(path.Ext(name))]
	if !ok {
		return nil, &SyntaxError{File: name, Reason: "no form of suite is known by that name"}
	}
	s := &Script{File: name, language: l, data: data}
	if len(data) > maxSuite {
		return nil, &SyntaxError{File: name, Reason: fmt.Sprintf("larger than %d bytes", maxSuite)}
	}
	if bytes.HasPrefix(data, []byte("\xef\xbb\xbf")) {
		s.bom, data = string(data[:3]), data[3:]
	}
	s.text = string(data)
	s.lines = splitLines(s.text)
	for i, line := range s.lines {
		if !utf8.ValidString(line) {
			return nil, &SyntaxError{File: name, Line: i + 1, Reason: "not valid UTF-8"}
		}
	}
	if err := l.read(s); err != nil {
		return nil, err
	}
	for _, t := range s.Tests {
		for _, a := range slices.Backward(t.Assertions) {
			if a.Place == exchange.PlaceStatus && a.Relation == exchange.Equal {
				t.Calls[a.Call].expected = a.Value
			}
		}
	}
	return s, nil
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
	return line > 1 && strings.HasPrefix(strings.TrimLeft(s.lines[line-2], " \t"), s.language.mark()+commentMark)
}

// commentOut comments out each line of a span.
func (s *Script) commentOut(at span) []edit {
	var out []edit
	pos := at.start
	for n := at.first; n <= at.last; n++ {
		out = append(out, edit{pos, pos, s.language.mark()})
		line := s.lines[n-1]
		if n == at.first {
			line = line[len(at.indent):]
		}
		pos += len(line)
	}
	return out
}
