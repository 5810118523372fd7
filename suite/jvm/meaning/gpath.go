package meaning

import (
	"regexp"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
)

// Path is a path as REST-assured reads it.
type Path struct {
	X    expr.Expr // what it leads to
	End  string    // what is called there: "size", "isEmpty", "doubleValue", or ""
	Safe bool      // the call is left out where there is nothing (?.)
	// Token leads to the JSON web token within which X looks; nil where it looks within none.
	Token expr.Expr
	// Mended is the path as it ought to have been written, where a property's name has a character that the generator
	// does not escape; "" mostly.
	Mended string
}

// gpathEnd is what may follow the quote that closes a property's name.
var gpathEnd = regexp.MustCompile(`^(?:$|\[\d|\??\.(?:'|with \{ |size\(\)$|isEmpty\(\)$|doubleValue\(\)$))`)

var (
	gpathIndex = regexp.MustCompile(`^\[(\d{1,9})\]`)
	gpathCall  = regexp.MustCompile(`^(\??)\.?(size|isEmpty|doubleValue)\(\)$`)
	// Word is a name that needs no quotes.
	Word = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*`)
)

// ParsePath reads a path from a root: 'a'.'b'[0].'c', [0].'x', size(), $, the empty one. It returns false where the
// path is of another form: a search, a spread, a range.
func ParsePath(text string, root expr.Expr) (Path, bool) {
	p := Path{X: root}
	rest, damaged, steps := strings.TrimPrefix(text, "$"), false, 0
	for rest != "" {
		if steps++; steps > script.MaxDepth {
			return p, false
		}
		if m := gpathCall.FindStringSubmatch(rest); m != nil && (rest[0] == '?' || rest[0] == '.' || steps == 1) {
			p.End, p.Safe = m[2], m[1] != ""
			break
		}
		if p.inToken(rest) {
			break
		}
		if m := gpathIndex.FindStringSubmatch(rest); m != nil {
			p.X, rest = expr.Index{X: p.X, I: expr.Num{Text: plainDigits(m[1])}}, rest[len(m[0]):]
			continue
		}
		if steps > 1 || strings.HasPrefix(text, "$") {
			if rest[0] != '.' {
				return p, false
			}
			rest = rest[1:]
		}
		if word := Word.FindString(rest); word != "" {
			p.X, rest = expr.Index{X: p.X, I: expr.Str{Value: word}}, rest[len(word):]
			continue
		}
		key, n, wrong := gpathKey(rest)
		if n == 0 {
			return p, false
		}
		p.X, rest, damaged = expr.Index{X: p.X, I: expr.Str{Value: key}}, rest[n:], damaged || wrong
	}
	if damaged && p.Token == nil {
		p.Mended = Source(p.X) + p.Call()
	}
	return p, true
}

// Call writes the call at a path's end.
func (p Path) Call() string {
	switch {
	case p.End == "":
		return ""
	case p.Safe:
		return "?." + p.End + "()"
	case Source(p.X) == "":
		return p.End + "()"
	}
	return "." + p.End + "()"
}

// plainDigits takes leading zeros away, with which JSON has no number.
func plainDigits(digits string) string {
	if digits = strings.TrimLeft(digits, "0"); digits == "" {
		return "0"
	}
	return digits
}

// gpathKey reads a property's name in quotes, and says how long that is, 0 where there is none. wrong is whether a
// character stands in it that would have to be escaped; a quote then ends the name where something follows it that can.
func gpathKey(s string) (key string, n int, wrong bool) {
	if s == "" || s[0] != '\'' {
		return "", 0, false
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\'' && gpathEnd.MatchString(s[i+1:min(len(s), i+32)]):
			return b.String(), i + 1, wrong
		case c == '\\' && i+1 < len(s) && strings.IndexByte(`\'"nrtbf$`, s[i+1]) >= 0:
			i++
			b.WriteByte("\\'\"\n\r\t\b\f$"[strings.IndexByte(`\'"nrtbf$`, s[i])])
		default:
			wrong = wrong || c == '\'' || c == '\\'
			b.WriteByte(c)
		}
	}
	return "", 0, false
}

// Source writes the steps from an answer's JSON as a path, as the generator does but for what it does not escape.
func Source(x expr.Expr) string {
	i, ok := x.(expr.Index)
	if !ok {
		return ""
	}
	before := Source(i.X)
	if n, ok := i.I.(expr.Num); ok {
		return before + "[" + n.Text + "]"
	}
	key, _ := i.I.(expr.Str)
	if before != "" {
		before += "."
	}
	return before + "'" + gpathEscaper().Replace(key.Value) + "'"
}

// gpathEscaper escapes what Groovy's strings in single quotes need escaped.
func gpathEscaper() *strings.Replacer {
	return strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`, "\r", `\r`, "\t", `\t`, "\b", `\b`, "\f", `\f`)
}

// Tolerant says that a path leads nowhere, or that what it leads to fulfils x: paths of REST-assured give null where
// there is nothing.
func Tolerant(path, x expr.Expr) expr.Expr {
	_, steps := expr.Steps(path)
	if len(steps) == 0 {
		return x
	}
	var or expr.Or
	for _, i := range steps {
		kind, missing := expr.TypeObject, expr.Cmp(i.I, expr.NotIn, i.X)
		if n, ok := i.I.(expr.Num); ok {
			kind, missing = expr.TypeArray, expr.Cmp(expr.Len{X: i.X}, expr.Le, n)
		}
		or.Xs = append(or.Xs, expr.Not{X: IsType(i.X, kind)}, missing)
	}
	or.Xs = append(or.Xs, x)
	return or
}

// IsType says that a value is of one of some types.
func IsType(x expr.Expr, types ...expr.Type) expr.Expr { return expr.IsType{X: x, Types: types} }
