package suite

import (
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// hurlWord is a word of an assert: a name or number, a string in quotes, a regular expression between slashes.
type hurlWord struct {
	text  string
	quote byte // '"' or '/'; 0 for none
}

func (w hurlWord) is(text string) bool { return w.quote == 0 && w.text == text }

// hurlWords splits a line into words, and returns where they end: a comment may follow.
func hurlWords(line string) (words []hurlWord, end int) {
	for i := 0; i < len(line); {
		c := line[i]
		switch {
		case c == ' ' || c == '\t':
			i++
			continue
		case c == '#':
			return words, end
		case c == '"' || c == '/':
			var b strings.Builder
			j := i + 1
			for ; j < len(line) && line[j] != c; j++ {
				if line[j] == '\\' && j+1 < len(line) {
					j++
					switch {
					case c == '/' && line[j] != '/':
						b.WriteByte('\\')
						b.WriteByte(line[j])
						continue
					case line[j] == 'n':
						b.WriteByte('\n')
						continue
					case line[j] == 't':
						b.WriteByte('\t')
						continue
					case line[j] == 'r':
						b.WriteByte('\r')
						continue
					case line[j] == 'u':
						if k := strings.IndexByte(line[j:], '}'); k > 2 {
							if n, err := strconv.ParseUint(line[j+2:j+k], 16, 32); err == nil {
								b.WriteRune(rune(n))
								j += k
								continue
							}
						}
					}
				}
				b.WriteByte(line[j])
			}
			words = append(words, hurlWord{b.String(), c})
			i = min(j+1, len(line))
		default:
			j := i
			for j < len(line) && line[j] != ' ' && line[j] != '\t' {
				j++
			}
			words = append(words, hurlWord{line[i:j], 0})
			i = j
		}
		end = i
	}
	return words, end
}

// hurlQuery reads a query and the filters behind it; left is what follows them.
func (r *hurlReader) hurlQuery(words []hurlWord) (x expr, left []hurlWord, ok bool) {
	if len(words) == 0 || words[0].quote != 0 {
		return nil, nil, false
	}
	answer := pyName{r.call.Var}
	arg := ""
	if len(words) > 1 && words[1].quote == '"' {
		arg = words[1].text
	}
	switch words[0].text {
	case "status":
		x, left = pyAttr{answer, "status_code"}, words[1:]
	case "body":
		x, left = pyAttr{answer, "text"}, words[1:]
	case "header", "jsonpath", "variable":
		if len(words) < 2 || words[1].quote != '"' || hurlHole.MatchString(arg) {
			return nil, nil, false
		}
		left = words[2:]
		switch words[0].text {
		case "header":
			x = pyIndex{pyAttr{answer, "headers"}, pyStr{strings.ToLower(arg)}}
		case "variable":
			x = pyName{arg}
		default:
			if x, ok = jsonPath(pyCall{fn: pyAttr{answer, "json"}}, arg); !ok {
				return nil, nil, false
			}
		}
	case "duration":
		x, left = pyName{"duration"}, words[1:] // known to no observation
	default:
		return nil, nil, false
	}
	return hurlFilters(x, left)
}

// hurlFilters reads the filters behind a query.
func hurlFilters(x expr, words []hurlWord) (expr, []hurlWord, bool) {
	for len(words) > 0 && words[0].quote == 0 {
		switch words[0].text {
		case "count":
			x, words = pyCall{fn: pyName{"length"}, args: []expr{x}}, words[1:]
		case "nth":
			if len(words) < 2 || strings.Trim(words[1].text, "0123456789") != "" {
				return nil, nil, false
			}
			x, words = pyIndex{x, pyNum{words[1].text}}, words[2:]
		case "first":
			x, words = pyIndex{x, pyNum{"0"}}, words[1:]
		case "toString":
			x, words = pyCall{fn: pyName{"str"}, args: []expr{x}}, words[1:]
		case "toInt", "toFloat", "split", "replace", "regex", "jsonpath", "xpath", "decode", "format", "last", "toDate",
			"daysAfterNow", "daysBeforeNow", "urlEncode", "urlDecode", "htmlEscape", "htmlUnescape", "replaceRegex", "base64Decode", "base64Encode":
			return nil, nil, false
		default:
			return x, words, true
		}
	}
	return x, words, true
}

// jsonPath reads a JSONPath that leads to one place: members and indexes.
func jsonPath(x expr, path string) (expr, bool) {
	rest, ok := strings.CutPrefix(path, "$")
	for ok && rest != "" {
		switch {
		case rest[0] == '.':
			n := strings.IndexAny(rest[1:], ".[") + 1
			if n == 0 {
				n = len(rest)
			}
			key := rest[1:n]
			ok = key != "" && !strings.ContainsAny(key, "*?@()$ ")
			x, rest = pyIndex{x, pyStr{key}}, rest[n:]
		case strings.HasPrefix(rest, "['") || strings.HasPrefix(rest, `["`):
			n := strings.Index(rest, rest[1:2]+"]")
			if n < 2 || strings.Contains(rest[2:n], `\`) {
				return nil, false
			}
			x, rest = pyIndex{x, pyStr{rest[2:n]}}, rest[n+2:]
		case rest[0] == '[':
			n := strings.IndexByte(rest, ']')
			if n < 2 || strings.Trim(rest[1:n], "0123456789") != "" {
				return nil, false
			}
			x, rest = pyIndex{x, pyNum{rest[1:n]}}, rest[n+1:]
		default:
			ok = false
		}
	}
	return x, ok
}

// hurlPredicate reads what is said of x.
func hurlPredicate(a *Assertion, x expr, words []hurlWord) (expr, bool) {
	name := words[0].text
	if len(words) == 1 {
		if name == "exists" {
			none, ok := missing(x)
			a.Relation = exchange.Present
			return negated(none), ok
		}
		if name == "isEmpty" {
			return pyCompare{pyCall{fn: pyName{"len"}, args: []expr{x}}, []string{"=="}, []expr{pyNum{"0"}}}, true
		}
		if name == "isCollection" {
			return pyCall{fn: pyName{"isinstance"}, args: []expr{x, pySeq{true, []expr{pyName{"dict"}, pyName{"list"}}}}}, true
		}
		typ := map[string]string{"isString": "string", "isInteger": "integer", "isBoolean": "boolean", "isNumber": "number", "isList": "array", "isObject": "dict"}[name]
		if name == "isFloat" {
			return pyCall{fn: pyName{"isinstance"}, args: []expr{x, pyName{"float"}}}, true
		}
		return jsTyped(x, typ)
	}
	if len(words) != 2 {
		return nil, false
	}
	if name == "matches" {
		if _, ok := regexpOfJS(words[1].text, ""); !ok || hurlHole.MatchString(words[1].text) {
			return nil, false
		}
		return searchOf(words[1].text, x), true
	}
	y, ok := hurlValue(words[1])
	if !ok {
		return nil, false
	}
	switch name {
	case "==", "equals":
		return sameAs(x, y), true
	case "!=", "notEquals":
		return negated(sameAs(x, y)), true
	case "<", "<=", ">", ">=":
		return pyCompare{x, []string{name}, []expr{y}}, true
	case "startsWith", "endsWith":
		return pyCall{fn: pyAttr{x, strings.ToLower(name)}, args: []expr{y}}, true
	case "contains", "includes":
		return pyCompare{y, []string{"in"}, []expr{x}}, true
	}
	return nil, false
}

// hurlValue reads a value: a string, a number, a variable.
func hurlValue(w hurlWord) (expr, bool) {
	if hurlHole.MatchString(w.text) {
		return hurlSum(w.text)
	}
	if w.quote == '"' {
		return pyStr{w.text}, true
	}
	if name, ok := map[string]string{"true": "True", "false": "False", "null": "None"}[w.text]; ok {
		return pyName{name}, true
	}
	_, ok := pyNumber(w.text)
	return pyNum{w.text}, ok && w.quote == 0 && strings.ContainsAny(w.text[:1], "-0123456789")
}
