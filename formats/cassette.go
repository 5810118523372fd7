package formats

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/flaketap/flaketap/exchange"
)

// cassette is the state of reading a cassette of Schemathesis: YAML in the one layout that its writer knows, each key
// and each value on a line of its own, read by the indentation. A YAML parser would hold the whole file, take ten times
// as long, and stumble over the messages of failed checks, which that writer does not quote as YAML wants it.
type cassette struct {
	*source
	lines
	entry   int // the interaction that is read, from 1; 0 before the first
	began   int // its line
	size    int // its bytes so far
	section string
	key     string   // within section
	header  string   // the name that the values that follow belong to
	now     parts    // what is known of the interaction
	id      string   // of the test case
	end     bool     // its last key was there
	body    bodyText // that is being read
}

// bodyText is a body as the cassette shows it.
type bodyText struct {
	text     []byte
	encoding string
	base64   bool
}

func readCassette(s *source) error {
	c := &cassette{source: s, lines: lines{file: s.in, limit: s.maxEntry}}
	s.at = func() string {
		if c.entry == 0 {
			return c.lines.at()
		}
		return fmt.Sprintf("entry %d, %s", c.entry, c.lines.at())
	}
	found := false
	for {
		line, err := c.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		found = found || c.entry > 0 || bytes.HasPrefix(line, []byte("http_interactions:"))
		if err := c.line(line); err != nil {
			if c.ragged && !errors.Is(err, errStop) {
				return io.ErrUnexpectedEOF
			}
			return err
		}
	}
	if !found {
		return errors.New("not a cassette: it has no http_interactions")
	}
	if c.entry > 0 && !c.end {
		return io.ErrUnexpectedEOF
	}
	return c.flush()
}

// line takes in one line of the file.
func (c *cassette) line(line []byte) error {
	rest := bytes.TrimLeft(line, " ")
	indent := len(line) - len(rest)
	if len(rest) == 0 {
		return nil
	}
	if indent == 0 && bytes.HasPrefix(rest, []byte("- ")) {
		if err := c.flush(); err != nil {
			return err
		}
		c.entry, c.began = c.entry+1, c.number
		indent, rest = 2, rest[2:]
	}
	if c.entry == 0 || indent == 0 {
		return nil // the command, the seed
	}
	if c.size += len(line); c.size > c.maxEntry {
		return fmt.Errorf("more than %d bytes in one entry", c.maxEntry)
	}
	if indent == 2 {
		return c.top(rest)
	}
	if c.section != "request" && c.section != "response" {
		return nil // checks, generation, phase
	}
	if indent == 4 {
		key, value, err := pair(rest)
		if err != nil {
			return err
		}
		c.key, c.header = string(key), ""
		return c.message(value)
	}
	switch c.key {
	case "headers":
		return c.field(rest)
	case "status", "body":
		key, value, err := pair(rest)
		if err != nil {
			return err
		}
		return c.inner(string(key), value)
	}
	return nil
}

// pair splits a line of a mapping.
func pair(line []byte) (key, value []byte, err error) {
	key, value, found := bytes.Cut(line, []byte{':'})
	if !found {
		return nil, nil, fmt.Errorf("%.40q is not a key with a value", line)
	}
	return key, bytes.TrimSpace(value), nil
}

// scalar decodes a value: in single quotes, in double quotes, or plain. The result is a copy.
func scalar(v []byte) ([]byte, error) {
	if len(v) == 0 || v[0] != '\'' && v[0] != '"' {
		return bytes.Clone(v), nil
	}
	if len(v) < 2 || v[len(v)-1] != v[0] {
		return nil, fmt.Errorf("%.40q is not closed on its line", v)
	}
	inner := v[1 : len(v)-1]
	if v[0] == '\'' {
		return bytes.ReplaceAll(inner, []byte("''"), []byte{'\''}), nil
	}
	return unquote(inner, utf8.AppendRune)
}

