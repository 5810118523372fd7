package exchange

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/wire"
	"github.com/google/go-cmp/cmp"
)

func TestParseRequest(t *testing.T) {
	tests := []struct {
		name, head string
		want       Request // without its Message
	}{
		{"whole", "POST /a?b HTTP/1.1\r\nHost: x\r\nContent-Type: a/b\r\n\r\n", Request{Method: "POST", Target: "/a?b",
			Proto: "HTTP/1.1", Header: wire.Fields{{Name: "Host", Value: "x"}, {Name: "Content-Type", Value: "a/b"}}}},
		{"nothing", "", Request{Malformed: true}},
		{"no version", "GET /\r\n\r\n", Request{Method: "GET", Target: "/", Malformed: true}},
		{"a line that is no field", "GET / HTTP/1.1\r\nx\r\n\r\n", Request{Method: "GET", Target: "/", Proto: "HTTP/1.1", Malformed: true}},
		{"a length that cannot be read", "GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n", Request{Method: "GET", Target: "/",
			Proto: "HTTP/1.1", Malformed: true, Header: wire.Fields{{Name: "Content-Length", Value: "x"}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.want.Message = Message{Head: []byte(tt.head), Body: []byte("body"), Cut: 3}
			if diff := cmp.Diff(tt.want, ParseRequest(tt.want.Message)); diff != "" {
				t.Errorf("request (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseResponse(t *testing.T) {
	tests := []struct {
		name, head string
		want       Response // without its Message
	}{
		{"whole", "HTTP/1.1 404 Not Found\r\nDate: x\r\n\r\n", Response{Proto: "HTTP/1.1", Status: 404, Reason: "Not Found",
			Header: wire.Fields{{Name: "Date", Value: "x"}}}},
		{"no reason", "HTTP/1.0 200\r\n\r\n", Response{Proto: "HTTP/1.0", Status: 200}},
		{"nothing", "", Response{Malformed: true}},
		{"a status that is no number", "HTTP/1.1 OK\r\n\r\n", Response{Proto: "HTTP/1.1", Malformed: true}},
		{"a length that cannot be read", "HTTP/1.1 200 OK\r\nContent-Length: 1, 2\r\n\r\n", Response{Proto: "HTTP/1.1", Status: 200,
			Reason: "OK", Malformed: true, Header: wire.Fields{{Name: "Content-Length", Value: "1, 2"}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.want.Message = Message{Head: []byte(tt.head), Body: []byte("body")}
			if diff := cmp.Diff(&tt.want, ParseResponse(tt.want.Message)); diff != "" {
				t.Errorf("response (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPayload(t *testing.T) {
	pack := func(data string) string {
		var buf bytes.Buffer
		w := gzip.NewWriter(&buf)
		w.Write([]byte(data))
		w.Close()
		return buf.String()
	}
	chunk := func(data string) string { return string(wire.Chunk([]byte(data))) }
	tests := []struct {
		name, fields, body, want string
		err                      string
	}{
		{"as it is", "", "data", "data", ""},
		{"none", "Content-Encoding: gzip\r\n", "", "", ""},
		{"none but chunks", "Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n", chunk(""), "", ""},
		{"packed", "Content-Encoding: gzip\r\n", pack("data"), "data", ""},
		{"packed twice, on two lines", "Content-Encoding: gzip\r\nContent-Encoding: gzip\r\n", pack(pack("data")), "data", ""},
		{"chunked", "Transfer-Encoding: chunked\r\n", chunk("data"), "data", ""},
		{"chunked and packed", "Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n", chunk(pack("data")), "data", ""},
		{"packed on the way", "Transfer-Encoding: gzip, chunked\r\n", chunk(pack("data")), "data", ""},
		{"packed on both ways", "Content-Encoding: gzip\r\nTransfer-Encoding: gzip, chunked\r\n", chunk(pack(pack("data"))), "data", ""},
		{"packed on the way, not chunked", "Transfer-Encoding: gzip\r\n", pack("data"), "data", ""},
		{"chunks cut off", "Transfer-Encoding: chunked\r\n", "4\r\nda", "da", ""},
		{"a coding that is not known", "Content-Encoding: odd\r\n", "data", "data", `read body: decode "odd" content`},
		{"packed, they say", "Content-Encoding: gzip\r\n", "data", "data", "read body: decode"},
		{"chunked and packed, they say", "Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n", chunk("data"), "data", "read body: decode"},
		{"a bomb", "Content-Encoding: gzip\r\n", strings.Repeat(pack(strings.Repeat("\x00", 1<<20)), MaxPayload>>20+1), "", "unpacks to more than the limit"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.want == "" && tt.err != "" {
				tt.want = tt.body
			}
			r := ParseResponse(Message{Head: []byte("HTTP/1.1 200 OK\r\n" + tt.fields + "\r\n"), Body: []byte(tt.body)})
			q := ParseRequest(Message{Head: []byte("PUT / HTTP/1.1\r\n" + tt.fields + "\r\n"), Body: []byte(tt.body)})
			for name, payload := range map[string]func() ([]byte, error){"response": r.Payload, "request": q.Payload} {
				got, err := payload()
				if string(got) != tt.want {
					t.Errorf("%s: payload %.80q, want %.80q", name, got, tt.want)
				}
				if tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
					t.Errorf("%s: error %v, want %q", name, err, tt.err)
				}
			}
		})
	}
	plain := ParseResponse(Message{Head: []byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: br\r\n\r\n"),
		Body: []byte("data"), Plain: true})
	if got, err := plain.Payload(); string(got) != "data" || err != nil {
		t.Errorf("a plain body is read as %q, error %v", got, err)
	}
}

func TestMediaType(t *testing.T) {
	for value, want := range map[string]string{
		"": "", "text/plain": "text/plain", " Text/HTML ; charset=x": "text/html", ";": "", "nonsense": "nonsense",
	} {
		head := []byte("HTTP/1.1 200 OK\r\nContent-Type: " + value + "\r\n\r\n")
		request := ParseRequest(Message{Head: head})
		if got := ParseResponse(Message{Head: head}).MediaType(); got != want || request.MediaType() != want {
			t.Errorf("the media type of %q is %q", value, got)
		}
	}
}

func TestURL(t *testing.T) {
	tests := []struct{ method, target, want string }{
		{"GET", "/a?b=c", "https://api:8443/a?b=c"},
		{"GET", "//other/a", "https://api:8443//other/a"},
		{"GET", "http://other/a?b", "https://api:8443/a?b"},
		{"GET", "http://other", "https://api:8443/"},
		{"GET", "@other/a", "https://api:8443/@other/a"},
		{"GET", ".other/a", "https://api:8443/.other/a"},
		{"GET", "?a", "https://api:8443/?a"},
		{"GET", "", "https://api:8443"},
		{"OPTIONS", "*", "https://api:8443"},
		{"CONNECT", "other:443", "https://api:8443"},
	}
	for _, tt := range tests {
		e := Exchange{Scheme: "https", Addr: "api:8443", Request: Request{Method: tt.method, Target: tt.target}}
		if got := e.URL(); got != tt.want {
			t.Errorf("%s %s: %s, want %s", tt.method, tt.target, got, tt.want)
		}
	}
}

func TestFaultString(t *testing.T) {
	for want, fault := range map[string]Fault{
		"reset":                    {Kind: FaultReset},
		"dial: connection refused": {Kind: FaultDial, Text: "connection refused"},
	} {
		if got := fault.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
