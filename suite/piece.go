package suite

import (
	"strings"
	"unicode"

	"github.com/flaketap/flaketap/suite/expr"
)

// isSteadyPiece reports whether an assertion looks for a piece in texts that move, of which nothing says that it moves
// with them: it has no digits, which may be those of a day or a number drawn that the texts share by chance. Where it
// is looked for in an element of a list, that is none of another place tomorrow.
func (w *weakening) isSteadyPiece() bool {
	piece, ok := w.literal().(expr.Str)
	if !ok || w.isUnordered() || strings.ContainsFunc(piece.Value, unicode.IsDigit) && w.isDrawn() {
		return false
	}
	for _, s := range w.trials {
		v, err := s.Eval(w.a.Subject())
		if _, isText := v.(string); err != nil || !isText {
			return false
		}
	}
	return len(w.trials) > 0
}
