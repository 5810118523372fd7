package formats

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/wire"
)

// The versions of mitmproxy's flow format that are known: those of mitmproxy 5 to 12. A later one is tried, because
// what is read of a flow has stood where it stands for all of them; what is missing then is an error.
const (
	minFlowVersion = 7
	maxFlowVersion = 21
)

// flows is the state of reading a flow file.
type flows struct {
	*source
	buf    []byte
	entry  int   // the flow that is read, from 1
	offset int64 // where it begins
	conns  map[string]uint64
	warned bool // of a version that is not known
}

func readFlows(s *source) error {
	f := &flows{source: s, conns: map[string]uint64{}}
	s.at = func() string { return fmt.Sprintf("entry %d at byte %d", f.entry, f.offset) }
	for f.entry = 1; ; f.entry++ {
		v, buf, n, err := readTnet(f.in, f.buf, f.maxEntry)
		if errors.Is(err, io.EOF) && f.entry > 1 {
			return nil
		}
		if err != nil {
			return err
		}
		f.buf = buf
		if v.kind != '}' {
			return errors.New("not a flow: no dictionary")
		}
		e, err := f.flow(v)
		if err != nil {
			return err
		}
		f.offset += n
		if e == nil {
			continue
		}
		if err := f.send(e); err != nil {
			return err
		}
	}
}

// flow makes an exchange of a flow, nil of one that is no HTTP.
func (f *flows) flow(v tnet) (*exchange.Exchange, error) {
	var kind, conn string
	var request, response, failure, version tnet
	socket := false
	err := v.members(func(key string, value tnet) error {
		switch key {
		case "type":
			kind = string(value.text)
		case "version":
			version = value
		case "request":
			request = value
		case "response":
			response = value
		case "error":
			failure = value
		case "websocket":
			socket = value.kind == '}'
		case "client_conn":
			return value.members(func(key string, value tnet) error {
				if key == "id" {
					conn = string(value.text)
				}
				return nil
			})
		}
		return nil
	})
	if err == nil {
		err = f.known(version)
	}
	if err != nil {
		return nil, err
	}
	if kind != "http" {
		f.Note(Note{Entry: f.entry, Skipped: true, Reason: fmt.Sprintf("not HTTP but %.20q", kind)})
		return nil, nil
	}
	if socket {
		f.Note(Note{Entry: f.entry, Reason: "the messages of a WebSocket are left out"})
	}
	return f.exchange(request, response, failure, conn)
}

// known checks the version of a flow.
func (f *flows) known(version tnet) error {
	n := version.number()
	if version.kind != '#' || n < minFlowVersion {
		return fmt.Errorf("flow format version %.20q is older than %d; convert it with a newer mitmproxy: mitmdump -nr OLD -w NEW",
			version.text, minFlowVersion)
	}
	if n > maxFlowVersion && !f.warned {
		f.warned = true
		f.Note(Note{Entry: f.entry, Reason: fmt.Sprintf("flow format version %.0f is newer than %d, the last one known; reading it anyway",
			n, maxFlowVersion)})
	}
	return nil
}

// flowMessage is a request or a response of a flow.
type flowMessage struct {
	method, scheme, host, path, authority string
	port, status                          int
	version, reason                       string
	fields                                []harPair
	content                               []byte
	stored                                bool // the content was kept
	start, end                            float64
}

func readFlowMessage(v tnet) (*flowMessage, error) {
	m := &flowMessage{}
	texts := map[string]*string{
		"method": &m.method, "scheme": &m.scheme, "host": &m.host, "path": &m.path, "authority": &m.authority,
		"http_version": &m.version, "reason": &m.reason,
	}
	err := v.members(func(key string, value tnet) error {
		switch key {
		case "port":
			m.port = int(value.number())
		case "status_code":
			m.status = int(value.number())
		case "timestamp_start":
			m.start = value.number()
		case "timestamp_end":
			m.end = value.number()
		case "content":
			if m.stored = !value.null(); m.stored {
				m.content = append([]byte(nil), value.text...)
			}
		case "headers":
			return value.elements(func(field tnet) error {
				var f [2]string
				i := 0
				err := field.elements(func(part tnet) error {
					if i < len(f) {
						f[i] = string(part.text)
					}
					i++
					return nil
				})
				m.fields = append(m.fields, harPair{Name: f[0], Value: f[1]})
				return err
			})
		default:
			if to := texts[key]; to != nil {
				*to = string(value.text)
			}
		}
		return nil
	})
	return m, err
}

