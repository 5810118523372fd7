package flow

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/jsontree"
	"github.com/flaketap/flaketap/internal/wire"
)

// swap is one replacement in the text at a place.
type swap struct{ before, after string }

// edit is one replacement in bytes.
type edit struct {
	span
	text []byte
}

// rewrite returns a request with the texts at the given places replaced.
func rewrite(r *exchange.Request, fill map[exchange.Place][]swap) exchange.Request {
	var head, body []edit
	above := ancestors(fill)
	for _, s := range spots(r) {
		value := filled(&s, fill, above, 0)
		if value == s.value {
			continue
		}
		at := span{s.start, s.end}
		if s.body {
			payload, _ := r.Payload()
			body = append(body, edit{at, encode(&s, payload[s.start:s.end], value)})
		} else {
			head = append(head, edit{at, encode(&s, r.Head[s.start:s.end], value)})
		}
	}
	m := r.Message
	if len(body) > 0 {
		m.Body, head = editBody(r, body, head)
	}
	if len(head) == 0 && len(body) == 0 {
		return *r
	}
	m.Head = apply(r.Head, head)
	return exchange.ParseRequest(m)
}

// filled returns the value of a spot with the texts at its place, and at those within it, replaced.
func filled(s *spot, fill map[exchange.Place][]swap, above map[exchange.Place]bool, depth int) string {
	value := s.value
	if depth < maxNested && above[s.place] {
		var edits []edit
		for _, in := range nested(s) {
			if v := filled(&in, fill, above, depth+1); v != in.value {
				edits = append(edits, edit{span{in.start, in.end}, encode(&in, []byte(s.value[in.start:in.end]), v)})
			}
		}
		value = string(apply([]byte(value), edits))
	}
	return swapAll(value, fill[s.place])
}

// swapAll makes all replacements in a text at once, so that none finds what another has put there: with 1 for 2 and 2
// for 3, "1, 2" becomes "2, 3". Each is made wherever its text stands by itself, and where that is nowhere, at the first
// place where it is a part of something longer.
func swapAll(text string, swaps []swap) string {
	var edits []edit
	for _, x := range swaps {
		spans := apart(text, x.before)
		if at := strings.Index(text, x.before); len(spans) == 0 && at >= 0 {
			spans = []span{{at, at + len(x.before)}}
		}
		for _, at := range spans {
			edits = append(edits, edit{at, []byte(x.after)})
		}
	}
	if len(edits) == 0 {
		return text
	}
	return string(apply([]byte(text), edits))
}

// apart returns where a value stands in a text with no letter or digit that would go on beside it.
func apart(text, value string) (out []span) {
	if value == "" {
		return nil
	}
	for pos := 0; ; {
		k := strings.Index(text[pos:], value)
		if k < 0 {
			return out
		}
		at := span{pos + k, pos + k + len(value)}
		before := at.start > 0 && isAlnum(text[at.start-1]) && isAlnum(value[0])
		behind := at.end < len(text) && isAlnum(text[at.end]) && isAlnum(value[len(value)-1])
		if pos = at.end; before || behind {
			pos = at.start + 1
			continue
		}
		out = append(out, at)
	}
}

func isAlnum(c byte) bool { return isLetter(c) || c >= '0' && c <= '9' }

// editBody returns the new body, framed as the old one was, and adds to the edits of the head what follows from it.
func editBody(r *exchange.Request, edits, head []edit) ([]byte, []edit) {
	payload, _ := r.Payload()
	payload = apply(payload, edits)
	if !r.Plain && r.Header.HasToken("Transfer-Encoding", "chunked") {
		_, trailers, _ := wire.Dechunk(r.Body)
		return chunk(payload, trailers), head
	}
	for name, at := range fieldLines(r.Head) {
		if strings.EqualFold(name, "Content-Length") {
			head = append(head, edit{at, fmt.Append(nil, len(payload))})
		}
	}
	return payload, head
}

// chunk frames a payload as one chunk, with the trailers behind it.
func chunk(payload []byte, trailers wire.Fields) []byte {
	out := wire.Chunk(payload)
	if len(trailers) == 0 {
		return out
	}
	out = bytes.TrimSuffix(out, []byte("\r\n"))
	for _, f := range trailers {
		out = fmt.Appendf(out, "%s: %s\r\n", f.Name, f.Value)
	}
	return append(out, "\r\n"...)
}

