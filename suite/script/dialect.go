package script

import (
	"bytes"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
)

// maxSuite bounds the size of a suite file, in bytes.
const maxSuite = 64 << 20

// Dialect is a form of suites: how its files are recognized and read.
type Dialect struct {
	Name       string   // for people, with the ends of its files' names: "Hurl's files (.hurl)"
	Extensions []string // the ends of its files' names, in lower case: ".hurl"
	Mark       string   // what a comment that fills a line begins with, a blank included: "# ", "// "
	// Read reads the tests of a script's text, and returns how that file is written. The error is a *SyntaxError.
	Read func(s *Script) (Writer, error)
}

// Writer is what can be written into a file of a dialect. A nil function says that the dialect has no need of it, or
// lacks it; its comment says what is done then.
type Writer struct {
	// Assert returns the source text that says x in the place of an assertion; false where the dialect cannot say it
	// there.
	Assert func(s *Script, t *Test, a *Assertion, x expr.Expr) (string, bool)
	// Disable returns the edits that comment an assertion out.
	Disable func(s *Script, a *Assertion) []Edit
	// Path is how FlakyCatch's comments name what an assertion looks at: ["id"], .id, 'id'.
	Path func(t *Test, a *Assertion, subject expr.Expr) string

	// Behind returns the edit that writes further assertions of its call behind one; false where they cannot stand
	// there, nil where none can be added in this form.
	Behind        func(s *Script, t *Test, a *Assertion, adds []Addition) (Edit, bool)
	CountsMembers bool // an [expr.Len] of an object counts its members, when it is added
	// Escape changes the text of a comment so that nothing in it is read as code; nil where comments have no escapes.
	Escape func(text string) string
	// Above returns the edits that write lines above a piece of the file; nil where they are lines like any others.
	Above func(s *Script, at Span, lines []string) []Edit
	// Move returns the edits that write what is said where it may have to stand elsewhere than the assertion did; no
	// edits where it stands in its place, nil where it always does.
	Move func(s *Script, t *Test, a *Assertion, text, comment string) []Edit
	// Optional returns the source text of an extraction that gives an empty text where the answer lacks what it takes,
	// and its meaning; false where it does so already, nil where all do.
	Optional func(s *Script, k *Extraction) (string, expr.Expr, bool)
	// Guard returns the statement that goes on with an empty text where the answer is another than the one that has
	// what is taken, and its meaning; nil where the test goes on without it.
	Guard func(s *Script, k *Extraction, c *Call) (string, expr.Expr)
	// Define returns the lines that go above a call whose variable c.Unset nothing assigns, so that it can be sent as
	// it was; false where there is no one remedy, nil where there never is.
	Define func(c *Call) ([]string, bool)
	// Skip returns the line that goes above a test's definition to keep it from running, and says why; nil where there
	// is none.
	Skip func(reason string) string
	// SkipInPlace returns the edits that keep a test from running where it is defined; nil where a line above does.
	SkipInPlace func(s *Script, t *Test) []Edit
	// Elsewhere returns what else changes as assertions come to say what is given, nil where they are commented out:
	// edits of the file, and the files beside it as they are then. nil where nothing does.
	Elsewhere func(s *Script, said map[*Assertion]expr.Expr) ([]Edit, []BesideFile)
	// Imports returns the edits that import what others speak of; nil where none do that.
	Imports func(s *Script, edits []Edit) []Edit
	// Poll returns the edits that have a test send a read again until its answer is ready, as waits say; no edits where
	// the read stands where that cannot be written, nil where it never can.
	Poll func(s *Script, t *Test, w Wait) []Edit
	// Graft writes requests that go before and after a test's own; nil where the dialect has no way to.
	Graft *Grafter
}

// BesideFile is a file beside that of a script, which changes with it.
type BesideFile struct {
	Path string // as [Beside] takes it
	Text string
}

