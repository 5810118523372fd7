package exchange

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestFrames(t *testing.T) {
	const ms = time.Millisecond
	upgrade := Message{
		Head:   []byte("GET /ws HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"),
		Tunnel: []byte("\x81\x85\x01\x02\x03\x04igohn\xc1\x02hi\x88\x00\x81\x05cu"), Marks: []Mark{{11, 2 * ms}, {18, 5 * ms}},
	}
	switched := Message{
		Head:   []byte("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n"),
		Tunnel: append([]byte("\x82\x7e\x00\x80"), make([]byte, 128)...), Marks: []Mark{{60, 3 * ms}, {132, 4 * ms}},
	}
	get := Message{Head: []byte("GET / HTTP/1.1\r\n\r\n")}
	tests := []struct {
		name              string
		request, response Message
		want              []Frame
	}{
		{"websocket", upgrade, switched, []Frame{
			{true, 2 * ms, 0x81, []byte("hello")}, {false, 4 * ms, 0x82, make([]byte, 128)},
			{true, 5 * ms, 0xc1, []byte("hi")}, {true, 5 * ms, 0x88, []byte{}},
		}},
		{"gRPC", Message{
			Head: []byte("POST /s/m HTTP/2.0\r\ncontent-type: application/grpc\r\n\r\n"),
			Body: []byte("\x00\x00\x00\x00\x02ab\x01\x00\x00\x00\x00\x00\x00\x00\x00\x05c"), Marks: []Mark{{7, ms}, {12, 3 * ms}},
		}, Message{
			Head: []byte("HTTP/2.0 200 \r\ncontent-type: application/grpc\r\n\r\n"),
			Body: []byte("\x00\x00\x00\x00\x01z"), Marks: []Mark{{6, 2 * ms}},
		}, []Frame{{true, ms, 0, []byte("ab")}, {false, 2 * ms, 0, []byte("z")}, {true, 3 * ms, 1, []byte{}}}},
		{"events", get, Message{
			Head: []byte("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"),
			Body: []byte("data: a\r\ndata: b\r\n\r\n\n: c\r\rdata: d\n"), Marks: []Mark{{5, ms}, {23, 2 * ms}, {40, 9 * ms}},
		}, []Frame{{false, 2 * ms, 0, []byte("data: a\r\ndata: b\r\n")}, {false, 9 * ms, 0, []byte(": c\r")}}},
		{"events in chunks", get, Message{
			Head: []byte("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"),
			Body: []byte("6\r\n: a\n\n:\r\n5;x=y\r\nbcd\n\n\r\n0\r\n\r\n"), Marks: []Mark{{8, ms}, {11, 2 * ms}, {30, 3 * ms}, {35, 4 * ms}},
		}, []Frame{{false, ms, 0, []byte(": a\n")}, {false, 3 * ms, 0, []byte(":bcd\n")}}},
		{"lines", get, Message{
			Head: []byte("HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson; charset=utf-8\r\n\r\n"),
			Body: []byte("{}\n\n[1]\r\n2"), Marks: []Mark{{3, ms}, {10, 2 * ms}},
		}, []Frame{{false, ms, 0, []byte("{}")}, {false, 2 * ms, 0, []byte("[1]")}, {false, 2 * ms, 0, []byte("2")}}},
		{"no stream", get, Message{Head: []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"), Body: []byte("{}\n")}, nil},
		{"packed", get, Message{
			Head: []byte("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: gzip\r\n\r\n"), Body: []byte(": a\n\n"),
		}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := &Exchange{Request: ParseRequest(tt.request), Response: ParseResponse(tt.response)}
			if diff := cmp.Diff(tt.want, e.Frames()); diff != "" {
				t.Errorf("frames (-want +got):\n%s", diff)
			}
			if tt.name == "no stream" {
				return
			}
			e = &Exchange{Request: e.Request, Fault: &Fault{Kind: FaultReset, Seen: tt.response}}
			if diff := cmp.Diff(tt.want, e.Frames()); diff != "" && tt.name != "packed" {
				t.Errorf("frames of a fault (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUnsendable(t *testing.T) {
	const get, ok = "GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n"
	for _, tt := range []struct {
		request, response string
		plain             bool
		want              string
	}{
		{get, ok, false, ""},
		{"what\r\n\r\n", ok, false, ""},
		{"GET / HTTP/2.0\r\n\r\n", "HTTP/2.0 200 \r\n\r\n", false, ""},
		{"GET / HTTP/2.0\r\na: b\rc\r\n\r\n", "HTTP/2.0 200 \r\n\r\n", false, "its fields cannot be sent in HTTP/2 again"},
		{"GET / HTTP/2.0\r\n\r\n", "HTTP/2.0 200 \r\n\r\n", true, ""}, // a file's word for what it holds in the form of HTTP/1
		{get, "HTTP/2.0 200 \r\n\r\n", false, "it was answered in HTTP/2"},
		{get, "HTTP/1.1 101 Go\r\n\r\n", false, "switched to another protocol (101)"},
		{"CONNECT a:1 HTTP/1.1\r\n\r\n", ok, false, "a tunnel (CONNECT)"},
		{"", ok, false, "it could not be read"},
	} {
		e := &Exchange{
			Request:  ParseRequest(Message{Head: []byte(tt.request), Plain: tt.plain}),
			Response: ParseResponse(Message{Head: []byte(tt.response), Plain: tt.plain}),
		}
		if got := e.Unsendable(); got != tt.want {
			t.Errorf("%q answered by %q: %q, want %q", tt.request, tt.response, got, tt.want)
		}
	}
}

func FuzzFrames(f *testing.F) {
	f.Add("text/event-stream", []byte("data: a\n\n"), false, 5)
	f.Add("application/grpc", []byte("\x00\x00\x00\x00\x01z"), true, 3)
	f.Add("", []byte("\x81\x05hello"), false, 9)
	f.Fuzz(func(t *testing.T, kind string, body []byte, chunked bool, mark int) {
		head := "HTTP/1.1 200 OK\r\nContent-Type: " + kind + "\r\n"
		if chunked {
			head += "Transfer-Encoding: chunked\r\n"
		}
		answer := Message{Head: []byte(head + "\r\n"), Body: body, Tunnel: body, Marks: []Mark{{int64(mark), 1}, {int64(mark) + 1, 2}}}
		for _, request := range []string{"GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n", "POST / HTTP/2.0\r\ncontent-type: application/grpc\r\n\r\n"} {
			e := &Exchange{Request: ParseRequest(Message{Head: []byte(request)}), Response: ParseResponse(answer)}
			total := 0
			for _, frame := range e.Frames() {
				total += len(frame.Data)
			}
			if total > 2*len(body) {
				t.Errorf("%d bytes of frames in %d bytes", total, len(body))
			}
		}
	})
}
