package compare

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
)

// xmlElement is one element while an XML text is read. Children are kept by name, in the order in which the names came.
type xmlElement struct {
	name  string
	attrs []xml.Attr
	text  []string
	names []string
	kids  map[string][]*xmlElement
}

// xmlJSON reads XML as JSON, "" where it is not well-formed:
// {"order":{"@id":"7","item":[{"#text":"a"},{"#text":"b"}]}}. The children of one name are an array, be it of one, so
// that a second one changes a length and no type; the root alone is none, as there is one. Names are as written,
// prefixes included, so that what they stand for is not asked. Entities are never expanded beyond those that every XML
// has.
func xmlJSON(s string) string {
	root := xmlTree(s)
	if root == nil {
		return ""
	}
	var w writer
	w.open('{')
	w.key(root.name)
	root.write(&w)
	w.end('}')
	return w.String()
}

// xmlTree reads the one element that a document is.
func xmlTree(s string) *xmlElement {
	dec := xml.NewDecoder(strings.NewReader(s))
	dec.Strict = false // entities that are not known, and attributes without quotes, are nothing to stop at
	dec.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	var root *xmlElement
	var open []*xmlElement
	for n := 0; ; {
		token, err := dec.RawToken()
		if err != nil {
			if errors.Is(err, io.EOF) && len(open) == 0 {
				return root
			}
			return nil
		}
		switch t := token.(type) {
		case xml.StartElement:
			e := &xmlElement{name: xmlName(t.Name), attrs: t.Attr}
			if n += 1 + len(t.Attr); n > maxItems || len(open) == maxLevels || len(open) == 0 && root != nil {
				return nil
			}
			if len(open) == 0 {
				root = e
			} else {
				open[len(open)-1].add(e)
			}
			open = append(open, e)
		case xml.EndElement:
			if len(open) == 0 || open[len(open)-1].name != xmlName(t.Name) {
				return nil
			}
			open = open[:len(open)-1]
		case xml.CharData:
			if text := strings.TrimSpace(string(t)); len(open) > 0 && text != "" {
				open[len(open)-1].text = append(open[len(open)-1].text, text)
			}
		}
	}
}

func xmlName(n xml.Name) string {
	if n.Space == "" {
		return n.Local
	}
	return n.Space + ":" + n.Local // of a raw token, that is the prefix
}

func (e *xmlElement) add(kid *xmlElement) {
	if e.kids == nil {
		e.kids = make(map[string][]*xmlElement)
	}
	if e.kids[kid.name] == nil {
		e.names = append(e.names, kid.name)
	}
	e.kids[kid.name] = append(e.kids[kid.name], kid)
}

// write writes an element as an object. It goes down no further than maxLevels.
func (e *xmlElement) write(w *writer) {
	w.open('{')
	for _, a := range e.attrs {
		w.member("@"+xmlName(a.Name), a.Value)
	}
	if len(e.text) > 0 {
		w.member("#text", strings.Join(e.text, " "))
	}
	for _, name := range e.names {
		w.key(name)
		w.open('[')
		for _, kid := range e.kids[name] {
			w.next()
			kid.write(w)
		}
		w.end(']')
	}
	w.end('}')
}
