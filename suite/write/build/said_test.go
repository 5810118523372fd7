package build

import (
	"fmt"
	"slices"
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

// What moves only with the clock says the same where the answers lie further apart than it takes to move.
func TestSaysSame(t *testing.T) {
	begin := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	answers := func(apart time.Duration, texts ...string) (out []answer) {
		for i, text := range texts {
			out = append(out, answer{fmt.Sprint(i), begin.Add(time.Duration(i)*time.Minute + apart), map[exchange.Place]string{"/body/made": text}})
		}
		return out
	}
	moving := []string{"10:00:00", "10:01:00", "10:02:00"}
	for _, tt := range []struct {
		name  string
		now   []answer
		early []string
		unit  time.Duration
		want  bool
	}{
		{"far apart", answers(3*time.Second, moving...), moving, time.Second, true},
		{"within two seconds", answers(time.Second, moving...), moving, time.Second, false},
		{"no time", answers(0, moving...), moving, 0, true},
		{"it never moved", answers(0, "x", "x", "x"), []string{"x", "x", "x"}, 0, false},
		{"one is otherwise", answers(0, "10:00:00", "10:01:00", "10:02:01"), moving, 0, false},
		{"too few", answers(0, moving[:2]...), moving, 0, false},
	} {
		if got := saysSame(tt.now, "/body/made", answers(0, tt.early...), "/body/made", tt.unit); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// Two draws of few values agree by chance: the more often they agreed, and on rare values, the less likely that is.
func TestAgreeByChance(t *testing.T) {
	answers := func(texts ...string) (out []answer) {
		for i, text := range texts {
			out = append(out, answer{inTrial(i), time.Time{}, map[exchange.Place]string{"/body/mode": text}})
		}
		return out
	}
	for _, tt := range []struct {
		said []answer
		ok   bool
	}{
		{answers("a", "b", "a"), false}, {answers("a", "b", "c"), true}, {answers("a", "a", "a", "a", "a", "a"), false},
		{answers("a", "b", "a", "b", "a", "b", "a", "b", "a", "b"), true}, {answers("a", "b", "a", "b"), false},
		{answers(append([]string{"b", "b", "b"}, slices.Repeat([]string{"a"}, 12)...)...), true},
		{answers(append([]string{"b"}, slices.Repeat([]string{"a"}, 60)...)...), false},
	} {
		if _, ok := same(tt.said, "/body/mode", tt.said, 0); ok != tt.ok {
			t.Errorf("%v: %t", tt.said, ok)
		}
	}
}
