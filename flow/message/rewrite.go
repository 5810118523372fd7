package message

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/words"
	"github.com/flaketap/flaketap/internal/jsontree"
	"github.com/flaketap/flaketap/internal/wire"
)

// Swap is one replacement in the text at a place.
type Swap struct{ Before, After string }

// Edit is one replacement in bytes.
type Edit struct {
	Span
	Text []byte
}

// Rewrite returns a request with the texts at the given places replaced.
func Rewrite(r *exchange.Request, fill map[exchange.Place][]Swap) exchange.Request {
	var head, body []Edit
	above := ancestors(fill)
	for _, s := range sitesOf(r, fill) {
		value := filled(&s, fill, above, 0)
		if value == s.Value {
			continue
		}
		at := Span{s.start, s.end}
		if s.Body {
			payload, _ := r.Payload()
			body = append(body, Edit{at, encode(&s, payload[s.start:s.end], value)})
		} else {
			head = append(head, Edit{at, encode(&s, r.Head[s.start:s.end], value)})
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

// filled returns the value of a site with the texts at its place, and at those within it, replaced.
func filled(s *Site, fill map[exchange.Place][]Swap, above map[exchange.Place]bool, depth int) string {
	value := s.Value
	if depth < MaxNested && above[s.Place] {
		var edits []Edit
		for _, in := range Nested(s) {
			if v := filled(&in, fill, above, depth+1); v != in.Value {
				edits = append(edits, Edit{Span{in.start, in.end}, encode(&in, []byte(s.Value[in.start:in.end]), v)})
			}
		}
		value = string(apply([]byte(value), edits))
	}
	return SwapAll(value, fill[s.Place])
}

// SwapAll makes all replacements in a text at once, so that none finds what another has put there: with 1 for 2 and 2
// for 3, "1, 2" becomes "2, 3". Each is made wherever its text stands by itself, and where that is nowhere, at the
// first place where it is a part of something longer.
func SwapAll(text string, swaps []Swap) string {
	var edits []Edit
	for _, x := range swaps {
		spans := Apart(text, x.Before)
		if at := strings.Index(text, x.Before); len(spans) == 0 && at >= 0 {
			spans = []Span{{at, at + len(x.Before)}}
		}
		for _, at := range spans {
			edits = append(edits, Edit{at, []byte(x.After)})
		}
	}
	if len(edits) == 0 {
		return text
	}
	return string(apply([]byte(text), edits))
}

// Apart returns where a value stands in a text with no letter or digit that would go on beside it.
func Apart(text, value string) (out []Span) {
	if value == "" {
		return nil
	}
	for pos := 0; ; {
		k := strings.Index(text[pos:], value)
		if k < 0 {
			return out
		}
		at := Span{pos + k, pos + k + len(value)}
		before := at.Start > 0 && isAlnum(text[at.Start-1]) && isAlnum(value[0])
		behind := at.End < len(text) && isAlnum(text[at.End]) && isAlnum(value[len(value)-1])
		if pos = at.End; before || behind {
			pos = at.Start + 1
			continue
		}
		out = append(out, at)
	}
}

func isAlnum(c byte) bool { return isLetter(c) || c >= '0' && c <= '9' }

// editBody returns the new body, framed as the old one was, and adds to the edits of the head what follows from it.
func editBody(r *exchange.Request, edits, head []Edit) ([]byte, []Edit) {
	payload, _ := r.Payload()
	payload = apply(payload, edits)
	if !r.Plain && r.Header.HasToken("Transfer-Encoding", "chunked") {
		_, trailers, _ := wire.Dechunk(r.Body)
		return chunk(payload, trailers), head
	}
	for name, at := range FieldLines(r.Head) {
		if strings.EqualFold(name, "Content-Length") {
			head = append(head, Edit{at, fmt.Append(nil, len(payload))})
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
func apply(src []byte, edits []Edit) []byte {
	slices.SortFunc(edits, func(a, b Edit) int { return cmp.Compare(a.Start, b.Start) })
	size := len(src)
	for _, e := range edits {
		size += len(e.Text)
	}
	out := make([]byte, 0, size)
	pos := 0
	for _, e := range edits {
		if e.Start < pos {
			continue
		}
		out = append(out, src[pos:e.Start]...)
		out = append(out, e.Text...)
		pos = e.End
	}
	return append(out, src[pos:]...)
}

// encode writes a value the way the old one, raw, was written.
func encode(s *Site, raw []byte, value string) []byte {
	switch s.Form {
	case inJSON:
		if raw[0] != '"' && jsontree.IsNumber(value) {
			return []byte(value)
		}
		return []byte(jsontree.Quote(value))
	case InPath:
		return escapeLike(raw, value, "/?#%", "")
	case InQuery:
		return escapeLike(raw, value, "&=#%+;", " ")
	case InForm:
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
		return []byte(encodingOf(s.Form).EncodeToString([]byte(value)))
	default:
		return []byte(value)
	}
}

// markupLike writes what has a meaning of its own in XML, text or attribute, as a reference; quotes and > stay raw
// where the old text had such raw: there they have none.
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
		case c == '%' && i+2 < len(old) && words.IsHexDigit(old[i+1]) && words.IsHexDigit(old[i+2]):
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
		case was[c], c <= ' ', c == 0x7f, c >= 0x80 &&
			!rawHigh, strings.IndexByte(reserved, c) >= 0, strings.IndexByte(`"<>\^{|}`+"`", c) >= 0:
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

// Sendable reports whether a value may go into a request: a hostile answer must not be able to smuggle in a header or
// a second request, nor to make it endlessly long.
func Sendable(value string) bool {
	return value != "" && len(value) <= words.MaxValue && !words.HasControl(value)
}

// SwapApart replaces a value wherever it stands by itself in a text.
func SwapApart(text, before, after string) string {
	var edits []Edit
	for _, at := range Apart(text, before) {
		edits = append(edits, Edit{at, []byte(after)})
	}
	return string(apply([]byte(text), edits))
}
