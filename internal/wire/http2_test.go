package wire

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"pgregory.net/rapid"
)

// read feeds a stream in pieces and returns its frames, the parts of DATA put together.
func read(t interface{ Fatal(...any) }, pieces [][]byte) []string {
	var r H2Reader
	var out []string
	data := ""
	for _, b := range pieces {
		err := r.Feed(b, func(f H2Part) error {
			if f.Type == FrameData {
				if data += string(f.Payload); !f.Whole {
					return nil
				}
				f.Payload, data = []byte(data), ""
			}
			out = append(out, fmt.Sprintf("%d %x %d %q", f.Type, f.Flags, f.Stream, f.Payload))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// However a stream is cut, its frames are those that another implementation wrote.
func TestH2Reader(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b bytes.Buffer
		var want []string
		w := http2.NewFramer(&b, nil)
		for range rapid.IntRange(1, 6).Draw(t, "frames") {
			payload := rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "payload")
			id := rapid.Uint32Range(1, 1<<31-1).Draw(t, "stream")
			switch kind := rapid.SampledFrom([]byte{FrameData, FrameData, FrameHeaders, FrameContinuation, FrameGoAway, 0xee}).Draw(t, "type"); {
			case kind == FrameData && rapid.Bool().Draw(t, "padded"):
				w.WriteDataPadded(id, true, payload, make([]byte, rapid.IntRange(0, 255).Draw(t, "padding")))
				want = append(want, fmt.Sprintf("0 9 %d %q", id, payload))
			case kind == 0xee:
				w.WriteRawFrame(http2.FrameType(kind), 1, id, payload)
				want = append(want, fmt.Sprintf("238 1 %d \"\"", id))
			default:
				w.WriteRawFrame(http2.FrameType(kind), 4, id, payload)
				want = append(want, fmt.Sprintf("%d 4 %d %q", kind, id, payload))
			}
		}
		var pieces [][]byte
		for rest := b.Bytes(); len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "n")
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		if diff := cmp.Diff(want, read(t, pieces)); diff != "" {
			t.Errorf("frames (-want +got):\n%s", diff)
		}
	})
}

func TestH2ReaderPadding(t *testing.T) {
	var r H2Reader
	err := r.Feed([]byte("\x00\x00\x02\x00\x08\x00\x00\x00\x01\x02x"), func(H2Part) error { return nil })
	if err == nil {
		t.Error("padding that is longer than its frame was taken")
	}
	for _, f := range []H2Frame{{Type: FrameHeaders, Flags: flagPadded}, {Type: FrameHeaders, Flags: flagPriority}, {Type: FramePush}} {
		if _, _, err := HeaderBlock(f, nil); err == nil {
			t.Errorf("%+v without a payload was taken", f)
		}
	}
}

func packFields(fields ...string) []byte {
	var b bytes.Buffer
	e := hpack.NewEncoder(&b)
	for _, f := range fields {
		name, value, _ := strings.Cut(f, " ")
		e.WriteField(hpack.HeaderField{Name: name, Value: value})
	}
	return b.Bytes()
}

func TestHeads(t *testing.T) {
	tests := []struct {
		name      string
		fields    []string
		want      string
		malformed bool
	}{
		{"plain", []string{":method GET", ":scheme https", ":path /a?b", ":authority api:1", "x-a 1", "x-a 2"},
			"GET /a?b HTTP/2.0\r\nhost: api:1\r\nx-a: 1\r\nx-a: 2\r\n\r\n", false},
		{"authority and host", []string{":method GET", ":path /", "host b", ":authority a"}, "GET / HTTP/2.0\r\nhost: b\r\nhost: a\r\n\r\n", false},
		{"extended CONNECT", []string{":method CONNECT", ":protocol websocket", ":path /ws", ":scheme http"},
			"CONNECT /ws HTTP/2.0\r\n:protocol: websocket\r\n:scheme: http\r\n\r\n", false},
		{"twice", []string{":method GET", ":path /", ":path /b"}, "GET / HTTP/2.0\r\n:path: /b\r\n\r\n", false},
		{"no path", []string{":method GET"}, "GET  HTTP/2.0\r\n\r\n", true},
		{"nothing", nil, "  HTTP/2.0\r\n\r\n", true},
		{"line ends", []string{":method GET", ":path /", "a b\r\n\r\nGET /x"}, "GET / HTTP/2.0\r\na: b\r\r\r\rGET /x\r\n\r\n", true},
		{"line end in the path", []string{":method GET", ":path /\nx"}, "GET /\rx HTTP/2.0\r\n\r\n", true},
		{"a fold", []string{":method GET", ":path /", "a b", "\tc d"}, "GET / HTTP/2.0\r\na: b\r\n\r\tc: d\r\n\r\n", true},
		{"no name", []string{":method GET", ":path /", " x"}, "GET / HTTP/2.0\r\n\r: x\r\n\r\n", true},
	}
	for _, tt := range tests {
		fields, cut, err := NewFieldDecoder().Decode(packFields(tt.fields...))
		if err != nil || cut {
			t.Fatal(err)
		}
		got := RequestHead(fields, "https")
		if string(got) != tt.want {
			t.Errorf("%s: head\n%q, want\n%q", tt.name, got, tt.want)
		}
		h := ParseHead(got)
		_, _, proto, ok := RequestLine(h.Line)
		if malformed := h.Err != nil || !ok; malformed != tt.malformed || proto != "HTTP/2.0" && ok || !IsHTTP2(got) {
			t.Errorf("%s: malformed %v (%v), version %q", tt.name, malformed, h.Err, proto)
		}
	}
	if got := ResponseHead(Fields{{"a", "b"}, {":status", "200"}}); string(got) != "HTTP/2.0 200 \r\na: b\r\n\r\n" {
		t.Errorf("head of a response is %q", got)
	}
	if h := ParseHead([]byte("GET / HTTP/1.1\r\n:protocol: x\r\n\r\n")); h.Err == nil {
		t.Error("HTTP/1.1 may not have pseudo-fields")
	}
}

