package redact

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/wire"
)

// circumstances are what is known of a message beside itself.
type circumstances struct {
	torn   bool // its body may break off within a secret
	frames bool // its tunnel is a WebSocket
}

// message redacts a message.
func (r shower) message(m exchange.Message, known circumstances) exchange.Message {
	fields := wire.ParseHead(m.Head).Fields
	m.Head = r.head(m.Head)
	m.Trailer = r.fieldLines(m.Trailer)
	switch {
	case len(m.Tunnel) == 0:
	case known.frames:
		r.webSocket(&m)
	default:
		m.Tunnel = r.masked(m.Tunnel, r.Secrets)
	}
	if len(m.Body) > 0 {
		r.wrapped(&m, fields, known.torn || m.Cut > 0)
	}
	return m
}

// wrapped redacts a body within its framing and coding. One that holds no secret stays as it is. Else the length of the
// message is mended, or it becomes one chunk; what was packed is stored unpacked, as its message then says (Plain).
func (r shower) wrapped(m *exchange.Message, fields wire.Fields, torn bool) {
	codings, chunked := wire.TransferCodings(fields)
	chunked = chunked && !m.Plain && !wire.IsHTTP2(m.Head)
	codings = slices.DeleteFunc(append(fields.Values("Content-Encoding"), codings...), func(s string) bool {
		return s == "" || strings.EqualFold(s, "identity")
	})
	kind, data, trailers, whole := fields.Get("Content-Type"), m.Body, wire.Fields(nil), true
	if chunked {
		data, trailers, whole = wire.Dechunk(m.Body)
	}
	if len(codings) > 0 && !m.Plain && r.packed(m, kind, strings.Join(codings, ","), data, torn || !whole) {
		return
	}
	if chunked {
		r.chunked(m, kind, data, trailers, whole, torn)
		return
	}
	var ends []int
	if len(m.Tunnel) == 0 {
		ends = markEnds(m.Marks)
	}
	shown, ends := r.payload(kind, data, torn, ends)
	m.Marks = moved(m.Marks, ends)
	if !m.Plain {
		m.Head = lengthened(m.Head, len(shown)-len(m.Body))
	}
	m.Body = shown
}

// packed redacts a body with a content coding. It reports whether it was read as one: clients and servers announce
// codings that are not there.
func (r shower) packed(m *exchange.Message, kind, codings string, data []byte, torn bool) bool {
	plain, err := wire.DecodePart(codings, data, exchange.MaxPayload)
	switch {
	case errors.Is(err, wire.ErrTooLarge): // it cannot be looked through, and what begins it may hold secrets
		m.Cut += int64(len(m.Body))
		m.Body, m.Marks = nil, nil
		return true
	case err != nil && len(plain) == 0:
		return false
	}
	shown, _ := r.payload(kind, plain, torn || err != nil, nil)
	if bytes.Equal(shown, plain) {
		m.Body = r.masked(m.Body, r.Echoes)
		return true
	}
	if err != nil {
		m.Cut = max(m.Cut, 1) // what lies behind the error
	}
	// a Plain request is one that can be sent in HTTP/1
	if wire.IsHTTP2(m.Head) && !bytes.HasPrefix(m.Head, []byte("HTTP/")) {
		m.Head = edited(lengthened(m.Head, len(shown)-len(m.Body)), "Content-Encoding",
			func([]byte) []byte { return []byte("identity") })
	} else {
		m.Plain = true
	}
	m.Body = shown
	if len(m.Tunnel) == 0 {
		m.Marks = nil // of the packed bytes
	}
	return true
}

