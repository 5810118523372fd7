package message

import (
	"bytes"
	"html"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/words"
	"github.com/flaketap/flaketap/internal/jsontree"
)

// tag is one tag of a text in XML or HTML.
type tag struct {
	Span        // from < to behind >
	name string // as written, of a closing tag too
	attr Span   // what stands behind the name
	shut bool   // </name>
	lone bool   // <name/>
}

// tags goes over the tags of a text. Comments, declarations, instructions and CDATA are passed over. It ends where a
// tag is not whole.
func tags(src []byte, yield func(tag) bool) {
	for pos := 0; ; {
		k := bytes.IndexByte(src[pos:], '<')
		if k < 0 {
			return
		}
		start := pos + k
		if n := passed(src[start:]); n != 0 {
			if n < 0 {
				return
			}
			pos = start + n
			continue
		}
		t, next, ok := tagAt(src, start)
		if pos = next; ok && !yield(t) {
			return
		}
	}
}

// passed returns the length of what begins with < and is no tag: 0 where it is one, -1 where it has no end.
func passed(src []byte) int {
	for _, x := range [...]struct{ open, end string }{{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<!", ">"}, {"<?", "?>"}} {
		if !bytes.HasPrefix(src, []byte(x.open)) {
			continue
		}
		k := bytes.Index(src[len(x.open):], []byte(x.end))
		if k < 0 {
			return -1
		}
		return len(x.open) + k + len(x.end)
	}
	return 0
}

// maxTagName bounds the names of elements, in bytes.
const maxTagName = 64

// tagAt reads the tag whose < is at start. What is none is passed over as far as it was looked at, so that no byte is
// looked at twice.
func tagAt(src []byte, start int) (t tag, next int, ok bool) {
	i := start + 1
	if t.shut = i < len(src) && src[i] == '/'; t.shut {
		i++
	}
	from := i
	for i < len(src) && !IsBlank(src[i]) && src[i] != '>' && src[i] != '/' && src[i] != '<' {
		i++
	}
	if i == from || i-from > maxTagName {
		return t, i, false
	}
	t.name = string(src[from:i])
	t.attr.Start = i
	for quote := byte(0); i < len(src); i++ {
		switch c := src[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '<':
			return t, i, false
		case c == '>':
			t.attr.End = i
			if t.lone = i > t.attr.Start && src[i-1] == '/'; t.lone {
				t.attr.End--
			}
			t.Span = Span{start, i + 1}
			return t, i + 1, true
		}
	}
	return t, i, false
}

// IsBlank reports whether a byte is white space in JSON and XML.
func IsBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// attributes goes over the attributes in src[at.start:at.end] that have a value in quotes; value is where it stands.
func attributes(src []byte, at Span, visit func(name string, value Span)) {
	for i := at.Start; i < at.End; {
		for i < at.End && (IsBlank(src[i]) || src[i] == '/') {
			i++
		}
		from := i
		for i < at.End && !IsBlank(src[i]) && src[i] != '=' && src[i] != '/' {
			i++
		}
		name := string(src[from:i])
		for i < at.End && IsBlank(src[i]) {
			i++
		}
		if i >= at.End || src[i] != '=' {
			if i == from {
				i++
			}
			continue
		}
		for i++; i < at.End && IsBlank(src[i]); i++ {
		}
		if i >= at.End || src[i] != '"' && src[i] != '\'' {
			continue
		}
		end := bytes.IndexByte(src[i+1:at.End], src[i])
		if end < 0 {
			return
		}
		visit(name, Span{i + 1, i + 1 + end})
		i += end + 2
	}
}

// isXML reports whether a body is XML by its type, or where it has no telling type by how it begins.
func isXML(kind string, body []byte) bool {
	if strings.HasSuffix(kind, "/xml") || strings.HasSuffix(kind, "+xml") {
		return true
	}
	return bytes.HasPrefix(bytes.TrimLeft(body[:min(len(body), 64)], " \t\r\n\ufeff"), []byte("<?xml"))
}

// element is an element of XML that is not closed yet.
type element struct {
	place exchange.Place
	name  string
	leaf  bool // it holds no other so far
	open  int  // where its content begins
}

// maxElementDepth bounds the nesting of XML that is looked into.
const maxElementDepth = 64

// xmlSites returns the texts and attributes of an XML body. A place has the names of the elements from the outermost
// on; the second of one name within its parent is /body/orders/order/1, an attribute /body/orders/@page. An element
// that holds others has no text of its own. What follows on a mistake in the nesting is left out.
func xmlSites(src []byte, seen places) []Site {
	var (
		out      []Site
		stack    []element
		elements int
	)
	tags(src, func(t tag) bool {
		top := len(stack) - 1
		if t.shut {
			if top < 0 || stack[top].name != t.name {
				return false
			}
			if e := stack[top]; e.leaf {
				if s, ok := xmlText(src, Span{e.open, t.Start}); ok {
					s.Place, s.Name, s.Parent = e.place, localName(e.name), parentName(stack)
					out = append(out, s)
				}
			}
			stack = stack[:top]
			return len(out) < jsontree.MaxScalars
		}
		place := exchange.PlaceBody
		if top >= 0 {
			stack[top].leaf = false
			place = stack[top].place
		}
		e := element{place: seen.next(place.Key(t.name)), name: t.name, leaf: true, open: t.End}
		attributes(src, t.attr, func(name string, at Span) {
			if at.End-at.Start <= words.MaxValue && !strings.HasPrefix(name, "xmlns") {
				out = append(out, Site{Place: e.place.Key("@" + name), Form: inMarkup, Body: true,
					Value: html.UnescapeString(string(src[at.Start:at.End])),
					start: at.Start, end: at.End, Name: localName(name), Parent: localName(t.name)})
			}
		})
		if !t.lone {
			stack = append(stack, e)
		}
		elements++
		return len(stack) < maxElementDepth && len(out) < jsontree.MaxScalars && elements < jsontree.MaxScalars
	})
	return out
}

// xmlText returns the text of an element, without the blanks around it.
func xmlText(src []byte, at Span) (s Site, ok bool) {
	for at.Start < at.End && IsBlank(src[at.Start]) {
		at.Start++
	}
	for at.End > at.Start && IsBlank(src[at.End-1]) {
		at.End--
	}
	raw := src[at.Start:at.End]
	s = Site{Form: inMarkup, Body: true, start: at.Start, end: at.End}
	if inner, cdata := bytes.CutPrefix(raw, []byte("<![CDATA[")); cdata {
		if inner, cdata = bytes.CutSuffix(inner, []byte("]]>")); !cdata {
			return s, false
		}
		s.Form, s.start, s.end, raw = inCDATA, at.Start+len("<![CDATA["), at.End-len("]]>"), inner
	}
	if len(raw) == 0 || len(raw) > words.MaxValue || s.Form == inMarkup && bytes.IndexByte(raw, '<') >= 0 ||
		bytes.Contains(raw, []byte("]]>")) {
		return s, false
	}
	if s.Value = string(raw); s.Form == inMarkup {
		s.Value = html.UnescapeString(s.Value)
	}
	return s, true
}

// parentName returns the name of the element around the innermost one.
func parentName(stack []element) string {
	if len(stack) < 2 {
		return ""
	}
	return localName(stack[len(stack)-2].name)
}

// localName returns a name without its namespace prefix.
func localName(name string) string { return name[strings.LastIndexByte(name, ':')+1:] }

// isHTML reports whether a body is HTML.
func isHTML(kind string, body []byte) bool {
	if kind == "text/html" || kind == "application/xhtml+xml" {
		return true
	}
	head := bytes.ToLower(bytes.TrimLeft(body[:min(len(body), 64)], " \t\r\n"))
	return kind == "" && (bytes.HasPrefix(head, []byte("<!doctype html")) || bytes.HasPrefix(head, []byte("<html")))
}

// htmlParts returns what a page gives that a client hands back: the values of the hidden and the token fields of its
// forms, as /body/input/csrf_token, those of its meta elements, as /body/meta/csrf-token, where its forms go, as
// /body/form/path/1, and its links, as /body/a/path/1. The second of one name has /1 behind it.
func htmlParts(src []byte) []Part {
	var out []Part
	seen := places{}
	skip := ""
	tags(src, func(t tag) bool {
		name := strings.ToLower(t.name)
		if skip != "" {
			if t.shut && name == skip {
				skip = ""
			}
			return true
		}
		switch name {
		case "script", "style":
			if !t.shut && !t.lone {
				skip = name
			}
		case "input", "meta", "form", "a":
			if !t.shut {
				out = append(out, htmlPart(src, t, name, seen)...)
			}
		}
		return len(out) < jsontree.MaxScalars
	})
	return out
}

// htmlPart returns what one element gives.
func htmlPart(src []byte, t tag, name string, seen places) []Part {
	has := map[string]string{}
	attributes(src, t.attr, func(attr string, at Span) {
		if at.End-at.Start <= words.MaxValue {
			has[strings.ToLower(attr)] = html.UnescapeString(string(src[at.Start:at.End]))
		}
	})
	switch name {
	case "input":
		if has["name"] == "" || !strings.EqualFold(has["type"], "hidden") && !words.IsToken(has["name"]) {
			return nil
		}
		return []Part{{Place: seen.next(exchange.Place("/body/input").Key(has["name"])), Kind: InputPart, Value: has["value"],
			Name: has["name"]}}
	case "meta":
		if has["name"] == "" || !words.IsToken(has["name"]) {
			return nil
		}
		return []Part{{Place: seen.next(exchange.Place("/body/meta").Key(has["name"])), Kind: InputPart,
			Value: has["content"], Name: has["name"]}}
	case "form":
		return urlParts(seen.next("/body/form"), has["action"])
	}
	return urlParts(seen.next("/body/a"), has["href"])
}
