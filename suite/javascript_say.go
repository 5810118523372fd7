package suite

import "strings"

// line writes an expression as statements of the assertion library, on one line. What an "or" says first is the condition
// under which the last is said: the runner then tells what was wanted, and what was there, and not only that something is
// false. inline is that an expression is wanted: the body of a function that has no braces.
func (w *jsWriter) line(x expr, inline bool) (string, bool) {
	guards, rest := w.guarded(x)
	says := w.says(rest)
	if w.failed || len(says) == 0 {
		return "", false
	}
	text := strings.Join(says, "; ") + ";"
	if len(guards) > 0 {
		conds := make([]string, len(guards))
		for i, g := range guards {
			c, level := w.opposite(g)
			if level < andLevel && len(guards) > 1 {
				c = "(" + c + ")"
			}
			conds[i] = c
		}
		if len(says) > 1 {
			text = "{ " + text + " }"
		}
		text = "if (" + strings.Join(conds, " && ") + ") " + text
	}
	switch {
	case inline && len(guards) == 0 && len(says) == 1:
		text = says[0]
	case inline:
		text = "{ " + text + " }"
	}
	return text, !w.failed && !strings.ContainsAny(text, "\r\n\x00\u2028\u2029")
}

// guarded takes the conditions off an expression.
func (w *jsWriter) guarded(x expr) (guards []expr, rest expr) {
	or, ok := x.(pyBool)
	if !ok || or.op != "or" {
		return nil, x
	}
	n := len(or.xs) - 1
	for n > 0 && alternatives(or.xs[n-1:]) != nil {
		n--
	}
	if n == len(or.xs)-1 {
		return or.xs[:n], or.xs[n]
	}
	return or.xs[:n], pyBool{"or", or.xs[n:]}
}

// alternatives returns the pieces of which a text must hold one, where expressions ask for nothing else; else nil.
func alternatives(xs []expr) []string {
	var out []string
	text := ""
	for _, x := range xs {
		c, ok := x.(pyCompare)
		if !ok || len(c.ops) != 1 || c.ops[0] != "in" {
			return nil
		}
		piece, ok := c.x.(pyStr)
		of := pySource(c.ys[0])
		i, isIndex := c.ys[0].(pyIndex)
		if _, _, isHeader := headerOf(i); !ok || !isIndex || !isHeader || text != "" && text != of {
			return nil
		}
		text, out = of, append(out, piece.s)
	}
	return out
}

// says writes an expression as statements, without semicolons.
func (w *jsWriter) says(x expr) []string {
	switch x := x.(type) {
	case pyBool:
		if x.op == "and" {
			var out []string
			for _, e := range x.xs {
				out = append(out, w.says(e)...)
			}
			return out
		}
		if pieces := alternatives(x.xs); pieces != nil {
			for i, p := range pieces {
				pieces[i] = regexpQuoted(p)
			}
			return []string{w.say(saysMatches, w.value(x.xs[0].(pyCompare).ys[0]), w.pattern(strings.Join(pieces, "|"), false))}
		}
	case pyCompare:
		return w.saysRelations(x)
	case pyCall:
		if text, ok := w.saysCall(x); ok {
			return []string{text}
		}
	case pyUnary:
		if c, ok := x.x.(pyCompare); ok && x.op == "not" && len(c.ops) == 1 && c.ops[0] == "in" && !isComposite(c.ys[0]) {
			return []string{w.say(saysLacks, w.value(c.ys[0]), w.value(c.x))}
		}
	}
	return []string{w.say(saysTrue, w.cond(x, anyLevel), "")}
}

// regexpQuoted escapes what means something in a regular expression.
func regexpQuoted(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune(`\.+*?()|[]{}^$`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func (w *jsWriter) saysRelations(x pyCompare) []string {
	left := x.x
	var out []string
	for i, op := range x.ops {
		out = append(out, w.saysRelation(left, op, x.ys[i]))
		left = x.ys[i]
	}
	return out
}

func (w *jsWriter) saysRelation(a expr, op string, b expr) string {
	order := map[string]jsVerb{"<": saysLess, "<=": saysAtMost, ">": saysGreater, ">=": saysAtLeast}
	switch op {
	case "==", "is", "!=", "is not":
		if isLiteral(a) && !isLiteral(b) {
			a, b = b, a
		}
		verb := saysEqual
		if op[0] == '!' || op == "is not" {
			verb = saysDiffers
		}
		if text, ok := b.(pyStr); ok && verb == saysDiffers && text.s == "" && isTextual(a) {
			return w.say(saysFilled, w.value(a), "")
		}
		if isComposite(b) {
			verb++
		}
		return w.say(verb, w.value(a), w.sum(b))
	case "in", "not in":
		return w.saysMembership(a, op == "in", b)
	}
	if _, isNumber := a.(pyNum); isNumber {
		a, b = b, a
		op = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<="}[op]
	}
	return w.say(order[op], w.value(a), w.value(b))
}

// isTextual reports whether an expression is a header or the text of an answer: where it is there at all, it is a text.
func isTextual(x expr) bool {
	i, _ := x.(pyIndex)
	_, _, isHeader := headerOf(i)
	return isHeader || isText(x)
}

func isLiteral(x expr) bool {
	switch x := x.(type) {
	case pyStr, pyNum, pySeq, pyDict:
		return true
	case pyUnary:
		return isLiteral(x.x)
	case pyName:
		return x.id == "True" || x.id == "False" || x.id == "None"
	}
	return false
}

func (w *jsWriter) saysMembership(a expr, in bool, b expr) string {
	seq, isSeq := b.(pySeq)
	at, isMember := w.memberAt(a, in, b)
	headers, _ := b.(pyAttr)
	switch {
	case isSeq && in:
		return w.say(saysOneOf, w.value(a), w.value(seq))
	case isMember && in && headers.name != "headers":
		return w.say(saysProperty, w.value(b), w.value(a))
	case isMember && in:
		return w.say(saysDefined, at, "")
	case isMember:
		return w.say(saysUndefined, at, "")
	case in && !isComposite(a):
		return w.say(saysContains, w.value(b), w.value(a))
	}
	return w.say(saysTrue, w.membership(a, in, b), "")
}

// saysCall writes the calls of which an assertion library says more than that they are true.
func (w *jsWriter) saysCall(x pyCall) (string, bool) {
	if pattern, whole, ok := matchOf(x); ok {
		return w.say(saysMatches, w.value(x.args[1]), w.pattern(pattern, whole)), true
	}
	if attr, ok := x.fn.(pyAttr); ok && attr.name == "isdigit" {
		return w.say(saysMatches, w.value(attr.x), `/^\d+$/`), true
	}
	if isName(x.fn, "isinstance") && len(x.args) == 2 {
		if types := typesOf(x); len(types) == 1 {
			name := map[string]string{"str": "string", "bool": "boolean", "float": "number", "list": "array"}[types[0]]
			if name != "" {
				return w.say(saysType, w.value(x.args[0]), name), true
			}
		}
	}
	return "", false
}
