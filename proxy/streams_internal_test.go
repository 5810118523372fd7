package proxy

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/wire"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"pgregory.net/rapid"
)

// peer writes one direction of a connection of HTTP/2, each call as a step of a script.
type peer struct {
	arrow  string // "> " or "< "
	buf    bytes.Buffer
	framer *http2.Framer
	block  bytes.Buffer
	hpack  *hpack.Encoder
}

func newPeer(arrow string) *peer {
	p := &peer{arrow: arrow}
	p.framer = http2.NewFramer(&p.buf, nil)
	p.framer.AllowIllegalWrites = true
	p.hpack = hpack.NewEncoder(&p.block)
	return p
}

// step returns what has been written since the last one.
func (p *peer) step() string {
	defer p.buf.Reset()
	return p.arrow + p.buf.String()
}

// pack encodes fields, given as "name value".
func (p *peer) pack(fields ...string) []byte {
	p.block.Reset()
	for _, f := range fields {
		name, value, _ := strings.Cut(f, " ")
		p.hpack.WriteField(hpack.HeaderField{Name: name, Value: value})
	}
	return bytes.Clone(p.block.Bytes())
}

func (p *peer) settings(s ...http2.Setting) string {
	p.framer.WriteSettings(s...)
	return p.step()
}

func (p *peer) head(id uint32, end bool, fields ...string) string {
	p.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: p.pack(fields...), EndStream: end, EndHeaders: true})
	return p.step()
}

func (p *peer) data(id uint32, end bool, b string) string {
	p.framer.WriteData(id, end, []byte(b))
	return p.step()
}

func (p *peer) reset(id uint32, code http2.ErrCode) string {
	p.framer.WriteRSTStream(id, code)
	return p.step()
}

// get is a request without a body.
func (p *peer) get(id uint32, path string) string {
	return p.head(id, true, ":method GET", ":scheme http", ":path "+path, ":authority api")
}

const (
	getA = `"GET /a HTTP/2.0\r\nhost: api\r\n\r\n" ""`
	getB = `"GET /b HTTP/2.0\r\nhost: api\r\n\r\n" ""`
	ok2H = `"HTTP/2.0 200 \r\n\r\n"`
)

