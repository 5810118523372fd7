package history_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/history"
)

// step is a request with what it was answered, execution by execution.
func step(bodies ...string) *exchange.Step {
	s := &exchange.Step{}
	for run, body := range bodies {
		raw := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", len(body))
		r := exchange.ParseResponse(exchange.Message{Head: []byte(raw), Body: []byte(body)})
		if run == 0 {
			s.Exchange = &exchange.Exchange{Seq: 1, Response: r}
			continue
		}
		s.Observations = append(s.Observations, &exchange.Observation{Run: run, Seq: 1, Response: r})
	}
	return s
}

// TestHistory: a value flips where another stands in its place in another execution, and leaves where none does.
func TestHistory(t *testing.T) {
	a := func(v any) bool { return expr.Equal(v, "a") }
	for _, tt := range []struct {
		name                 string
		steps                []*exchange.Step
		flips, leaves, moves bool
		count                int
	}{
		{"always there", []*exchange.Step{step(`{"m":"a"}`, `{"m":"a"}`)}, false, false, false, 2},
		{"others elsewhere", []*exchange.Step{step(`{"m":"a"}`, `{"m":"a"}`), step(`{"m":"b"}`, `{"m":"c"}`)}, false, false, true, 2},
		{"another next time", []*exchange.Step{step(`{"m":"a"}`, `{"m":"b"}`)}, true, false, true, 1},
		{"gone next time", []*exchange.Step{step(`{"m":"a"}`, `{}`)}, false, true, false, 1},
		{"null next time", []*exchange.Step{step(`{"m":"a"}`, `{"m":null}`)}, true, false, false, 1},
		{"nothing of JSON", []*exchange.Step{step(`a`)}, false, false, false, 0},
	} {
		h := history.At(tt.steps, 200, "/body/m")
		if !h.Complete || h.Flips(a) != tt.flips || h.Leaves(a) != tt.leaves || h.Moves() != tt.moves || h.Count(a) != tt.count {
			t.Errorf("%s: flips %v, leaves %v, moves %v, count %d", tt.name, h.Flips(a), h.Leaves(a), h.Moves(), h.Count(a))
		}
	}
}

// TestStages: words that were each seen twice are stages; one that was seen once may have others beside it.
func TestStages(t *testing.T) {
	job := func(states ...string) history.History {
		var bodies []string
		for _, s := range states {
			bodies = append(bodies, fmt.Sprintf(`{"m":%q}`, s))
		}
		return history.At([]*exchange.Step{step(bodies...)}, 200, "/body/m")
	}
	for _, tt := range []struct {
		name      string
		h         history.History
		elsewhere []string
		want      int
	}{
		{"two", job("run", "run", "ready", "ready", "run"), nil, 2},
		{"one seen once", job("run", "ready", "ready", "ready", "ready"), nil, 0},
		{"and elsewhere", job("run", "ready", "ready", "ready", "ready"), []string{"run"}, 2},
		{"too few", job("run", "run", "ready", "ready"), nil, 0},
		{"digits", job("a1", "a1", "b2", "b2", "b2"), nil, 0},
		{"too many", job("a", "a", "b", "b", "c", "c", "d", "d", "e", "e"), nil, 0},
	} {
		if got := tt.h.Stages(tt.elsewhere); len(got) != tt.want || slices.Contains(got, nil) {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// TestLasts: a stage is the last one where it lasted long, by the time since something was changed.
func TestLasts(t *testing.T) {
	begin := time.Date(2026, 11, 25, 10, 0, 0, 0, time.UTC)
	sent := func(method string, s *exchange.Step, after ...int) *exchange.Step {
		s.Exchange.Request.Method, s.Exchange.Start = method, begin.Add(time.Duration(after[0])*time.Millisecond)
		for i, o := range s.Observations {
			o.Start = begin.Add(time.Duration(after[i+1]) * time.Millisecond)
		}
		return s
	}
	read := func(after ...int) *exchange.Step {
		return sent("GET", step(`{"m":"run"}`, `{"m":"ready"}`, `{"m":"ready"}`), after...)
	}
	made := sent("POST", step("{}", "{}", "{}"), 10, 10, 10)
	looked := sent("GET", step("{}", "{}", "{}"), 0, 0, 0)
	for _, tt := range []struct {
		name    string
		read    *exchange.Step
		earlier []*exchange.Step
		want    bool
	}{
		{"long", read(20, 30, 90), []*exchange.Step{looked, made}, true},
		{"not long", read(20, 30, 89), []*exchange.Step{made}, false},
		{"another came later", read(200, 30, 90), []*exchange.Step{made}, false},
		{"by the first change", read(20, 30, 90), []*exchange.Step{sent("POST", step("{}", "{}", "{}"), 0, 0, 0), made}, false},
		{"nothing was changed", read(20, 30, 31), []*exchange.Step{nil, looked}, true},
	} {
		if got := history.Lasts(tt.read, tt.earlier, "/body/m"); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}
