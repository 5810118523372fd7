package snapshot

import (
	"math/big"
	"regexp"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
)

// Jest reads a snapshot as Jest and Vitest write it. Versions of Jest before 29 name the prototypes of objects and
// escape quotation marks.
func Jest(text string) (*Node, error) {
	s := &jestScanner{scanner: scanner{text: text}, old: hasPrototype(text)}
	root, err := s.value("", 0)
	if err != nil {
		return nil, err
	}
	if s.pos < len(s.text) {
		return nil, errForm
	}
	return root, nil
}

var (
	prototype = regexp.MustCompile(`(?m)^\s*(?:"[^"\n]*": )?(?:ArrayContaining |ObjectContaining )?(?:Object \{|Array \[)`)
	ambiguous = regexp.MustCompile(`\\["\\]`) // escaped or not, as the configuration says
)

func hasPrototype(text string) bool { return prototype.MatchString(text) }

type jestScanner struct {
	scanner
	old bool
}

// value reads a value whose lines have some indentation.
func (s *jestScanner) value(indent string, depth int) (*Node, error) {
	if err := s.enter(depth); err != nil {
		return nil, err
	}
	n := &Node{Start: s.pos}
	err := s.valueOf(n, indent, depth)
	n.End = s.pos
	return n, err
}

func (s *jestScanner) valueOf(n *Node, indent string, depth int) error {
	if s.old {
		if !s.cut("Object {") {
			s.cut("Array ")
		} else {
			s.pos--
		}
	}
	switch {
	case s.cut("{"):
		return s.inner(n, indent, "}", depth)
	case s.cut("["):
		return s.inner(n, indent, "]", depth)
	case strings.HasPrefix(s.rest(), `"`):
		text, err := s.quoted(indent)
		n.X = expr.Str{Value: text}
		return err
	}
	if x, ok := s.number(); ok {
		n.X = x
		if low, high, rounded := roundedOf(s.text[n.Start:s.pos]); rounded {
			n.Kind, n.X = Matcher, nil
			n.Means = func(x expr.Expr) expr.Expr { return expr.Between{Low: low, X: x, High: high} }
		}
		return nil
	}
	switch word := s.word(); word {
	case "true", "false":
		n.X = expr.Bool{Value: word == "true"}
	case "null":
		n.X = expr.Null{}
	default:
		n.Kind = Matcher
		return s.matcher(n, word, indent, depth)
	}
	return nil
}

// exactDigits is how many digits of a whole number JavaScript keeps.
const exactDigits = 15

// roundedOf is between which numbers that lies which JavaScript shows so, where it is a whole one of more digits than
// it keeps.
func roundedOf(text string) (low, high expr.Expr, rounded bool) {
	whole, ok := new(big.Int).SetString(text, 10)
	if !ok || len(strings.TrimPrefix(text, "-")) <= exactDigits {
		return nil, nil, false
	}
	off := new(big.Int).Abs(whole)
	off.Rsh(off, 52) // the least distance of two numbers of this size
	return expr.Numeral(new(big.Int).Sub(whole, off).String()), expr.Numeral(new(big.Int).Add(whole, off).String()), true
}

// inner reads what is in an object or an array, up to its closing bracket.
func (s *jestScanner) inner(n *Node, indent, closing string, depth int) error {
	n.Kind = List
	if closing == "}" {
		n.Kind = Object
	}
	if s.cut(closing) {
		return nil
	}
	if !s.cut("\n") {
		return errForm
	}
	return s.members(n, indent, closing, depth, s)
}

// key reads the name of a member, and what stands between that and its value.
func (s *jestScanner) key() (string, error) {
	end := strings.Index(s.rest(), `": `)
	if !s.cut(`"`) || end < 1 || strings.Contains(s.rest()[:end-1], "\n") {
		return "", errForm
	}
	key := s.rest()[:end-1]
	s.pos += end - 1 + len(`": `)
	return s.plain(key)
}

// plain is a text without the escapes that it has.
func (s *jestScanner) plain(text string) (string, error) {
	if s.old {
		return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(text), nil
	}
	if ambiguous.MatchString(text) {
		return "", errForm
	}
	return text, nil
}

// quoted reads a text, in which quotation marks and ends of lines stand as they are: it ends with a mark behind which a
// further line of what it stands in follows.
func (s *jestScanner) quoted(indent string) (string, error) {
	s.pos++
	for at := s.pos; ; at++ {
		next := strings.IndexByte(s.text[at:], '"')
		if next < 0 {
			return "", errForm
		}
		at += next
		if s.old && escaped(s.text[s.pos:at]) || !ends(s.text[at+1:], indent) {
			continue
		}
		text := s.text[s.pos:at]
		s.pos = at + 1
		return s.plain(text)
	}
}

