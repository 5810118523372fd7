package wire

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func (s State) name() string {
	return [...]string{"InHead", "InBody", "UntilClose", "Opaque", "Done"}[s]
}

// framing is one line of a table: a stream, and where the first message of it ends.
type framing struct {
	name   string
	method string // of the request that is answered; for responses
	stream string // a | stands where the message ends, if that is before the end
	state  State
	err    string // a part of the error; "" for none
}

func (tt framing) run(t *testing.T, newFramer func() *Framer) {
	t.Helper()
	want, rest, _ := strings.Cut(tt.stream, "|")
	stream := want + rest
	f := newFramer()
	n, state := f.Feed([]byte(stream))
	if stream[:n] != want || state != tt.state {
		t.Errorf("%q, %s; want %q, %s", stream[:n], state.name(), want, tt.state.name())
	}
	checkError(t, f.Err(), tt.err)

	f = newFramer()
	n = 0
	for i := 0; i < len(stream) && f.State() != Done; i++ {
		k, _ := f.Feed([]byte(stream[i : i+1]))
		n += k
	}
	if stream[:n] != want || f.State() != tt.state {
		t.Errorf("byte by byte: %q, %s; want %q, %s", stream[:n], f.State().name(), want, tt.state.name())
	}
	checkError(t, f.Err(), tt.err)
}

