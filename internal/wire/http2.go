package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/net/http2/hpack"
)

// Preface is what a client of HTTP/2 sends first (RFC 9113 §3.4).
const Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

// The types of HTTP/2 frames that are looked at (RFC 9113 §6), and their flags.
const (
	FrameData         = 0x0
	FrameHeaders      = 0x1
	FrameReset        = 0x3
	FrameSettings     = 0x4
	FramePush         = 0x5
	FrameGoAway       = 0x7
	FrameContinuation = 0x9

	FlagAck        = 0x01 // of SETTINGS
	FlagEndStream  = 0x01
	FlagEndHeaders = 0x04
	flagPadded     = 0x08
	flagPriority   = 0x20
)

// frameHead is the length of what stands before the payload of a frame.
const frameHead = 9

// H2Frame is what stands before the payload of an HTTP/2 frame.
type H2Frame struct {
	Type, Flags byte
	Stream      uint32
	Length      int // of the payload, in bytes; padding included
}

// H2Reader splits one direction of an HTTP/2 connection, without the preface, into its frames. Its zero value is ready.
type H2Reader struct {
	head    []byte // of the frame that is coming in
	frame   H2Frame
	payload []byte // of a frame that is taken whole
	left    int    // bytes of the payload to come
	padding int    // how many of them, at the end, are padding
	padded  bool   // the length of the padding is still to come
}

// H2Part is what came of a frame.
type H2Part struct {
	H2Frame
	Payload []byte // valid until who takes the part returns
	Whole   bool   // the frame ends with it
}

// Feed takes the next bytes of the connection and calls take for what they complete. The payload of DATA comes in
// parts, as it arrives, without padding. That of the other types of frame named here comes whole, as it is on the wire.
// Frames of other types are told of when they begin, and passed over. The first error of take's ends the call.
func (r *H2Reader) Feed(b []byte, take func(H2Part) error) error {
	for len(b) > 0 {
		if len(r.head) < frameHead {
			n := min(frameHead-len(r.head), len(b))
			r.head = append(r.head, b[:n]...)
			if b = b[n:]; len(r.head) < frameHead {
				return nil
			}
			r.begin()
			if !r.frame.known() {
				if err := take(H2Part{H2Frame: r.frame}); err != nil {
					return err
				}
			}
		}
		n := min(r.left, len(b))
		if err := r.feedPayload(b[:n], take); err != nil {
			return err
		}
		b = b[n:]
		if r.left == 0 {
			r.head = r.head[:0]
		}
	}
	return nil
}

// known reports whether a frame is of a type whose payload is looked at.
func (f H2Frame) known() bool {
	switch f.Type {
	case FrameData, FrameHeaders, FrameReset, FrameSettings, FramePush, FrameGoAway, FrameContinuation:
		return true
	}
	return false
}

// begin reads the head of a frame.
func (r *H2Reader) begin() {
	h := r.head
	r.frame = H2Frame{
		Type: h[3], Flags: h[4], Stream: binary.BigEndian.Uint32(h[5:]) &^ (1 << 31),
		Length: int(h[0])<<16 | int(h[1])<<8 | int(h[2]),
	}
	r.left, r.padding, r.payload = r.frame.Length, 0, idle(r.payload)
	r.padded = r.frame.Type == FrameData && r.frame.Flags&flagPadded != 0
}

func (r *H2Reader) feedPayload(b []byte, take func(H2Part) error) error {
	r.left -= len(b)
	switch {
	case !r.frame.known():
		return nil
	case r.frame.Type == FrameData:
		return r.feedData(b, take)
	}
	r.payload = append(r.payload, b...)
	if r.left > 0 {
		return nil
	}
	return take(H2Part{r.frame, r.payload, true})
}

