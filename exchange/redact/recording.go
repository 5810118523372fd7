package redact

import (
	"iter"
	"slices"

	"github.com/flaketap/flaketap/exchange"
)

// ForRecording returns what redacts further exchanges of a recording as those before, with what else the user named as
// secret; nil where the recording holds secrets as they were sent.
func ForRecording(rec exchange.Recording, named ...string) *Rest {
	if !rec.Redacted() {
		return nil
	}
	return NewRest(rec.Key, Named(rec, named))
}

// Named returns what the user named as secret, for this pass and for those before.
func Named(rec exchange.Recording, named []string) []string {
	for _, p := range rec.Passes {
		for _, name := range p.Secrets {
			if !slices.Contains(named, name) {
				named = append(named, name)
			}
		}
	}
	return named
}

// Each yields exchanges as they are stored; as they are, where the Rest is nil.
func Each(rest *Rest, exchanges iter.Seq2[*exchange.Exchange, error]) iter.Seq2[*exchange.Exchange, error] {
	if rest == nil {
		return exchanges
	}
	return func(yield func(*exchange.Exchange, error) bool) {
		for e, err := range exchanges {
			if err == nil {
				e = rest.Exchange(e)
			}
			if !yield(e, err) {
				return
			}
		}
	}
}
