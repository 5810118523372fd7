package flow

import "strings"

// hint returns what a value may be called: orderId for the id that POST /orders gave, else its own name.
func hint(p *part, path string) string {
	if p.place.Root() == "header" {
		switch s := p.place.Segments(); {
		case len(s) > 2 && s[2] == "path":
			return singular(lastSegment(path)) + "-id"
		case p.name == "":
			return s[1]
		}
		return strings.TrimPrefix(p.name, "x-")
	}
	kind, isID := idOf(p.name)
	switch {
	case p.name == "", isID && kind == "" && (p.parent == "" || wrapper(p.parent)):
		return singular(lastSegment(path)) + "-id"
	case isID && kind == "", isName(p.name) && p.parent != "" && !wrapper(p.parent):
		return singular(p.parent) + "-" + p.name
	}
	return p.name
}
