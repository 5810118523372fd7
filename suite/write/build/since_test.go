package build

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/suite/write/play"
	"github.com/flaketap/flaketap/volatility/relation"
)

// How a value relates to an earlier one is found where enough executions with different values say so.
func TestRelate(t *testing.T) {
	each := func(n int, say func(i int) [2]string) (out [][2]string) {
		for i := range n {
			out = append(out, say(i))
		}
		return out
	}
	text := func(i int) string { return fmt.Sprintf("tag-%04d", i*7919%1000) }
	for _, tt := range []struct {
		name  string
		pairs [][2]string
		want  *plan.Check
	}{
		{"one more", each(5, func(i int) [2]string { return [2]string{fmt.Sprint(i * i), fmt.Sprint(i*i + 1)} }),
			&plan.Check{Relation: relation.Sum, Given: []plan.Text{{{Literal: "1"}}}}},
		{"three fewer", each(5, func(i int) [2]string { return [2]string{fmt.Sprint(i * i), fmt.Sprint(i*i - 3)} }),
			&plan.Check{Relation: relation.Sum, Given: []plan.Text{{{Literal: "-3"}}}}},
		{"another", each(5, func(i int) [2]string { return [2]string{text(i), text(i + 1)} }), &plan.Check{Relation: plan.Other}},
		{"too few", each(4, func(i int) [2]string { return [2]string{fmt.Sprint(i), fmt.Sprint(i + 1)} }), nil},
		{"two values", each(9, func(i int) [2]string { return [2]string{fmt.Sprint(i % 2), fmt.Sprint(i%2 + 1)} }), nil},
		{"once otherwise", each(9, func(i int) [2]string { return [2]string{fmt.Sprint(i), fmt.Sprint(i + 1 + i/8)} }), nil},
		{"the same", each(9, func(i int) [2]string { return [2]string{text(i), text(i)} }), nil},
		{"a short text", each(9, func(i int) [2]string { return [2]string{fmt.Sprint("a", i), fmt.Sprint("b", i)} }), nil},
		{"one that comes again", each(9, func(i int) [2]string { return [2]string{text(i), text(i%4 + 100)} }), nil},
	} {
		got, _ := relate(tt.pairs)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", tt.name, diff)
		}
	}
}

// A version that a change makes one higher is asserted to be so, whatever it was, where the test made the thing. What a
// trial contradicts is not asserted.
func TestSinceWritten(t *testing.T) {
	lines := []string{
		`POST /notes {"text":"tea"} > 201 {"id":70001,"version":5,"hits":100}`,
		`PUT /notes/70001 {"text":"mate"} > 200 {"id":70001,"version":6,"hits":102}`,
	}
	for _, stays := range []bool{false, true} {
		src := session(t, lines...)
		var answers play.Answers
		for n := range 6 {
			send := func(r play.Request) (*exchange.Response, error) {
				version, hits, status := 5+3*n, 100+n, 201
				if r.Method == "PUT" {
					version, hits, status = version+1, hits+2, 200
					if stays && n == 5 {
						version, hits = version-1, hits-2
					}
				}
				return reply(status, jsonType, fmt.Sprintf(`{"id":%d,"version":%d,"hits":%d}`, 70001+n, version, hits)), nil
			}
			if err := answers.Try(build(t, src, Options{}), play.Forwards, send); err != nil {
				t.Fatal(err)
			}
		}
		var got []string
		tests := build(t, src, Options{Answers: answers}).Tests
		for _, s := range tests[len(tests)-1].Steps {
			for _, c := range s.Checks {
				if c.Kind == plan.CheckRelated {
					got = append(got, fmt.Sprint(s.Method, " ", c.Place, " ", c.Relation, " ", c.Given, " ", c.Why))
				}
			}
		}
		want := 2
		if stays {
			want = 0
		}
		if len(got) != want || want > 0 && !strings.Contains(got[0], "sum") {
			t.Errorf("one stays: %v: asserted is %q", stays, got)
		}
	}
}
