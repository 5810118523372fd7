package build

import (
	"fmt"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/plan"
)

// Exchanges that send the same, one after the other, are one test where the answers follow from that, and the runs say
// so too.
func TestAgainTogether(t *testing.T) {
	ok := func(n int) *exchange.Response { return reply(200, jsonType, fmt.Sprintf(`{"left":%d}`, n)) }
	no := reply(429, jsonType, `{"error":"too many"}`)
	steps := func(targets string, answers ...[]*exchange.Response) suite.Source {
		src := suite.Source{}
		for i, a := range answers {
			src.Steps = append(src.Steps, stepOf(uint64(i+1), strings.Fields(targets)[min(i, len(strings.Fields(targets))-1)], a))
		}
		return src
	}
	thrice := func(r *exchange.Response) []*exchange.Response { return []*exchange.Response{r, r, r} }
	for _, tt := range []struct {
		name string
		src  suite.Source
		want string // how many requests each test sends
	}{
		{"a limit", steps("/a", thrice(ok(2)), thrice(ok(1)), thrice(ok(0)), thrice(no), thrice(no)), "4"},
		{"a counter", steps("/a", thrice(ok(1)), thrice(ok(2)), thrice(ok(3)), thrice(ok(4)), thrice(ok(5))), "3"},
		{"answered alike", steps("/a", thrice(ok(1)), thrice(ok(1)), thrice(ok(1))), "1"},
		{"other requests between", steps("/a /b /a", thrice(ok(1)), thrice(no), thrice(ok(2))), "1 1 1"},
		{"a draw", steps("/a", []*exchange.Response{ok(1), ok(7), ok(4)}, []*exchange.Response{ok(2), ok(5), ok(9)}), "1"},
		{"a status that is drawn", steps("/a", []*exchange.Response{ok(1), no, ok(1)}, thrice(no)), "1 1"},
		{"not played again", steps("/a", []*exchange.Response{ok(1)}, []*exchange.Response{no}), "1 1"},
		{"another that is refused too", steps("/a /a /a?x=1", thrice(ok(0)), thrice(no), thrice(no)), "3"},
		{"another that is not", steps("/a /a /a?x=1", thrice(ok(0)), thrice(no), thrice(ok(1))), "2 1"},
	} {
		var got []string
		for _, test := range build(t, judged(t, tt.src), Options{}).Tests {
			got = append(got, fmt.Sprint(len(test.Steps)))
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: tests of %v requests, want %s", tt.name, got, tt.want)
		}
	}
	all := build(t, judged(t, steps("/a", thrice(ok(1)), thrice(ok(2)), thrice(ok(3)), thrice(ok(4)))), Options{All: true}).Tests
	if len(all) != 1 || len(all[0].Steps) != 4 {
		t.Errorf("of all exchanges %d tests are made, the first of %d requests", len(all), len(all[0].Steps))
	}
}

// A set-up has a key of its own in each test, in the form of the recorded one.
func TestOwnKey(t *testing.T) {
	key := func(recorded, test string) string {
		s := plan.Step{Headers: []plan.Header{{Name: "idempotency-key", Value: plan.Text{{Literal: recorded}}}}}
		ownKey(&s, test)
		own, _ := s.Headers[0].Value.Constant()
		return own
	}
	const uuid = "0b9f8c1e-7d36-4a51-9a2b-3f0c55d1e7aa"
	for _, recorded := range []string{"k1", uuid, `"` + uuid + `"`} {
		one, other := key(recorded, "one"), key(recorded, "other")
		if one == other || one == recorded || one != key(recorded, "one") {
			t.Errorf("for %s the tests send %s and %s", recorded, one, other)
		}
		if m := uuidForm.FindString(one); uuidForm.MatchString(recorded) && (m == "" || len(one) != len(recorded) || m[14] != '4') {
			t.Errorf("for %s the test sends %s", recorded, one)
		}
	}
}
