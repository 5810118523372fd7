package compare

import (
	"cmp"
	"errors"
	"io"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// looksHTML reports whether a text says that it is HTML.
func looksHTML(s string) bool {
	return len(s) >= 9 && strings.EqualFold(s[:9], "<!doctype") &&
		strings.Contains(strings.ToLower(s[:min(len(s), 64)]), "html") ||
		len(s) >= 5 && strings.EqualFold(s[:5], "<html")
}

// isMarkup reports whether a text that is no XML is HTML: what begins as an element of HTML, and has one that is
// closed. <Order id=7> is none.
func isMarkup(s string) bool {
	if looksHTML(s) {
		return true
	}
	name := s[1:]
	if i := strings.IndexAny(name, " \t\r\n/>"); i >= 0 {
		name = name[:i]
	}
	return len(name) <= 16 && atom.Lookup([]byte(strings.ToLower(name))) != 0 && strings.Contains(s, "</")
}

// page is an HTML text while it is read. What is nested is told apart by the names of the elements alone: what browsers
// make of a page that leaves some open is for them to know.
type page struct {
	names    []string                  // of elements, in the order they came
	elements map[string][]*htmlElement // by name, in the order of the text
	open     []*htmlElement            // around the present position
}

type htmlElement struct {
	name  string
	key   string // the name of a form control, of a meta; "" for any other element
	attrs []html.Attribute
	text  []string
}

// maxOpen bounds the elements that a page has open at one time: what is opened further in counts as closed at once.
const maxOpen = 512

// htmlJSON reads HTML as JSON: the title, form controls and metas by their names (as /input/csrf/@value), and all other
// elements in lists by theirs (/a/0/@href, /p/3/#text), with the text that stands in them and in no element within
// them.
func htmlJSON(s string) string {
	p := page{elements: make(map[string][]*htmlElement)}
	z := html.NewTokenizer(strings.NewReader(s))
	for n := 0; ; n++ {
		kind := z.Next()
		if kind == html.ErrorToken {
			if !errors.Is(z.Err(), io.EOF) || n == 0 {
				return ""
			}
			break
		}
		if n > maxItems {
			return ""
		}
		switch kind {
		case html.TextToken:
			p.text(string(z.Text()))
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			if n += len(t.Attr); len(t.Attr) > maxParams {
				return ""
			}
			p.start(t, kind == html.SelfClosingTagToken)
		case html.EndTagToken:
			name, _ := z.TagName()
			p.end(string(name))
		}
	}
	if len(p.names) == 0 {
		return ""
	}
	return p.json()
}

func (p *page) text(s string) {
	if s = strings.TrimSpace(s); s == "" {
		return
	}
	if len(p.open) == 0 {
		p.add(&htmlElement{name: "body"})
		p.open = append(p.open, p.elements["body"][len(p.elements["body"])-1])
	}
	e := p.open[len(p.open)-1]
	e.text = append(e.text, strings.Clone(s))
}

func (p *page) start(t html.Token, closed bool) {
	e := &htmlElement{name: t.Data, attrs: t.Attr}
	switch t.Data {
	case "input", "select", "textarea", "button", "meta", "param":
		for _, name := range []string{"name", "property", "id"} {
			if i := slices.IndexFunc(t.Attr, func(a html.Attribute) bool { return a.Key == name }); i >= 0 && e.key == "" {
				e.key = t.Attr[i].Val
			}
		}
		e.key = cmp.Or(e.key, "#")
	}
	p.add(e)
	if !closed && !isVoid(t.Data) && len(p.open) < maxOpen {
		p.open = append(p.open, e)
	}
}

func (p *page) add(e *htmlElement) {
	if p.elements[e.name] == nil {
		p.names = append(p.names, e.name)
	}
	p.elements[e.name] = append(p.elements[e.name], e)
}

// maxBack bounds how many open elements a closing tag is looked for among.
const maxBack = 32

// end closes the innermost element of that name, and all within it.
func (p *page) end(name string) {
	for i := len(p.open) - 1; i >= max(0, len(p.open)-maxBack); i-- {
		if p.open[i].name == name {
			p.open = p.open[:i]
			return
		}
	}
}

// isVoid reports whether an element of HTML has no content and no closing tag.
func isVoid(name string) bool {
	switch name {
	case "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr":
		return true
	}
	return false
}

func (p *page) json() string {
	var w writer
	w.open('{')
	for _, name := range p.names {
		list := p.elements[name]
		w.key(name)
		switch {
		case name == "title":
			w.string(strings.Join(list[0].text, " "))
		case list[0].key != "":
			w.open('{')
			for _, e := range list {
				w.key(e.key)
				e.write(&w)
			}
			w.end('}')
		default:
			w.open('[')
			for _, e := range list {
				w.next()
				e.write(&w)
			}
			w.end(']')
		}
	}
	w.end('}')
	return w.String()
}

// password reports whether the element is a control for a password.
func (e *htmlElement) password() bool {
	return e.name == "input" && slices.ContainsFunc(e.attrs, func(a html.Attribute) bool {
		return a.Key == "type" &&
			strings.EqualFold(a.Val, "password")
	})
}

func (e *htmlElement) write(w *writer) {
	w.open('{')
	password := e.password()
	for _, a := range e.attrs {
		if password && a.Key == "value" {
			continue // who types it is to know it alone, whatever the control is called
		}
		if e.key == "" || a.Key != "name" || a.Val != e.key {
			w.member("@"+a.Key, a.Val)
		}
	}
	if len(e.text) > 0 {
		w.member("#text", strings.Join(e.text, " "))
	}
	w.end('}')
}
