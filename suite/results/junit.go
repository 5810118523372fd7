package results

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// junit reads JUnit XML. There is no one schema of it: what the runners have in common are elements testcase within
// testsuite, with the attributes classname, name and time, and within them failure, error and skipped.
type junit struct {
	*list
	suites []string // the names of those around
	open   []string // the names of all elements around
	test   *Result  // within a testcase
	text   []byte   // of the element that says why it failed, so far
	deep   int      // how many elements around belong to what says why; 0 where none does
	found  bool     // an element of the form was there
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
			if room := MaxMessage - len(j.text); j.deep > 0 && room > 0 {
				j.text = append(j.text, t[:min(len(t), room)]...)
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
		j.suites = append(j.suites, attribute(e, "name"))
	case "testcase":
		j.found = true
		j.test = &Result{Suite: j.suite(attribute(e, "classname")), Name: attribute(e, "name"), Outcome: Pass,
			Duration: seconds(attribute(e, "time"))}
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

func (j *junit) close(name string) error {
	if len(j.open) == 0 || j.open[len(j.open)-1] != name {
		return fmt.Errorf("element %q ends but never began", name)
	}
	j.open = j.open[:len(j.open)-1]
	if j.deep > 0 {
		if j.deep--; j.deep == 0 && j.test.Message == "" {
			j.test.Message = string(j.text)
		}
		return nil
	}
	switch name {
	case "testsuite":
		j.suites = j.suites[:len(j.suites)-1]
	case "testcase":
		if j.test == nil {
			break
		}
		if j.test.Outcome == Skip || j.test.Outcome == Pass {
			j.test.Message = ""
		}
		if !j.add(*j.test) {
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
		around = j.suites[n-1]
	}
	switch {
	case class == "":
		return around
	case around == "pytest" || strings.HasPrefix(class, around):
		return class
	}
	return around + " / " + class
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
