package volatility

import (
	"fmt"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// A date that the client sent is no work of the clock where the answer to a later write has it, a round number of days
// from then.
func TestSentBefore(t *testing.T) {
	due := moment0.Add(21 * 24 * time.Hour).Format(time.DateOnly)
	for name, tt := range map[string]struct {
		sent string
		want bool
	}{"sent": {fmt.Sprintf(`{"dueOn":%q}`, due), false}, "made": {`{"days":21}`, true}} {
		a := &api{runs: 3, steps: 2, methods: map[int]string{0: "POST", 1: "PATCH"},
			request: func(c call) (string, string) {
				if c.step == 0 {
					return "/loans", tt.sent
				}
				return "/loans/1", `{"returned":true}`
			},
			answer: func(c call) answer {
				if c.step == 0 {
					return answer{status: 201, body: fmt.Sprintf(`{"id":1,"dueOn":%q}`, due)}
				}
				return body(`{"id":1,"dueOn":%q,"returned":true}`, due)
			}}
		for _, op := range a.judge(t).Operations {
			f := op.At(exchange.PlaceBody.Key("dueOn"))
			if moves := f != nil && f.Judgement == mapfile.WouldMove; moves != tt.want && op.Status == 200 {
				t.Errorf("%s: %+v", name, f)
			}
		}
	}
}

// TestMade proves that a date which the answer to a POST gave, thirty days from now, is known again in the answers that show
// what was made, beside the dates of what was there before; and that the same date alone, or one that the client sent, is not.
func TestMade(t *testing.T) {
	due := moment0.Add(30 * 24 * time.Hour).Format(time.DateOnly)
	for name, tt := range map[string]struct {
		made, seen string // the names of the date in the answers to the POST and to the GETs
		sent       string
		want       mapfile.Judgement
	}{
		"repeated":         {"dueOn", "dueOn", `{"title":"x"}`, mapfile.WouldMove},
		"another name":     {"dueOn", "released", `{"title":"x"}`, mapfile.Hint},
		"sent by the user": {"dueOn", "dueOn", fmt.Sprintf(`{"wanted":%q}`, due), mapfile.Hint},
	} {
		t.Run(name, func(t *testing.T) {
			a := &api{runs: 3, steps: 3, methods: map[int]string{0: "POST"},
				request: func(c call) (string, string) {
					if c.step == 0 {
						return "/things", tt.sent
					}
					return fmt.Sprintf("/things/%d", c.step), ""
				},
				answer: func(c call) answer {
					switch c.step {
					case 0:
						return answer{status: 201, body: fmt.Sprintf(`{"id":1,%q:%q}`, tt.made, due)}
					case 1:
						return body(`{"id":1,%q:%q}`, tt.seen, due)
					}
					return body(`{"id":2,%q:"2019-02-28"}`, tt.seen)
				}}
			m := a.judge(t)
			var f *mapfile.Field
			for _, op := range m.Operations {
				if op.Status == 200 {
					f = op.At(exchange.PlaceBody.Key(tt.seen))
				}
			}
			if f == nil || f.Judgement != tt.want {
				t.Fatalf("judged %+v, want %s", f, tt.want)
			}
			if f.Judgement == mapfile.WouldMove && f.Holds.Clock != 0 {
				t.Errorf("a constant of 2019 is said to be within %v of the answer", f.Holds.Clock)
			}
		})
	}
}
