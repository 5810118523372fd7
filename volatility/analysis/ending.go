package analysis

import (
	"context"
	"iter"

	"github.com/flaketap/flaketap/exchange"
)

// ending returns a source whose exchanges, externals and steps end with the error of a context once that is over; nil
// ends none.
func ending(ctx context.Context, s source) source {
	if ctx == nil {
		return s
	}
	return until{s, ctx}
}

// until is a source that a context ends.
type until struct {
	source
	ctx context.Context
}

func (u until) Exchanges() iter.Seq2[*exchange.Exchange, error] {
	return untilOver(u.ctx, u.source.Exchanges())
}

func (u until) Externals() iter.Seq2[*exchange.External, error] {
	return untilOver(u.ctx, u.source.Externals())
}

func (u until) Steps() iter.Seq2[exchange.Step, error] { return untilOver(u.ctx, u.source.Steps()) }

// untilOver goes over what a source has, until a context is over: its error is the last that comes.
func untilOver[T any](ctx context.Context, all iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for v, err := range all {
			if over := ctx.Err(); over != nil {
				var none T
				yield(none, over)
				return
			}
			if !yield(v, err) {
				return
			}
		}
	}
}