// top takes in a key of the interaction itself.
func (c *cassette) top(line []byte) error {
	key, value, err := pair(line)
	if err != nil {
		return err
	}
	c.section, c.key = string(key), ""
	switch c.section {
	case "id", "recorded_at":
		text, err := scalar(value)
		if err != nil {
			return err
		}
		if c.section == "id" {
			c.id = string(text)
		} else {
			c.now.start = parseTime(string(text))
		}
	case "request":
		c.body = bodyText{}
	case "response":
		if err := c.endBody(&c.now.body); err != nil {
			return fmt.Errorf("request body: %w", err)
		}
		c.end = string(value) == "null"
		c.now.answered = !c.end
	}
	return nil
}

// message takes in a key of a request or a response.
func (c *cassette) message(value []byte) error {
	text, err := scalar(value)
	if err != nil {
		return err
	}
	switch c.section + " " + c.key {
	case "request uri":
		c.now.url = string(text)
	case "request method":
		c.now.method = string(text)
	case "response elapsed":
		c.now.elapsed = seconds(string(text))
	case "response truncated_from":
		c.now.cut, _ = strconv.ParseInt(string(text), 10, 64)
	case "response http_version":
		c.now.proto, c.end = "HTTP/"+string(text), true
	}
	return nil
}

// field takes in a line below headers: a name, or a value of the name before.
func (c *cassette) field(line []byte) error {
	if name, found := bytes.CutSuffix(line, []byte{':'}); found && line[0] != '-' {
		c.header = string(bytes.Trim(name, `"`)) // the writer escapes nothing in it
		return nil
	}
	value, found := bytes.CutPrefix(line, []byte("- "))
	if !found || c.header == "" {
		return fmt.Errorf("%.40q is not a header field", line)
	}
	text, err := scalar(value)
	if err != nil {
		return err
	}
	f := harPair{Name: c.header, Value: fieldBytes(string(text))}
	if c.section == "request" {
		c.now.fields = append(c.now.fields, f)
	} else {
		c.now.answerFields = append(c.now.answerFields, f)
	}
	return nil
}

// inner takes in a key of the status or of a body.
func (c *cassette) inner(key string, value []byte) error {
	text, err := scalar(value)
	if err != nil {
		return err
	}
	switch c.key + " " + key {
	case "status code":
		c.now.status = statusCode(string(text))
	case "status message":
		c.now.reason = string(text)
	case "body encoding":
		c.body.encoding = string(text)
	case "body string":
		c.body.text = text
	case "body base64_string":
		c.body.text, c.body.base64 = text, true
	}
	return nil
}

// endBody gives the body that was read, as bytes.
func (c *cassette) endBody(to *[]byte) error {
	b := c.body
	c.body = bodyText{}
	if !b.base64 {
		*to = recode(b.text, b.encoding)
		return nil
	}
	n, err := base64.StdEncoding.Decode(b.text, b.text)
	if err != nil {
		return fmt.Errorf("decode base64: %w", err)
	}
	*to = b.text[:n]
	return nil
}

// flush hands the interaction over that was read.
func (c *cassette) flush() error {
	if c.entry == 0 {
		return nil
	}
	p := &c.now
	if p.answered {
		if err := c.endBody(&p.answer); err != nil {
			return c.of(fmt.Errorf("response body: %w", err))
		}
		if p.cut = max(p.cut-int64(len(p.answer)), 0); p.status == 0 {
			return c.of(errors.New("the response has no status code"))
		}
	} else {
		p.fault = &exchange.Fault{Kind: exchange.FaultEOF, Text: "no answer in the cassette"}
	}
	if !p.start.IsZero() {
		p.start = p.start.Add(-p.elapsed) // it was recorded when the answer was there
	}
	e, err := p.exchange()
	if err != nil {
		return c.of(err)
	}
	e.Sequence = c.id
	c.now, c.id, c.end, c.size, c.section, c.key = parts{}, "", false, 0, "", ""
	return c.send(e)
}

// of says which entry an error is of that shows only at its end.
func (c *cassette) of(err error) error {
	return fmt.Errorf("the entry that begins in line %d: %w", c.began, err)
}