// Grafter writes set-ups into the tests of a dialect.
type Grafter struct {
	// SetUp returns the lines, without the test's indentation, that send what is given before a test's first statement,
	// and those that stand behind its last one so that clean is sent whether the test passes or fails. Each request
	// asserts its status, where it has one, and assigns what it takes.
	SetUp func(s *Script, t *Test, before, clean []SetUpRequest) (open, end []string)
	// URL returns the expression of a call's URL, base URL included, for that of Call.target. It is "", here and below,
	// where there is none.
	URL func(s *Script, c *Call, target []TextPart) string
	// Body returns the expression of a call's body, for that of Call.body.
	Body func(s *Script, c *Call, body []TextPart) string
	// Header returns the expression of a header's value, for one of Call.headers.
	Header func(s *Script, c *Call, value []TextPart) string
	// Able reports whether a request can be written for a test, so that it is sent as it is, and whether the source of
	// a URL keeps the variables that it has; nil where every one can.
	Able func(s *Script, t *Test, x SetUpRequest) bool
	// Bind returns the edits that put variables into what a test's own call was seen to send, where the dialect knows
	// that at the literals which it comes from: parts are sent, with variables. It serves in the place of URL, Body and
	// Header, and says that set-ups are sent by the test's own client, which adds headers of its own. What is written is
	// read again before it counts.
	Bind func(s *Script, c *Call, sent string, parts []TextPart) ([]Edit, bool)
	// Fresh returns the statement, in a line, that gives a variable a text which is another in each run; nil where the
	// dialect has no words for one.
	Fresh func(s *Script, t *Test, v FreshText) string
	// Everywhere returns the edits that put a variable in the place of a text wherever the literals of the test's own
	// statements hold it by itself, those within some pieces of the file aside; false where one holds it in a way in which
	// that cannot be done. It goes with Bind.
	Everywhere func(s *Script, t *Test, text, variable string, but []Span) ([]Edit, bool)
	// Outside returns the edits that put a variable in the place of a text in the literals of the file that no test has
	// for itself, and where the statement goes that gives the variable its value, with so many empty lines behind it; no
	// edits where there are none, false where one holds the text in a way in which that cannot be done, or another test
	// writes it out as well. nil where none is put there.
	Outside func(s *Script, t *Test, text, variable string) (edits []Edit, at, gap int, ok bool)
	// FreshOutside is Fresh where Outside puts the statement; nil where that is the same.
	FreshOutside func(s *Script, t *Test, v FreshText) string
	// Shares names what a test takes from others that hand it on, and what it hands on itself; "" for nothing. nil where
	// none do.
	Shares func(s *Script, t *Test) (reads, gives string)
	// Takes lists all variables that others hand a test, and Handed is the one that the target of a call takes its one
	// unknown part from, or a member of one; "" where it takes that from none. SetUp gives these a value: Capture.Into.
	// nil where none are given one.
	Takes  func(s *Script, t *Test) []string
	Handed func(s *Script, t *Test, c *Call) string
	// Refused says why nothing can be written into a test, whatever that is, and "" where it can; nil where each can.
	Refused func(s *Script, t *Test) string
	// Sender says why no request can be sent at the head of a test, "" where one can; nil where one always can.
	Sender func(s *Script, t *Test) string
	// Place returns the edits that put into the file what SetUp returned; nil where that is lines above and below a
	// test's. used are the variables assigned there that the test's own requests and assertions speak of.
	Place func(s *Script, t *Test, open, end, used []string) []Edit
	// Otherwise is that SetUp writes what [Capture] says of an answer of another status.
	Otherwise bool
	// Ahead reports whether a hook sends a call before what SetUp writes; nil where every hook does.
	Ahead func(s *Script, t *Test, c *Call) bool
	// Reaches reports whether what Early writes is sent before a call that a hook sends, though what SetUp writes is not;
	// nil where there is no Early.
	Reaches func(s *Script, t *Test, c *Call) bool
	// Early returns the lines and the edits of a set-up that the test's hooks are to find, and its clean-up, in the place
	// of SetUp and Place; false where it has no place. fresh are the statements of Fresh for it, used is as that of Place.
	Early func(s *Script, t *Test, fresh []string, before, clean []SetUpRequest, used []string) (lines []string,
		edits []Edit, ok bool)
}

// Before reports whether what SetUp writes is sent before a call that a hook sends.
func (g *Grafter) Before(s *Script, t *Test, c *Call) bool {
	return g != nil && g.Ahead != nil && !g.Ahead(s, t, c)
}

// Again reads another text of the same file.
func (s *Script) Again(text string) (*Script, error) {
	return ReadAmong(s.dialect, s.File, []byte(text), s.Beside)
}

// ReadAs reads a suite, patched ones included, as a file of a dialect. The error is a [SyntaxError] where the file is
// no suite of that form, or is damaged.
func Read(d Dialect, name string, data []byte) (*Script, error) {
	return ReadAmong(d, name, data, func(string) (string, bool) { return "", false })
}

// ReadAmong is [Read] for a file that has others beside it, from which it takes functions.
func ReadAmong(d Dialect, name string, data []byte, beside Beside) (*Script, error) {
	s := &Script{File: name, dialect: d, Data: data, Beside: beside}
	if len(data) > maxSuite {
		return nil, &SyntaxError{File: name, Reason: fmt.Sprintf("larger than %d bytes", maxSuite)}
	}
	if bytes.HasPrefix(data, []byte("\xef\xbb\xbf")) {
		s.BOM, data = string(data[:3]), data[3:]
	}
	s.Text = string(data)
	s.Lines = SplitLines(s.Text)
	for i, line := range s.Lines {
		if !utf8.ValidString(line) {
			return nil, &SyntaxError{File: name, Line: i + 1, Reason: "not valid UTF-8"}
		}
	}
	w, err := d.Read(s)
	if err != nil {
		return nil, err
	}
	s.Writer = w
	s.freshNames()
	for _, t := range s.Tests {
		for _, a := range slices.Backward(t.Assertions) {
			if a.Call >= len(t.Calls) { // it is about no answer, whatever it looks like
				a.Relation, a.Place, a.Value = "", "", ""
			}
			if a.Place == exchange.PlaceStatus && a.Relation == exchange.Equal {
				t.Calls[a.Call].ExpectedStatus = a.Value
			}
			if a.Runs {
				t.expects(a)
			}
			for _, use := range a.Uses {
				use.expect(a)
			}
		}
	}
	return s, nil
}
