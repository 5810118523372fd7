package suite

import (
	"slices"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// What a test sends in a loop over a map is found in whatever order it came, and only what is wholly its own.
func TestShuffledCallsAreFound(t *testing.T) {
	s, err := Read("a_test.go", []byte(`package a

import (
	"net/http"
	"testing"
)

func TestStatuses(t *testing.T) {
	http.Get("http://localhost:1/first")
	for path, want := range map[string]int{"/a": 200, "/b": 404, "/c": 400} {
		resp, err := http.Get("http://localhost:1" + path)
		if err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != want {
			t.Error(path)
		}
	}
}
`))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name    string
		targets []string
		want    []uint64 // by call: /first, /a, /b, /c; 0 for none
	}{
		{"as written", []string{"/first", "/a", "/b", "/c"}, []uint64{1, 2, 3, 4}},
		{"shuffled", []string{"/first", "/c", "/a", "/b"}, []uint64{1, 3, 4, 2}},
		{"backward", []string{"/x", "/first", "/c", "/b", "/a", "/y"}, []uint64{2, 5, 4, 3}},
		{"one is missing", []string{"/first", "/c", "/a"}, []uint64{1, 3, 0, 2}},
		{"far away", []string{"/c", "/1", "/2", "/3", "/4", "/5", "/first", "/b", "/a"}, []uint64{7, 9, 8, 0}},
	} {
		var steps []exchange.Step
		for i, target := range tt.targets {
			steps = append(steps, stepOf(uint64(i+1), target, []*exchange.Response{reply(200, "", "")}))
		}
		matched, _ := matchCalls(s, Source{Steps: steps})
		var got []uint64
		for _, c := range s.Tests[0].Calls {
			seq := uint64(0)
			if step := matched[c]; step != nil {
				seq = step.Exchange.Seq
			}
			got = append(got, seq)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}