func TestRequestFramer(t *testing.T) {
	tests := []framing{
		{name: "nothing", stream: "|", state: InHead},
		{name: "blank lines", stream: "\r\n\n\r\n", state: InHead},
		{name: "blank lines before", stream: "\r\n\nGET / HTTP/1.1\r\n\r\n|GET", state: Done},
		{name: "cut off in the head", stream: "GET / HTTP/1.1\r\nHost: x\r\n", state: InHead},
		{name: "LF alone", stream: "GET / HTTP/1.1\nHost: x\n\n|GET", state: Done},
		{name: "mixed line ends", stream: "GET / HTTP/1.1\nHost: x\r\n\n|GET", state: Done},
		{name: "HTTP/0.9 waits for a blank line", stream: "GET /\r\n", state: InHead},
		{name: "no HTTP", stream: "\x16\x03\x01\x00nonsense\n more", state: InHead},
		{name: "no HTTP, and a blank line", stream: "nonsense\r\n\r\n|GET", state: Done, err: "three parts"},
		{name: "no HTTP, with a length", stream: "nonsense\r\nContent-Length: 2\r\n\r\nab|c", state: Done, err: "three parts"},
		{name: "a bare CR ends no head", stream: "GET / HTTP/1.1\r\r", state: InHead},
		{name: "a bare CR in a blank line", stream: "GET / HTTP/1.1\r\n\r\r\n\r\n", state: Done, err: "without a colon"},

		// RFC 9112 §6.3 rule 7: neither field.
		{name: "no body", stream: "POST / HTTP/1.1\r\n\r\n|abc", state: Done},
		{name: "HTTP/1.0 no body", stream: "POST / HTTP/1.0\r\n\r\n|abc", state: Done},
		// Rule 6: a length.
		{name: "length", stream: "POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc|GET", state: Done},
		{name: "length, cut off", stream: "POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nab", state: InBody},
		{name: "length 0", stream: "POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n|GET", state: Done},
		{name: "length with zeros before", stream: "POST / HTTP/1.1\r\nContent-Length: 003\r\n\r\nabc|GET", state: Done},
		{name: "length and white space before the colon", stream: "POST / HTTP/1.1\r\nContent-Length : 3\r\n\r\nabc|GET", state: Done, err: "no token"},
		{name: "equal lengths", stream: "POST / HTTP/1.1\r\nContent-Length: 3\r\ncontent-length: 3\r\n\r\nabc|G", state: Done},
		{name: "equal lengths in a list", stream: "POST / HTTP/1.1\r\nContent-Length: 3, 3\r\n\r\nabc|G", state: Done},
		{name: "the greatest length", stream: "PUT / HTTP/1.1\r\nContent-Length: 9223372036854775807\r\n\r\nabc", state: InBody},
		// Rule 5: lengths that cannot be read.
		{name: "contradicting lengths", stream: "PUT / HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcdef", state: Opaque, err: "3 and 4"},
		{name: "contradicting lengths in a list", stream: "PUT / HTTP/1.1\r\nContent-Length: 3, 4\r\n\r\nabcdef", state: Opaque, err: "3 and 4"},
		{name: "length beyond 63 bits", stream: "PUT / HTTP/1.1\r\nContent-Length: 9223372036854775808\r\n\r\nabc", state: Opaque, err: "cannot be read"},
		{name: "negative length", stream: "PUT / HTTP/1.1\r\nContent-Length: -1\r\n\r\nabc", state: Opaque, err: `"-1"`},
		{name: "length with a plus", stream: "PUT / HTTP/1.1\r\nContent-Length: +1\r\n\r\nabc", state: Opaque, err: `"+1"`},
		{name: "length in hex", stream: "PUT / HTTP/1.1\r\nContent-Length: 0x1\r\n\r\nabc", state: Opaque, err: `"0x1"`},
		{name: "length with an underscore", stream: "PUT / HTTP/1.1\r\nContent-Length: 1_0\r\n\r\nabc", state: Opaque, err: `"1_0"`},
		{name: "length with another unit", stream: "PUT / HTTP/1.1\r\nContent-Length: 3 bytes\r\n\r\nabc", state: Opaque, err: `"3 bytes"`},
		{name: "length that is empty", stream: "PUT / HTTP/1.1\r\nContent-Length:\r\n\r\nabc", state: Opaque, err: `""`},
		{name: "length and an empty element", stream: "PUT / HTTP/1.1\r\nContent-Length: 3,\r\n\r\nabc", state: Opaque, err: `""`},
		{name: "length with other white space", stream: "PUT / HTTP/1.1\r\nContent-Length: \v3\r\n\r\nabc", state: Opaque, err: "cannot be read"},
		// Rule 3: a transfer coding outranks a length.
		{name: "chunked and a length", stream: "PUT / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n|G", state: Done},
		{name: "chunked and a length that cannot be read", stream: "PUT / HTTP/1.1\r\nContent-Length: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n|G", state: Done},
		{name: "chunked in another case", stream: "PUT / HTTP/1.1\r\ntransfer-encoding: CHUNKED\r\n\r\n0\r\n\r\n|G", state: Done},
		{name: "chunked last of two", stream: "PUT / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n|G", state: Done},
		{name: "chunked last of two fields", stream: "PUT / HTTP/1.1\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n|G", state: Done},
		{name: "chunked and empty elements", stream: "PUT / HTTP/1.1\r\nTransfer-Encoding: ,chunked, ,\r\n\r\n0\r\n\r\n|G", state: Done},
		{name: "identity and a length", stream: "PUT / HTTP/1.1\r\nTransfer-Encoding: identity\r\nContent-Length: 1\r\n\r\na|bc", state: Done},
		{name: "an empty coding and no length", stream: "PUT / HTTP/1.1\r\nTransfer-Encoding:\r\n\r\n|abc", state: Done},
		// Rule 4: a request whose last coding is another cannot be framed.
		{name: "chunked not last", stream: "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\nG", state: Opaque, err: "does not end in chunked"},
		{name: "another coding", stream: "PUT / HTTP/1.1\r\nTransfer-Encoding: gzip\r\nContent-Length: 1\r\n\r\nabc", state: Opaque, err: "does not end in chunked"},
		{name: "nearly chunked", stream: "PUT / HTTP/1.1\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", state: Opaque, err: "does not end in chunked"},
		{name: "chunked and other white space", stream: "PUT / HTTP/1.1\r\nTransfer-Encoding: \vchunked\r\n\r\n0\r\n\r\n", state: Opaque, err: "does not end in chunked"},

		{name: "CONNECT has no body", stream: "CONNECT h:1 HTTP/1.1\r\nContent-Length: 3\r\n\r\n|abc", state: Done},
		{name: "methods have their case", stream: "connect h:1 HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc|d", state: Done},
		{name: "Expect changes nothing", stream: "PUT / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc|d", state: Done},
		{name: "the preface of HTTP/2", stream: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00", state: Opaque},
		{name: "PRI in HTTP/1.1 is a method", stream: "PRI * HTTP/1.1\r\n\r\n|SM\r\n\r\n", state: Done},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { tt.run(t, NewRequestFramer) })
	}
}

