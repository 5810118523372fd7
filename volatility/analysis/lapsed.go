package analysis

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/store"
)

// weigh finds out whether the credentials lapsed that requests were refused with: a pass over the steps, which most
// recordings go without.
func weigh(db source, lapses *flow.Lapses) ([]flow.Lapse, error) {
	if !lapses.Any() {
		return nil, nil
	}
	for s, err := range store.Readable(db.Steps(), nil) {
		if err != nil {
			return nil, err
		}
		lapses.Weigh(s)
	}
	return lapses.Found(), nil
}

// sieved goes over the steps without what lapsed credentials were answered; the sieve is nil where none lapsed.
func sieved(db source, sieve *flow.Sieve) iter.Seq2[exchange.Step, error] {
	steps := store.Readable(db.Steps(), nil)
	if sieve == nil {
		return steps
	}
	return func(yield func(exchange.Step, error) bool) {
		for s, err := range steps {
			if err == nil {
				s = sieve.Step(s)
			}
			if !yield(s, err) {
				return
			}
		}
	}
}

// lapseWarnings tells which credentials lapsed, since when, and what to do; those that lapsed together, as a request
// bears several, in one warning.
func lapseWarnings(lapses []flow.Lapse, redactor exchange.Redactor) []string {
	var out []string
	for i, l := range lapses {
		together := func(o flow.Lapse) bool {
			return o.Expired.Equal(l.Expired) && o.Since.Equal(l.Since) && o.Refused == l.Refused && o.First == l.First
		}
		if slices.ContainsFunc(lapses[:i], together) {
			continue
		}
		var names []string
		for _, o := range lapses[i:] {
			if together(o) {
				names = append(names, fmt.Sprintf("%s (%s)", named(o.Place), redactor.Show(o.Place, o.Value)))
			}
		}
		out = append(out, lapseWarning(l, strings.Join(names, " and ")))
	}
	return out
}

func lapseWarning(l flow.Lapse, name string) string {
	since := "has been refused since " + l.Since.UTC().Format(time.RFC3339)
	if !l.Expired.IsZero() {
		since = "expired at " + l.Expired.UTC().Format(time.RFC3339)
	}
	left := "what was sent with it since"
	if len(l.Write) > 0 {
		left += ", and what followed a refused write,"
	}
	runs := make([]string, len(l.Runs))
	for i, n := range l.Runs {
		runs[i] = strconv.Itoa(n)
	}
	word := "run "
	if len(runs) > 1 {
		word = "runs "
	}
	refused := fmt.Sprintf("%d answers of %s are", l.Refused, word+strings.Join(runs, ", "))
	if l.Refused == 1 {
		refused = "1 answer of " + word + runs[0] + " is"
	}
	field := l.Place.Segments()
	return fmt.Sprintf("the credential in %s of exchange %d %s: %s 401 or 403 where the recording has a success, "+
		"so %s is no evidence; replay again with --auth '%s: …'", name, l.First, since, refused, left, field[len(field)-1])
}

// named says in words where a request bears a credential.
func named(p exchange.Place) string {
	words := map[string]string{"header": "the header ", "cookie": "the cookie ", "query": "the parameter "}
	s := p.Segments()
	return words[s[0]] + strings.Join(s[1:], "/")
}
