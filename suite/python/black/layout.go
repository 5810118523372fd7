package black

import "strings"

// LineWidth is how long a line may be, as black has it.
const LineWidth = 88

// Piece is a piece of an expression: a text, and in its brackets, if it has any, others with commas between.
type Piece struct {
	Text  string
	Inner []Piece
	Close string
	Call  bool // the brackets are those of a call
}

// Flat is a piece in one line.
func (p Piece) Flat() string {
	if p.Close == "" {
		return p.Text
	}
	return p.Text + p.joined() + p.Close
}

func (p Piece) joined() string {
	parts := make([]string, len(p.Inner))
	for i, x := range p.Inner {
		parts[i] = x.Flat()
	}
	return strings.Join(parts, ", ")
}

// Lines lays a piece out between what stands before and behind it, as black does.
func (p Piece) Lines(before, after string, width int) []string {
	const indent = "    "
	if flat := before + p.Flat() + after; len(flat) <= width || len(p.Inner) == 0 {
		return []string{flat}
	}
	out := []string{before + p.Text}
	if body := indent + p.joined(); (p.Call || len(p.Inner) == 1) && len(body) <= width {
		return append(out, body, p.Close+after)
	}
	for _, x := range p.Inner {
		comma := ","
		if len(p.Inner) == 1 && strings.HasPrefix(x.Text, "lambda") {
			comma = ""
		}
		for _, line := range x.Lines("", comma, width-len(indent)) {
			out = append(out, indent+line)
		}
	}
	return append(out, p.Close+after)
}
