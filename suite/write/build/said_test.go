package build

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/suite/write/play"
)

// notes is a recording in which a note is made and read.
var notes = []string{
	`POST /notes {"text":"tea"} > 201 {"id":7,"tag":"a1","made":"2026-11-22T10:00:00Z","text":"tea"}`,
	`GET /notes/7 > 200 {"id":7,"tag":"a1","made":"2026-11-22T10:00:00Z","text":"tea"}`,
}

// tagged answers as an API with notes does, in trial n; other says that a note has another tag when it is read.
func tagged(n int, other bool) func(play.Request) (*exchange.Response, error) {
	return func(r play.Request) (*exchange.Response, error) {
		made := time.Date(2026, 11, 22, 10, 0, n, 0, time.UTC).Format(time.RFC3339)
		tag, status := fmt.Sprintf("a%d", n), 201
		if r.Method == "GET" {
			if status = 200; other && n > 1 {
				tag = "other"
			}
		}
		return reply(status, jsonType, fmt.Sprintf(`{"id":%d,"tag":%q,"made":%q,"text":"tea"}`, 7+n, tag, made)), nil
	}
}

// What an answer says again of an earlier one is asserted to be the same, though it is another each time; but not where
// an execution says otherwise, nor of a second that two answers may well have in common.
func TestSaidBefore(t *testing.T) {
	src := session(t, notes...)
	for _, other := range []bool{false, true} {
		var answers play.Answers
		for n := range 4 {
			if err := answers.Try(build(t, src, Options{}), play.Forwards, tagged(n, other)); err != nil {
				t.Fatal(err)
			}
		}
		p := build(t, src, Options{Answers: answers})
		bound := map[exchange.Place][]string{}
		var captured []string
		for _, s := range p.Tests[len(p.Tests)-1].Steps {
			for _, c := range s.Captures {
				captured = append(captured, fmt.Sprintf("%s %s", c.Name, c.Place))
			}
			for _, c := range s.Checks {
				if s.Method == "GET" && c.Kind == plan.CheckEqual {
					bound[c.Place] = c.Text.BoundNames()
				}
			}
		}
		if got := strings.Join(bound["/body/tag"], " "); (got == "tag") == other {
			t.Errorf("other %v: the tag is asserted to be %q", other, got)
		}
		if len(bound["/body/made"]) > 0 {
			t.Errorf("the second of the making is asserted: %q", bound["/body/made"])
		}
		if keeps := strings.Contains(strings.Join(captured, ", "), "tag /body/tag"); keeps == other {
			t.Errorf("other %v: captured are %q", other, captured)
		}
	}
}
