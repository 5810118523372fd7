package flow

import (
	"strings"

	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/flow/words"
)

// hint returns what a value may be called: orderId for the id that POST /orders gave, else its own name.
func hint(p *message.Part, path string) string {
	if p.Place.Root() == "header" {
		switch s := p.Place.Segments(); {
		case len(s) > 2 && s[2] == "path":
			return words.Singular(message.LastSegment(path)) + "-id"
		case p.Name == "":
			return s[1]
		}
		return strings.TrimPrefix(p.Name, "x-")
	}
	kind, isID := words.IDOf(p.Name)
	switch {
	case p.Name == "", isID && kind == "" && (p.Parent == "" || wrapper(p.Parent)):
		return words.Singular(message.LastSegment(path)) + "-id"
	case isID && kind == "", words.IsName(p.Name) && p.Parent != "" && !wrapper(p.Parent):
		return words.Singular(p.Parent) + "-" + p.Name
	}
	return p.Name
}
