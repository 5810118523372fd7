package replay

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/wire"
)

const (
	// window is how much of an answer may be under way, in bytes: as much as may be, so that the API never waits for
	// us.
	window = 1<<31 - 1
	// maxBlock bounds one header block before it is decoded, in bytes.
	maxBlock = 1 << 20
	// frameSize is the largest frame of a request's body, in bytes: what every server takes (RFC 9113 §6.5.2).
	frameSize = 16 << 10
	// defaultWindow is how much a server takes before it says so (RFC 9113 §6.9.2).
	defaultWindow = 65535
)

var (
	errGone   = errors.New("the API ended the connection without taking the request")
	errCancel = errors.New("the API reset the stream")
)

// multiplex is what a connection of HTTP/2 needs beside what all have. It carries one exchange after the other.
type multiplex struct {
	scheme string
	framer *http2.Framer
	out    bytes.Buffer // what is to be written
	block  bytes.Buffer // a header block while it is made
	encode *hpack.Encoder
	decode *wire.FieldDecoder

	last    uint32 // the last stream that was opened
	room    int64  // how much of the bodies of all streams may be sent
	initial int64  // how much of a new stream's may
	closing bool   // the API opens no stream any more
}

// speakHTTP2 begins HTTP/2 on a new connection (RFC 9113 §3.4).
func (l *link) speakHTTP2(scheme string) {
	m := &multiplex{scheme: scheme, room: defaultWindow, initial: defaultWindow, decode: wire.NewFieldDecoder()}
	m.framer = http2.NewFramer(&m.out, l.conn)
	m.framer.SetMaxReadFrameSize(1 << 20)
	m.encode = hpack.NewEncoder(&m.block)
	m.out.WriteString(wire.Preface)
	_ = m.framer.WriteSettings(http2.Setting{ID: http2.SettingEnablePush},
		http2.Setting{ID: http2.SettingInitialWindowSize, Val: window})
	_ = m.framer.WriteWindowUpdate(0, window-defaultWindow) // a buffer takes all
	l.h2 = m
}

// stream is one exchange on a connection of HTTP/2.
type stream struct {
	*multiplex
	link    *link
	id      uint32
	body    []byte // of the request, what is not sent yet
	room    int64
	hangUp  bool // the request is left unfinished
	sent    bool
	answer  answer
	head    []byte
	trailer []byte
	block   []byte // a header block that is coming in
	ends    bool   // the answer ends with it
	over    bool
}

// exchange sends the request of a step and reads the answer to its end. An error means that there is none, or not a
// whole one.
func (m *multiplex) exchange(l *link, st *step) (s *stream, err error) {
	m.last += 2
	if m.last == 2 {
		m.last = 1
	}
	s = &stream{multiplex: m, link: l, id: m.last, body: st.request.Body, room: m.initial, hangUp: st.hangUp}
	m.block.Reset()
	for _, f := range fieldsOf(&st.request, m.scheme) {
		_ = m.encode.WriteField(hpack.HeaderField{Name: f.Name, Value: f.Value})
	}
	trailers := len(st.request.Trailer) > 0
	s.writeBlock(len(s.body) == 0 && !trailers && !s.hangUp)
	for err == nil && !s.over {
		if !s.sent {
			s.writeBody(trailers)
			if s.sent && trailers {
				m.block.Reset()
				for _, f := range wire.ParseHead(append([]byte("x\r\n"), st.request.Trailer...)).Fields {
					_ = m.encode.WriteField(hpack.HeaderField{Name: f.Name, Value: f.Value})
				}
				s.writeBlock(!s.hangUp)
			}
		}
		if err = s.flush(); err == nil {
			err = s.read()
		}
	}
	return s, err
}

// fieldsOf returns the fields of a request, those of its start line first (RFC 9113 §8.3.1).
func fieldsOf(r *exchange.Request, scheme string) wire.Fields {
	fields := wire.Fields{{Name: ":method", Value: r.Method}, {Name: ":scheme", Value: scheme}}
	rest := make(wire.Fields, 0, len(r.Header))
	authority := false
	for _, f := range r.Header {
		if !authority && strings.EqualFold(f.Name, "host") {
			authority = true
			fields = append(fields, wire.Field{Name: ":authority", Value: f.Value})
			continue
		}
		rest = append(rest, wire.Field{Name: strings.ToLower(f.Name), Value: f.Value})
	}
	return append(append(fields, wire.Field{Name: ":path", Value: r.Target}), rest...)
}

// writeBlock sends what is in the block as one header section.
func (s *stream) writeBlock(end bool) {
	block := s.multiplex.block.Bytes()
	first := block[:min(len(block), frameSize)]
	_ = s.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: s.id, BlockFragment: first, EndStream: end,
		EndHeaders: len(first) == len(block)})
	for block = block[len(first):]; len(block) > 0; {
		next := block[:min(len(block), frameSize)]
		block = block[len(next):]
		_ = s.framer.WriteContinuation(s.id, len(block) == 0, next)
	}
	s.sent = s.sent || end
}

// writeBody sends as much of the body as the API takes.
func (s *stream) writeBody(trailers bool) {
	for len(s.body) > 0 {
		n := min(int64(len(s.body)), frameSize, s.room, s.multiplex.room)
		if n <= 0 {
			return
		}
		end := int(n) == len(s.body) && !trailers && !s.hangUp
		_ = s.framer.WriteData(s.id, end, s.body[:n])
		s.body, s.room, s.multiplex.room = s.body[n:], s.room-n, s.multiplex.room-n
	}
	s.sent = true
}

