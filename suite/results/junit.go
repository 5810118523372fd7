package results

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// junit reads JUnit XML. There is no one schema of it: what the runners have in common are elements testcase within
// testsuite, with the attributes classname, name and time, and within them failure, error and skipped.
type junit struct {
	*list
	suites []testsuite // those around
	open   []string    // the names of all elements around
	test   *Detailed   // within a testcase
	text   []byte      // of the element that says why it failed, so far
	deep   int         // how many elements around belong to what says why; 0 where none does
	found  bool        // an element of the form was there
}

// testsuite is an element of that name.
type testsuite struct {
	name  string
	first int       // the first of its results
	begun time.Time // zero where it does not say
	took  time.Duration
	round time.Duration // how much later it may have begun, as the time is rounded down
}

func readJUnit(data []byte, l *list) error {
	j := &junit{list: l}
	d := xml.NewDecoder(bytes.NewReader(printable(data)))
	d.Strict = false // names of tests may hold entities that nobody has declared
	d.CharsetReader = charset
	for {
		token, err := d.RawToken()
		switch {
		case errors.Is(err, io.EOF):
			return j.end()
		case err != nil:
			return j.broken(d, err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			err = j.start(t)
		case xml.EndElement:
			err = j.close(t.Name.Local)
		case xml.CharData:
			if j.deep > 0 {
				j.text = append(j.text, t...)
			}
		}
		if err != nil {
			return j.broken(d, err)
		}
	}
}

// end says what is wrong with a file that has come to its end.
func (j *junit) end() error {
	switch {
	case !j.found:
		return ErrUnknown
	case len(j.open) > 0:
		return fmt.Errorf("it ends inside %q", j.open[len(j.open)-1])
	}
	return nil
}

func (j *junit) broken(d *xml.Decoder, err error) error {
	if !j.found {
		return ErrUnknown
	}
	var syntax *xml.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("line %d: %s", syntax.Line, syntax.Msg)
	}
	line, _ := d.InputPos()
	return fmt.Errorf("line %d: %w", line, err)
}

func (j *junit) start(e xml.StartElement) error {
	name := e.Name.Local
	if j.open = append(j.open, name); len(j.open) > maxDepth {
		return fmt.Errorf("elements nest deeper than %d", maxDepth)
	}
	if j.deep > 0 {
		j.deep++
		return nil
	}
	switch name {
	case "testsuites":
		j.found = true
	case "testsuite":
		j.found = true
		j.suites = append(j.suites, j.begin(e))
	case "testcase":
		j.found = true
		j.test = &Detailed{Result: Result{Suite: j.suite(attribute(e, "classname")), Name: attribute(e, "name"),
			Outcome: Pass, Duration: seconds(attribute(e, "time"))}}
	case "failure", "error", "skipped":
		// pytest tells of a failure and of a broken tear-down: one is enough. What failed was not skipped.
		if j.test == nil || j.test.Outcome == Error || j.test.Outcome == Fail && name == "skipped" {
			break
		}
		j.test.Outcome = map[string]Outcome{"failure": Fail, "error": Error, "skipped": Skip}[name]
		j.test.Message = attribute(e, "message")
		j.deep, j.text = 1, j.text[:0]
	}
	return nil
}

// begin reads the head of a testsuite. A time stamp in whole seconds is rounded down. That of JUnit's own reports,
// which are one for each engine, is when the file was written, by a clock of an unknown zone: it does not say when a
// test ran.
func (j *junit) begin(e xml.StartElement) testsuite {
	s := testsuite{name: attribute(e, "name"), first: len(j.results), begun: moment(attribute(e, "timestamp")),
		took: seconds(attribute(e, "time"))}
	if strings.HasPrefix(s.name, "JUnit ") {
		s.begun = time.Time{}
	}
	if s.begun.Nanosecond() == 0 {
		s.round = time.Second
	}
	return s
}

