package formats

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"

	"github.com/flaketap/flaketap/exchange"
)

// parts is what a file kept of an exchange, from which its messages are put together again.
type parts struct {
	method, url   string
	fields        []harPair
	body          []byte
	start         time.Time
	elapsed       time.Duration
	answered      bool
	status        int
	reason, proto string // proto of the response, "" for HTTP/1.1
	answerFields  []harPair
	answer        []byte
	cut           int64 // bytes of the answer that the file left out
	fault         *exchange.Fault
}

// exchange puts the exchange together. Bodies are payloads.
func (p *parts) exchange() (*exchange.Exchange, error) {
	scheme, authority, target, err := splitURL(p.url)
	if err != nil {
		return nil, err
	}
	e := &exchange.Exchange{Scheme: scheme, Addr: withPort(authority, scheme), Start: p.start, Latency: p.elapsed}
	e.Request = exchange.ParseRequest(exchange.Message{
		Plain: true, Head: requestHead(p.method, target, "HTTP/1.1", p.fields), Body: p.body,
	})
	if !p.answered {
		e.Fault = p.fault
		return e, nil
	}
	e.Response = exchange.ParseResponse(exchange.Message{
		Plain: true, Head: responseHead(protocol(p.proto), p.status, p.reason, p.answerFields), Body: p.answer, Cut: p.cut,
	})
	return e, nil
}

var targetLines = strings.NewReplacer("\r", "%0D", "\n", "%0A", "\x00", "%00")

func requestHead(method, target, proto string, fields []harPair) []byte {
	var b strings.Builder
	b.WriteString(oneLine(method) + " " + targetLines.Replace(target) + " " + proto + "\r\n")
	writeFields(&b, fields)
	return []byte(b.String())
}

func responseHead(proto string, status int, reason string, fields []harPair) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %03d %s\r\n", proto, status, oneLine(reason))
	writeFields(&b, fields)
	return []byte(b.String())
}

// statusCode reads a status code; what is none gives 0.
func statusCode(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > 999 {
		return 0
	}
	return n
}

// seconds reads a duration in seconds; what is none gives 0.
func seconds(s string) time.Duration {
	f, _ := strconv.ParseFloat(s, 64)
	return milliseconds(f * 1000)
}

// unixTime reads a time in seconds since 1970, to the microsecond, which is all that a float holds.
func unixTime(s float64) time.Time {
	if !(s > 0 && s < 1e11) {
		return time.Time{}
	}
	return time.UnixMicro(int64(math.Round(s * 1e6))).UTC()
}

// fieldBytes returns a field value, which Python shows as text in ISO 8859-1, as it was on the wire.
func fieldBytes(s string) string {
	plain := true
	for i := 0; i < len(s); i++ {
		plain = plain && s[i] < utf8.RuneSelf
	}
	if plain {
		return s
	}
	b := make([]byte, 0, len(s))
	for _, r := range s {
		if r > 0xff {
			return s
		}
		b = append(b, byte(r))
	}
	return string(b)
}

// recode returns text in the encoding that it was decoded from. An encoding that is not known leaves it in UTF-8.
func recode(text []byte, encoding string) []byte {
	switch strings.ToLower(encoding) {
	case "", "utf-8", "utf8", "ascii", "us-ascii":
		return text
	case "iso-8859-1", "latin-1", "latin1":
		return []byte(fieldBytes(string(text)))
	}
	known, err := htmlindex.Get(encoding)
	if err != nil {
		return text
	}
	out, err := known.NewEncoder().Bytes(text)
	if err != nil {
		return text
	}
	return out
}

// unquote decodes the escapes of a quoted string of JSON, of YAML in double quotes, or of Python's repr: what they
// have in common means the same in all three. The result is a copy. addX adds what \x gives: a code point
// (utf8.AppendRune), or a byte (appendByte).
func unquote(s []byte, addX func([]byte, rune) []byte) ([]byte, error) {
	out := make([]byte, 0, len(s))
	for {
		i := bytes.IndexByte(s, '\\')
		if i < 0 {
			return append(out, s...), nil
		}
		out = append(out, s[:i]...)
		s = s[i+1:]
		if len(s) == 0 {
			return nil, fmt.Errorf("a backslash at the end of a string")
		}
		c := s[0]
		s = s[1:]
		digits := 0
		switch c {
		case 'x':
			digits = 2
		case 'u':
			digits = 4
		case 'U':
			digits = 8
		default:
			r, ok := plainEscape(c)
			if !ok {
				return nil, fmt.Errorf("unknown escape \\%c", c)
			}
			out = utf8.AppendRune(out, r)
			continue
		}
		r, err := hexRune(s, digits)
		if err != nil {
			return nil, err
		}
		s = s[digits:]
		if utf16.IsSurrogate(r) && len(s) >= 6 && s[0] == '\\' && s[1] == 'u' {
			if low, err := hexRune(s[2:], 4); err == nil && utf16.DecodeRune(r, low) != utf8.RuneError {
				r, s = utf16.DecodeRune(r, low), s[6:]
			}
		}
		if c == 'x' {
			out = addX(out, r)
			continue
		}
		out = utf8.AppendRune(out, r)
	}
}

func appendByte(b []byte, r rune) []byte { return append(b, byte(r)) }

func hexRune(s []byte, digits int) (rune, error) {
	if len(s) < digits {
		return 0, fmt.Errorf("an escape is incomplete")
	}
	n, err := strconv.ParseUint(string(s[:digits]), 16, 32)
	if err != nil {
		return 0, fmt.Errorf("the escape %.10q is not hexadecimal", s[:digits])
	}
	return rune(min(n, utf8.MaxRune+1)), nil
}

// plainEscape returns what a backslash and one character mean.
func plainEscape(c byte) (rune, bool) {
	switch c {
	case '\\', '"', '\'', '/', ' ':
		return rune(c), true
	case 'n':
		return '\n', true
	case 'r':
		return '\r', true
	case 't':
		return '\t', true
	case 'b':
		return '\b', true
	case 'f':
		return '\f', true
	case 'a':
		return '\a', true
	case 'v':
		return '\v', true
	case '0':
		return 0, true
	case 'e':
		return 0x1b, true
	case 'N':
		return 0x85, true
	case '_':
		return 0xa0, true
	case 'L':
		return 0x2028, true
	case 'P':
		return 0x2029, true
	}
	return 0, false
}
