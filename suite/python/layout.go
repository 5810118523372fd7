package python

import "strings"

// lineWidth is how long a line may be, as black has it.
const lineWidth = 88

// piece is a piece of an expression: a text, and in its brackets, if it has any, others with commas between.
type piece struct {
	text  string
	inner []piece
	close string
	call  bool // the brackets are those of a call
}

func (p piece) flat() string {
	if p.close == "" {
		return p.text
	}
	return p.text + p.joined() + p.close
}

func (p piece) joined() string {
	parts := make([]string, len(p.inner))
	for i, x := range p.inner {
		parts[i] = x.flat()
	}
	return strings.Join(parts, ", ")
}

// lines lays a piece out between what stands before and behind it, as black does.
func (p piece) lines(before, after string, width int) []string {
	const indent = "    "
	if flat := before + p.flat() + after; len(flat) <= width || len(p.inner) == 0 {
		return []string{flat}
	}
	out := []string{before + p.text}
	if body := indent + p.joined(); (p.call || len(p.inner) == 1) && len(body) <= width {
		return append(out, body, p.close+after)
	}
	for _, x := range p.inner {
		comma := ","
		if len(p.inner) == 1 && strings.HasPrefix(x.text, "lambda") {
			comma = ""
		}
		for _, line := range x.lines("", comma, width-len(indent)) {
			out = append(out, indent+line)
		}
	}
	return append(out, p.close+after)
}