// feedData takes bytes of a DATA frame (RFC 9113 §6.1).
func (r *H2Reader) feedData(b []byte, take func(H2Part) error) error {
	if r.padded && len(b) > 0 {
		r.padding, r.padded = int(b[0]), false
		if b = b[1:]; r.padding > r.frame.Length-1 {
			return errors.New("padding is longer than its frame")
		}
	}
	data := b[:max(0, len(b)-max(0, r.padding-r.left))]
	if len(data) == 0 && r.left > 0 {
		return nil
	}
	return take(H2Part{r.frame, data, r.left == 0})
}

// HeaderBlock takes padding and priority off the payload of a HEADERS or PUSH_PROMISE frame. promised is the stream
// that the latter announces.
func HeaderBlock(f H2Frame, payload []byte) (block []byte, promised uint32, err error) {
	padding := 0
	if f.Flags&flagPadded != 0 {
		if len(payload) == 0 {
			return nil, 0, errors.New("frame ends before its padding")
		}
		padding, payload = int(payload[0]), payload[1:]
	}
	skip := 0
	if f.Type == FrameHeaders && f.Flags&flagPriority != 0 {
		skip = 5
	}
	if f.Type == FramePush {
		skip = 4
	}
	if len(payload) < skip+padding {
		return nil, 0, errors.New("padding is longer than its frame")
	}
	if f.Type == FramePush {
		promised = binary.BigEndian.Uint32(payload) &^ (1 << 31)
	}
	return payload[skip : len(payload)-padding], promised, nil
}

// CodeHTTP11Required is the error code that asks a client to come back with HTTP/1.1 (RFC 9113 §7).
const CodeHTTP11Required = 0xd

// GoAway returns what a server of HTTP/2 says that will do nothing for its client: empty settings, and GOAWAY with a
// code and a text.
func GoAway(code uint32, text string) []byte {
	settings := []byte{0, 0, 0, FrameSettings, 0, 0, 0, 0, 0}
	n := 8 + len(text)
	b := append(settings, byte(n>>16), byte(n>>8), byte(n), FrameGoAway, 0, 0, 0, 0, 0)
	b = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(b, 0), code)
	return append(b, text...)
}

// TableSize returns the size that a SETTINGS frame allows for the table of the header blocks that its sender gets.
func TableSize(payload []byte) (size uint32, found bool) {
	for ; len(payload) >= 6; payload = payload[6:] {
		if binary.BigEndian.Uint16(payload) == 1 {
			size, found = binary.BigEndian.Uint32(payload[2:]), true
		}
	}
	return size, found
}

// maxTable bounds the table of header fields that one direction of a connection may fill.
const maxTable = 1 << 20

// usualFields is how many fields most header blocks have, at most.
const usualFields = 16

// FieldDecoder reads the header blocks of one direction of an HTTP/2 connection (HPACK, RFC 7541). All of them must go
// through it, in their order: each builds on those before.
type FieldDecoder struct {
	hpack  *hpack.Decoder
	fields Fields
	size   int
}

// NewFieldDecoder returns a FieldDecoder for the beginning of a connection.
func NewFieldDecoder() *FieldDecoder {
	d := &FieldDecoder{}
	d.hpack = hpack.NewDecoder(4096, d.emit)
	d.hpack.SetMaxStringLength(maxHead)
	return d
}

func (d *FieldDecoder) emit(f hpack.HeaderField) {
	if d.size += len(f.Name) + len(f.Value) + 4; d.size > maxHead {
		d.hpack.SetEmitEnabled(false)
		return
	}
	d.fields = append(d.fields, Field{f.Name, f.Value})
}

// Allow is told of the size that the receiver of the blocks allows their table. It may grow only: a sender that knows
// of a smaller one says so in its blocks.
func (d *FieldDecoder) Allow(size uint32) {
	if size > 4096 {
		d.hpack.SetAllowedMaxDynamicTableSize(min(size, maxTable))
	}
}

