package suite

import (
	"regexp"
	"strings"
)

// gpath is a path as REST-assured reads it.
type gpath struct {
	x    expr   // what it leads to
	end  string // what is called there: "size", "isEmpty", "doubleValue", or ""
	safe bool   // the call is left out where there is nothing (?.)
	// mended is the path as it ought to have been written, where a property's name has a character that the generator does
	// not escape; "" mostly.
	mended string
}

// gpathEnd is what may follow the quote that closes a property's name.
var gpathEnd = regexp.MustCompile(`^(?:$|\[\d|\??\.(?:'|size\(\)$|isEmpty\(\)$|doubleValue\(\)$))`)

var (
	gpathIndex = regexp.MustCompile(`^\[(\d{1,9})\]`)
	gpathCall  = regexp.MustCompile(`^(\??)\.?(size|isEmpty|doubleValue)\(\)$`)
	gpathWord  = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*`)
)

// parseGPath reads a path from a root: 'a'.'b'[0].'c', [0].'x', size(), $, the empty one. It returns false where the path
// is of another form: a search, a spread, a range.
func parseGPath(text string, root expr) (gpath, bool) {
	p := gpath{x: root}
	rest, damaged, steps := strings.TrimPrefix(text, "$"), false, 0
	for rest != "" {
		if steps++; steps > maxDepth {
			return p, false
		}
		if m := gpathCall.FindStringSubmatch(rest); m != nil && (rest[0] == '?' || rest[0] == '.' || steps == 1) {
			p.end, p.safe = m[2], m[1] != ""
			break
		}
		if m := gpathIndex.FindStringSubmatch(rest); m != nil {
			p.x, rest = pyIndex{p.x, pyNum{pyDigits(m[1])}}, rest[len(m[0]):]
			continue
		}
		if steps > 1 || strings.HasPrefix(text, "$") {
			if rest[0] != '.' {
				return p, false
			}
			rest = rest[1:]
		}
		if word := gpathWord.FindString(rest); word != "" {
			p.x, rest = pyIndex{p.x, pyStr{word}}, rest[len(word):]
			continue
		}
		key, n, wrong := gpathKey(rest)
		if n == 0 {
			return p, false
		}
		p.x, rest, damaged = pyIndex{p.x, pyStr{key}}, rest[n:], damaged || wrong
	}
	if damaged {
		p.mended = gpathSource(p.x) + p.call()
	}
	return p, true
}

// call writes the call at a path's end.
func (p gpath) call() string {
	switch {
	case p.end == "":
		return ""
	case p.safe:
		return "?." + p.end + "()"
	case gpathSource(p.x) == "":
		return p.end + "()"
	}
	return "." + p.end + "()"
}

// pyDigits takes leading zeros away, with which Python has no number.
func pyDigits(digits string) string {
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

// gpathSource writes the steps from an answer's JSON as a path, as the generator does but for what it does not escape.
func gpathSource(x expr) string {
	i, ok := x.(pyIndex)
	if !ok {
		return ""
	}
	before := gpathSource(i.x)
	if n, ok := i.i.(pyNum); ok {
		return before + "[" + n.text + "]"
	}
	key, _ := i.i.(pyStr)
	if before != "" {
		before += "."
	}
	return before + "'" + gpathEscaper().Replace(key.s) + "'"
}

// gpathEscaper escapes what Groovy's strings in single quotes need escaped.
func gpathEscaper() *strings.Replacer {
	return strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`, "\r", `\r`, "\t", `\t`, "\b", `\b`, "\f", `\f`)
}

// tolerant says that a path leads nowhere, or that what it leads to fulfils x: paths of REST-assured give null where there
// is nothing.
func tolerant(path, x expr) expr {
	var steps []pyIndex
	for p := path; ; {
		i, ok := p.(pyIndex)
		if !ok {
			break
		}
		steps = append([]pyIndex{i}, steps...)
		p = i.x
	}
	or := pyBool{op: "or"}
	for _, i := range steps {
		kind, missing := "dict", expr(pyCompare{i.i, []string{"not in"}, []expr{i.x}})
		if n, ok := i.i.(pyNum); ok {
			kind = "list"
			missing = pyCompare{pyCall{fn: pyName{"len"}, args: []expr{i.x}}, []string{"<="}, []expr{n}}
		}
		or.xs = append(or.xs, pyUnary{"not", isinstance(i.x, kind)}, missing)
	}
	if len(or.xs) == 0 {
		return x
	}
	or.xs = append(or.xs, x)
	return or
}

func isinstance(x expr, types ...string) expr {
	if len(types) == 1 {
		return pyCall{fn: pyName{"isinstance"}, args: []expr{x, pyName{types[0]}}}
	}
	seq := pySeq{tuple: true}
	for _, t := range types {
		seq.elems = append(seq.elems, pyName{t})
	}
	return pyCall{fn: pyName{"isinstance"}, args: []expr{x, seq}}
}