func (j *junit) close(name string) error {
	if len(j.open) == 0 || j.open[len(j.open)-1] != name {
		return fmt.Errorf("element %q ends but never began", name)
	}
	j.open = j.open[:len(j.open)-1]
	if j.deep > 0 {
		if j.deep--; j.deep == 0 {
			j.test.Trace = j.test.Message + "\n" + string(j.text)
			if j.test.Message == "" {
				j.test.Message = ends(string(j.text))
			}
		}
		return nil
	}
	switch name {
	case "testsuite":
		last := len(j.suites) - 1
		if s := j.suites[last]; !s.begun.IsZero() {
			s.time(j.results[s.first:])
		}
		j.suites = j.suites[:last]
	case "testcase":
		if j.test == nil {
			break
		}
		if j.test.Outcome == Skip || j.test.Outcome == Pass {
			j.test.Message, j.test.Trace = "", ""
		}
		if !j.addDetailed(*j.test) {
			return errFull
		}
		j.test = nil
	}
	return nil
}

// suite names the suite of a test: by its class, and by the element around where that says more. Newman gives all tests
// of a collection one class, and each request a testsuite; pytest calls every testsuite "pytest".
func (j *junit) suite(class string) string {
	around := ""
	if n := len(j.suites); n > 0 {
		around = j.suites[n-1].name
	}
	switch {
	case class == "":
		return around
	case around == "pytest" || strings.HasPrefix(class, around):
		return class
	}
	return around + " / " + class
}

// time says when the tests of a testsuite ran, as far as can be known: they ran one after the other, each for as long
// as it took, and what the whole took longer than they did was before, between and behind them. Where they took longer
// than the whole, some ran at once: then each ran at some time within it.
func (s *testsuite) time(tests []Detailed) {
	spent := time.Duration(0)
	for _, t := range tests {
		spent += t.Duration
	}
	atOnce := s.took > 0 && spent > s.took+rounding*time.Duration(len(tests)+1)
	slack, before := max(0, s.took-spent)+s.round, time.Duration(0)
	for i := range tests {
		t := &tests[i]
		switch {
		case !t.Start.IsZero(): // a testsuite within this one said it
		case atOnce:
			t.Start, t.End, t.Rough = s.begun, s.begun.Add(s.took+s.round), true
		default:
			t.Start, t.Rough = s.begun.Add(before), true
			t.End = t.Start.Add(t.Duration + slack)
		}
		before += t.Duration
	}
}

// rounding is how much a runner may round off each time.
const rounding = time.Millisecond

// moment reads the time of a testsuite: RFC 3339, or without a zone, which is UTC then. It is zero for what is none.
func moment(s string) time.Time {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// printable takes what XML does not allow, and runners write all the same, out of a text: control characters, which
// messages quote, and bytes that are no UTF-8, unless another encoding is declared, which is the decoder's to read.
func printable(data []byte) []byte {
	head := bytes.ToLower(data[:min(len(data), 200)])
	if !bytes.Contains(head, []byte("encoding=")) || bytes.Contains(head, []byte("utf-8")) {
		data = bytes.ToValidUTF8(data, []byte("?"))
	}
	out := bytes.Clone(data)
	for i, c := range out {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' {
			out[i] = '?'
		}
	}
	for _, never := range []string{"\ufffe", "\uffff"} {
		out = bytes.ReplaceAll(out, []byte(never), []byte("?"))
	}
	return out
}

// charset reads the encodings of one byte a character that Java runners write on old machines.
func charset(name string, r io.Reader) (io.Reader, error) {
	switch strings.ToLower(name) {
	case "iso-8859-1", "latin1", "windows-1252", "us-ascii", "ascii":
	default:
		return nil, fmt.Errorf("unsupported encoding %.40q", name)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	out := make([]rune, len(data))
	for i, c := range data {
		out[i] = rune(c)
	}
	return strings.NewReader(string(out)), nil
}
