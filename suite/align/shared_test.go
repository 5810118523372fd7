package align

import (
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/script"
)

// What is sent once for several tests is found where the first of them, or another file's, sent it; and what was not
// sent is not.
func TestPlace(t *testing.T) {
	for _, c := range []struct {
		name  string
		tests string // separated by commas, their calls by blanks; what is sent once has a star
		sent  string
		want  string // by call, the number of its exchange from 1; 0 for none
	}{
		{"in this file", "*/login /a, */login /b", "/login /a /b", "1 2 3"},
		{"in another", "/a, */login /b", "/login /x /a /b", "3 1 4"},
		{"the last before the first that needs it", "/a, */login /b", "/login /a /login /b /login", "2 3 4"},
		{"none but behind it", "*/login /b", "/b /login", "0 1"},
		{"of a test that sent nothing", "*/login /b, */login /c", "/login /c", "1 0 2"},
		{"where none sent anything", "*/login /b", "/login", "0 0"},
		{"two, in order", "/a, */login */login /b", "/login /login /a /b", "3 1 2 4"},
		{"of another call", "/login /a, *2/login /b", "/x /login /a /b", "2 3 0 4"},
	} {
		tests, steps := testsOf(c.tests), stepsOf(c.sent)
		calls := Sent(wholeOf(tests), nil)
		matched, _ := Calls(Own(calls), steps, FreeLead)
		Place(tests, calls, steps, matched)
		var got []string
		for _, call := range calls {
			at := 0
			if step := matched[call.Call]; step != nil {
				at = int(step.Exchange.Seq)
			}
			got = append(got, string(rune('0'+at)))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %s, want %s", c.name, strings.Join(got, " "), c.want)
		}
	}
}

// A test begins with the first call that it sends itself.
func TestOwn(t *testing.T) {
	own := Own(Sent(wholeOf(testsOf("*/login /a /b, */login, */login /c")), nil))
	var got []string
	for _, c := range own {
		got = append(got, c.Target)
		if first := c.Target != "/b"; c.first != first {
			t.Errorf("%s begins its test: %v", c.Target, c.first)
		}
	}
	if !slices.Equal(got, []string{"/a", "/b", "/c"}) {
		t.Error(got)
	}
}

// wholeOf is all that tests send, one after the other.
func wholeOf(tests []*script.Test) (out []Run) {
	for _, t := range tests {
		out = append(out, Whole(t))
	}
	return out
}

func testsOf(text string) []*script.Test {
	var out []*script.Test
	for words := range strings.SplitSeq(text, ",") {
		test := &script.Test{}
		for i, word := range strings.Fields(words) {
			c := &script.Call{Method: "GET"}
			once, target, _ := strings.Cut(word, "/")
			if c.Target = "/" + target; once != "" {
				c.Once = once + target + string(rune('0'+i))
			}
			test.Calls = append(test.Calls, c)
		}
		out = append(out, test)
	}
	return out
}

func stepsOf(targets string) []exchange.Step {
	var out []exchange.Step
	for i, target := range strings.Fields(targets) {
		request := exchange.ParseRequest(exchange.Message{Head: []byte("GET " + target + " HTTP/1.1\r\nHost: x\r\n\r\n"), Plain: true})
		out = append(out, exchange.Step{Exchange: &exchange.Exchange{Seq: uint64(i + 1), Request: request,
			Response: &exchange.Response{Status: 200}}})
	}
	return out
}