// flush writes what is to be written.
func (s *stream) flush() error {
	if s.out.Len() == 0 {
		return nil
	}
	_, err := s.link.conn.Write(s.out.Bytes())
	s.out.Reset()
	return err
}

// read takes one frame from the API.
func (s *stream) read() error {
	f, err := s.framer.ReadFrame()
	if err != nil {
		return err
	}
	switch f := f.(type) {
	case *http2.HeadersFrame:
		return s.fields(f.StreamID, f.HeaderBlockFragment(), f.StreamEnded(), f.HeadersEnded())
	case *http2.ContinuationFrame:
		return s.fields(f.StreamID, f.HeaderBlockFragment(), s.ends, f.HeadersEnded())
	case *http2.DataFrame:
		s.data(f)
	case *http2.SettingsFrame:
		return s.settings(f)
	case *http2.PingFrame:
		if !f.IsAck() {
			return s.framer.WritePing(true, f.Data)
		}
	case *http2.WindowUpdateFrame:
		switch f.StreamID {
		case 0:
			s.multiplex.room += int64(f.Increment)
		case s.id:
			s.room += int64(f.Increment)
		}
	case *http2.RSTStreamFrame:
		if f.StreamID == s.id && !s.over {
			return s.reset(f.ErrCode)
		}
	case *http2.GoAwayFrame:
		if s.closing = true; f.LastStreamID < s.id {
			return errGone
		}
	}
	return nil
}

// reset is told that the API wants no more of the stream. Where it has answered, and only does not want the rest of the
// request, that is no fault (RFC 9113 §8.1).
func (s *stream) reset(code http2.ErrCode) error {
	switch {
	case code == http2.ErrCodeRefusedStream:
		return errGone
	case code == http2.ErrCodeNo && s.over:
		return nil
	}
	return fmt.Errorf("%w: %s", errCancel, code)
}

// fields takes a part of a header section. Those of other streams go through the decoder too: it needs all of them.
func (s *stream) fields(id uint32, part []byte, ends, whole bool) error {
	if s.block, s.ends = append(s.block, part...), ends; len(s.block) > maxBlock {
		return errors.New("a header section is too long")
	}
	if !whole {
		return nil
	}
	fields, _, err := s.decode.Decode(s.block)
	s.block = s.block[:0]
	switch {
	case err != nil || id != s.id || s.over:
		return err
	case len(s.head) > 0:
		s.trailer = wire.FieldLines(fields)
	default:
		head := wire.ResponseHead(fields)
		if _, status, _, ok := wire.StatusLine(firstLine(head)); ok && status/100 == 1 {
			if s.answer.interim = append(s.answer.interim, head...); len(s.answer.interim) > maxInterim {
				return errInterim
			}
			return nil
		}
		s.head = head
	}
	s.over = s.over || ends
	return nil
}

func firstLine(head []byte) string {
	line, _, _ := bytes.Cut(head, []byte("\r\n"))
	return string(line)
}

// data takes a part of the answer's body, and allows the API as much again.
func (s *stream) data(f *http2.DataFrame) {
	if n := f.Length; n > 0 {
		_ = s.framer.WriteWindowUpdate(0, n)
		if f.StreamID == s.id && !f.StreamEnded() {
			_ = s.framer.WriteWindowUpdate(s.id, n)
		}
	}
	if f.StreamID == s.id && !s.over {
		s.answer.keepBody(f.Data())
		s.over = f.StreamEnded()
	}
}

// settings takes what the API says of itself.
func (s *stream) settings(f *http2.SettingsFrame) error {
	if f.IsAck() {
		return nil
	}
	_ = f.ForeachSetting(func(set http2.Setting) error {
		switch set.ID {
		case http2.SettingInitialWindowSize:
			s.room += int64(set.Val) - s.initial
			s.initial = int64(set.Val)
		case http2.SettingHeaderTableSize:
			s.encode.SetMaxDynamicTableSizeLimit(min(set.Val, 4096))
		}
		return nil
	})
	return s.framer.WriteSettingsAck()
}

// keep reports whether the connection can carry another exchange.
func (s *stream) keep() bool { return s.over && s.sent && !s.closing && s.id < 1<<30 }

// message returns the bytes of the answer so far.
func (s *stream) message() exchange.Message {
	return exchange.Message{Head: s.head, Body: s.answer.body, Cut: s.answer.cut, Trailer: s.trailer}
}

// response returns the answer, which is whole.
func (s *stream) response() *exchange.Response {
	r := exchange.ParseResponse(s.message())
	r.Interim = s.answer.interim
	return r
}

// fault says why there is no answer, or not a whole one, for an error of a kind.
func (s *stream) fault(err error, kind exchange.FaultKind) *exchange.Fault {
	f := &exchange.Fault{Kind: kind, Text: err.Error(), Seen: s.message()}
	var broken http2.ConnectionError
	switch {
	case kind == exchange.FaultClient:
		f.Text = clientGaveUp
	case f.Kind == exchange.FaultTimeout:
		f.Text = "no whole answer in the time allowed"
	case errors.Is(err, errCancel):
		f.Kind = exchange.FaultReset
	case errors.Is(err, errGone):
		f.Kind = exchange.FaultEOF
	case errors.Is(err, errInterim), errors.As(err, &broken), errors.Is(err, http2.ErrFrameTooLarge):
		f.Kind, f.Text = exchange.FaultUnparseable, "the answer is no HTTP/2: "+err.Error()
	case f.Kind == exchange.FaultEOF && len(s.head) > 0:
		f.Kind, f.Text = exchange.FaultTruncated, "the connection was closed within the answer"
	case f.Kind == exchange.FaultEOF:
		f.Text = "the connection was closed before an answer"
	}
	return f
}
