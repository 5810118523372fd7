package gotest

import (
	"fmt"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/write/plan"
)

// until writes what an answer is waited for to say.
func until(w *plan.Wait) string {
	values := ""
	if len(w.Values) > 0 {
		pairs := make([]string, len(w.Values))
		for i, v := range w.Values {
			pairs[i] = literal.Go(string(v.Place)) + ": " + goRaw(string(v.JSON))
		}
		values = "values: map[string]string{" + strings.Join(pairs, ", ") + "}, "
	}
	return fmt.Sprintf("until{code: %d, %sseconds: %d}", w.Status, values, int(w.Patience.Seconds()))
}
