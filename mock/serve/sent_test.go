package serve

import (
	"testing"

	"github.com/flaketap/flaketap/mock"
	"github.com/flaketap/flaketap/mock/search"
	"github.com/google/go-cmp/cmp"
)

// The search is told of each call what it was, and whether in TLS.
func TestCallsOf(t *testing.T) {
	asked := mock.Call{Service: "a.example:8443", Scheme: "https", Method: "POST", Target: "/x", Status: 503}
	got := callsOf([]mock.Counted{{Call: asked, Times: 2}},
		[]mock.Asked{{Service: asked.Service, Method: "POST", Target: "/x", Body: []byte("1")}})
	if len(got) != 1 || got[0].Sent == "" {
		t.Fatalf("got %+v", got)
	}
	got[0].Sent = ""
	want := []search.Call{{Service: "a.example:8443", Scheme: "https", Method: "POST", Target: "/x", Status: 503, Times: 2}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Calls to one target are told apart by the bodies that were sent to it, in all of them.
func TestSentBy(t *testing.T) {
	of := func(bodies ...string) string {
		calls := []mock.Asked{{Service: "b.example:80", Method: "POST", Target: "/x", Body: []byte(`"other"`)}}
		for _, body := range bodies {
			calls = append(calls, mock.Asked{Service: "a.example:80", Method: "POST", Target: "/x", Body: []byte(body)})
		}
		return sentBy(calls)[sender{"a.example:80", "POST", "/x"}]
	}
	seen := map[string]bool{of(): true}
	for _, bodies := range [][]string{{`{"due":1}`}, {`{"due":2}`}, {`{"due":1}`, `{"due":2}`}} {
		if got := of(bodies...); seen[got] || got != of(bodies...) {
			t.Errorf("%v are told as %q", bodies, got)
		} else {
			seen[got] = true
		}
	}
	if !seen[""] {
		t.Error("no body is one")
	}
	if a, b := of(`{"due": 1, "of": {"x": 1, "y": 2}}`), of(`{"of":{"y":2,"x":1},"due":1}`); a != b {
		t.Errorf("another order of members is told as %q and %q", a, b)
	}
	if of(`{"due":1} x`) == of(`{"due":1}`) {
		t.Error("what is no JSON is told as what it begins with")
	}
}
