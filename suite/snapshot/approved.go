package snapshot

import (
	"encoding/json"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
)

// JSON reads what a test has approved, where that is JSON alone: the text that it compares with, in a file of its own.
func JSON(text string) (*Node, error) {
	r := &jsonReader{text: text, dec: json.NewDecoder(strings.NewReader(text))}
	r.dec.UseNumber()
	root, err := r.value(0)
	if err != nil {
		return nil, errForm
	}
	if _, err := r.dec.Token(); err != io.EOF {
		return nil, errForm
	}
	return root, nil
}

// jsonReader reads JSON and notes where values stand.
type jsonReader struct {
	text  string
	dec   *json.Decoder
	nodes int
}

func (r *jsonReader) value(depth int) (*Node, error) {
	if depth > maxDepth {
		return nil, errDeep
	}
	if r.nodes++; r.nodes > maxNodes {
		return nil, errLong
	}
	start := int(r.dec.InputOffset())
	start += len(r.text[start:]) - len(strings.TrimLeft(r.text[start:], " \t\r\n:,"))
	token, err := r.dec.Token()
	if err != nil {
		return nil, err
	}
	n := &Node{Start: start, X: expr.Null{}}
	switch token := token.(type) {
	case json.Delim:
		err = r.inside(n, token, depth)
	case string:
		n.X = expr.Str{Value: token}
	case json.Number:
		n.X = expr.Numeral(token.String())
	case bool:
		n.X = expr.Bool{Value: token}
	}
	n.End = int(r.dec.InputOffset())
	return n, err
}

// inside reads the members or elements of a value, to what closes it.
func (r *jsonReader) inside(n *Node, opens json.Delim, depth int) error {
	if n.Kind, n.X = List, nil; opens == '{' {
		n.Kind = Object
	}
	for r.dec.More() {
		if n.Kind == Object {
			key, err := r.dec.Token()
			name, ok := key.(string)
			if err != nil || !ok || slices.Contains(n.Keys, name) {
				return errForm
			}
			n.Keys = append(n.Keys, name)
		}
		kid, err := r.value(depth + 1)
		if err != nil {
			return err
		}
		n.Kids = append(n.Kids, kid)
	}
	_, err := r.dec.Token()
	return err
}

// Scrub takes what moves out of a text that is compared with an approved one: all that is written as the pattern has
// it. It is about the members of one name, wherever they stand. Both are as regular expressions of most languages have
// them.
type Scrub struct{ Pattern, Instead string }

// Texts and numbers as JSON has them.
const (
	anyText    = `"[^"\\]*(?:\\.[^"\\]*)*"` // without a choice per letter, for which Java's engine takes a call each
	anyInteger = `-?[0-9]+`                 // of 1.5 it leaves .5, which is approved nowhere
	anyNumber  = `-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?`
)

var (
	plainKey = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)
	scrubbed = regexp.MustCompile(`^"([A-Za-z0-9_-]+)"(: ?)(.+)$`)
	// what a pattern may have, so that it finds in the text of JSON what it does in the value: nothing that has to be
	// escaped there
	unescaped = regexp.MustCompile(`^(?:[A-Za-z0-9 _:;,/@+()?*{}=-]|\\[d.+*?()/-]|\[[A-Za-z0-9_.:+ -]+\])+$`)
)

// Scrubs say of members what is given; false where that cannot be said, or other members have the same name.
func Scrubs(text string, root *Node, said map[*Node][]expr.Expr) ([]Scrub, bool) {
	byKey, found := map[string]Scrub{}, 0
	ok := true
	root.Walk(func(n *Node) {
		for i, kid := range n.Kids {
			says, moves := said[kid]
			if n.Kind != Object {
				ok = ok && !moves
				continue
			}
			s, isSaid := scrubOf(text, n.Keys[i], kid, says)
			was, known := byKey[n.Keys[i]]
			switch {
			case !moves:
				s = Scrub{}
			case !isSaid:
				ok = false
			default:
				found++
			}
			ok = ok && (!known || was == s)
			byKey[n.Keys[i]] = s
		}
	})
	var out []Scrub
	for _, key := range slices.Sorted(maps.Keys(byKey)) {
		if byKey[key] != (Scrub{}) {
			out = append(out, byKey[key])
		}
	}
	return out, ok && found == len(said)
}

