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
//
// Lines may end in a bare LF (RFC 9112 §2.2). A bare CR ends no line: in a head it makes the message malformed, in
// chunk framing it makes the stream opaque. A first line that is no HTTP/1 stays InHead until a blank line comes, which
// for a request of HTTP/0.9 ("GET /", one line, no more) is never: when to stop waiting is for the caller to say, who
// has the clock and sees the connection end.
type Framer struct {
	method   string // the request's method, where a response is followed
	response bool

	head    []byte
	size    int64 // of the head, kept or not
	late    *late // where the head is larger than what is kept of it
	begun   bool  // a line that is not blank has ended
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

// maxHead bounds what is kept of a head. It is above what servers take (8 KiB to 1 MiB), so that a fuzzer may look for
// their limits; a larger head is followed to its end all the same. Its parsed view takes ten times as much where it is
// all fields of a few bytes.
const maxHead = 1<<20 + 64<<10

// maxIdleBuffer bounds the buffers that a Framer keeps from one message to the next.
const maxIdleBuffer = 64 << 10

// NewRequestFramer returns a Framer for the client's direction.
func NewRequestFramer() *Framer { return &Framer{} }

// NewResponseFramer returns a Framer for the server's direction. method is that of the request that is answered: HEAD
// and CONNECT change where the answer ends.
func NewResponseFramer(method string) *Framer { return &Framer{response: true, method: method} }

// Reset makes the Framer ready for the next message of its direction; method is ignored for requests.
func (f *Framer) Reset(method string) {
	*f = Framer{response: f.response, method: method, head: idle(f.head), line: idle(f.line)}
}

// idle empties a buffer, or drops it where it has grown large.
func idle(b []byte) []byte {
	if cap(b) > maxIdleBuffer {
		return nil
	}
	return b[:0]
}

// Feed takes the next bytes of the connection and returns how many of them belong to the present message, and where
// the message then stands. Once it says Done, the bytes after n belong to the next message; before, n is len(b). In the
// states UntilClose and Opaque everything belongs to it. How the stream is cut into calls changes nothing; an empty b
// tells the state.
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

// Head returns the head as it is parsed from RawHead; it is empty while the state is InHead.
func (f *Framer) Head() Head { return f.parsed }

// RawHead returns the bytes of the head so far, 1088 KiB at most. They are overwritten after Reset.
func (f *Framer) RawHead() []byte { return f.head }

// HeadSize returns how many bytes the head has so far, those included that are not kept.
func (f *Framer) HeadSize() int64 { return f.size }

// Status returns the status code of a response, 0 while there is none.
func (f *Framer) Status() int { return f.status }

// Interim reports whether the message is a response that another one follows (1xx but 101).
func (f *Framer) Interim() bool { return f.response && f.status/100 == 1 && f.status != 101 }

// Err says why a message is malformed; nil where it is not.
func (f *Framer) Err() error { return f.err }

// Begun reports whether any byte but blank lines of the message has come.
func (f *Framer) Begun() bool {
	// While no line but blank ones has ended, all that can have begun is the line after the last LF. A lone CR may yet
	// turn out to be a blank line.
	switch n := len(f.head); {
	case f.begun:
		return true
	case n == 0 || f.head[n-1] == '\n':
		return false
	default:
		return f.head[n-1] != '\r' || n > 1 && f.head[n-2] != '\n'
	}
}

// feedHead takes bytes up to the end of the head, a line at a time, so that no byte is looked at twice.
func (f *Framer) feedHead(b []byte) int {
	n := 0
	for n < len(b) && f.state == InHead {
		k := bytes.IndexByte(b[n:], '\n')
		line := b[n:]
		if k >= 0 {
			line = line[:k+1]
		}
		n += len(line)
		f.size += int64(len(line))
		if f.late != nil || len(line) > maxHead-len(f.head) {
			f.feedLate(line, k >= 0)
			continue
		}
		f.head = append(f.head, line...)
		if k >= 0 {
			f.endHeadLine()
		}
	}
	return n
}

// endHeadLine looks at a line of the head that has just ended: a blank one after the start line ends the head.
func (f *Framer) endHeadLine() {
	h := f.head[:len(f.head)-1]
	h = bytes.TrimSuffix(h, []byte{'\r'})
	blank := len(h) == 0 || h[len(h)-1] == '\n'
	switch {
	case !blank:
		f.begun = true
	case f.begun:
		f.parsed = ParseHead(f.head)
		f.err = f.parsed.Err
		f.frame(f.parsed.Fields)
	}
}

// frame decides from the head where the message ends: RFC 9112 §6.3.
func (f *Framer) frame(fields Fields) {
	if f.response {
		f.frameResponse(fields)
		return
	}
	method, _, proto, ok := RequestLine(f.parsed.Line)
	if !ok {
		f.malformed(errors.New("request line has not three parts"))
	}
	f.method = method
	switch {
	case ok && method == "CONNECT":
		f.state = Done // what follows depends on the answer; the caller decides
	case ok && method == "PRI" && proto == "HTTP/2.0":
		f.state = Opaque // the preface of HTTP/2 with prior knowledge (RFC 9113 §3.4)
	default:
		f.frameBody(fields, Done)
	}
}

func (f *Framer) frameResponse(fields Fields) {
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
		f.frameBody(fields, UntilClose)
	}
}