// chunked redacts a body in chunks. A stream, whose marks say when its parts passed, is stored without them.
func (r shower) chunked(m *exchange.Message, kind string, data []byte, trailers wire.Fields, whole, torn bool) {
	var ends []int
	if len(m.Tunnel) == 0 && len(m.Marks) > 0 {
		ends = wire.Unchunked(m.Body, markEnds(m.Marks))
	}
	shown, ends := r.payload(kind, data, torn || !whole, ends)
	same := bytes.Equal(shown, data)
	for i, f := range trailers {
		trailers[i].Value = r.value(f.Name, f.Value)
		same = same && trailers[i] == f
	}
	switch {
	case same:
		m.Body = r.masked(m.Body, r.Echoes) // what stands between the chunks
	case len(ends) > 0:
		m.Body, m.Plain, m.Marks = shown, true, moved(m.Marks, ends)
	case !whole:
		m.Body = fmt.Appendf(nil, "%x\r\n%s", len(shown)+1, shown) // it breaks off, as it did
	default:
		m.Body = bytes.TrimSuffix(wire.Chunk(shown), []byte("\r\n"))
		for _, f := range trailers {
			m.Body = fmt.Appendf(m.Body, "%s: %s\r\n", f.Name, f.Value)
		}
		m.Body = append(m.Body, "\r\n"...)
	}
}

func markEnds(marks []exchange.Mark) []int {
	var ends []int
	for _, mark := range marks {
		ends = append(ends, int(mark.End))
	}
	return ends
}

// moved returns marks with other ends.
func moved(marks []exchange.Mark, ends []int) []exchange.Mark {
	if len(ends) == 0 {
		return marks
	}
	marks = slices.Clone(marks)
	for i, end := range ends {
		marks[i].End = int64(end)
	}
	return marks
}

// payload redacts a body without its coding, and moves the ends of parts within it, which ascend.
func (r shower) payload(kind string, data []byte, torn bool, ends []int) ([]byte, []int) {
	var shown []byte
	switch {
	case !isText(kind, data):
		shown = r.masked(data, r.Secrets) // as long as it was
	case len(ends) == 0:
		shown = r.body(kind, data)
	default:
		shown, ends = r.byLine(kind, data, ends)
	}
	if at, value := r.Begun(string(shown)); torn && value != "" {
		shown = append(slices.Clone(shown[:at]), r.credential(value)...)
	}
	for i := range ends {
		ends[i] = min(ends[i], len(shown))
	}
	return shown, ends
}

// isText reports whether a body may get tokens of another length than the secrets that they stand for.
func isText(kind string, data []byte) bool {
	kind, _, _ = strings.Cut(strings.ToLower(kind), ";")
	for _, part := range [...]string{"json", "xml", "text/", "x-www-form-urlencoded", "multipart/", "javascript",
		"graphql", "yaml"} {
		if strings.Contains(kind, part) {
			return true
		}
	}
	return !strings.HasPrefix(kind, "application/grpc") && utf8.Valid(data) &&
		!bytes.ContainsFunc(data, func(c rune) bool {
			return c < ' ' && !strings.ContainsRune("\t\n\f\r\x1b\x1e", c)
		})
}

// byLine redacts a stream, whose parts end with lines.
func (r shower) byLine(kind string, data []byte, ends []int) ([]byte, []int) {
	var out []byte
	at, to := 0, make([]int, 0, len(ends))
	for line := range bytes.Lines(data) {
		shown := r.body(kind, line)
		for len(to) < len(ends) && ends[len(to)] <= at+len(line) {
			end := len(shown)
			if n := ends[len(to)] - at; n < len(line) {
				end = min(n, end)
			}
			to = append(to, len(out)+end)
		}
		out, at = append(out, shown...), at+len(line)
	}
	for len(to) < len(ends) {
		to = append(to, len(out))
	}
	return r.body(kind, out), to // what goes over several lines
}

// masked redacts bytes whose lengths something else depends on: each secret is overwritten.
func (r shower) masked(b []byte, find func(string) []exchange.Span) []byte {
	spans := find(string(b))
	if len(spans) == 0 {
		return b
	}
	b = slices.Clone(b)
	for _, s := range spans {
		copy(b[s.From:s.To], fit(r.secret(s.Value), s.To-s.From))
	}
	return b
}

// fit returns a token in exactly so many bytes: filled up with dots, or its digits alone.
func fit(token string, n int) string {
	if n >= len(token) {
		return token + strings.Repeat(".", n-len(token))
	}
	digits := token[strings.LastIndexByte(token, ':')+1:]
	return strings.Repeat(digits, n/len(digits)+1)[:n]
}
