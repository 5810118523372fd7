package formats

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/wire"
)

// restler is the state of reading a network log of RESTler. Such a log is lines of text. Those that matter begin with
// a time and show a message as Python's repr does:
//
//	Generation-2: Rendering Sequence-5
//	2026-11-21 07:04:03.963: Sending: 'GET / HTTP/1.1\r\n…'
//	2026-11-21 07:04:03.971: Received: 'HTTP/1.1 200 OK\r\n…'
type restler struct {
	*source
	lines
	renderings int    // heads of sequences so far
	sequence   string // the name of the one that is being sent
	found      bool   // anything of a log was there
	pending    *exchange.Exchange
	sent       time.Time     // when, by the clock of the log
	zone       time.Duration // what the clock of the log is ahead of UTC
}

func readRESTler(s *source) error {
	r := &restler{source: s, lines: lines{file: s.in, limit: s.maxEntry}}
	s.at = r.lines.at
	for {
		line, err := r.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if err := r.line(line); err != nil {
			if r.ragged && !errors.Is(err, errStop) {
				return io.ErrUnexpectedEOF
			}
			return err
		}
	}
	if !r.found {
		return errors.New("not a network log: no message in it, no sequence")
	}
	return r.fail(exchange.FaultEOF, "no answer in the log", time.Time{})
}

var (
	restlerSending   = []byte("Sending: ")
	restlerReceived  = []byte("Received: ")
	restlerRendering = []byte(": Rendering Sequence-")
)

// line takes in one line of the log.
func (r *restler) line(line []byte) error {
	at, text, timed := logTime(line)
	if !timed {
		if bytes.HasPrefix(line, []byte("Generation-")) && bytes.Contains(line, restlerRendering) {
			r.renderings++
			r.found = true
			generation, sequence, _ := bytes.Cut(line, restlerRendering)
			r.sequence = fmt.Sprintf("%d %.30s sequence-%.20s", r.renderings, bytes.ToLower(generation), sequence)
		}
		return nil
	}
	r.found = true
	switch {
	case bytes.HasPrefix(text, restlerSending):
		return r.sending(text[len(restlerSending):], at)
	case bytes.HasPrefix(text, restlerReceived):
		return r.received(text[len(restlerReceived):], at)
	}
	kind, broken := restlerFault(string(text[:min(len(text), 4096)]))
	if broken {
		return r.fail(kind, string(bytes.ToValidUTF8(text[:min(len(text), 4096)], []byte{'?'})), at)
	}
	return nil
}

// restlerFault tells the lines that say what failed.
func restlerFault(text string) (exchange.FaultKind, bool) {
	switch {
	case strings.HasPrefix(text, "Reached max req_timeout_sec"):
		return exchange.FaultTimeout, true
	case strings.HasPrefix(text, "Connection error: "):
		return exchange.FaultReset, true // RESTler calls nothing else so
	case strings.HasPrefix(text, "Empty response received"):
		return exchange.FaultEOF, true
	case strings.HasPrefix(text, "Unknown error: "):
		return faultKind(text), true
	}
	return "", false
}

// logTime takes the time off a line. It is the local time of the machine that wrote the log, which does not say how
// that relates to UTC.
func logTime(line []byte) (at time.Time, text []byte, ok bool) {
	const layout = "2006-01-02 15:04:05"
	if len(line) < len(layout)+2 || line[4] != '-' || line[10] != ' ' || line[13] != ':' {
		return at, nil, false
	}
	stamp, text, found := bytes.Cut(line, []byte(": "))
	if !found || len(stamp) > len(layout)+10 {
		return at, nil, false
	}
	at, err := time.Parse(layout, string(stamp)) // a fraction is taken as well
	return at, text, err == nil
}

// sending begins an exchange. One that is pending never got an answer.
func (r *restler) sending(text []byte, at time.Time) error {
	if err := r.fail(exchange.FaultEOF, "no answer in the log", time.Time{}); err != nil {
		return err
	}
	m, err := reprMessage(text)
	if err != nil {
		return fmt.Errorf("request: %w", err)
	}
	e := &exchange.Exchange{Scheme: "http", Request: exchange.ParseRequest(m)}
	host := oneLine(e.Request.Header.Get("Host"))
	if host == "" {
		return errors.New("the request has no Host, and the log does not say where it went")
	}
	if strings.HasSuffix(host, ":443") {
		e.Scheme = "https"
	}
	e.Addr = withPort(host, e.Scheme)
	if e.Sequence = r.source.sequence(&e.Request); e.Sequence == "" {
		e.Sequence = r.sequence
	}
	r.pending, r.sent = e, at
	return nil
}

// received ends the exchange that is pending.
func (r *restler) received(text []byte, at time.Time) error {
	if r.pending == nil {
		return errors.New("an answer without a request")
	}
	m, err := reprMessage(text)
	if err != nil {
		return fmt.Errorf("response: %w", err)
	}
	if len(m.Head) == 0 && len(m.Body) == 0 {
		return r.fail(exchange.FaultEOF, "empty answer", at)
	}
	response := exchange.ParseResponse(m)
	if response.Status == 0 {
		r.pending.Fault = &exchange.Fault{Kind: exchange.FaultUnparseable, Text: "the answer has no status", Seen: m}
	} else {
		r.pending.Response = response
		r.setZone(response.Header.Get("Date"), at)
	}
	return r.finish(at)
}

// setZone finds out by how much the clock of the log is ahead of UTC.
func (r *restler) setZone(date string, at time.Time) {
	utc, err := http.ParseTime(date)
	if err != nil {
		return
	}
	if zone, ok := zoneOf(at, utc); ok {
		r.zone = zone
	}
}

// zoneOf finds out by how much a local time is ahead of UTC: the Date of an answer is in UTC, and was made moments
// before. Zones are multiples of a quarter of an hour.
func zoneOf(local, utc time.Time) (zone time.Duration, ok bool) {
	const quarter = 15 * time.Minute
	ahead := local.Sub(utc)
	zone = ahead.Round(quarter)
	return zone, (ahead-zone).Abs() < quarter/5 && zone.Abs() <= 14*time.Hour
}

// fail ends the exchange that is pending, if one is, with a fault. at is zero where the log does not say when.
func (r *restler) fail(kind exchange.FaultKind, text string, at time.Time) error {
	if r.pending == nil {
		return nil
	}
	r.pending.Fault = &exchange.Fault{Kind: kind, Text: text}
	return r.finish(at)
}

func (r *restler) finish(at time.Time) error {
	e := r.pending
	r.pending = nil
	e.Start = r.sent.Add(-r.zone).UTC()
	if !at.IsZero() {
		e.Latency = max(at.Sub(r.sent), 0)
	}
	return r.send(e)
}

// reprMessage reads a message from Python's repr of it, as text or as bytes. RESTler shows the bytes as they were on
// the wire, chunks included, read as UTF-8.
func reprMessage(text []byte) (exchange.Message, error) {
	var m exchange.Message
	text = bytes.TrimRight(text, " ")
	text, isBytes := bytes.CutPrefix(text, []byte{'b'})
	if len(text) < 2 || text[0] != '\'' && text[0] != '"' || text[len(text)-1] != text[0] {
		return m, fmt.Errorf("%.40q is not a quoted string", text)
	}
	addX := utf8.AppendRune
	if isBytes {
		addX = appendByte
	}
	whole, err := unquote(text[1:len(text)-1], addX)
	if err != nil {
		return m, err
	}
	end := wire.HeadEnd(whole)
	if end <= 0 {
		end = len(whole)
	}
	m.Head, m.Body = whole[:end:end], whole[end:]
	return m, nil
}
