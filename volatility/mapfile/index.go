package mapfile

import (
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// node is one segment of the places of an operation. A lookup goes down the concrete segments first, and down the
// wildcard where that finds nothing.
type node struct {
	field    *Field
	children map[string]*node // by escaped segment
}

// Index makes lookups of places quick. It is to be called once the fields are complete; the places that they have then
// are those that they are found by.
func (o *Operation) Index() { o.index = newIndex(o.Fields) }

func newIndex(fields []*Field) *node {
	root := &node{}
	for _, f := range fields {
		n := root
		for s := range strings.SplitSeq(strings.TrimPrefix(string(f.Place), "/"), "/") {
			child := n.children[s]
			if child == nil {
				if n.children == nil {
					n.children = make(map[string]*node)
				}
				child = &node{}
				n.children[s] = child
			}
			n = child
		}
		n.field = f
	}
	return root
}

func (n *node) find(place exchange.Place) *Field {
	return n.below(strings.TrimPrefix(string(place), "/"))
}

// below comes to each node of the tree once at most, so a lookup is bounded by the number of fields whatever the place.
func (n *node) below(rest string) *Field {
	segment, rest, more := strings.Cut(rest, "/")
	for _, s := range []string{segment, exchange.Wildcard} {
		child := n.children[s]
		if child == nil {
			continue
		}
		if !more {
			if child.field != nil {
				return child.field
			}
			continue
		}
		if f := child.below(rest); f != nil {
			return f
		}
	}
	return nil
}