// scrubOf is what takes one member out.
func scrubOf(text, key string, n *Node, says []expr.Expr) (Scrub, bool) {
	before := strings.TrimRight(text[:n.Start], " ")
	between := ":" + text[len(before):n.Start]
	inner, ok := inner(says)
	if !ok || len(n.Kids) > 0 || !plainKey.MatchString(key) || len(between) > 2 ||
		!strings.HasSuffix(before, `"`+key+`":`) {
		return Scrub{}, false
	}
	named := `"` + key + `"` + between
	written := text[n.Start:n.End]
	if inner != anyText && strings.Contains(written, `\`) || inner == anyInteger && strings.Contains(written, ".") {
		return Scrub{}, false // a pattern of the value does not find what is written: "\u003d" for "=", 1.0 for 1
	}
	return Scrub{named + inner, named + placeholder(key)}, true
}

// placeholder stands for a value that was taken out.
func placeholder(key string) string { return `"<` + key + `>"` }

// Can reports whether it can be scrubbed by what is said of a value.
func Can(_ *Node, says []expr.Expr) bool {
	_, ok := inner(says)
	return ok
}

// inner is how a value is written of which something is said.
func inner(says []expr.Expr) (pattern string, ok bool) {
	for _, x := range says {
		switch x := x.(type) {
		case expr.Match:
			if !x.Full || !unescaped.MatchString(x.Pattern) {
				return "", false
			}
			return `"` + x.Pattern + `"`, true
		case expr.IsDigits:
			return `"[0-9]+"`, true
		case expr.IsType:
			switch {
			case slices.Equal(x.Types, []expr.Type{expr.TypeString}):
				pattern = anyText
			case slices.Equal(x.Types, []expr.Type{expr.TypeInt}):
				pattern = anyInteger
			case !slices.ContainsFunc(x.Types, func(t expr.Type) bool { return t != expr.TypeInt && t != expr.TypeFloat }):
				pattern = anyNumber
			default:
				return "", false
			}
		default:
			return "", false
		}
	}
	return pattern, pattern != ""
}

// ReadScrubbed has the members that scrubs take out stand for what these say of them; false where they are no scrubs of
// ours, or the text has none of the members.
func ReadScrubbed(root *Node, scrubs []Scrub) bool {
	for _, s := range scrubs {
		m := scrubbed.FindStringSubmatch(s.Pattern)
		if m == nil || s.Instead != `"`+m[1]+`"`+m[2]+placeholder(m[1]) {
			return false
		}
		means, found := meaningOf(m[3]), false
		root.Walk(func(n *Node) {
			for i, kid := range n.Kids {
				out := kid.Kind == Scalar && kid.X == expr.Expr(expr.Str{Value: "<" + m[1] + ">"})
				if n.Kind == Object && n.Keys[i] == m[1] && out {
					kid.Kind, kid.X, kid.Means, found = Matcher, nil, means, true
				}
			}
		})
		if !found {
			return false
		}
	}
	return true
}

// meaningOf is what is said of a value that is written as a pattern has it.
func meaningOf(inner string) func(x expr.Expr) expr.Expr {
	types := map[string][]expr.Type{anyText: {expr.TypeString}, anyInteger: {expr.TypeInt},
		anyNumber: {expr.TypeInt, expr.TypeFloat}}[inner]
	return func(x expr.Expr) expr.Expr {
		if types != nil {
			return expr.IsType{X: x, Types: types}
		}
		return expr.Match{X: x, Pattern: strings.TrimSuffix(strings.TrimPrefix(inner, `"`), `"`), Full: true}
	}
}

// Scrubbed is an approved text without what scrubs take out.
func Scrubbed(text string, said map[*Node][]expr.Expr, root *Node) string {
	var edits []Edit
	root.Walk(func(n *Node) {
		for i, kid := range n.Kids {
			if _, moves := said[kid]; moves && n.Kind == Object {
				edits = append(edits, Edit{kid.Start, kid.End, placeholder(n.Keys[i])})
			}
		}
	})
	return Edited(text, edits)
}

// Raw is a regular expression as a literal of Python's that black leaves as it is.
func Raw(pattern string) string {
	if strings.Contains(pattern, "'") {
		return literal.Python(pattern)
	}
	return "r'" + pattern + "'"
}
