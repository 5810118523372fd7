package snapshot

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
)

// Bounds of what is read of one snapshot: how deep it nests, and how many values it has.
const (
	maxDepth = 100
	maxNodes = 1 << 13
)

var (
	errDeep = errors.New("the stored snapshot nests too deeply")
	errLong = errors.New("the stored snapshot has too many values")
	errForm = errors.New("the stored snapshot is not only of what JSON has")
)

// Kind says what a [Node] is.
type Kind uint8

// The kinds of nodes.
const (
	Scalar  Kind = iota // a text, a number, true, false, null
	Object              // members by their keys
	List                // elements
	Matcher             // what stands for a value that was not stored
)

// Node is a value of a snapshot.
type Node struct {
	Kind Kind
	X    expr.Expr // the value of a scalar
	Keys []string  // of an object, in the order of Kids
	Kids []*Node
	// Means is what a matcher says of a value; nil where it says nothing
	Means func(x expr.Expr) expr.Expr
	// Open is that an object may have members that the snapshot leaves out
	Open bool
	// Start and End bound its text, and Line and Next the lines that it fills with its key, in bytes
	Start, End, Line, Next int
}

// Kid returns a member or an element by the step to it; nil where there is none.
func (n *Node) Kid(step expr.Expr) *Node {
	switch step := step.(type) {
	case expr.Str:
		if i := slices.Index(n.Keys, step.Value); n.Kind == Object && i >= 0 {
			return n.Kids[i]
		}
	case expr.Num:
		i, err := strconv.Atoi(step.Text)
		if n.Kind == List && err == nil && i >= 0 && i < len(n.Kids) {
			return n.Kids[i]
		}
	}
	return nil
}

// Step is the step to a member or an element.
func (n *Node) Step(i int) expr.Expr {
	if n.Kind == Object {
		return expr.Str{Value: n.Keys[i]}
	}
	return expr.Int(i)
}

// Walk calls a function of a node and of all within it.
func (n *Node) Walk(f func(n *Node)) {
	f(n)
	for _, kid := range n.Kids {
		kid.Walk(f)
	}
}

// Literal is a value that is stored as it is; false where matchers stand in it, or members are left out.
func (n *Node) Literal() (expr.Expr, bool) {
	switch n.Kind {
	case Scalar:
		return n.X, true
	case Matcher:
		return nil, false
	}
	xs := make([]expr.Expr, len(n.Kids))
	for i, kid := range n.Kids {
		x, ok := kid.Literal()
		if !ok {
			return nil, false
		}
		xs[i] = x
	}
	if n.Kind == List {
		return expr.List{Elems: xs}, true
	}
	return expr.Object{Keys: n.Keys, Values: xs}, !n.Open
}

// Edit replaces a piece of a snapshot's text.
type Edit struct {
	Start, End int
	Text       string
}

// Edited makes edits, which do not overlap.
func Edited(text string, edits []Edit) string {
	slices.SortStableFunc(edits, func(a, b Edit) int { return cmp.Compare(a.Start, b.Start) })
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(text[at:e.Start])
		b.WriteString(e.Text)
		at = e.End
	}
	b.WriteString(text[at:])
	return b.String()
}

// scanner reads the text of a snapshot.
type scanner struct {
	text  string
	pos   int
	nodes int
}

// cut takes a text off the rest, if it begins with that.
func (s *scanner) cut(text string) bool {
	if strings.HasPrefix(s.text[s.pos:], text) {
		s.pos += len(text)
		return true
	}
	return false
}

func (s *scanner) rest() string { return s.text[s.pos:] }

// enter counts a node that is at some depth.
func (s *scanner) enter(depth int) error {
	if s.nodes++; s.nodes > maxNodes {
		return errLong
	}
	if depth > maxDepth {
		return errDeep
	}
	return nil
}

// notation is how values and the names of members are written.
type notation interface {
	value(indent string, depth int) (*Node, error)
	key() (string, error)
}

// members reads what is in an object or a list that was opened, a line for each, up to its closing brackets.
func (s *scanner) members(n *Node, indent, closing string, depth int, by notation) error {
	inner := indent + "  "
	for !s.cut(indent + closing) {
		line := s.pos
		if !s.cut(inner) {
			return errForm
		}
		if n.Kind == Object {
			key, err := by.key()
			if err != nil {
				return err
			}
			n.Keys = append(n.Keys, key)
		}
		kid, err := by.value(inner, depth+1)
		if err != nil {
			return err
		}
		if !s.cut(",\n") {
			return errForm
		}
		kid.Line, kid.Next = line, s.pos
		n.Kids = append(n.Kids, kid)
	}
	return nil
}

// word reads letters.
func (s *scanner) word() string {
	n := strings.IndexFunc(s.rest(), func(r rune) bool { return (r|0x20) < 'a' || (r|0x20) > 'z' })
	if n < 0 {
		n = len(s.rest())
	}
	s.pos += n
	return s.text[s.pos-n : s.pos]
}

// maxDigits bounds the digits of a number.
const maxDigits = 400

// number reads a number of JSON; false where there is none.
func (s *scanner) number() (expr.Expr, bool) {
	from := s.pos
	negative := s.cut("-")
	n := len(s.rest()) - len(strings.TrimLeft(s.rest(), "0123456789.eE+-"))
	text := s.text[s.pos : s.pos+n]
	s.pos += n
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, text)
	if _, ok := expr.Number(text); !ok || digits == "" || len(digits) > maxDigits || negative && strings.Trim(digits, "0") == "" {
		s.pos = from
		return nil, false
	}
	return expr.Numeral(s.text[from:s.pos]), true
}