// escaped reports whether an odd number of backslashes stands at the end of a text.
func escaped(text string) bool {
	return (len(text)-len(strings.TrimRight(text, `\`)))%2 == 1
}

// ends reports whether what follows a text goes on with what that stands in: that is a snapshot of its own, or
// something whose members have an indentation.
func ends(rest, indent string) bool {
	if indent == "" {
		return rest == ""
	}
	next, ok := strings.CutPrefix(rest, ",\n")
	if !ok {
		return false
	}
	outer := strings.TrimPrefix(indent, "  ")
	if strings.HasPrefix(next, outer+"}") || strings.HasPrefix(next, outer+"]") {
		return true
	}
	next, ok = strings.CutPrefix(next, indent)
	return ok && next != "" && next[0] != ' ' && next[0] != '\n'
}

// matcher reads what stands for a value: Any<String>.
func (s *jestScanner) matcher(n *Node, name, indent string, depth int) error {
	switch name {
	case "Anything":
		return nil
	case "Any":
		of, rest, ok := strings.Cut(s.rest(), ">")
		if !ok || !strings.HasPrefix(of, "<") {
			return errForm
		}
		s.pos = len(s.text) - len(rest)
		types, known := map[string]string{"<String": "string", "<Number": "number", "<Boolean": "boolean", "<Array": "array",
			"<Object": "object"}[of]
		if !known {
			return errForm
		}
		n.Means = func(x expr.Expr) expr.Expr {
			typed, _ := expr.Typed(x, types)
			return typed
		}
		return nil
	case "StringMatching", "StringContaining":
		return s.piece(n, name, indent)
	case "ArrayContaining", "ObjectContaining":
		return s.some(n, indent, depth)
	}
	return errForm
}

// jestPattern is a regular expression up to the end of its line: slashes in it are not told from its end.
var jestPattern = regexp.MustCompile(`^ /(.+)/([a-z]*)(?:,\n|$)`)

// piece reads the text that is to be a piece, or the pattern of one.
func (s *jestScanner) piece(n *Node, name, indent string) error {
	if m := jestPattern.FindStringSubmatch(s.rest()); name == "StringMatching" && m != nil {
		s.pos += len(strings.TrimSuffix(m[0], ",\n"))
		source := regexEscape.ReplaceAllString(m[1], "$1")
		re, ok := literal.RegexpOfJavaScript(source, m[2])
		if !ok {
			return errForm
		}
		n.Means = func(x expr.Expr) expr.Expr { return expr.Match{X: x, Pattern: re} }
		return nil
	}
	if !s.cut(" ") || !strings.HasPrefix(s.rest(), `"`) || name != "StringContaining" {
		return errForm
	}
	text, err := s.quoted(indent)
	n.Means = func(x expr.Expr) expr.Expr { return expr.Cmp(expr.Str{Value: text}, expr.In, x) }
	return err
}

var (
	regexEscape  = regexp.MustCompile(`\\([\\^$*+?.()|\[\]{}])`)
	regexSpecial = regexp.MustCompile(`[\\^$*+?.()|\[\]{}]`)
)

// JestPattern is a regular expression of JavaScript, its slashes included, as Jest stores it.
func JestPattern(source string) string {
	return "StringMatching " + regexSpecial.ReplaceAllString(source, `\$0`)
}

// some reads the elements or the members that are to be there among others.
func (s *jestScanner) some(n *Node, indent string, depth int) error {
	if !s.cut(" ") {
		return errForm
	}
	inner, err := s.value(indent, depth+1)
	if err != nil {
		return err
	}
	said, ok := inner.Literal()
	switch said := said.(type) {
	case expr.List:
		n.Means = func(x expr.Expr) expr.Expr {
			var has []expr.Expr
			for _, elem := range said.Elems {
				has = append(has, expr.Cmp(elem, expr.In, x))
			}
			if len(has) == 0 {
				return expr.IsType{X: x, Types: []expr.Type{expr.TypeArray}}
			}
			return expr.AllOf(has...)
		}
	case expr.Object:
		n.Means = func(x expr.Expr) expr.Expr {
			var has []expr.Expr
			for i, key := range said.Keys {
				has = append(has, expr.Same(expr.Index{X: x, I: expr.Str{Value: key}}, said.Values[i]))
			}
			return expr.AllOf(has...)
		}
		ok = len(said.Keys) > 0
	default:
		ok = false
	}
	if !ok {
		return errForm
	}
	return nil
}
