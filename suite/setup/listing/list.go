// Package listing reads what the answers of an API show of collections: which elements there are, and what tells them
// apart. What follows from that for the tests of a suite is the business of package setup.
package listing

import (
	"encoding/json"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/flow/words"
	"github.com/flaketap/flaketap/internal/jsontree"
)

// maxElements bounds how many elements of one list are looked at.
const maxElements = 1 << 12

// List is what an answer shows of a collection.
type List struct {
	Keys  []string       // what tells its elements apart, in order; "" for an element that nothing tells apart
	Whole bool           // all of the collection is in it: nothing was asked for, and it is no page
	Place exchange.Place // where the list stands in it
}

// Of returns the list that an answer is: a JSON array, or an object with one array of objects among its members.
func Of(e *exchange.Exchange) (List, bool) {
	body, err := e.Response.Payload()
	if err != nil || len(body) > jsontree.MaxText || len(body) == 0 {
		return List{}, false
	}
	_, query := exchange.SplitTarget(e.Request.Target)
	l := List{Whole: query == "" && !e.Response.Header.Has("Link"), Place: exchange.PlaceBody}
	var elements []json.RawMessage
	if json.Unmarshal(body, &elements) != nil {
		member, found := wrapped(body)
		if !found || json.Unmarshal(member.value, &elements) != nil {
			return List{}, false
		}
		l.Whole, l.Place = false, l.Place.Key(member.name)
	} else if elements == nil {
		return List{}, false // null
	}
	if len(elements) > maxElements {
		elements, l.Whole = elements[:maxElements], false
	}
	kind := words.Singular(message.LastSegment(message.Collection(e.Request.Target)))
	for _, element := range elements {
		l.Keys = append(l.Keys, elementKey(element, kind))
	}
	return l, true
}

// member is a member of a JSON object.
type member struct {
	name  string
	value json.RawMessage
}

// wrapped returns the only member of an object that is an array of objects, or an empty array.
func wrapped(body []byte) (member, bool) {
	var object map[string]json.RawMessage
	if len(body) == 0 || body[0] != '{' || json.Unmarshal(body, &object) != nil {
		return member{}, false
	}
	var found []member
	for name, value := range object {
		if text := strings.Join(strings.Fields(string(value[:min(len(value), 64)])), ""); text == "[]" ||
			strings.HasPrefix(text, "[{") {
			found = append(found, member{name, value})
		}
	}
	if _, own := object["id"]; len(found) != 1 || own {
		return member{}, false
	}
	return found[0], true
}

// elementKey returns what tells an element of a list apart: a scalar itself, of an object its id, or its name.
func elementKey(element json.RawMessage, kind string) string {
	if len(element) == 0 {
		return ""
	}
	if element[0] != '{' {
		if element[0] == '[' {
			return ""
		}
		return jsontree.Unquote(element)
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(element, &object) != nil {
		return ""
	}
	best, rank := "", 4
	for name, value := range object {
		of, isID := words.IDOf(name)
		r := 4
		switch {
		case len(value) == 0 || value[0] == '{' || value[0] == '[' || value[0] == 'n':
			continue
		case isID && of == "":
			r = 0
		case isID && of == kind:
			r = 1
		case words.IsName(name):
			r = 2
		}
		if key := jsontree.Unquote(value); r < rank || r == rank && r < 4 && key < best {
			best, rank = key, r
		}
	}
	return best
}
