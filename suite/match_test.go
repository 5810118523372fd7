package suite

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// TestMatchCalls checks which recorded exchange is taken for which call, and that a call which cannot have been sent has
// none.
func TestMatchCalls(t *testing.T) {
	resolved := func(text string) string {
		return strings.Replace(text, `self.baseUrlOfSut + "/x1"`, `resolve_location(location_a, self.baseUrlOfSut + str("/x1"))`, 1)
	}
	reads := []string{"location_a = res_0.headers['location']"}
	step := func(seq uint64, target, headers string) exchange.Step {
		return stepOf(seq, target, []*exchange.Response{reply(200, headers, "")})
	}
	tests := []struct {
		name  string
		text  string
		steps []exchange.Step
		want  []uint64 // by call; 0 for none
	}{
		{"in order", suiteOf(nil, nil), []exchange.Step{step(1, "/x0", ""), step(2, "/x1", "")}, []uint64{1, 2}},
		{"other files' exchanges around", suiteOf(nil, nil), []exchange.Step{step(1, "/x1", ""), step(2, "/x0", ""), step(3, "/x1", ""), step(4, "/x0", "")}, []uint64{2, 3}},
		{"another method or path", suiteOf(nil, nil), []exchange.Step{step(1, "/x0?a", ""), step(2, "/x1", "")}, []uint64{0, 2}},
		{"alike, and only one was sent", strings.Replace(suiteOf(nil, nil), "/x1", "/x0", 1), []exchange.Step{step(1, "/x0", "")}, []uint64{1, 0}},
		{"far apart", suiteOf(nil, nil), []exchange.Step{step(1, "/x0", ""), step(2, "/a", ""), step(3, "/b", ""), step(4, "/c", ""), step(5, "/x1", "")}, []uint64{1, 0}},
		{"resolved", resolved(suiteOf(reads, nil)), []exchange.Step{step(1, "/x0", "Location: /y9\r\n"), step(2, "/y9", "")}, []uint64{1, 2}},
		{"resolved to another path", resolved(suiteOf(reads, nil)), []exchange.Step{step(1, "/x0", "Location: /y9\r\n"), step(2, "/x1", "")}, []uint64{1, 0}},
		{"the location is missing", resolved(suiteOf(reads, nil)), []exchange.Step{step(1, "/x0", ""), step(2, "/x1", "")}, []uint64{1, 0}},
		{"escaped by the client", strings.Replace(suiteOf(nil), "/x0", "/a b/é?q='", 1), []exchange.Step{step(1, "/a%20b/%C3%A9?q=%27", "")}, []uint64{1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := Read("t.py", []byte(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			matched, _ := matchCalls(s, Source{Steps: tt.steps})
			for i, c := range s.Tests[0].Calls {
				got := uint64(0)
				if m := matched[c]; m != nil {
					got = m.Exchange.Seq
				}
				if got != tt.want[i] {
					t.Errorf("call %d: exchange %d, want %d", i, got, tt.want[i])
				}
			}
		})
	}
}
