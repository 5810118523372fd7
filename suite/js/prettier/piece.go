package prettier

import (
	"fmt"
	"slices"
	"strings"
)

// LineWidth is how long a line may be, as prettier has it.
const LineWidth = 80

// Piece is a piece of an expression: a text, and in its brackets, if it has any, others with commas between.
type Piece struct {
	Text  string
	Inner []Piece
	Close string
}

func (p Piece) flat(by Spelling) string {
	if p.Close == "" {
		return p.Text
	}
	parts := make([]string, len(p.Inner))
	for i, x := range p.Inner {
		parts[i] = x.flat(by)
	}
	inner := strings.Join(parts, ", ")
	if strings.HasSuffix(p.Text, "{") && inner != "" && !by.Tight {
		inner = " " + inner + " "
	}
	return p.Text + inner + p.Close
}

// Layout is how a test is laid out: how it is spelled, how deep its lines stand and go further in, and what ends a
// statement.
type Layout struct {
	Spelling
	Indent, Unit, End string
}

// Lines lays a piece out between what stands before and behind it, as prettier does: the last argument of a call opens
// on the line of the call.
func (p Layout) Lines(x Piece, before, after string, deeper int) []string {
	width := LineWidth - len(p.Indent) - deeper
	if flat := before + x.flat(p.Spelling) + after; len(flat) <= width || len(x.Inner) == 0 {
		return []string{flat}
	}
	last := x.Inner[len(x.Inner)-1]
	others := x.Inner[:len(x.Inner)-1]
	if strings.HasSuffix(x.Text, "(") && last.Close != "" && !slices.ContainsFunc(others, func(o Piece) bool { return o.Close != "" }) {
		head := x.Text
		for _, arg := range others {
			head += arg.flat(p.Spelling) + ", "
		}
		return p.Lines(Piece{Text: head + last.Text, Inner: last.Inner, Close: last.Close + x.Close}, before, after, deeper)
	}
	out := []string{before + x.Text}
	for i, arg := range x.Inner {
		comma := ","
		if i == len(x.Inner)-1 {
			comma = p.comma(x.Text)
		}
		for _, line := range p.Lines(arg, "", comma, deeper+len(p.Unit)) {
			out = append(out, p.Unit+line)
		}
	}
	return append(out, x.Close+after)
}

// Choice writes that a constant holds one text or the other.
func (p Layout) Choice(name, condition, yes, no string) []string {
	width, flat := LineWidth-len(p.Indent), condition+" ? "+yes+" : "+no+p.End
	switch {
	case len("const "+name+" = "+flat) <= width:
		return []string{"const " + name + " = " + flat}
	case len(p.Unit+flat) <= width:
		return []string{"const " + name + " =", p.Unit + flat}
	}
	return []string{"const " + name + " =", p.Unit + condition, p.Unit + p.Unit + "? " + yes, p.Unit + p.Unit + ": " + no + p.End}
}

// Taken writes what cleans up, in a block: where the answer in a variable has a status, or always where that is "".
func (p Layout) Taken(sent Piece, made string, status int) (lines []string) {
	if made == "" {
		for _, line := range p.Lines(sent, "await ", p.End, len(p.Unit)) {
			lines = append(lines, p.Unit+line)
		}
		return lines
	}
	lines = append(lines, fmt.Sprintf("%sif (%s.status === %d) {", p.Unit, made, status))
	for _, line := range p.Lines(sent, "await ", p.End, 2*len(p.Unit)) {
		lines = append(lines, p.Unit+p.Unit+line)
	}
	return append(lines, p.Unit+"}")
}
