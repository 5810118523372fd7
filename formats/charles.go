package formats

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// What is read of a transaction of a JSON session of Charles. Numbers may be null.
type (
	charlesEntry struct {
		Method    string           `json:"method"`
		Protocol  string           `json:"protocolVersion"`
		Scheme    string           `json:"scheme"`
		Host      string           `json:"host"`
		Port      int              `json:"actualPort"`
		Path      string           `json:"path"`
		Query     string           `json:"query"`
		Tunnel    bool             `json:"tunnel"`
		WebSocket bool             `json:"webSocket"`
		Error     string           `json:"errorMessage"`
		Times     charlesTimes     `json:"times"`
		Durations charlesDurations `json:"durations"`
		Request   charlesMessage   `json:"request"`
		Response  *charlesMessage  `json:"response"`
	}
	charlesTimes struct {
		Start string `json:"start"`
	}
	charlesDurations struct {
		Total float64 `json:"total"` // ms
	}
	charlesMessage struct {
		Status float64 `json:"status"`
		Sizes  struct {
			Body float64 `json:"body"`
		} `json:"sizes"`
		Header struct {
			FirstLine string    `json:"firstLine"`
			Headers   []harPair `json:"headers"`
		} `json:"header"`
		Body *charlesBody `json:"body"`
	}
	charlesBody struct {
		Text    string `json:"text"`
		Charset string `json:"charset"`
		Encoded string `json:"encoded"` // base64, of bytes that are no text
	}
)

// charles is the state of reading a JSON session of Charles.
type charles struct {
	*source
	scan   jsonScan
	entry  int   // the transaction that is read, from 1
	offset int64 // where it begins
}

func readCharles(s *source) error {
	c := &charles{source: s, scan: jsonScan{in: s.in, line: 1}}
	s.at = func() string { return fmt.Sprintf("transaction %d at byte %d", c.entry, c.offset) }
	if err := c.scan.expect('['); err != nil {
		return notJSON(err)
	}
	for {
		first, err := c.scan.peek()
		if err != nil {
			return err
		}
		if first == ']' && c.entry == 0 {
			return c.end()
		}
		c.entry, c.offset = c.entry+1, c.scan.offset
		text, err := c.scan.value(s.maxEntry)
		if err != nil {
			return notJSON(err)
		}
		if err := c.transaction(text); err != nil {
			return err
		}
		next, err := c.scan.peek()
		if err != nil {
			return err
		}
		if next == ']' {
			return c.end()
		}
		if err := c.scan.expect(','); err != nil {
			return notJSON(err)
		}
	}
}

// end reads the end of the session, and of the file, which checks the sum of a packed one as well.
func (c *charles) end() error {
	if err := c.scan.expect(']'); err != nil {
		return err
	}
	switch _, err := c.scan.peek(); {
	case err == nil:
		return errors.New("text after the end of the session")
	case errors.Is(err, io.EOF):
		return nil
	default:
		return err
	}
}

func notJSON(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	return fmt.Errorf("not JSON: %w", err)
}

// transaction makes an exchange of a transaction and hands it over.
func (c *charles) transaction(text []byte) error {
	var t charlesEntry
	if err := json.Unmarshal(text, &t); err != nil {
		return notJSON(err)
	}
	if t.Tunnel || t.Method == "CONNECT" {
		c.Note(Note{Entry: c.entry, Skipped: true, Reason: "a tunnel, which Charles did not look into"})
		return nil
	}
	if t.WebSocket {
		c.Note(Note{Entry: c.entry, Reason: "the messages of a WebSocket are left out"})
	}
	p, err := t.parts()
	if err != nil {
		return err
	}
	e, err := p.exchange()
	if errors.Is(err, errNoHTTP) {
		c.Note(Note{Entry: c.entry, Skipped: true, Reason: err.Error()})
		return nil
	}
	if err != nil {
		return err
	}
	if e.Start.IsZero() {
		c.Note(Note{Entry: c.entry, Reason: fmt.Sprintf("times.start must be a time such as 2026-01-29T12:15:09.123+01:00, got %.40q",
			t.Times.Start)})
	}
	return c.send(e)
}

// parts are what Charles kept of the exchange.
func (t *charlesEntry) parts() (*parts, error) {
	host := oneLine(t.Host)
	if host == "" {
		return nil, errors.New("it has no host")
	}
	authority := host
	if standard := map[string]int{"http": 80, "https": 443}[t.Scheme]; t.Port > 0 && t.Port != standard {
		authority = net.JoinHostPort(strings.Trim(host, "[]"), strconv.Itoa(t.Port))
	}
	p := &parts{method: t.Method, url: t.Scheme + "://" + authority + t.target(), fields: t.Request.Header.Headers,
		start: parseTime(t.Times.Start), elapsed: milliseconds(t.Durations.Total)}
	if !has(p.fields, "host") {
		p.fields = append([]harPair{{"Host", authority}}, p.fields...)
	}
	var err error
	if p.body, err = t.Request.Body.bytes(); err != nil {
		return nil, fmt.Errorf("request body: %w", err)
	}
	if t.Response == nil || t.Response.Status < 1 || t.Response.Status > 999 {
		p.fault = &exchange.Fault{Kind: faultKind(t.Error), Text: t.Error}
		if t.Error == "" {
			p.fault.Text = "no answer in the session"
		}
		return p, nil
	}
	p.answered, p.status, p.answerFields = true, int(t.Response.Status), t.Response.Header.Headers
	p.proto = t.Protocol
	if proto, rest, ok := strings.Cut(t.Response.Header.FirstLine, " "); ok && strings.HasPrefix(proto, "HTTP/") {
		p.proto = proto
		_, p.reason, _ = strings.Cut(rest, " ")
	}
	if t.Response.Body == nil {
		p.cut = int64(min(max(t.Response.Sizes.Body, 0), 1<<53))
		return p, nil
	}
	if p.answer, err = t.Response.Body.bytes(); err != nil {
		return nil, fmt.Errorf("response body: %w", err)
	}
	return p, nil
}

// target is what was asked for, as it was written where the session has the line.
func (t *charlesEntry) target() string {
	if words := strings.Split(t.Request.Header.FirstLine, " "); len(words) == 3 && strings.HasPrefix(words[1], "/") {
		return words[1]
	}
	target := t.Path
	if !strings.HasPrefix(target, "/") {
		target = "/" + target
	}
	if t.Query != "" {
		target += "?" + t.Query
	}
	return target
}

// bytes returns the bytes of a body, without its content coding; none where there is no body.
func (b *charlesBody) bytes() ([]byte, error) {
	switch {
	case b == nil:
		return nil, nil
	case b.Encoded != "":
		return decodeText(b.Encoded, "base64")
	case b.Text == "":
		return nil, nil
	}
	return recode([]byte(b.Text), b.Charset), nil
}
