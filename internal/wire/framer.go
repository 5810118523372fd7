package wire

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// State is where a [Framer] stands in its message.
type State uint8

// The states of a message, in the order in which a message goes through them.
const (
	InHead     State = iota // the blank line after the fields has not come yet
	InBody                  // the end of the body has not come yet
	UntilClose              // the body ends with the connection (RFC 9112 §6.3, rule 8)
	Opaque                  // what follows is no HTTP/1 message: an upgrade, a tunnel, or bytes that cannot be framed
	Done                    // the message is whole
)

// Framer follows one message on the wire and says where it ends (RFC 9112 §6). It keeps the head and counts the body;
// the bytes themselves belong to the caller. After Done, [Framer.Reset] makes it ready for the next message.
//
// Interim responses (1xx but 101) are messages of their own: the caller sees Done with their status and resets.
type Framer struct {
	method   string // the request's method, where a response is followed
	response bool

	head    []byte
	parsed  Head
	status  int
	state   State
	err     error
	left    int64 // bytes of the body, or of the present chunk, still to come
	chunked bool
	chunk   chunkState
	line    []byte // the chunk-size or trailer line so far
}

type chunkState uint8

const (
	chunkSize chunkState = iota
	chunkData
	chunkEnd
	chunkTrailer
)

// maxChunkLine bounds a chunk-size or trailer line; a longer one makes the stream opaque. Servers bound it far lower.
const maxChunkLine = 1 << 20

// NewRequestFramer returns a Framer for the client's direction.
func NewRequestFramer() *Framer { return &Framer{} }

// NewResponseFramer returns a Framer for the server's direction. method is that of the request that is answered: HEAD
// and CONNECT change where the answer ends.
func NewResponseFramer(method string) *Framer { return &Framer{response: true, method: method} }

// Reset makes the Framer ready for the next message of its direction; method is ignored for requests.
func (f *Framer) Reset(method string) {
	*f = Framer{response: f.response, method: method, head: f.head[:0], line: f.line[:0]}
}

// Feed takes the next bytes of the connection and returns how many of them belong to the present message, and where
// the message then stands. Once it says Done, the bytes after n belong to the next message. In the states UntilClose
// and Opaque everything belongs to it.
func (f *Framer) Feed(b []byte) (n int, state State) {
	for n < len(b) {
		switch f.state {
		case InHead:
			n += f.feedHead(b[n:])
		case InBody:
			n += f.feedBody(b[n:])
		case UntilClose, Opaque:
			return len(b), f.state
		case Done:
			return n, Done
		}
	}
	return n, f.state
}

// State returns where the message stands.
func (f *Framer) State() State { return f.state }

// Head returns the parsed head; it is empty while the state is InHead.
func (f *Framer) Head() Head { return f.parsed }

// RawHead returns the bytes of the head so far. They are overwritten after Reset.
func (f *Framer) RawHead() []byte { return f.head }

// Status returns the status code of a response, 0 while there is none.
func (f *Framer) Status() int { return f.status }

// Interim reports whether the message is a response that another one follows (1xx but 101).
func (f *Framer) Interim() bool { return f.response && f.status/100 == 1 && f.status != 101 }

// Err says why a message is malformed; nil where it is not.
func (f *Framer) Err() error { return f.err }

// Begun reports whether any byte but blank lines of the message has come.
func (f *Framer) Begun() bool { return len(trimBlankLines(f.head)) > 0 }

// feedHead takes bytes up to the end of the head, a line at a time, so that no byte is looked at twice.
func (f *Framer) feedHead(b []byte) int {
	n := 0
	for n < len(b) {
		k := bytes.IndexByte(b[n:], '\n')
		if k < 0 {
			f.head = append(f.head, b[n:]...)
			return len(b)
		}
		f.head = append(f.head, b[n:n+k+1]...)
		n += k + 1
		if f.headEnds() {
			f.parsed = ParseHead(f.head)
			f.err = f.parsed.Err
			f.frame()
			return n
		}
	}
	return n
}

// headEnds reports whether the head so far, which ends in LF, ends in a blank line.
func (f *Framer) headEnds() bool {
	h := f.head
	if !bytes.HasSuffix(h, []byte("\n\n")) && !bytes.HasSuffix(h, []byte("\n\r\n")) {
		return false
	}
	return f.Begun()
}

// frame decides from the head where the message ends: RFC 9112 §6.3.
func (f *Framer) frame() {
	if f.response {
		f.frameResponse()
		return
	}
	method, _, _, ok := RequestLine(f.parsed.Line)
	if !ok {
		f.malformed(errors.New("request line has not three parts"))
	}
	f.method = method
	if method == "CONNECT" && ok {
		f.state = Done // what follows depends on the answer; the caller decides
		return
	}
	f.frameBody(false)
}