// A small block that unpacks to much is cut, and what follows is still read.
func TestFieldDecoderBound(t *testing.T) {
	d := NewFieldDecoder()
	if _, _, err := d.Decode(packFields("x-long " + strings.Repeat("v", 3000))); err != nil {
		t.Fatal(err)
	}
	bomb := bytes.Repeat([]byte{0x80 | 62}, maxHead/3000+10) // the newest entry of the table, again and again
	fields, cut, err := d.Decode(bomb)
	if err != nil || !cut || len(fields) > maxHead/3000 {
		t.Errorf("%d fields, cut %v, %v", len(fields), cut, err)
	}
	if fields, cut, err = d.Decode([]byte{0x80 | 62}); err != nil || cut || len(fields) != 1 {
		t.Errorf("then %d fields, cut %v, %v", len(fields), cut, err)
	}
	if _, _, err = d.Decode([]byte{0x80}); err == nil {
		t.Error("a block that cannot be read was read")
	}
}

func TestGoAway(t *testing.T) {
	f := http2.NewFramer(nil, bytes.NewReader(GoAway(CodeHTTP11Required, "no")))
	if s, err := f.ReadFrame(); err != nil || s.Header().Type != http2.FrameSettings {
		t.Fatal(s, err)
	}
	frame, err := f.ReadFrame()
	if g, ok := frame.(*http2.GoAwayFrame); err != nil || !ok || g.ErrCode != http2.ErrCodeHTTP11Required || string(g.DebugData()) != "no" {
		t.Errorf("read %v, %v", frame, err)
	}
}

func FuzzH2Reader(f *testing.F) {
	f.Add([]byte("\x00\x00\x02\x00\x08\x00\x00\x00\x01\x00x"), uint8(3))
	f.Add(append([]byte("\x00\x00\x05\x01\x04\x00\x00\x00\x01"), packFields(":method GET")...), uint8(200))
	f.Fuzz(func(t *testing.T, b []byte, n uint8) {
		var r H2Reader
		d := NewFieldDecoder()
		total := 0
		for rest := b; len(rest) > 0; {
			k := min(int(n)+1, len(rest))
			err := r.Feed(rest[:k], func(f H2Part) error {
				total += len(f.Payload)
				if f.Type != FrameHeaders && f.Type != FramePush {
					return nil
				}
				block, _, err := HeaderBlock(f.H2Frame, f.Payload)
				if err != nil {
					return err
				}
				fields, _, err := d.Decode(block)
				if ParseHead(RequestHead(fields, "http")).Line == "" {
					t.Error("no start line")
				}
				return err
			})
			if err != nil {
				return
			}
			rest = rest[k:]
		}
		if total > len(b) {
			t.Errorf("%d bytes of payload in %d bytes", total, len(b))
		}
	})
}

func TestUnchunked(t *testing.T) {
	body := []byte("3;x\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
	got := Unchunked(body, []int{0, 4, 6, 8, 10, 13, 15, 17, 22, 99})
	if diff := cmp.Diff([]int{0, 0, 1, 3, 3, 3, 5, 5, 5, 5}, got); diff != "" {
		t.Errorf("offsets (-want +got):\n%s", diff)
	}
	if got := Unchunked([]byte("9\r\nab"), []int{4, 5}); !cmp.Equal(got, []int{1, 2}) {
		t.Errorf("offsets in a cut chunk: %v", got)
	}
}
