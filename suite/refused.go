package suite

import (
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
)

// trials are those of a test in which nothing of it was refused for what earlier runs have left behind: another answer
// would be asserted of an API that was not put back, and the suite would tell nothing of one that was.
func (p *patcher) trials(t *script.Test) []expr.Scope {
	out := p.BoundScript.trials(t)
	if len(p.refused) == 0 {
		return out
	}
	return slices.DeleteFunc(out, func(s expr.Scope) bool {
		return slices.ContainsFunc(t.Calls, func(c *script.Call) bool {
			answer, answered := s[c.Var].(*expr.Response)
			step := p.matched[c]
			return answered && step != nil && answer.Message() != nil && answer.Message().Status >= 400 &&
				slices.Contains(p.refused, Asked(&step.Exchange.Request))
		})
	})
}

// Asked is what a request asks for, in words: "POST /users".
func Asked(r *exchange.Request) string {
	path, _ := exchange.SplitTarget(r.Target)
	return r.Method + " " + path
}