func TestStreams(t *testing.T) {
	start := func() (c, s *peer, script []string) {
		c, s = newPeer("> "), newPeer("< ")
		return c, s, []string{"> " + wire.Preface, c.settings(), s.settings()}
	}
	tests := []struct {
		name   string
		script func(c, s *peer) []string
		want   []string
	}{
		{"interleaved", func(c, s *peer) []string {
			return []string{c.get(1, "/a"), c.get(3, "/b"), s.head(3, false, ":status 200"), s.head(1, true, ":status 204"), s.data(3, false, "x"), s.data(3, true, "y")}
		}, []string{getA + ` -> "" "HTTP/2.0 204 \r\n\r\n" ""`, getB + " -> \"\" " + ok2H + ` "xy"`}},
		{"answer before the body, which is not wanted then", func(c, s *peer) []string {
			return []string{c.head(1, false, ":method POST", ":path /a", "content-length 9"), c.data(1, false, "ab"), s.head(1, true, ":status 413"),
				s.reset(1, http2.ErrCodeNo), c.data(1, true, "late")}
		}, []string{`"POST /a HTTP/2.0\r\ncontent-length: 9\r\n\r\n" "ab" -> "" "HTTP/2.0 413 \r\n\r\n" ""`}},
		{"reset by the target", func(c, s *peer) []string {
			return []string{c.get(1, "/a"), s.head(1, false, ":status 200"), s.data(1, false, "x"), s.reset(1, http2.ErrCodeInternal)}
		}, []string{getA + ` -> reset "HTTP/2.0 200 \r\n\r\n" "x"`}},
		{"given up by the client", func(c, s *peer) []string {
			return []string{c.get(1, "/a"), s.head(1, false, ":status 200"), c.reset(1, http2.ErrCodeCancel), s.data(1, true, "late")}
		}, []string{getA + ` -> client "HTTP/2.0 200 \r\n\r\n" ""`}},
		{"cut", func(c, s *peer) []string {
			return []string{c.get(1, "/a"), c.get(3, "/b"), s.head(3, false, ":status 200"), "EOF"}
		}, []string{getA + ` -> eof "" ""`, getB + ` -> truncated "HTTP/2.0 200 \r\n\r\n" ""`}},
		{"asked after the end", func(c, s *peer) []string {
			return []string{"EOF", c.get(1, "/a")}
		}, []string{getA + ` -> eof "" ""`}},
		{"padding, priority, continuation, frames of other types", func(c, s *peer) []string {
			block := c.pack(":method GET", ":path /a", ":scheme http", ":authority api")
			c.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block[:2], PadLength: 9, Priority: http2.PriorityParam{StreamDep: 7, Weight: 3}})
			c.framer.WriteContinuation(1, false, block[2:3])
			c.framer.WriteContinuation(1, true, block[3:])
			c.framer.WriteWindowUpdate(0, 5)
			c.framer.WriteRawFrame(0xee, 0xff, 1, []byte("what"))
			c.framer.WriteDataPadded(1, false, []byte("ab"), make([]byte, 200))
			c.framer.WriteDataPadded(1, true, nil, []byte{0})
			return []string{c.step(), s.head(1, true, ":status 200")}
		}, []string{`"GET /a HTTP/2.0\r\nhost: api\r\n\r\n" "ab" -> "" ` + ok2H + ` ""`}},
		{"odd fields", func(c, s *peer) []string {
			return []string{c.head(1, true, ":method GET", ":path /a\nX: y", ":scheme ftp", ":authority api", "host other", "a b\r\nc: d", "E:f g", " h i", ":x y"),
				s.head(1, true, "a b", ":status 200", ":status 300")}
		}, []string{`"GET /a\rX: y HTTP/2.0\r\n:scheme: ftp\r\nhost: api\r\nhost: other\r\na: b\r\rc: d\r\nE\rf: g\r\n\r: h i\r\n:x: y\r\n\r\n" "" malformed -> ` +
			`"" "HTTP/2.0 200 \r\na: b\r\n:status: 300\r\n\r\n" ""`}},
		{"nothing asked at all", func(c, s *peer) []string { return []string{"EOF"} }, nil},
		{"promises are passed over, but their fields count", func(c, s *peer) []string {
			s.framer.WritePushPromise(http2.PushPromiseParam{StreamID: 1, PromiseID: 2, BlockFragment: s.pack(":path /p", "x-long value"), EndHeaders: true})
			promise := s.step()
			return []string{c.get(1, "/a"), promise, s.head(2, true, ":status 200", "x-long value"), s.head(1, true, ":status 200", "x-long value")}
		}, []string{getA + ` -> "" "HTTP/2.0 200 \r\nx-long: value\r\n\r\n" ""`}},
		{"a larger table", func(c, s *peer) []string {
			long := strings.Repeat("v", 5000)
			settings := s.settings(http2.Setting{ID: http2.SettingHeaderTableSize, Val: 20000})
			c.hpack.SetMaxDynamicTableSizeLimit(20000)
			c.hpack.SetMaxDynamicTableSize(20000)
			return []string{settings, c.head(1, true, ":method GET", ":path /a", "x "+long), c.head(3, true, ":method GET", ":path /b", "x "+long),
				s.head(1, true, ":status 200"), s.head(3, true, ":status 200")}
		}, []string{fmt.Sprintf("%q", "GET /a HTTP/2.0\r\nx: "+strings.Repeat("v", 5000)+"\r\n\r\n") + ` "" -> "" ` + ok2H + ` ""`,
			fmt.Sprintf("%q", "GET /b HTTP/2.0\r\nx: "+strings.Repeat("v", 5000)+"\r\n\r\n") + ` "" -> "" ` + ok2H + ` ""`}},
		{"CONNECT", func(c, s *peer) []string {
			return []string{c.head(1, false, ":method CONNECT", ":authority api:1"), s.head(1, false, ":status 200"), c.data(1, true, "up"), s.data(1, true, "down")}
		}, []string{`"CONNECT api:1 HTTP/2.0\r\nhost: api:1\r\n\r\n" "" tunnel "up" -> "" ` + ok2H + ` "" tunnel "down"`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, s, script := start()
			script = append(script, tt.script(c, s)...)
			if diff := cmp.Diff(tt.want, play(t, script, 1<<20)); diff != "" {
				t.Fatalf("recorded (-want +got):\n%s", diff)
			}
			rapid.Check(t, func(rt *rapid.T) {
				if diff := cmp.Diff(tt.want, play(t, cut(rt, script), 1<<20)); diff != "" {
					rt.Errorf("cut into pieces, recorded (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// What cannot be followed is kept raw, in an exchange without a head.
func TestStreamsLost(t *testing.T) {
	c, s := newPeer("> "), newPeer("< ")
	hello, hi, a := c.settings(), s.settings(), c.get(1, "/a")
	notSettings := c.data(1, true, "x")
	tests := []struct {
		name   string
		script []string
		want   []string
	}{
		{"another preface", []string{"> PRI * HTTP/2.0\r\n\r\nXX\r\n\r\nabc", "EOF"},
			[]string{`"" "PRI * HTTP/2.0\r\n\r\nXX\r\n\r\nabc" malformed -> unparseable "" ""`}},
		{"no settings", []string{"> " + wire.Preface, notSettings, "< x", "EOF"},
			[]string{fmt.Sprintf(`"" %q malformed -> unparseable "" "x"`, wire.Preface+notSettings[2:])}},
		{"answered in HTTP/1", []string{"> " + wire.Preface, hello, a, "< HTTP/1.1 400 Bad\r\n\r\n", "EOF"},
			[]string{getA + ` -> unparseable "" "HTTP/1.1 400 Bad\r\n\r\n"`}},
		{"bad header block", []string{"> " + wire.Preface, hello, hi, a, "> \x00\x00\x01\x01\x05\x00\x00\x00\x03\x80", "> more", "< answer", "EOF"},
			[]string{getA + ` -> unparseable "" ""`, `"" "\x00\x00\x01\x01\x05\x00\x00\x00\x03\x80more" malformed -> unparseable "" "answer"`}},
		{"continuation of nothing", []string{"> " + wire.Preface, hello, hi, "> \x00\x00\x00\x09\x04\x00\x00\x00\x03", "EOF"},
			[]string{fmt.Sprintf(`"" %q malformed -> unparseable "" ""`, wire.Preface+hello[2:]+"\x00\x00\x00\x09\x04\x00\x00\x00\x03")}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, play(t, tt.script, 1<<20)); diff != "" {
			t.Errorf("%s: recorded (-want +got):\n%s", tt.name, diff)
		}
	}
}

// HTTP/1.1 that becomes HTTP/2 by an upgrade: the request is the first stream.
func TestUpgradeToHTTP2(t *testing.T) {
	c, s := newPeer("> "), newPeer("< ")
	script := []string{
		"> GET /a HTTP/1.1\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n",
		"< HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n" + s.settings()[2:],
		"> " + wire.Preface + c.settings()[2:], c.get(3, "/b"),
		s.head(1, false, ":status 200"), s.data(1, true, "x"), s.head(3, true, ":status 200"),
	}
	want := []string{
		`"GET /a HTTP/1.1\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n" "" -> ` +
			`"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n" ` + ok2H + ` "x"`,
		getB + ` -> "" ` + ok2H + ` ""`,
	}
	if diff := cmp.Diff(want, play(t, script, 1<<20)); diff != "" {
		t.Errorf("recorded (-want +got):\n%s", diff)
	}
}

// GOAWAY is why a stream had no answer.
func TestGoAway(t *testing.T) {
	var got *exchange.Exchange
	c, s := newPeer("> "), newPeer("< ")
	l := newLedger(exchange.Exchange{}, nil, &bodies{limit: 100}, func(e *exchange.Exchange) error { got = e; return nil })
	s.framer.WriteSettings()
	s.framer.WriteGoAway(0, http2.ErrCodeEnhanceYourCalm, []byte("idle down"))
	now := exchange.Exchange{}.Start
	l.asked([]byte(wire.Preface+c.settings()[2:]+c.get(1, "/a")[2:]), now)
	l.answered([]byte(s.step()[2:]), now)
	l.over(closeReason{kind: exchange.FaultEOF}, now)
	if want := `eof: the target ends the connection: ENHANCE_YOUR_CALM "idle down"`; got == nil || got.Fault == nil || got.Fault.String() != want {
		t.Errorf("recorded %+v", got)
	}
}