func TestResponseFramer(t *testing.T) {
	const length3, chunked = "Content-Length: 3\r\n", "Transfer-Encoding: chunked\r\n"
	tests := []framing{
		{name: "length", stream: "HTTP/1.1 200 OK\r\n" + length3 + "\r\nabc|def", state: Done},
		{name: "LF alone", stream: "HTTP/1.1 200 OK\nContent-Length: 3\n\nabc|def", state: Done},
		{name: "no status line", stream: "<html>\n\n</html>", state: Opaque, err: "status line"},
		{name: "no status line, no blank line", stream: "<html>\n</html>", state: InHead},
		{name: "a status that is no number", stream: "HTTP/1.1 OK\r\n" + length3 + "\r\nabcdef", state: Opaque, err: "status line"},
		{name: "an odd status", stream: "HTTP/1.1 099 Odd\r\n" + length3 + "\r\nabc|def", state: Done},

		// RFC 9112 §6.3 rule 1: these have no body, whatever their fields say.
		{name: "HEAD", method: "HEAD", stream: "HTTP/1.1 200 OK\r\n" + length3 + "\r\n|HTTP", state: Done},
		{name: "HEAD chunked", method: "HEAD", stream: "HTTP/1.1 200 OK\r\n" + chunked + "\r\n|HTTP", state: Done},
		{name: "methods have their case", method: "head", stream: "HTTP/1.1 200 OK\r\n" + length3 + "\r\nabc|def", state: Done},
		{name: "100", stream: "HTTP/1.1 100 Continue\r\n\r\n|HTTP", state: Done},
		{name: "103 with a length", stream: "HTTP/1.1 103 Early Hints\r\n" + length3 + "\r\n|HTTP", state: Done},
		{name: "204", stream: "HTTP/1.1 204 No Content\r\n" + length3 + "\r\n|HTTP", state: Done},
		{name: "304", stream: "HTTP/1.1 304 Not Modified\r\n" + length3 + "\r\n|HTTP", state: Done},
		{name: "304 chunked", stream: "HTTP/1.1 304 Not Modified\r\n" + chunked + "\r\n|HTTP", state: Done},
		{name: "101", stream: "HTTP/1.1 101 Switching Protocols\r\n\r\n\x81\x05hello", state: Opaque},
		// Rule 2: a tunnel.
		{name: "CONNECT 200", method: "CONNECT", stream: "HTTP/1.1 200 OK\r\n" + length3 + "\r\nabcdef", state: Opaque},
		{name: "CONNECT 204", method: "CONNECT", stream: "HTTP/1.1 204 No Content\r\n\r\nabc", state: Opaque},
		{name: "CONNECT 407", method: "CONNECT", stream: "HTTP/1.1 407 No\r\n" + length3 + "\r\nabc|def", state: Done},
		{name: "CONNECT 100", method: "CONNECT", stream: "HTTP/1.1 100 Continue\r\n\r\n|abc", state: Done},
		// Rules 3 and 4.
		{name: "chunked", stream: "HTTP/1.1 200 OK\r\n" + chunked + "\r\n3\r\nabc\r\n0\r\n\r\n|HTTP", state: Done},
		{name: "chunked and a length", stream: "HTTP/1.1 200 OK\r\n" + length3 + chunked + "\r\n3\r\nabc\r\n0\r\n\r\n|HTTP", state: Done},
		{name: "chunked in HTTP/1.0", stream: "HTTP/1.0 200 OK\r\n" + chunked + "\r\n0\r\n\r\n|HTTP", state: Done},
		{name: "another coding lasts until the end", stream: "HTTP/1.1 200 OK\r\n" + length3 + "Transfer-Encoding: gzip\r\n\r\nabcdef", state: UntilClose},
		{name: "chunked not last", stream: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n", state: UntilClose},
		{name: "identity", stream: "HTTP/1.1 200 OK\r\n" + length3 + "Transfer-Encoding: identity\r\n\r\nabc|def", state: Done},
		// Rule 5, and the one white space that responses are mended of (§5.1).
		{name: "contradicting lengths", stream: "HTTP/1.1 200 OK\r\n" + length3 + "Content-Length: 4\r\n\r\nabcdef", state: Opaque, err: "3 and 4"},
		{name: "white space before the colon", stream: "HTTP/1.1 200 OK\r\nContent-Length \t: 3\r\n\r\nabc|def", state: Done, err: "no token"},
		// Rules 6 and 8.
		{name: "length 0", stream: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n|HTTP", state: Done},
		{name: "neither lasts until the end", stream: "HTTP/1.1 200 OK\r\n\r\nabcdef", state: UntilClose},
		{name: "neither, nothing yet", stream: "HTTP/1.1 200 OK\r\n\r\n", state: UntilClose},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { tt.run(t, func() *Framer { return NewResponseFramer(tt.method) }) })
	}
}

// chunkings are bodies behind a head that says chunked; the framer and Dechunk must agree on them.
var chunkings = []struct {
	name, body string
	state      State
	err        string
	data       string
}{
	{"empty", "0\r\n\r\n", Done, "", ""},
	{"two chunks", "3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n|HTTP", Done, "", "abcdefg"},
	{"LF alone", "3\nabc\n0\n\n|HTTP", Done, "", "abc"},
	{"a line end within a chunk", "5\r\n\r\n\r\n\n\r\n0\r\n\r\n", Done, "", "\r\n\r\n\n"},
	{"hex", "A\r\n0123456789\r\n00a\r\n0123456789\r\n0\r\n\r\n", Done, "", "01234567890123456789"},
	{"extensions", "3;a=b;c=\"d;e\"\r\nabc\r\n0;last\r\n\r\n", Done, "", "abc"},
	{"an extension after white space", "3 \t;a\r\nabc\r\n0 \r\n\r\n", Done, "", "abc"},
	{"trailers", "3\r\nabc\r\n0\r\nX-Sum: 1\r\nY:2\r\n\r\n|HTTP", Done, "", "abc"},
	{"trailers with LF", "0\nX-Sum: 1\n\n|HTTP", Done, "", ""},
	{"trailers that are none", "0\r\nnonsense\r\n\r\n", Done, "", ""},
	{"cut off in the size", "3\r\nabc\r\n1", InBody, "", "abc"},
	{"cut off in a chunk", "3\r\nabc\r\n5\r\nde", InBody, "", "abcde"},
	{"cut off before a line end", "3\r\nabc", InBody, "", "abc"},
	{"cut off in a line end", "3\r\nabc\r", InBody, "", "abc"},
	{"cut off after the last chunk", "3\r\nabc\r\n0\r\n", InBody, "", "abc"},
	{"cut off in the trailers", "3\r\nabc\r\n0\r\nX: 1\r\n", InBody, "", "abc"},
	{"no line end after a chunk", "3\r\nabcdef\r\n0\r\n\r\n", Opaque, "no line end after a chunk", "abc"},
	{"no size", "3\r\nabc\r\n\r\n0\r\n\r\n", Opaque, "chunk size", "abc"},
	{"no hex", "xyz\r\n", Opaque, `"xyz"`, ""},
	{"a prefix", "0x3\r\nabc\r\n0\r\n\r\n", Opaque, "chunk size", ""},
	{"a sign", "+3\r\nabc\r\n0\r\n\r\n", Opaque, "chunk size", ""},
	{"an underscore", "1_0\r\n0123456789abcdef\r\n0\r\n\r\n", Opaque, "chunk size", ""},
	{"negative", "-1\r\nabc\r\n0\r\n\r\n", Opaque, "chunk size", ""},
	{"beyond 63 bits", "8000000000000000\r\nabc", Opaque, "chunk size", ""},
	{"the greatest size", "7fffffffffffffff\r\nabc", InBody, "", "abc"},
	{"a bare CR after the size", "3\rabc\r\n0\r\n\r\n", Opaque, "chunk size", ""},
	{"a bare CR after a chunk", "3\r\nabc\r0\r\n\r\n", Opaque, "no line end after a chunk", "abc"},
}

func TestChunkedFraming(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	for _, tt := range chunkings {
		t.Run(tt.name, func(t *testing.T) {
			framing{stream: head + tt.body, state: tt.state, err: tt.err}.run(t, func() *Framer { return NewResponseFramer("") })
		})
	}
}

func TestFramerSaysWhatItRead(t *testing.T) {
	f := NewResponseFramer("GET")
	if f.Begun() || f.Status() != 0 || f.Interim() {
		t.Error("a new framer has begun")
	}
	stream := []byte("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 418 Tea\r\nContent-Length: 2\r\n\r\nabHTTP/1.1 101 Up\r\n\r\nxyz")
	n, state := f.Feed(stream)
	if state != Done || !f.Interim() || f.Status() != 103 || f.Head().Fields.Get("link") != "</a>" {
		t.Errorf("103: %s, interim %v, status %d, head %v", state.name(), f.Interim(), f.Status(), f.Head())
	}
	if got := string(f.RawHead()); got != "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" {
		t.Errorf("raw head %q", got)
	}
	if k, state := f.Feed(stream[n:]); k != 0 || state != Done {
		t.Errorf("fed after Done: %d, %s", k, state.name())
	}
	stream = stream[n:]
	f.Reset("GET")
	if f.Begun() || f.State() != InHead || f.Head().Line != "" || len(f.RawHead()) != 0 || f.Status() != 0 {
		t.Error("a framer that was reset is not as new")
	}
	n, state = f.Feed(stream)
	if state != Done || f.Interim() || f.Status() != 418 || string(stream[:n]) != "HTTP/1.1 418 Tea\r\nContent-Length: 2\r\n\r\nab" {
		t.Errorf("418: %s, interim %v, status %d, message %q", state.name(), f.Interim(), f.Status(), stream[:n])
	}
	stream = stream[n:]
	f.Reset("GET")
	if n, state = f.Feed(stream); state != Opaque || f.Interim() || n != len(stream) {
		t.Errorf("101: %s, interim %v, %d bytes", state.name(), f.Interim(), n)
	}
	if n, state = f.Feed(nil); n != 0 || state != Opaque {
		t.Errorf("nothing fed: %d, %s", n, state.name())
	}
}

// An empty call in any state takes nothing and changes nothing.
func TestFeedNothing(t *testing.T) {
	stream := "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX: y\r\n\r\n"
	f := NewResponseFramer("GET")
	for i := range len(stream) {
		before := f.State()
		for _, none := range [][]byte{nil, {}} {
			if n, state := f.Feed(none); n != 0 || state != before {
				t.Fatalf("at %d: %d, %s, was %s", i, n, state.name(), before.name())
			}
		}
		f.Feed([]byte(stream[i : i+1]))
	}
	if f.State() != Done {
		t.Errorf("state %s", f.State().name())
	}
}

func TestBegun(t *testing.T) {
	tests := map[string]bool{
		"": false, "\r": false, "\n": false, "\r\n": false, "\r\n\n\r": false, "\r\n\r\n": false,
		"G": true, "\r\nG": true, "\r\r": true, "\r\r\n": true, "\rG": true, " ": true, "GET / HTTP/1.1\r\n": true,
		"GET / HTTP/1.1\r\n\r": true, "GET / HTTP/1.1\r\n\r\n": true, "\n\nG\r": true,
	}
	for stream, want := range tests {
		f := NewRequestFramer()
		f.Feed([]byte(stream))
		if f.Begun() != want {
			t.Errorf("Begun after %q is %v", stream, !want)
		}
	}
}

// message is a request with a body that is framed in one of the ways there are, and its data.
type message struct {
	method, raw, data string
	chunked           bool
}

func drawMessage(t *rapid.T) message {
	m := message{
		method: rapid.SampledFrom([]string{"GET", "POST", "PUT", "DELETE", "X-ODD"}).Draw(t, "method"),
		data:   rapid.SampledFrom([]string{"", "a", "\r\n", "\r\n\r\n", "0\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "{\"a\": 1}"}).Draw(t, "data"),
	}
	eol := rapid.SampledFrom([]string{"\r\n", "\n"}).Draw(t, "end of line")
	m.raw = strings.Repeat(eol, rapid.IntRange(0, 2).Draw(t, "blank lines")) + m.method + " /x HTTP/1.1" + eol
	for range rapid.IntRange(0, 3).Draw(t, "fields") {
		m.raw += rapid.SampledFrom([]string{"Host: x", "A:", "A: b" + eol + " c", "nonsense"}).Draw(t, "field") + eol
	}
	switch m.chunked = rapid.Bool().Draw(t, "chunked"); {
	case m.chunked:
		m.raw += "Transfer-Encoding: chunked" + eol + eol
		for rest := m.data; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "size")
			m.raw += fmt.Sprintf("%x%s%s%s%s", n, rapid.SampledFrom([]string{"", ";x", " ; x=y"}).Draw(t, "extension"), eol, rest[:n], eol)
			rest = rest[n:]
		}
		m.raw += "0" + eol + rapid.SampledFrom([]string{"", "X: y" + eol}).Draw(t, "trailer") + eol
	case m.data != "" || rapid.Bool().Draw(t, "length 0"):
		m.raw += fmt.Sprintf("Content-Length: %d%s%s", len(m.data), eol, eol) + m.data
	default:
		m.raw += eol
	}
	return m
}

