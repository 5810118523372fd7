package script

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
)

// CallName is the variable of the n-th call of a test, from 0, where the source gives its answer no name of its own.
func CallName(n int) string { return fmt.Sprintf("call %d", n) }

// CallNumber is the n of a [CallName]; -1 for any other name.
func CallNumber(name string) int {
	number, ok := strings.CutPrefix(name, "call ")
	n, err := strconv.Atoi(number)
	if !ok || err != nil {
		return -1
	}
	return n
}

// Turn is one of the turns of a loop, or of the runs of a test: the calls that it sent, by their numbers, the last one
// not included.
type Turn struct{ From, To int }

// holds reports whether a call, by the variable of its answer, is of a turn.
func (t Turn) holds(answer string) bool {
	n := CallNumber(answer)
	return t.From <= n && n < t.To
}

// Turns are all turns of a loop, in order.
type Turns []Turn

// Apart takes apart what several conditions say: of which turn each does, as said of the last one, and those that speak
// of none; ok is false where one speaks of several.
func (t Turns) Apart(conditions []expr.Expr) (said [][]expr.Expr, shared []expr.Expr, ok bool) {
	said = make([][]expr.Expr, len(t))
	for _, x := range conditions {
		of, ok := t.Of(x)
		switch {
		case !ok:
			return nil, nil, false
		case of < 0:
			shared = append(shared, x)
		default:
			said[of] = append(said[of], t.Renamed(of, x))
		}
	}
	return said, shared, true
}

// Alike reports whether all turns sent as many calls.
func (t Turns) Alike() bool {
	for _, one := range t {
		if one.To-one.From != t[0].To-t[0].From {
			return false
		}
	}
	return true
}

// Of is the turn of which a condition speaks, -1 where it speaks of none; ok is false where it speaks of several.
func (t Turns) Of(x expr.Expr) (of int, ok bool) {
	of, ok = -1, true
	expr.Walk(x, func(y expr.Expr) {
		answer, isAnswer := y.(expr.Answer)
		for i, one := range t {
			if isAnswer && one.holds(answer.Var) {
				ok = ok && (of < 0 || of == i)
				of = i
			}
		}
	})
	return of, ok
}

// Renamed is what is said of a turn as said of the last one: of the call that stands as far from its end.
func (t Turns) Renamed(of int, x expr.Expr) expr.Expr {
	var answers []expr.Answer
	expr.Walk(x, func(y expr.Expr) {
		if answer, ok := y.(expr.Answer); ok && !slices.Contains(answers, answer) {
			answers = append(answers, answer)
		}
	})
	for _, answer := range answers {
		x = expr.Subst(x, answer, expr.Answer{Var: t.RenamedCall(of, answer.Var), Part: answer.Part})
	}
	return x
}

// RenamedCall is the variable of the call in the last turn that stands where one of another turn does there; one that
// is of no turn keeps its own.
func (t Turns) RenamedCall(of int, answer string) string {
	if one, last := t[of], t[len(t)-1]; one.holds(answer) {
		return CallName(last.To - one.To + CallNumber(answer))
	}
	return answer
}
