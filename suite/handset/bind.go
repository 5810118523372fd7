package handset

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/script"
)

// Literal is a text or a number as it stands in a source file.
type Literal struct {
	Start, End int // in bytes
	// where its content stands; of a number that is all of it
	From, To int
	Number   bool
	Template bool // it may hold expressions
	Plain    bool // its content stands for itself: no escapes, no line ends
	// a variable can be put into it between any two letters that stand for themselves, though others of it may be escaped
	Cut bool
}

// Hole is where a variable stands in what was sent.
type Hole struct {
	From, To int
	Variable string
}

// Holes finds the variables of a text in what was sent as that text; false where they cannot be told apart.
func Holes(sent string, parts []script.TextPart) ([]Hole, bool) {
	var out []Hole
	at := 0
	for i, p := range parts {
		if p.Variable == "" {
			if !strings.HasPrefix(sent[at:], p.Text) {
				return nil, false
			}
			at += len(p.Text)
			continue
		}
		end := len(sent)
		if i+1 < len(parts) {
			next := parts[i+1].Text
			n := strings.Index(sent[at:], next)
			if i+2 == len(parts) && strings.HasSuffix(sent[at:], next) {
				n = len(sent) - at - len(next)
			}
			if next == "" || n <= 0 {
				return nil, false
			}
			end = at + n
		}
		out = append(out, Hole{at, end, p.Variable})
		at = end
	}
	return out, at == len(sent)
}

// Words are how a language writes variables in the place of literals.
type Words struct {
	Number func(variable string) string // the number that a variable is the text of
	// Text writes a literal whose content has variables in some places.
	Text func(source string, l Literal, holes []Hole) (string, bool)
}

// Bind returns the edits that put variables into the literals which the values of holes come from; false where one
// comes from none of them, or it is not clear from which.
func Bind(source string, literals []Literal, sent string, holes []Hole, w Words) ([]script.Edit, bool) {
	in := map[int][]Hole{} // by literal, in its own bytes
	for _, h := range holes {
		n, at, ok := origin(source, literals, sent, h)
		if !ok {
			return nil, false
		}
		in[n] = append(in[n], Hole{at, at + h.To - h.From, h.Variable})
	}
	var out []script.Edit
	for n, l := range literals {
		own := in[n]
		if len(own) == 0 {
			continue
		}
		text, ok := w.Text(source, l, own)
		switch whole := own[0].From == l.From && own[0].To == l.To; {
		case whole && l.Number:
			text, ok = w.Number(own[0].Variable), true
		case whole && !l.Template:
			text, ok = own[0].Variable, true
		}
		if !ok {
			return nil, false
		}
		out = append(out, script.Edit{Start: l.Start, End: l.End, Text: text})
	}
	return out, true
}

// origin finds the literal that a hole of what was sent comes from, and where in the file it begins: one that holds
// more of what was sent, else one that is the value.
func origin(source string, literals []Literal, sent string, h Hole) (literal, at int, ok bool) {
	value := sent[h.From:h.To]
	found := 0
	for n, l := range literals {
		if l.Number || !l.Plain {
			continue
		}
		for _, piece := range pieces(source, l) {
			text := source[piece[0]:piece[1]]
			from := 0
			if host := script.SchemeAndHost.FindString(text); host != "" {
				from = len(host)
			}
			text = text[from:]
			i := strings.Index(sent, text)
			if len(text) <= len(value) || i < 0 || strings.Contains(sent[i+1:], text) || h.From < i || h.To > i+len(text) {
				continue
			}
			found, literal, at = found+1, n, piece[0]+from+h.From-i
		}
	}
	if found > 0 {
		return literal, at, found == 1
	}
	for n, l := range literals {
		if source[l.From:l.To] == value && (l.Number || l.Plain) {
			found, literal, at = found+1, n, l.From
		}
	}
	return literal, at, found == 1
}

// pieces are the texts of a literal between its expressions.
func pieces(source string, l Literal) [][2]int {
	if !l.Template {
		return [][2]int{{l.From, l.To}}
	}
	var out [][2]int
	depth, from := 0, l.From
	for i := l.From; i < l.To; i++ {
		switch source[i] {
		case '{':
			if depth == 0 {
				end := i
				if end > from && source[end-1] == '$' {
					end--
				}
				out = append(out, [2]int{from, end})
			}
			depth++
		case '}':
			if depth--; depth == 0 {
				from = i + 1
			}
		}
	}
	return append(out, [2]int{from, l.To})
}

// Replaced is a source text with holes in it filled by what a language writes for variables.
func Replaced(source string, from, to int, holes []Hole, write func(variable string) string,
	text func(string) string) string {
	slices.SortFunc(holes, func(a, b Hole) int { return a.From - b.From })
	out := ""
	for _, h := range holes {
		out += text(source[from:h.From]) + write(h.Variable)
		from = h.To
	}
	return out + text(source[from:to])
}
