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
	never := ""
	if len(w.InVain) > 0 {
		pairs := make([]string, len(w.InVain))
		for i, v := range w.InVain {
			pairs[i] = "{" + literal.Go(string(v.Place)) + ", " + goRaw(string(v.JSON)) + "}"
		}
		never = "never: [][2]string{" + strings.Join(pairs, ", ") + "}, "
	}
	every := ""
	if pause := w.Pause(); pause != plan.DefaultPause {
		every = fmt.Sprintf(", every: %d", pause.Milliseconds())
	}
	return fmt.Sprintf("until{code: %d, %s%sseconds: %d%s}", w.Status, values, never, int(w.Patience.Seconds()), every)
}
