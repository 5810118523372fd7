package read

// parameter is one of a function that has a number or a time by default: that is its time where nobody gives another.
type parameter struct {
	Constant
	from, to int // the tokens of the function
}

// parameters takes down those of the text's functions.
func (w *walker) parameters() {
	var open []int
	pairs := map[int]int{}
	for i, t := range w.tokens {
		switch {
		case t.kind != mark:
		case t.text == "(" || t.text == "{" || t.text == "[":
			open = append(open, i)
		case (t.text == ")" || t.text == "}" || t.text == "]") && len(open) > 0:
			pairs[open[len(open)-1]] = i
			open = open[:len(open)-1]
		}
	}
	for from := range w.tokens {
		last, closed := pairs[from]
		if !closed || w.tokens[from].text != "(" {
			continue
		}
		to := w.functionEnd(from, last, pairs)
		for i := from + 1; i < last && to > 0 && len(w.params) < maxConstants; i++ {
			if end, inner := pairs[i]; inner {
				i = end
			} else if w.tokens[i].kind == name && (w.tokens[i-1].text == "(" || w.tokens[i-1].text == ",") {
				if c, ok := w.constant(i, w.fragment); ok {
					w.params = append(w.params, parameter{c, last, to})
				}
			}
		}
	}
}

// functionEnd is the token with which the function ends whose parameters stand between two brackets; 0 where these are
// no parameters.
func (w *walker) functionEnd(open, last int, pairs map[int]int) int {
	if open > 0 && keywordCall[w.tokens[open-1].text] && w.tokens[open-1].text != "function" {
		return 0
	}
	switch w.file.Language {
	case Python:
		if open < 2 || w.tokens[open-2].text != "def" {
			return 0
		}
		def := w.tokens[open-2]
		end := last + 1
		for end < len(w.tokens) && (w.tokens[end].line == w.tokens[end-1].line || w.tokens[end].col > def.col) {
			end++
		}
		return end
	case JavaScript, Kotlin:
		for i := last + 1; i < min(len(w.tokens), last+maxExpression); i++ {
			switch t := w.tokens[i]; {
			case t.text == "{" && pairs[i] > 0:
				return pairs[i]
			case t.text == "=>" || t.text == "=" && w.file.Language == Kotlin:
				if i+1 < len(w.tokens) && w.tokens[i+1].text == "{" && t.text == "=>" {
					continue
				}
				return w.expressionEnd(i+1, pairs)
			case i == last+1 && t.text != ":": // a call
				return 0
			}
		}
	}
	return 0
}

// expressionEnd is the token that ends the expression that begins at one.
func (w *walker) expressionEnd(i int, pairs map[int]int) int {
	for from := i; i < len(w.tokens); i++ {
		t := w.tokens[i]
		end, opens := pairs[i]
		switch {
		case opens:
			i = end
		case t.kind == mark && (t.text == ";" || t.text == "," || t.text == ")" || t.text == "}" || t.text == "]"):
			return i
		case w.file.Language == Kotlin && i > from && t.line > w.tokens[i-1].line && t.text != ".":
			return i
		}
	}
	return i
}

// valueAt gives the value of a name where a token stands: of a parameter of a function around it, the innermost, or of
// the file.
func (w *walker) valueAt(at int) func(string) (value, bool) {
	return func(ref string) (value, bool) {
		for i := len(w.params) - 1; i >= 0; i-- {
			if p := w.params[i]; p.Name == ref && p.from < at && at < p.to {
				return p.value(), true
			}
		}
		return w.file.lookup(ref)
	}
}
