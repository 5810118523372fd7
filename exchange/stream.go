package exchange

import (
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/internal/wire"
)

// Mark says when a part of a message passed.
type Mark struct {
	End int64         // the offset behind the part: in Tunnel where the message has one, else in Body
	At  time.Duration // after the Start of the exchange
}

// MaxMarks bounds the marks of one message. Where there would be more, the last one stands for all that follow.
const MaxMarks = 1 << 16

// Streamed reports whether bodies of a media type are streams, of which it matters when each part passes: server-sent
// events, lines of JSON, messages of gRPC.
func Streamed(mediaType string) bool {
	switch mediaType {
	case "text/event-stream", "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines",
		"application/jsonlines", "application/stream+json", "application/json-seq", "multipart/x-mixed-replace":
		return true
	}
	return isGRPC(mediaType)
}

func isGRPC(mediaType string) bool {
	return mediaType == "application/grpc" || strings.HasPrefix(mediaType, "application/grpc+")
}

// Frame is one part of a stream: a frame of a WebSocket, a message of gRPC, a server-sent event, a line of JSON.
type Frame struct {
	FromClient bool
	At         time.Duration // after the Start of the exchange, when its last byte passed; 0 where that is not known
	// Flags is the first byte of a WebSocket's frame (FIN, RSV, opcode: RFC 6455 §5.2), and of a gRPC message: 1 where
	// it is packed. Else it is 0.
	Flags byte
	Data  []byte // without masks; as packed as it was
}

// Frames splits what streamed into its parts, in the order in which they passed. It is nil for an exchange that is no
// stream, and where the stream as a whole was packed (Content-Encoding). A part that was cut is left out.
func (e *Exchange) Frames() []Frame {
	var out []Frame
	answer := &Message{}
	kind := ""
	if e.Response != nil {
		answer, kind = &e.Response.Message, e.Response.MediaType()
		if e.Response.Header.Has("Content-Encoding") {
			kind = ""
		}
	} else if e.Fault != nil {
		answer, kind = &e.Fault.Seen, ParseResponse(e.Fault.Seen).MediaType()
	}
	switch {
	case len(e.Request.Tunnel)+len(answer.Tunnel) > 0 && e.websocket():
		out = frames(out, Frame{FromClient: true}, wire.WebSocket(e.Request.Tunnel), e.Request.Marks)
		out = frames(out, Frame{}, wire.WebSocket(answer.Tunnel), answer.Marks)
	case isGRPC(e.Request.MediaType()):
		out = frames(out, Frame{FromClient: true}, wire.GRPC(e.Request.Body), e.Request.Marks)
		out = frames(out, Frame{}, wire.GRPC(answer.Body), answer.Marks)
	case kind == "text/event-stream":
		body, marks := answer.unchunked()
		out = frames(out, Frame{}, wire.Events(body), marks)
	case kind != "multipart/x-mixed-replace" && Streamed(kind):
		body, marks := answer.unchunked()
		out = frames(out, Frame{}, wire.Lines(body), marks)
	}
	slices.SortStableFunc(out, func(a, b Frame) int { return int(a.At - b.At) })
	return out
}

// websocket reports whether the client asked for a WebSocket, in HTTP/1 or HTTP/2 (RFC 8441).
func (e *Exchange) websocket() bool {
	return e.Request.Header.HasToken("Upgrade", "websocket") || e.Request.Header.HasToken(":protocol", "websocket")
}

// unchunked takes the chunk framing off a body and its marks.
func (m *Message) unchunked() ([]byte, []Mark) {
	if _, chunked := wire.TransferCodings(wire.ParseHead(m.Head).Fields); !chunked || m.Plain || wire.IsHTTP2(m.Head) {
		return m.Body, m.Marks
	}
	offsets := make([]int, len(m.Marks))
	for i, mark := range m.Marks {
		offsets[i] = int(mark.End)
	}
	marks := slices.Clone(m.Marks)
	for i, end := range wire.Unchunked(m.Body, offsets) {
		marks[i].End = int64(end)
	}
	data, _, _ := wire.Dechunk(m.Body)
	return data, marks
}

// frames adds pieces, as frames like one, with the time of the first mark that covers each.
func frames(out []Frame, like Frame, pieces []wire.Piece, marks []Mark) []Frame {
	for _, p := range pieces {
		for len(marks) > 0 && marks[0].End < int64(p.End) {
			marks = marks[1:]
		}
		f := like
		f.Flags, f.Data = p.Flags, p.Data
		if len(marks) > 0 {
			f.At = marks[0].At
		}
		out = append(out, f)
	}
	return out
}

// Unsendable says why the request of an exchange cannot be sent again; "" where it can. Such an exchange changed the
// protocol of its connection, or cannot be read in full.
func (e *Exchange) Unsendable() string {
	switch {
	case len(e.Request.Head) == 0:
		return "it could not be read"
	case e.Request.Method == "CONNECT":
		return "a tunnel (CONNECT)"
	case e.Response != nil && e.Response.Status == 101, len(e.Request.Tunnel) > 0:
		return "switched to another protocol (101)"
	case e.Request.Malformed && wire.IsHTTP2(e.Request.Head) && !e.Request.Plain:
		return "its fields cannot be sent in HTTP/2 again"
	case e.Response != nil && !e.Response.Plain && wire.IsHTTP2(e.Response.Head) && !wire.IsHTTP2(e.Request.Head):
		return "it was answered in HTTP/2"
	}
	return ""
}