// Pipelined messages come out whole and in order, however the connection is cut into reads.
func TestPipelinedMessages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		messages := rapid.SliceOfN(rapid.Custom(drawMessage), 1, 5).Draw(t, "messages")
		var stream []byte
		for _, m := range messages {
			stream = append(stream, m.raw...)
		}
		f := NewRequestFramer()
		var got []byte
		for len(stream) > 0 {
			size := rapid.IntRange(1, len(stream)).Draw(t, "read")
			piece := stream[:size]
			stream = stream[size:]
			for len(piece) > 0 {
				n, state := f.Feed(piece)
				got = append(got, piece[:n]...)
				piece = piece[n:]
				if state != Done {
					if len(piece) > 0 {
						t.Fatalf("%d bytes left in state %s", len(piece), state.name())
					}
					continue
				}
				m := messages[0]
				messages = messages[1:]
				if string(got) != m.raw || !bytes.HasPrefix(got, f.RawHead()) {
					t.Fatalf("message %q, want %q", got, m.raw)
				}
				body := got[len(f.RawHead()):]
				if m.chunked {
					var whole bool
					if body, _, whole = Dechunk(body); !whole {
						t.Fatalf("%q: the chunked body is not whole", m.raw)
					}
				}
				if string(body) != m.data {
					t.Fatalf("%q: data %q, want %q", m.raw, body, m.data)
				}
				got = nil
				f.Reset("")
			}
		}
		if len(messages) > 0 || f.State() != InHead {
			t.Fatalf("%d messages did not come out", len(messages))
		}
	})
}