// Decode returns the fields of a block, pseudo-fields among them. A short block may name many bytes of the table:
// fields beyond 16 MiB are left out, and cut is true.
func (d *FieldDecoder) Decode(block []byte) (fields Fields, cut bool, err error) {
	d.fields, d.size = make(Fields, 0, usualFields), 0
	d.hpack.SetEmitEnabled(true)
	if _, err = d.hpack.Write(block); err == nil {
		err = d.hpack.Close()
	}
	if err != nil {
		return nil, false, fmt.Errorf("decode header block: %w", err)
	}
	return d.fields, d.size > maxHead, nil
}

// RequestHead writes the fields of an HTTP/2 request as the head that stands for them: "GET /path HTTP/2.0", a field
// host for :authority, and a line for each other field in the order in which it was sent. :scheme is left out where it
// is the one given. What cannot stand in a line is replaced so that the head is malformed, as the fields were.
func RequestHead(fields Fields, scheme string) []byte {
	var method, path, authority string
	var hasMethod, hasPath, hasAuthority, hasScheme bool // which then stand for themselves where they come again
	rest := make(Fields, 0, len(fields))
	for _, f := range fields {
		switch {
		case !hasMethod && f.Name == ":method":
			method, hasMethod = f.Value, true
		case !hasPath && f.Name == ":path":
			path, hasPath = f.Value, true
		case !hasAuthority && f.Name == ":authority":
			authority, hasAuthority = f.Value, true
			rest = append(rest, Field{"host", f.Value})
		case !hasScheme && f.Name == ":scheme" && f.Value == scheme:
			hasScheme = true
		default:
			rest = append(rest, f)
		}
	}
	if path == "" && method == "CONNECT" {
		path = authority
	}
	return withLines(oneLine.Replace(method+" "+path)+" HTTP/2.0\r\n", rest)
}

// ResponseHead writes the fields of an HTTP/2 response as the head that stands for them: "HTTP/2.0 200 " and a line for
// each field.
func ResponseHead(fields Fields) []byte {
	status := ""
	rest := make(Fields, 0, len(fields))
	for _, f := range fields {
		if f.Name == ":status" && status == "" {
			status = f.Value
			continue
		}
		rest = append(rest, f)
	}
	return withLines("HTTP/2.0 "+oneLine.Replace(status)+" \r\n", rest)
}

// FieldLines writes fields as lines, through a blank one.
func FieldLines(fields Fields) []byte { return withLines("", fields) }

// withLines is FieldLines behind a start line.
func withLines(start string, fields Fields) []byte {
	size := len(start) + len("\r\n")
	for _, f := range fields {
		size += len(f.Name) + len(": ") + len(f.Value) + len("\r\n")
	}
	b := append(make([]byte, 0, size), start...)
	for _, f := range fields {
		name := oneLine.Replace(f.Name)
		if i := strings.LastIndexByte(name, ':'); i > 0 { // a name would end there
			name = name[:1] + strings.ReplaceAll(name[1:], ":", "\r")
		}
		if name == "" || isOWS(name[0]) { // it would carry on the line before
			name = "\r" + name
		}
		b = append(append(append(append(b, name...), ": "...), oneLine.Replace(f.Value)...), "\r\n"...)
	}
	return append(b, "\r\n"...)
}

// oneLine keeps a field from ending its line. A bare CR makes a head malformed.
var oneLine = strings.NewReplacer("\n", "\r")

// isHTTP2 reports whether a start line is one that stands for fields of HTTP/2.
func isHTTP2(line string) bool {
	return strings.HasSuffix(line, " HTTP/2.0") || strings.HasPrefix(line, "HTTP/2.0 ")
}

// IsHTTP2 reports whether a head stands for fields of HTTP/2: its body has no framing of its own.
func IsHTTP2(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte("\r\n"))
	return bytes.HasSuffix(line, []byte(" HTTP/2.0")) || bytes.HasPrefix(line, []byte("HTTP/2.0 "))
}
