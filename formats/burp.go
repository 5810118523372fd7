package formats

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/wire"
)

// What is read of an item that Burp saved. Requests and responses are whole messages, in base64 unless the user chose
// otherwise.
type (
	burpItem struct {
		Time     string       `xml:"time"`
		URL      string       `xml:"url"`
		Host     string       `xml:"host"`
		Port     string       `xml:"port"`
		Protocol string       `xml:"protocol"`
		Request  *burpMessage `xml:"request"`
		Response *burpMessage `xml:"response"`
	}
	burpMessage struct {
		Base64 bool   `xml:"base64,attr"`
		Text   string `xml:",chardata"`
	}
)

// burp is the state of reading items that Burp saved.
type burp struct {
	*source
	dec   *xml.Decoder
	piece *budget
	entry int
}

func readBurp(s *source) error {
	b := &burp{source: s, piece: &budget{r: s.in, limit: s.maxEntry}}
	b.dec = xml.NewDecoder(b.piece)
	s.at = func() string {
		line, _ := b.dec.InputPos()
		return fmt.Sprintf("item %d, line %d", b.entry, line)
	}
	err := b.items()
	if syntax := new(xml.SyntaxError); errors.As(err, &syntax) {
		if strings.HasPrefix(syntax.Msg, "unexpected EOF") {
			return io.ErrUnexpectedEOF
		}
		return errors.New("not XML: " + syntax.Msg)
	}
	return err
}

// items reads the document.
func (b *burp) items() error {
	found := false
	for {
		b.piece.refill()
		token, err := b.dec.Token()
		if errors.Is(err, io.EOF) {
			if !found {
				return errors.New("not a file of Burp: it has no items")
			}
			return nil
		}
		if err != nil {
			return err
		}
		start, begins := token.(xml.StartElement)
		switch {
		case !begins:
		case !found && start.Name.Local != "items":
			return fmt.Errorf("not a file of Burp: found <%.40s>, want <items>", start.Name.Local)
		case !found:
			found = true
		case start.Name.Local == "item":
			b.entry++
			if err := b.item(&start); err != nil {
				return err
			}
		default:
			if err := b.dec.Skip(); err != nil {
				return err
			}
		}
	}
}

// item reads one item and hands its exchange over.
func (b *burp) item(start *xml.StartElement) error {
	var item burpItem
	if err := b.dec.DecodeElement(&item, start); err != nil {
		return err
	}
	request, err := item.Request.message()
	if err != nil {
		return fmt.Errorf("request: %w", err)
	}
	if len(request.Head) == 0 {
		return errors.New("it has no request")
	}
	e := &exchange.Exchange{Request: exchange.ParseRequest(modernRequest(request))}
	if _, err := e.Request.Payload(); err != nil {
		e.Request.Plain = true // the tool took a coding off and kept the field
	}
	if e.Scheme, e.Addr, err = item.address(); err != nil {
		return err
	}
	response, err := item.Response.message()
	if err != nil {
		return fmt.Errorf("response: %w", err)
	}
	if len(response.Head)+len(response.Body) == 0 {
		e.Fault = &exchange.Fault{Kind: exchange.FaultEOF, Text: "no answer in the file"}
	} else if answer := exchange.ParseResponse(modernResponse(response)); answer.Status == 0 {
		e.Fault = &exchange.Fault{Kind: exchange.FaultUnparseable, Text: "the answer has no status", Seen: response}
	} else {
		if _, err := answer.Payload(); err != nil {
			answer.Plain = true
		}
		e.Response = answer
	}
	if e.Start = item.start(e.Response); e.Start.IsZero() {
		b.Note(Note{Entry: b.entry, Reason: fmt.Sprintf("time must be such as Mon Jan 02 15:04:05 UTC 2006, got %.40q", item.Time)})
	}
	return b.send(e)
}

// message returns the message that an element holds; none where there is no such element.
func (m *burpMessage) message() (out exchange.Message, err error) {
	if m == nil {
		return out, nil
	}
	whole := []byte(m.Text)
	if m.Base64 {
		clean := strings.TrimRight(strings.TrimSpace(m.Text), "=")
		if whole, err = base64.RawStdEncoding.DecodeString(clean); err != nil {
			return out, fmt.Errorf("decode base64: %w", err)
		}
	}
	end := wire.HeadEnd(whole)
	if end <= 0 {
		end = len(whole)
	}
	out.Head, out.Body = whole[:end:end], whole[end:]
	if !m.Base64 { // in XML, the end of a line is a line feed, whatever it was
		out.Head = bytes.ReplaceAll(out.Head, []byte("\n"), []byte("\r\n"))
	}
	return out, nil
}

// modernRequest puts a request of HTTP/2, which Burp shows in the form of HTTP/1, into that of HTTP/1.1.
func modernRequest(m exchange.Message) exchange.Message {
	line, rest, found := bytes.Cut(m.Head, []byte("\r\n"))
	if old, is := bytes.CutSuffix(line, []byte(" HTTP/2")); found && is {
		m.Head = bytes.Join([][]byte{old, []byte(" HTTP/1.1\r\n"), rest}, nil)
	}
	return m
}

// modernResponse writes the version of an answer of HTTP/2 as all versions are written.
func modernResponse(m exchange.Message) exchange.Message {
	if rest, is := bytes.CutPrefix(m.Head, []byte("HTTP/2 ")); is {
		m.Head = append([]byte("HTTP/2.0 "), rest...)
	}
	return m
}

// address is where a request went.
func (i *burpItem) address() (scheme, addr string, err error) {
	scheme, host := strings.ToLower(strings.TrimSpace(i.Protocol)), oneLine(i.Host)
	if scheme != "http" && scheme != "https" || host == "" {
		scheme, authority, _, err := splitURL(strings.TrimSpace(i.URL))
		return scheme, withPort(authority, scheme), err
	}
	port := strings.TrimSpace(i.Port)
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		return scheme, withPort(host, scheme), nil
	}
	return scheme, net.JoinHostPort(strings.Trim(host, "[]"), port), nil
}

// start is when the request was sent, in UTC. Burp writes local time with the letters of its zone, which may be those
// of several: the Date of the answer says which.
func (i *burpItem) start(answer *exchange.Response) time.Time {
	at, err := time.Parse("Mon Jan _2 15:04:05 MST 2006", strings.TrimSpace(i.Time))
	if err != nil || at.Year() < 1971 || at.Year() > 9000 {
		return time.Time{} // what was never sent has the first second of 1970
	}
	if _, offset := at.Zone(); offset != 0 {
		return at.UTC()
	}
	if answer == nil {
		return at.UTC()
	}
	if date, err := http.ParseTime(answer.Header.Get("Date")); err == nil {
		if zone, ok := zoneOf(at, date); ok {
			return at.Add(-zone).UTC()
		}
	}
	return at.UTC()
}
