package wire

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
)

// FuzzFramer holds the framer to what must be true of any stream: it takes every byte once, how the stream is cut
// changes nothing, Dechunk agrees with it, and where net/http reads a request whole, both end it at the same byte.
func FuzzFramer(f *testing.F) {
	f.Add([]byte("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabcGET / HTTP/1.1\r\n\r\n"), "", byte(3))
	f.Add([]byte("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n"), "GET", byte(1))
	f.Add([]byte("HTTP/1.1 200 OK\nContent-Length: 3\n\nabc"), "HEAD", byte(5))
	f.Add([]byte("\r\n\nPUT / HTTP/1.1\nHost: x\nTransfer-Encoding: gzip, chunked\n\n1;x=y\na\n0\nT: u\n\n"), "", byte(2))
	f.Fuzz(func(t *testing.T, stream []byte, method string, step byte) {
		newFramer := func() *Framer { return NewResponseFramer(method) }
		if method == "" {
			newFramer = NewRequestFramer
		}
		whole, pieces := newFramer(), newFramer()
		n, state := whole.Feed(stream)
		k := feedPieces(t, pieces, stream, int(step)+1)
		switch {
		case n != k || state != pieces.State() || !bytes.Equal(whole.RawHead(), pieces.RawHead()):
			t.Fatalf("at once %d bytes, %s; in pieces %d bytes, %s", n, state.name(), k, pieces.State().name())
		case (whole.Err() == nil) != (pieces.Err() == nil):
			t.Fatalf("at once %v; in pieces %v", whole.Err(), pieces.Err())
		case state != Done && n != len(stream):
			t.Fatalf("%s, but %d of %d bytes were taken", state.name(), n, len(stream))
		}
		if whole.chunked {
			if _, _, whole := Dechunk(stream[len(pieces.RawHead()):n]); whole != (state == Done) {
				t.Fatalf("state %s, dechunked whole: %v", state.name(), whole)
			}
		}
		if end, ok := netHTTPEnd(stream); method == "" && ok && state == Done && whole.method != "CONNECT" && n != end {
			t.Errorf("%q ends at %d, net/http ends it at %d", stream, n, end)
		}
	})
}

// feedPieces feeds a stream in pieces up to Done and returns how much was taken.
func feedPieces(t *testing.T, f *Framer, stream []byte, size int) int {
	total := 0
	for total < len(stream) && f.State() != Done {
		piece := stream[total:min(total+size, len(stream))]
		n, state := f.Feed(piece)
		if n == 0 || n < len(piece) && state != Done {
			t.Fatalf("%d of %d bytes taken, %s", n, len(piece), state.name())
		}
		total += n
	}
	return total
}

// netHTTPEnd returns where net/http sees the end of the first request; ok is false where it refuses it, and where it
// is known to see another end for a reason of its own.
func netHTTPEnd(stream []byte) (end int, ok bool) {
	in := bytes.NewReader(stream)
	buf := bufio.NewReaderSize(in, 16)
	req, err := http.ReadRequest(buf)
	if err != nil || !req.ProtoAtLeast(1, 1) { // it knows no transfer coding in HTTP/1.0
		return 0, false
	}
	if _, err := io.Copy(io.Discard, req.Body); err != nil {
		return 0, false
	}
	return len(stream) - in.Len() - buf.Buffered(), true
}

// FuzzDecode: whatever comes in, what comes out keeps to the limit, and never comes with an error.
func FuzzDecode(f *testing.F) {
	for _, coding := range []string{"gzip", "deflate", "deflate, raw", "br", "zstd"} {
		encoding, _, _ := strings.Cut(coding, ",")
		f.Add(encoding, pack(f, coding, []byte("what was meant, what was meant")))
		f.Add(encoding, pack(f, coding, make([]byte, 1<<20)))
	}
	f.Add("br,gzip", []byte("\x1f\x8b"))
	f.Fuzz(func(t *testing.T, encoding string, packed []byte) {
		const limit = 64 << 10
		out, err := Decode(encoding, packed, limit)
		if err != nil && out != nil || len(out) > max(limit, len(packed)) {
			t.Errorf("%q: %d bytes, error %v", encoding, len(out), err)
		}
	})
}
