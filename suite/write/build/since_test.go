package build

import (
	"fmt"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/suite/write/play"
)

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