func (f *Framer) frameResponse() {
	_, status, _, ok := StatusLine(f.parsed.Line)
	if !ok {
		f.malformed(errors.New("status line cannot be read"))
		f.state = Opaque
		return
	}
	f.status = status
	switch {
	case status == 101, f.method == "CONNECT" && status/100 == 2:
		f.state = Opaque
	case f.method == "HEAD", status/100 == 1, status == 204, status == 304:
		f.state = Done
	default:
		f.frameBody(true)
	}
}

// frameBody applies the rules for Transfer-Encoding and Content-Length; without either, a request has no body and a
// response lasts until the connection closes.
func (f *Framer) frameBody(untilClose bool) {
	fields := f.parsed.Fields
	if te := fields.Values("Transfer-Encoding"); len(te) > 0 {
		all := strings.Join(te, ",")
		last := strings.TrimSpace(all[strings.LastIndexByte(all, ',')+1:])
		if strings.EqualFold(last, "chunked") {
			f.state, f.chunked = InBody, true
			return
		}
		f.state = UntilClose
		if !untilClose {
			f.malformed(fmt.Errorf("transfer coding %.40q of a request does not end in chunked", all))
			f.state = Opaque
		}
		return
	}
	length, found, err := ContentLength(fields)
	switch {
	case err != nil:
		f.malformed(err)
		f.state = Opaque
	case found && length > 0:
		f.state, f.left = InBody, length
	case found, !untilClose:
		f.state = Done
	default:
		f.state = UntilClose
	}
}

// ContentLength returns the length that the fields announce. Several equal lengths count as one (RFC 9112 §6.3);
// anything else is an error.
func ContentLength(fields Fields) (length int64, found bool, err error) {
	for _, v := range fields.Values("Content-Length") {
		for part := range strings.SplitSeq(v, ",") {
			part = strings.TrimSpace(part)
			n, perr := strconv.ParseUint(part, 10, 63)
			if perr != nil || part[0] == '+' {
				return 0, true, fmt.Errorf("content length cannot be read: %.40q", part)
			}
			if found && int64(n) != length {
				return 0, true, fmt.Errorf("content lengths contradict each other: %d and %d", length, n)
			}
			length, found = int64(n), true
		}
	}
	return length, found, nil
}

func (f *Framer) malformed(err error) { f.err = keep(f.err, err) }

// feedBody takes bytes of a body of known length or of a chunked one.
func (f *Framer) feedBody(b []byte) int {
	if !f.chunked {
		n := min(int64(len(b)), f.left)
		f.left -= n
		if f.left == 0 {
			f.state = Done
		}
		return int(n)
	}
	if f.chunk == chunkData {
		n := min(int64(len(b)), f.left)
		f.left -= n
		if f.left == 0 {
			f.chunk = chunkEnd
		}
		return int(n)
	}
	return f.feedChunkLine(b)
}

// feedChunkLine takes bytes up to the end of a chunk-size line, of the line end after a chunk, or of a trailer line.
func (f *Framer) feedChunkLine(b []byte) int {
	k := bytes.IndexByte(b, '\n')
	n := k + 1
	if k < 0 {
		n = len(b)
	}
	f.line = append(f.line, b[:n]...)
	if len(f.line) > maxChunkLine {
		f.malformed(errors.New("chunk line without end"))
		f.state = Opaque
		return n
	}
	if k < 0 {
		return n
	}
	line := bytes.TrimSuffix(f.line[:len(f.line)-1], []byte{'\r'})
	f.line = f.line[:0]
	switch f.chunk {
	case chunkSize:
		size, err := chunkLength(line)
		switch {
		case err != nil:
			f.malformed(err)
			f.state = Opaque
		case size == 0:
			f.chunk = chunkTrailer
		default:
			f.chunk, f.left = chunkData, size
		}
	case chunkEnd:
		f.chunk = chunkSize
		if len(line) > 0 {
			f.malformed(errors.New("no line end after a chunk"))
			f.state = Opaque
		}
	case chunkTrailer:
		if len(line) == 0 {
			f.state = Done
		}
	}
	return n
}

// chunkLength reads a chunk-size line, extensions left aside (RFC 9112 §7.1).
func chunkLength(line []byte) (int64, error) {
	size, _, _ := bytes.Cut(line, []byte{';'})
	size = trimOWS(size)
	n, err := strconv.ParseUint(string(size), 16, 63)
	if err != nil || size[0] == '+' {
		return 0, fmt.Errorf("chunk size cannot be read: %.40q", line)
	}
	return int64(n), nil
}