// apply makes edits that do not overlap.
func apply(src []byte, edits []edit) []byte {
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
	size := len(src)
	for _, e := range edits {
		size += len(e.text)
	}
	out := make([]byte, 0, size)
	pos := 0
	for _, e := range edits {
		if e.start < pos {
			continue
		}
		out = append(out, src[pos:e.start]...)
		out = append(out, e.text...)
		pos = e.end
	}
	return append(out, src[pos:]...)
}

// encode writes a value the way the old one, raw, was written.
func encode(s *spot, raw []byte, value string) []byte {
	switch s.form {
	case inJSON:
		if raw[0] != '"' && jsontree.IsNumber(value) {
			return []byte(value)
		}
		return []byte(jsontree.Quote(value))
	case inPath:
		return escapeLike(raw, value, "/?#%", "")
	case inQuery:
		return escapeLike(raw, value, "&=#%+;", " ")
	case inForm:
		return escapeLike(raw, value, "&=%+;", " ")
	case inPercent:
		return escapeLike(raw, value, "%", "")
	case inMarkup:
		return markupLike(raw, value)
	case inCDATA:
		if strings.Contains(value, "]]>") {
			return raw
		}
		return []byte(value)
	case inBase64, inBase64URL, inRawBase64, inRawBase64URL:
		return []byte(encodingOf(s.form).EncodeToString([]byte(value)))
	default:
		return []byte(value)
	}
}

// markupLike writes what has a meaning of its own in XML, text or attribute, as a reference; quotes and > stay raw where
// the old text had such raw: there they have none.
func markupLike(old []byte, value string) []byte {
	var out []byte
	for i := 0; i < len(value); i++ {
		c := value[i]
		k := strings.IndexByte("&<>\"'", c)
		if k < 0 || k > 1 && bytes.IndexByte(old, c) >= 0 {
			out = append(out, c)
			continue
		}
		out = append(out, [...]string{"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"}[k]...)
	}
	return out
}

// escapeLike percent-encodes a value for a URL: what has to be (control bytes, blanks, bytes beyond ASCII, and those
// in reserved), and what the old text encoded too though it need not have. A byte in plus is written "+" where the old
// text did so. Bytes beyond ASCII stay raw where the old text had such raw.
func escapeLike(old []byte, value, reserved, plus string) []byte {
	was := map[byte]bool{} // bytes that the old text encoded
	lower, rawHigh, usesPlus := false, false, false
	for i := 0; i < len(old); i++ {
		switch c := old[i]; {
		case c == '%' && i+2 < len(old) && isHexDigit(old[i+1]) && isHexDigit(old[i+2]):
			was[unhex(old[i+1])<<4|unhex(old[i+2])] = true
			lower = lower || old[i+1] >= 'a' || old[i+2] >= 'a'
			i += 2
		case c >= 0x80:
			rawHigh = true
		case c == '+':
			usesPlus = true
		}
	}
	digits := "0123456789ABCDEF"
	if lower {
		digits = "0123456789abcdef"
	}
	var out []byte
	for i := 0; i < len(value); i++ {
		c := value[i]
		switch {
		case usesPlus && strings.IndexByte(plus, c) >= 0:
			out = append(out, '+')
		case was[c], c <= ' ', c == 0x7f, c >= 0x80 && !rawHigh, strings.IndexByte(reserved, c) >= 0, strings.IndexByte(`"<>\^{|}`+"`", c) >= 0:
			out = append(out, '%', digits[c>>4], digits[c&15])
		default:
			out = append(out, c)
		}
	}
	return out
}

func unhex(c byte) byte {
	switch {
	case c >= 'a':
		return c - 'a' + 10
	case c >= 'A':
		return c - 'A' + 10
	}
	return c - '0'
}

// sendable reports whether a value may go into a request: a hostile answer must not be able to smuggle in a header or
// a second request, nor to make it endlessly long.
func sendable(value string) bool { return value != "" && len(value) <= MaxValue && !hasControl(value) }

// swapApart replaces a value wherever it stands by itself in a text.
func swapApart(text, before, after string) string {
	var edits []edit
	for _, at := range apart(text, before) {
		edits = append(edits, edit{at, []byte(after)})
	}
	return string(apply([]byte(text), edits))
}
