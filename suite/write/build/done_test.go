package build

import (
	"encoding/json"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/suite/write/refute"
)

// What answers at the end of a job have alike is told from what they only have, and from what comes and goes; an answer
// on the way is none of them.
func TestDone(t *testing.T) {
	answer := func(body string) valuesAt {
		head := []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
		return refute.Values(exchange.ParseResponse(exchange.Message{Head: head, Body: []byte(body), Plain: true}))
	}
	w := &plan.Wait{Status: 200, Values: []plan.Awaited{{Place: "/body/state", JSON: json.RawMessage(`"done"`)}}}
	all := []valuesAt{answer(`{"state":"done","progress":100,"at":"a","log":1}`), answer(`{"state":"done","progress":100,"at":"b"}`)}
	for place, want := range map[exchange.Place][2]bool{
		"/body/progress": {true, true}, "/body/at": {true, false}, "/body/log": {false, false}, "/body/none": {false, false},
	} {
		if there, alike := agreed(all, place); there != want[0] || alike != want[1] {
			t.Errorf("%s: there %v, alike %v", place, there, alike)
		}
	}
	if there, _ := agreed(nil, "/body/progress"); there {
		t.Error("no answer has a value")
	}
	for body, want := range map[string]bool{`{"state":"done"}`: true, `{"state":"running"}`: false, `{}`: false, `{"state":"done!"}`: false} {
		if got := answer(body).tellDone(w); got != want {
			t.Errorf("%s tells of the end: %v", body, got)
		}
	}
}