func (f *flows) exchange(request, response, failure tnet, conn string) (*exchange.Exchange, error) {
	q, err := readFlowMessage(request)
	if err != nil {
		return nil, fmt.Errorf("request: %w", err)
	}
	if q.method == "" || q.host == "" || q.port < 0 || q.port > 65535 {
		return nil, fmt.Errorf("the request has no method or names no host: %.20q %.60q %d", q.method, q.host, q.port)
	}
	e := &exchange.Exchange{Conn: f.conn(conn), Scheme: "http", Start: unixTime(q.start)}
	if q.scheme == "https" || q.scheme == "" && q.port == 443 {
		e.Scheme = "https"
	}
	e.Addr = withPort(net.JoinHostPort(oneLine(q.host), strconv.Itoa(q.port)), e.Scheme)
	e.Request = exchange.ParseRequest(q.request(e.Addr))
	if response.kind == '}' {
		p, err := readFlowMessage(response)
		if err != nil {
			return nil, fmt.Errorf("response: %w", err)
		}
		e.Response = exchange.ParseResponse(p.message(responseHead(protocol(p.version), min(max(p.status, 0), 999), p.reason,
			p.fields)))
		e.Latency = milliseconds((max(p.end, p.start) - q.start) * 1000)
	}
	if failure.kind == '}' || e.Response == nil {
		return e, f.fail(e, failure, q.start)
	}
	return e, nil
}

// fail makes a fault of the error of a flow. What there is of an answer is what was seen of it.
func (f *flows) fail(e *exchange.Exchange, failure tnet, start float64) error {
	e.Fault = &exchange.Fault{Kind: exchange.FaultEOF, Text: "no answer in the flow file"}
	err := failure.members(func(key string, value tnet) error {
		switch key {
		case "msg":
			e.Fault.Text = strings.ToValidUTF8(string(value.text), "?")
			if e.Fault.Kind = faultKind(e.Fault.Text); strings.Contains(e.Fault.Text, "without sending complete message body") {
				e.Fault.Kind = exchange.FaultTruncated // mitmproxy calls it a protocol error
			}
		case "timestamp":
			e.Latency = milliseconds((value.number() - start) * 1000)
		}
		return nil
	})
	if e.Response != nil {
		e.Fault.Seen = e.Response.Message
		e.Response = nil
		if e.Fault.Kind == exchange.FaultEOF {
			e.Fault.Kind = exchange.FaultTruncated
		}
	}
	return err
}

// conn numbers the connections of clients.
func (f *flows) conn(id string) uint64 {
	n, found := f.conns[id]
	if !found && id != "" && len(f.conns) < maxNames {
		n = uint64(len(f.conns)) + 1
		f.conns[id] = n
	}
	return n
}

// request rebuilds the request, one of HTTP/2 or 3 in the form of HTTP/1.1, so that it can be sent again.
func (m *flowMessage) request(addr string) exchange.Message {
	proto, fields := protocol(m.version), m.fields
	if !strings.HasPrefix(proto, "HTTP/1.") && !strings.HasPrefix(proto, "HTTP/0.") {
		proto = "HTTP/1.1"
		if !has(fields, "Host") {
			host := m.authority
			if host == "" {
				host = addr
			}
			fields = append([]harPair{{Name: "Host", Value: host}}, fields...)
		}
	}
	target := m.path
	switch {
	case m.method == "CONNECT":
		target = addr
	case target == "":
		target = "/"
	}
	return m.message(requestHead(m.method, target, proto, fields))
}

// message puts head and body together. The body is as it was on the wire, but for the chunks: where there were any, it
// is given as the payload.
func (m *flowMessage) message(head []byte) exchange.Message {
	out := exchange.Message{Head: head, Body: m.content}
	fields := wire.ParseHead(head).Fields
	if !m.stored {
		if n, found, err := wire.ContentLength(fields); found && err == nil {
			out.Cut = n
		}
		return out
	}
	codings, chunked := wire.TransferCodings(fields)
	if !chunked && len(codings) == 0 {
		return out
	}
	out.Plain = true
	if content := fields.Values("Content-Encoding"); len(content) > 0 {
		if body, err := wire.Decode(strings.Join(content, ","), m.content, exchange.MaxPayload); err == nil {
			out.Body = body
		}
	}
	return out
}
