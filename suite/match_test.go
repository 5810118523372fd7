package suite

import (
	"fmt"
	"slices"
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

// A test that runs with values that are not known sends more than its source shows: the tests around it keep what they
// sent. Where the client has marked whose requests are whose, that decides.
func TestMatchTests(t *testing.T) {
	const first = "def test_first():\n    r = requests.get(base + '/p/1')\n    assert r.json()['views'] == 1\n\n"
	const many = "@pytest.mark.parametrize('n', numbers())\ndef test_many(n):\n    r = requests.get(base + f'/p/{n}')\n" +
		"    assert r.status_code == 200\n\n"
	const loop = "def test_many():\n    for n in numbers():\n        requests.get(base + f'/p/{n}')\n\n"
	const last = "def test_last():\n    r = requests.get(base + '/p/1')\n    assert r.json()['views'] == 3\n"
	const other = "def test_other():\n    assert requests.get(base + '/q').ok\n"
	type sends struct {
		target string
		views  int
		mark   string
	}
	of := func(targets ...string) (out []sends) {
		views := map[string]int{}
		for _, target := range targets {
			views[target]++
			out = append(out, sends{target, views[target], ""})
		}
		return out
	}
	for name, tt := range map[string]struct {
		text string
		sent []sends
		want []uint64
	}{
		"before one that runs with several values": {first + many, of("/p/1", "/p/1", "/p/2", "/p/3"), []uint64{1, 2}},
		"before a loop":                        {first + loop, of("/p/1", "/p/1", "/p/2", "/p/3"), []uint64{1, 2}},
		"before one and another":               {first + many + other, of("/p/1", "/p/1", "/p/2", "/p/1", "/q"), []uint64{1, 2, 5}},
		"before a loop and another":            {first + loop + other, of("/p/1", "/p/1", "/p/2", "/p/1", "/q"), []uint64{1, 2, 5}},
		"around one":                           {first + many + last, of("/p/1", "/p/1", "/p/2", "/p/3", "/p/1"), []uint64{1, 2, 5}},
		"behind another file's":                {first, append(of("/p/1"), sends{"/q", 1, ""}, sends{"/p/1", 1, ""}), []uint64{1}},
		"behind another file's, by what holds": {first + last, []sends{{"/p/1", 7, ""}, {"/q", 1, ""}, {"/p/1", 1, ""}, {"/p/1", 3, ""}}, []uint64{3, 4}},
		"marked": {first + last, []sends{{"/p/1", 1, "test_it.py::test_other (call)"}, {"/p/1", 9, "test_it.py::test_first (call)"},
			{"/p/1", 3, "test_it.py::test_more (call)"}, {"/p/1", 8, "test_it.py::test_last[a b] (call)"}}, []uint64{2, 4}},
		"marked, in another order": {first + last, []sends{{"/p/1", 1, "test_last"}, {"/p/1", 3, "test_first"}}, []uint64{2, 1}},
		"marked by another file's tests of the name": {first, []sends{{"/p/1", 1, "tests/test_no.py::test_first"},
			{"/p/1", 9, "tests/test_it.py::test_first"}}, []uint64{2}},
		"marked as something else": {first, []sends{{"/p/1", 1, "gap-1"}}, []uint64{1}},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Read("test_it.py", []byte("import pytest, requests\nfrom x import base, numbers\n\n"+tt.text))
			if err != nil {
				t.Fatal(err)
			}
			var src Source
			for i, x := range tt.sent {
				step := stepOf(uint64(i+1), x.target, []*exchange.Response{reply(200, jsonType, fmt.Sprintf(`{"views":%d}`, x.views))})
				step.Exchange.Sequence = x.mark
				src.Steps = append(src.Steps, step)
			}
			matched, _ := matchCalls(s, src)
			var got []uint64
			for _, test := range s.Tests {
				for _, c := range test.Calls {
					seq := uint64(0)
					if step := matched[c]; step != nil {
						seq = step.Exchange.Seq
					}
					got = append(got, seq)
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