// frameBody applies the rules for Transfer-Encoding and Content-Length. bare is the state of a message with neither: a
// request is Done, a response lasts UntilClose.
func (f *Framer) frameBody(fields Fields, bare State) {
	codings, chunked := TransferCodings(fields)
	length, found, err := ContentLength(fields)
	switch {
	case chunked: // whatever the Content-Length says (rule 3)
		f.state, f.chunked = InBody, true
	case len(codings) > 0 && f.response: // rule 4
		f.state = UntilClose
	case len(codings) > 0:
		f.malformed(fmt.Errorf("transfer coding %.40q of a request does not end in chunked", strings.Join(codings, ", ")))
		f.state = Opaque
	case err != nil: // rule 5
		f.malformed(err)
		f.state = Opaque
	case found && length > 0: // rule 6
		f.state, f.left = InBody, length
	case found:
		f.state = Done
	default: // rules 7 and 8
		f.state = bare
	}
}

// TransferCodings returns the transfer codings that the fields announce, in lower case and in the order in which they
// were applied. chunked says that the last of them is chunked, the one coding that tells where a body ends; it is then
// left out of the list. "identity" is left out too: HTTP/1.1 had it until RFC 7230, clients ignore it still.
func TransferCodings(fields Fields) (codings []string, chunked bool) {
	for _, field := range fields {
		if !field.named("Transfer-Encoding") {
			continue
		}
		for part := range strings.SplitSeq(field.Value, ",") {
			if part = strings.ToLower(trimOWS(part)); part != "" && part != "identity" {
				codings = append(codings, part)
			}
		}
	}
	if n := len(codings); n > 0 && codings[n-1] == "chunked" {
		return codings[:n-1], true
	}
	return codings, false
}

// ContentLength returns the length that the fields announce. Several equal lengths count as one (RFC 9112 §6.3);
// anything else is an error.
func ContentLength(fields Fields) (length int64, found bool, err error) {
	for _, field := range fields {
		if !field.named("Content-Length") {
			continue
		}
		for part := range strings.SplitSeq(field.Value, ",") {
			part = trimOWS(part)
			n, err := strconv.ParseUint(part, 10, 63)
			if err != nil {
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

func (f *Framer) malformed(err error) {
	if f.err == nil {
		f.err = err
	}
}

// feedBody takes bytes of a body of known length or of a chunked one.
func (f *Framer) feedBody(b []byte) int {
	switch {
	case !f.chunked:
		n := f.count(b)
		if f.left == 0 {
			f.state = Done
		}
		return n
	case f.chunk == chunkData:
		n := f.count(b)
		if f.left == 0 {
			f.chunk = chunkEnd
		}
		return n
	default:
		return f.feedChunkLine(b)
	}
}

// count takes bytes off what is left and returns how many.
func (f *Framer) count(b []byte) int {
	n := min(int64(len(b)), f.left)
	f.left -= n
	return int(n)
}

// feedChunkLine takes bytes up to the end of a chunk-size line, of the line end after a chunk, or of a trailer line.
func (f *Framer) feedChunkLine(b []byte) int {
	k := bytes.IndexByte(b, '\n')
	piece := b[:k+1]
	if k < 0 {
		piece = b
	}
	if len(f.line)+len(piece) > maxChunkLine {
		f.malformed(errors.New("chunk line without end"))
		f.state = Opaque
		return 0
	}
	f.line = append(f.line, piece...)
	if k >= 0 {
		line := bytes.TrimSuffix(f.line[:len(f.line)-1], []byte{'\r'})
		f.line = f.line[:0]
		f.endChunkLine(line)
	}
	return len(piece)
}

// endChunkLine looks at a line of the chunk framing that has just ended; line is without its line end.
func (f *Framer) endChunkLine(line []byte) {
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
}

// chunkLength reads a chunk-size line, extensions left aside (RFC 9112 §7.1).
func chunkLength(line []byte) (int64, error) {
	size, _, _ := bytes.Cut(line, []byte{';'})
	n, err := strconv.ParseUint(string(bytes.Trim(size, " \t")), 16, 63)
	if err != nil {
		return 0, fmt.Errorf("chunk size cannot be read: %.40q", line)
	}
	return int64(n), nil
}
