package build

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/suite/write/play"
)

// A number that is the product of numbers of earlier answers is asserted to be, whatever they were, in floating point
// or rounded to cents. It is not where one trial has another, where chance may have made it, or where there are few
// figures.
func TestProducts(t *testing.T) {
	floats := func(n int) (price, rate, usd float64) {
		price, rate = 19.99+3.7*float64(n), 1.0837+0.0131*float64(n%5)
		return price, rate, price * rate
	}
	for _, tt := range []struct {
		name   string
		trials int
		say    func(n int) (price, rate float64, usd string)
		want   bool
	}{
		{"in floating point", 6, func(n int) (float64, float64, string) {
			price, rate, usd := floats(n)
			return price, rate, fmt.Sprint(usd)
		}, true},
		{"in cents", 6, func(n int) (float64, float64, string) {
			price, rate, usd := floats(n)
			return price, rate, fmt.Sprintf("%.2f", usd)
		}, true},
		{"once another", 6, func(n int) (float64, float64, string) {
			price, rate, usd := floats(n)
			return price, rate, fmt.Sprintf("%.2f", usd+float64(n/6)/50)
		}, false},
		{"too few", 2, func(n int) (float64, float64, string) {
			price, rate, usd := floats(n)
			return price, rate, fmt.Sprint(usd)
		}, false},
		{"few figures", 6, func(n int) (float64, float64, string) {
			return float64(2 + n), 3, fmt.Sprint(3 * (2 + n))
		}, false},
		{"two values", 6, func(n int) (float64, float64, string) {
			price, rate, usd := floats(n % 2)
			return price, rate, fmt.Sprint(usd)
		}, false},
	} {
		answer := func(n int, target string) string {
			price, rate, usd := tt.say(n)
			switch {
			case strings.HasPrefix(target, "/prices"):
				return fmt.Sprintf(`{"price":%v}`, price)
			case strings.HasPrefix(target, "/rates"):
				return fmt.Sprintf(`{"rate":%v}`, rate)
			}
			return fmt.Sprintf(`{"usd":%s}`, usd)
		}
		var lines []string
		for _, target := range []string{"/prices", "/rates", "/dollars"} {
			lines = append(lines, "GET "+target+" > 200 "+answer(0, target))
		}
		src := session(t, lines...)
		for i := range src.Steps {
			src.Steps[i].Exchange.Sequence = "one"
		}
		src.Sequences = []exchange.Sequence{{Name: "one", Steps: []uint64{1, 2, 3}}}
		var answers play.Answers
		for n := range tt.trials {
			send := func(r play.Request) (*exchange.Response, error) {
				return reply(200, jsonType, answer(n+1, r.Target)), nil
			}
			if err := answers.Try(build(t, src, Options{All: true}), play.Forwards, send); err != nil {
				t.Fatal(err)
			}
		}
		p := build(t, src, Options{All: true, Answers: answers})
		got := slices.ContainsFunc(p.Tests[0].Steps[2].Checks, func(c plan.Check) bool {
			return c.Kind == plan.CheckRelated && fmt.Sprint(c.Relation, c.Of, c.Given) == "product[] [[{ rate  false }] [{ price  false }]]"
		})
		if got != tt.want {
			t.Errorf("%s: %v, in %+v", tt.name, got, p.Tests[0].Steps[2].Checks)
		}
	}
}
