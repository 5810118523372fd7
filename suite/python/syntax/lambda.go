package syntax

import (
	"errors"
	"strings"
)

// Lambda is lambda params: body, both as tokens: it is the names where it stands that its body speaks of.
type Lambda struct{ Params, Body []Token }

// lambda reads what follows the word lambda. Its body ends with the argument, the element or the bracket that it stands
// in.
func (p *parser) lambda() (Node, error) {
	params := p.pos
	colon := params + TopLevel(p.tokens[params:], ":")
	if colon < params {
		return nil, errors.New("a lambda without a body")
	}
	body := colon + 1
	depth := 0
	for p.pos = body; p.pos < len(p.tokens); p.pos++ {
		t := p.tokens[p.pos]
		if t.Kind != TokenOp {
			continue
		}
		if depth == 0 && strings.Contains(")]},", t.Text) {
			break
		}
		if strings.Contains("([{", t.Text) {
			depth++
		} else if strings.Contains(")]}", t.Text) {
			depth--
		}
	}
	if p.pos == body {
		return nil, errors.New("a lambda without a body")
	}
	return Lambda{Params: p.tokens[params:colon], Body: p.tokens[body:p.pos]}, nil
}
