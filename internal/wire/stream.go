package wire

import (
	"bytes"
	"encoding/binary"
)

// Piece is one part of a stream of bytes: a frame, a message, an event, a line.
type Piece struct {
	Flags byte   // what the first byte of a frame says beside its length; 0 where there is none
	Data  []byte // what it carries, masks taken off
	End   int    // where it ends in the stream
}

// WebSocket splits one direction of a WebSocket connection into its frames (RFC 6455 §5.2). Flags is the first byte of
// each: FIN, the reserved bits (RSV1 says that permessage-deflate has packed the message) and the opcode. What is left
// over at the end, because it was cut, is left out.
func WebSocket(b []byte) []Piece {
	var out []Piece
	for at := 0; ; {
		rest := b[at:]
		if len(rest) < 2 {
			return out
		}
		size, head := uint64(rest[1]&0x7f), 2
		switch {
		case size == 126 && len(rest) >= 4:
			size, head = uint64(binary.BigEndian.Uint16(rest[2:])), 4
		case size == 127 && len(rest) >= 10:
			size, head = binary.BigEndian.Uint64(rest[2:]), 10
		case size >= 126:
			return out
		}
		masked := rest[1]&0x80 != 0
		if masked {
			head += 4
		}
		if len(rest) < head || uint64(len(rest)-head) < size {
			return out
		}
		data := rest[head : head+int(size)]
		if masked {
			data = unmask(data, rest[head-4:head])
		}
		at += head + int(size)
		out = append(out, Piece{Flags: rest[0], Data: data, End: at})
	}
}

func unmask(b, key []byte) []byte {
	out := make([]byte, len(b))
	for i, c := range b {
		out[i] = c ^ key[i%4]
	}
	return out
}

// GRPC splits a body of gRPC into its messages. Flags is 1 where a message is packed, as grpc-encoding says.
func GRPC(b []byte) []Piece {
	var out []Piece
	for at := 0; len(b)-at >= 5; {
		size := uint64(binary.BigEndian.Uint32(b[at+1:]))
		if uint64(len(b)-at-5) < size {
			break
		}
		end := at + 5 + int(size)
		out = append(out, Piece{Flags: b[at], Data: b[at+5 : end], End: end})
		at = end
	}
	return out
}

// Events splits text/event-stream into its events: what stands between blank lines. Lines may end in CRLF, LF or CR.
func Events(b []byte) []Piece {
	var out []Piece
	start, lineStart := 0, 0
	for i := 0; i < len(b); i++ {
		if b[i] != '\n' && b[i] != '\r' {
			continue
		}
		end := i + 1
		if b[i] == '\r' && end < len(b) && b[end] == '\n' {
			end++
		}
		if i == lineStart { // a blank line
			if i > start {
				out = append(out, Piece{Data: b[start:lineStart], End: end})
			}
			start = end
		}
		lineStart, i = end, end-1
	}
	return out
}

// Lines splits a body of one value on each line, blank ones left out. A last line without its end counts.
func Lines(b []byte) []Piece {
	var out []Piece
	at := 0
	for line := range bytes.Lines(b) {
		at += len(line)
		if data := bytes.Trim(line, " \t\r\n\x1e"); len(data) > 0 {
			out = append(out, Piece{Data: data, End: at})
		}
	}
	return out
}

// Unchunked returns where, in the data that [Dechunk] gives, the bytes of a chunked body before the offset end that
// offsets holds, which ascend: the ends of what passed at a time become ends in the data.
func Unchunked(b []byte, offsets []int) []int {
	out := make([]int, 0, len(offsets))
	raw, data := 0, 0
	for len(out) < len(offsets) {
		line, _, found := bytes.Cut(b[raw:], []byte{'\n'})
		size, err := chunkLength(bytes.TrimSuffix(line, []byte{'\r'}))
		start, n := raw+len(line)+1, 0
		if found && err == nil {
			n = int(min(size, int64(len(b)-start)))
		}
		last := n == 0
		for len(out) < len(offsets) && (last || offsets[len(out)] < start+n) {
			out = append(out, data+min(n, max(0, offsets[len(out)]-start)))
		}
		if last {
			break
		}
		data += n
		raw = start + n
		if end := bytes.IndexByte(b[raw:], '\n'); end >= 0 {
			raw += end + 1
		} else {
			raw = len(b)
		}
	}
	return out
}