// A megabyte byte by byte is read in time linear in its size: a quadratic reader takes minutes for these.
func TestFramerIsLinear(t *testing.T) {
	const size = 1 << 20
	chunked := "PUT / HTTP/1.1\nTransfer-Encoding: chunked\n\n"
	tests := []struct{ name, start, unit, end string }{
		{"blank lines", "", "\n", "GET / HTTP/1.1\n\n"},
		{"a long target", "GET /", "a", " HTTP/1.1\n\n"},
		{"fields", "GET / HTTP/1.1\n", "a:\n", "\n"},
		{"folds", "GET / HTTP/1.1\na:\n", " b\n", "\n"},
		{"a long value", "GET / HTTP/1.1\na:", "b", "\n\n"},
		{"small chunks", chunked, "1\na\n", "0\n\n"},
		{"an extension", chunked + "1;", "x", "\na\n0\n\n"},
		{"trailers", chunked + "0\n", "a:\n", "\n"},
		{"a length", fmt.Sprintf("PUT / HTTP/1.1\nContent-Length: %d\n\n", size), "a", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			unit := strings.Repeat(tt.unit, size/len(tt.unit))
			stream := []byte(tt.start + unit + tt.end)
			if tt.name == "an extension" {
				stream = []byte(tt.start + unit[:maxChunkLine-3] + tt.end)
			}
			f := NewRequestFramer()
			for i := range stream {
				f.Feed(stream[i : i+1])
				if f.State() == InHead {
					f.Begun()
				}
			}
			if f.State() != Done || f.Err() != nil {
				t.Errorf("state %s, error %v", f.State().name(), f.Err())
			}
		})
	}
}

