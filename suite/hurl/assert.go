package hurl

import (
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
)

// word is a word of an assert: a name or number, a string in quotes, a regular expression between slashes.
type word struct {
	text  string
	quote byte // '"' or '/', '[' for a list; 0 for none
}

func (w word) is(text string) bool { return w.quote == 0 && w.text == text }

// splitWords splits a line into words, and returns where they end: a comment may follow.
func splitWords(line string) (words []word, end int) {
	for i := 0; i < len(line); {
		switch c := line[i]; c {
		case ' ', '\t':
			i++
			continue
		case '#':
			return words, end
		case '[':
			text := line[i:]
			if n := listEnd(text); n > 0 {
				text = text[:n]
			}
			words, i = append(words, word{text, c}), i+len(text)
		case '"', '/':
			text, next := quotedWord(line, i)
			words, i = append(words, word{text, c}), next
		default:
			text := line[i:]
			if n := strings.IndexAny(text, " \t"); n >= 0 {
				text = text[:n]
			}
			words, i = append(words, word{text, 0}), i+len(text)
		}
		end = i
	}
	return words, end
}

// listEnd is where a list that a text begins with ends; 0 where it does not.
func listEnd(text string) int {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[':
			depth++
		case c == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// quotedWord reads the word whose opening quote stands at a byte, and returns where the next may begin.
func quotedWord(line string, at int) (text string, next int) {
	quote := line[at]
	var b strings.Builder
	i := at + 1
	for i < len(line) && line[i] != quote {
		if line[i] != '\\' || i+1 == len(line) {
			b.WriteByte(line[i])
			i++
			continue
		}
		text, n := wordEscape(line[i:], quote)
		b.WriteString(text)
		i += n
	}
	return b.String(), min(i+1, len(line))
}

// wordEscape reads the escape that a text begins with, and returns how long it is. Regular expressions keep theirs, but
// for that of the slash which would end them.
func wordEscape(s string, quote byte) (text string, n int) {
	switch c := s[1]; {
	case quote == '/' && c != '/':
		return s[:2], 2
	case c == 'n':
		return "\n", 2
	case c == 't':
		return "\t", 2
	case c == 'r':
		return "\r", 2
	case c == 'u':
		if end := strings.IndexByte(s, '}'); end > 3 {
			if code, err := strconv.ParseUint(s[3:end], 16, 32); err == nil {
				return string(rune(code)), end + 1
			}
		}
	}
	return s[1:2], 2
}

// readQuery reads a query and the filters behind it; left is what follows them.
func (r *reader) readQuery(words []word) (x expr.Expr, left []word, ok bool) {
	if len(words) == 0 || words[0].quote != 0 {
		return nil, nil, false
	}
	answer := r.call.Var
	arg := ""
	if len(words) > 1 && words[1].quote == '"' {
		arg = words[1].text
	}
	switch words[0].text {
	case "status":
		x, left = expr.Answer{Var: answer}, words[1:]
	case "body":
		x, left = expr.Answer{Var: answer, Part: expr.Text}, words[1:]
	case "header", "jsonpath", "variable":
		if len(words) < 2 || words[1].quote != '"' || placeholder.MatchString(arg) {
			return nil, nil, false
		}
		left = words[2:]
		switch words[0].text {
		case "header":
			x = expr.Index{X: expr.Answer{Var: answer, Part: expr.Headers}, I: expr.Str{Value: strings.ToLower(arg)}}
		case "variable":
			x = expr.Name{ID: arg}
		default:
			if x, ok = jsonPath(expr.Answer{Var: answer, Part: expr.JSON}, arg); !ok {
				return nil, nil, false
			}
		}
	case "duration":
		x, left = expr.Name{ID: "duration"}, words[1:] // known to no observation
	default:
		return nil, nil, false
	}
	return filters(x, left)
}

// filters reads the filters behind a query.
func filters(x expr.Expr, words []word) (expr.Expr, []word, bool) {
	for len(words) > 0 && words[0].quote == 0 {
		if part, left, ok := tokenPart(x, words); ok {
			x, words = part, left
			continue
		}
		switch words[0].text {
		case "count":
			x, words = expr.Length{X: x}, words[1:]
		case "nth":
			if len(words) < 2 || strings.Trim(words[1].text, "0123456789") != "" {
				return nil, nil, false
			}
			x, words = expr.Index{X: x, I: expr.Num{Text: words[1].text}}, words[2:]
		case "first":
			x, words = expr.Index{X: x, I: expr.Num{Text: "0"}}, words[1:]
		case "toString":
			x, words = expr.ToText{X: x}, words[1:]
		case "toInt", "toFloat", "split", "replace", "regex", "jsonpath", "xpath", "decode", "format", "last", "toDate",
			"daysAfterNow", "daysBeforeNow", "urlEncode", "urlDecode", "htmlEscape", "htmlUnescape", "replaceRegex",
			"base64Decode", "base64Encode", "base64UrlSafeDecode", "base64UrlSafeEncode":
			return nil, nil, false
		default:
			return x, words, true
		}
	}
	return x, words, true
}

// tokenPart reads the filters that decode a part of a JSON web token and lead to one of its members.
func tokenPart(x expr.Expr, words []word) (member expr.Expr, left []word, ok bool) {
	const decodes = "split . nth N base64UrlSafeDecode decode utf-8 jsonpath"
	pattern := strings.Fields(decodes)
	if len(words) <= len(pattern) {
		return nil, nil, false
	}
	part := expr.TokenPart{X: x}
	for i, want := range pattern {
		switch {
		case want == "N" && (words[i].is("0") || words[i].is("1")):
			part.Nth = int(words[i].text[0] - '0')
		case words[i].text != want:
			return nil, nil, false
		}
	}
	path := words[len(pattern)]
	member, ok = jsonPath(part, path.text)
	return member, words[len(pattern)+1:], ok && path.quote == '"'
}

// jsonPath reads a JSONPath that leads to one place, by members and indexes, or to one of each element of an array: to
// that array, as an [expr.Each].
func jsonPath(x expr.Expr, path string) (expr.Expr, bool) {
	rest, ok := strings.CutPrefix(path, "$")
	for ok && rest != "" {
		switch {
		case strings.HasPrefix(rest, "[*]"):
			const element = "e"
			elem, one := jsonPath(expr.Name{ID: element}, "$"+rest[len("[*]"):])
			_, several := elem.(expr.Each)
			return expr.Each{Elem: elem, Var: element, List: x, Cond: expr.Having(elem)}, one && !several
		case rest[0] == '.':
			n := strings.IndexAny(rest[1:], ".[") + 1
			if n == 0 {
				n = len(rest)
			}
			key := rest[1:n]
			ok = key != "" && !strings.ContainsAny(key, "*?@()$ ")
			x, rest = expr.Index{X: x, I: expr.Str{Value: key}}, rest[n:]
		case strings.HasPrefix(rest, "['") || strings.HasPrefix(rest, `["`):
			n := strings.Index(rest, rest[1:2]+"]")
			if n < 2 || strings.Contains(rest[2:n], `\`) {
				return nil, false
			}
			x, rest = expr.Index{X: x, I: expr.Str{Value: rest[2:n]}}, rest[n+2:]
		case rest[0] == '[':
			n := strings.IndexByte(rest, ']')
			if n < 2 || strings.Trim(rest[1:n], "0123456789") != "" {
				return nil, false
			}
			x, rest = expr.Index{X: x, I: expr.Num{Text: rest[1:n]}}, rest[n+1:]
		default:
			ok = false
		}
	}
	return x, ok
}

// readPredicate reads what is said of x.
func readPredicate(a *script.Assertion, x expr.Expr, words []word) (expr.Expr, bool) {
	name := words[0].text
	if len(words) == 1 {
		if name == "exists" {
			none, ok := expr.Missing(x)
			a.Relation = exchange.Present
			return expr.Negate(none), ok
		}
		if name == "isEmpty" {
			return expr.Cmp(expr.Len{X: x}, expr.Eq, expr.Num{Text: "0"}), true
		}
		if name == "isCollection" {
			return expr.IsType{X: x, Types: []expr.Type{expr.TypeObject, expr.TypeArray}}, true
		}
		typ := map[string]string{"isString": "string", "isInteger": "integer", "isBoolean": "boolean", "isNumber": "number",
			"isList": "array", "isObject": "dict"}[name]
		if name == "isFloat" {
			return expr.IsType{X: x, Types: []expr.Type{expr.TypeFloat}}, true
		}
		return expr.Typed(x, typ)
	}
	if len(words) != 2 {
		return nil, false
	}
	if name == "matches" {
		if _, ok := literal.RegexpOfJavaScript(words[1].text, ""); !ok || placeholder.MatchString(words[1].text) {
			return nil, false
		}
		return expr.Match{X: x, Pattern: words[1].text}, true
	}
	y, ok := constant(words[1])
	if !ok {
		return nil, false
	}
	_, isList := y.(expr.List)
	switch name {
	case "==", "equals":
		return expr.Same(x, y), true
	case "!=", "notEquals":
		return expr.Negate(expr.Same(x, y)), true
	}
	if isList {
		return nil, false
	}
	switch name {
	case "<", "<=", ">", ">=":
		return expr.Cmp(x, order()[name], y), true
	case "startsWith":
		return expr.HasPrefix{X: x, Prefix: y}, true
	case "endsWith":
		return expr.HasSuffix{X: x, Suffix: y}, true
	case "contains", "includes":
		return expr.Cmp(y, expr.In, x), true
	}
	return nil, false
}

// order are the predicates that tell the order of two values.
func order() map[string]expr.Op {
	return map[string]expr.Op{"<": expr.Lt, "<=": expr.Le, ">": expr.Gt, ">=": expr.Ge}
}

// constant reads a value: a string, a number, a variable, a list of such values as JSON has it.
func constant(w word) (expr.Expr, bool) {
	if w.quote == '[' {
		return listOf(w.text)
	}
	if placeholder.MatchString(w.text) {
		return sumOf(w.text)
	}
	if w.quote == '"' {
		return expr.Str{Value: w.text}, true
	}
	switch w.text {
	case "true", "false":
		return expr.Bool{Value: w.text == "true"}, true
	case "null":
		return expr.Null{}, true
	}
	_, ok := expr.Number(w.text)
	return expr.Numeral(w.text), ok && w.quote == 0 && strings.ContainsAny(w.text[:1], "-0123456789")
}

// listOf reads a list of scalars.
func listOf(text string) (expr.Expr, bool) {
	v, err := expr.ParseJSON([]byte(text))
	items, isList := v.(expr.Items)
	if placeholder.MatchString(text) || err != nil || !isList {
		return nil, false
	}
	var list expr.List
	for _, item := range items {
		x, ok := expr.Literal(item)
		if !ok {
			return nil, false
		}
		list.Elems = append(list.Elems, x)
	}
	return list, true
}
