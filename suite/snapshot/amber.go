package snapshot

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/flaketap/flaketap/suite/expr"
)

// Amber reads a snapshot as syrupy writes it, without the indentation that its file gives it.
func Amber(text string) (*Node, error) {
	s := &amberScanner{scanner{text: text}}
	root, err := s.value("", 0)
	if err != nil {
		return nil, err
	}
	if s.pos < len(s.text) {
		return nil, errForm
	}
	return root, nil
}

type amberScanner struct{ scanner }

// value reads a value whose lines have some indentation.
func (s *amberScanner) value(indent string, depth int) (*Node, error) {
	if err := s.enter(depth); err != nil {
		return nil, err
	}
	n := &Node{Start: s.pos}
	err := s.valueOf(n, indent, depth)
	n.End = s.pos
	return n, err
}

func (s *amberScanner) valueOf(n *Node, indent string, depth int) error {
	switch {
	case s.cut("dict({\n"):
		n.Kind = Object
		return s.members(n, indent, "})", depth, s)
	case s.cut("list([\n"):
		n.Kind = List
		return s.members(n, indent, "])", depth, s)
	case s.cut("'''\n"):
		text, err := s.lines(indent)
		n.X = expr.Str{Value: text}
		return err
	case strings.HasPrefix(s.rest(), "'"), strings.HasPrefix(s.rest(), `"`):
		text, err := s.quoted()
		n.X = expr.Str{Value: text}
		return err
	}
	if x, ok := s.number(); ok {
		n.X = x
		return nil
	}
	switch word := s.word(); word {
	case "True", "False":
		n.X = expr.Bool{Value: word == "True"}
	case "None":
		n.X = expr.Null{}
	default:
		t, ok := amberTypes()[word]
		if !ok {
			return errForm
		}
		n.Kind = Matcher
		n.Means = func(x expr.Expr) expr.Expr { return expr.IsType{X: x, Types: []expr.Type{t}} }
		if t == expr.TypeNull {
			n.Means = expr.IsNull
		}
	}
	return nil
}

// amberTypes are the types of JSON's values as Python calls them.
func amberTypes() map[string]expr.Type {
	return map[string]expr.Type{"str": expr.TypeString, "int": expr.TypeInt, "float": expr.TypeFloat, "bool": expr.TypeBool,
		"list": expr.TypeArray, "dict": expr.TypeObject, "NoneType": expr.TypeNull}
}

// AmberType is a type as Python calls it; "" where syrupy has no word for it.
func AmberType(t expr.Type) string {
	for name, own := range amberTypes() {
		if own == t {
			return name
		}
	}
	return ""
}

// key reads the name of a member, and what stands between that and its value.
func (s *amberScanner) key() (string, error) {
	if rest := s.rest(); !strings.HasPrefix(rest, "'") && !strings.HasPrefix(rest, `"`) || strings.HasPrefix(rest, "'''") {
		return "", errForm
	}
	key, err := s.quoted()
	if err != nil || !s.cut(": ") {
		return "", errForm
	}
	return key, nil
}

// lines reads a text of several lines, up to the marks that end it.
func (s *amberScanner) lines(indent string) (string, error) {
	inner := ""
	if indent != "" {
		inner = indent + "  "
	}
	var out []string
	for {
		line, rest, more := strings.Cut(s.rest(), "\n")
		if after, ok := strings.CutPrefix(line, indent+"'''"); ok && (after == "" || after == ",") {
			s.pos += len(indent) + len("'''")
			return strings.Join(out, "\n"), nil
		}
		if !more {
			return "", errForm
		}
		switch text, ok := strings.CutPrefix(line, inner); {
		case ok:
			out = append(out, text)
		case line == "":
			out = append(out, "") // behind the last line's end
		default:
			return "", errForm
		}
		s.pos = len(s.text) - len(rest)
	}
}

// quoted reads a text as repr shows one.
func (s *amberScanner) quoted() (string, error) {
	mark := s.text[s.pos]
	s.pos++
	var b strings.Builder
	for s.pos < len(s.text) {
		r, size := utf8.DecodeRuneInString(s.rest())
		s.pos += size
		switch {
		case r == rune(mark):
			return b.String(), nil
		case r == '\n':
			return "", errForm
		case r != '\\':
			b.WriteRune(r)
			continue
		}
		if !s.escape(&b) {
			return "", errForm
		}
	}
	return "", errForm
}

// escape reads what stands behind a backslash.
func (s *amberScanner) escape(b *strings.Builder) bool {
	if s.pos == len(s.text) {
		return false
	}
	c := s.text[s.pos]
	s.pos++
	switch c {
	case '\\', '\'', '"':
		b.WriteByte(c)
		return true
	case 'n', 'r', 't':
		b.WriteByte(map[byte]byte{'n': '\n', 'r': '\r', 't': '\t'}[c])
		return true
	}
	n := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
	if n == 0 || len(s.rest()) < n {
		return false
	}
	code, err := strconv.ParseUint(s.rest()[:n], 16, 32)
	s.pos += n
	b.WriteRune(rune(code)) // half a pair is no character, and is seen to be none
	return err == nil && utf8.ValidRune(rune(code))
}