// A head that is too large to be kept is followed to its end all the same, wherever what tells the end of its body
// stands, and however the stream is cut.
func TestFramerLargeHead(t *testing.T) {
	large := "X: " + strings.Repeat("x", maxHead) + "\r\n"
	many := strings.Repeat("A: b\r\n", maxHead/6)
	tests := []struct {
		name, method, stream string // | stands where the message ends
		state                State
		err                  error
	}{
		{"one field", "", "GET / HTTP/1.1\r\n" + large + "\r\n|GET", Done, errLargeHead},
		{"many fields", "", "GET / HTTP/1.1\r\n" + many + "\r\n|GET", Done, errLargeHead},
		{"LF alone", "", "GET / HTTP/1.1\n" + strings.ReplaceAll(many, "\r", "") + many + "\n|GET", Done, errLargeHead},
		{"target", "", "GET /" + strings.Repeat("x", maxHead) + " HTTP/1.1\r\nContent-Length: 2\r\n\r\nab|GET", Done, errLargeHead},
		{"length before", "", "PUT / HTTP/1.1\r\nContent-Length: 2\r\n" + many + "\r\nab|GET", Done, errLargeHead},
		{"length after", "", "PUT / HTTP/1.1\r\n" + many + "content-length : 2\r\nB: c\r\n\r\nab|GET", Done, errLargeHead},
		{"folded after", "", "PUT / HTTP/1.1\r\n" + many + "Transfer-Encoding: gzip,\r\n chunked\r\n\r\n0\r\n\r\n|GET", Done, errLargeHead},
		{"folded, of another field", "", "PUT / HTTP/1.1\r\n" + large + "B: c\r\n Content-Length: 2\r\n\r\n|ab", Done, errLargeHead},
		{"answer", "GET", "HTTP/1.1 200 OK\r\n" + large + "Content-Length: 2\r\n\r\nok|HTTP", Done, errLargeHead},
		{"answer without length", "GET", "HTTP/1.1 200 OK\r\n" + large + "\r\nok", UntilClose, errLargeHead},
		{"lengths that differ", "", "PUT / HTTP/1.1\r\nContent-Length: 2\r\n" + large + "Content-Length: 3\r\n\r\nab", Opaque, errLargeHead},
		{"a start line that looks like a field", "", "Content-Length: 2\r\n" + many + "\r\n|ab", Done, errLargeHead},
		{"length without end", "", "PUT / HTTP/1.1\r\n" + large + "Content-Length: 2" + strings.Repeat(" ", maxLate) + "\r\n\r\nab", Opaque, errLate},
		{"lengths without end", "", "PUT / HTTP/1.1\r\n" + large + strings.Repeat("Content-Length: 2\r\n", maxLate/10) + "\r\nab", Opaque, errLate},
		{"blank lines", "", strings.Repeat("\r\n", maxHead) + "GET / HTTP/1.1\r\n\r\n", Opaque, errBlankLines},
		{"no end", "", "GET / HTTP/1.1\r\n" + many + large, InHead, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want, rest, _ := strings.Cut(tt.stream, "|")
			for _, step := range []int{4093, 1 << 16, len(tt.stream)} {
				f := NewRequestFramer()
				if tt.method != "" {
					f = NewResponseFramer(tt.method)
				}
				n := feedPieces(t, f, []byte(want+rest), step)
				if n != len(want) || f.State() != tt.state || !errors.Is(f.Err(), tt.err) {
					t.Fatalf("in steps of %d: %d bytes, %s, %v; want %d, %s, %v", step, n, f.State().name(), f.Err(), len(want), tt.state.name(), tt.err)
				}
				if !strings.HasPrefix(want, string(f.RawHead())) || len(f.RawHead()) != maxHead {
					t.Errorf("%d bytes of the head are kept", len(f.RawHead()))
				}
				if end := strings.Index(want, "\n\r\n"); end > 0 && errors.Is(tt.err, errLargeHead) && f.HeadSize() != int64(end+3) {
					t.Errorf("the head has %d bytes, want %d", f.HeadSize(), end+3)
				}
				if errors.Is(tt.err, errLargeHead) && ParseHead(f.RawHead()).Err == nil {
					t.Error("read again, the head is not malformed")
				}
				f.Reset(tt.method)
				if cap(f.head) > maxIdleBuffer || f.late != nil {
					t.Error("the buffers of a large head are kept for the next one")
				}
			}
		})
	}
}

// What is kept of a message is bounded: beyond it the stream goes through unread.
func TestFramerBounds(t *testing.T) {
	chunked := "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
	tests := []struct {
		name, start string
		room        int // what may still come
		err         string
	}{
		{"chunk size", chunked, maxChunkLine, "chunk line without end"},
		{"trailer", chunked + "0\r\n", maxChunkLine, "chunk line without end"},
		{"after a chunk", chunked + "1\r\na", maxChunkLine, "chunk line without end"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, step := range []int{4093, tt.room + 1} {
				f := NewRequestFramer()
				f.Feed([]byte(tt.start))
				piece := bytes.Repeat([]byte("x"), step)
				for left := tt.room; left > 0; left -= step {
					f.Feed(piece[:min(step, left)])
				}
				if s := f.State(); s != InHead && s != InBody {
					t.Fatalf("state %s at the bound: %v", s.name(), f.Err())
				}
				if n, state := f.Feed([]byte("x\r\n\r\n")); n != 5 || state != Opaque {
					t.Fatalf("state %s beyond the bound", state.name())
				}
				checkError(t, f.Err(), tt.err)
				if len(f.RawHead()) > maxHead {
					t.Errorf("the head has %d bytes", len(f.RawHead()))
				}
				f.Reset("")
				if cap(f.head) > maxIdleBuffer || cap(f.line) > maxIdleBuffer {
					t.Error("the buffers of a large message are kept for the next one")
				}
			}
		})
	}
}

func BenchmarkFramer(b *testing.B) {
	message := []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nDate: Thu, 29 Jan 2026 12:15:09 GMT\r\n" +
		"Content-Length: 1000\r\n\r\n" + strings.Repeat("a", 1000))
	f := NewResponseFramer("GET")
	b.SetBytes(int64(len(message)))
	b.ReportAllocs()
	for b.Loop() {
		f.Feed(message)
		f.Reset("GET")
	}
}
