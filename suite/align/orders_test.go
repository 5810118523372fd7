package align

import (
	"fmt"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/suite/script"
)

// sentBy is a test that stands somewhere in its file and sends requests; its runs begin at some of them.
func sentBy(name string, at int, targets string, runs ...script.Run) *script.Test {
	t := &script.Test{Name: name, Head: script.Span{Start: at}, Runs: runs}
	for _, target := range strings.Fields(targets) {
		t.Calls = append(t.Calls, &script.Call{Method: "GET", Target: target})
	}
	return t
}

func shown(calls []SentCall) string {
	var out []string
	for _, c := range calls {
		mark := ""
		if c.first {
			mark = "|"
		}
		out = append(out, mark+c.Target)
	}
	return strings.Join(out, " ")
}

// Tests that stand in one table take turns, row by row, in the order of the file and in that turned round; in the order of
// names each test runs with all its rows.
func TestRunsInTurns(t *testing.T) {
	run := func(from int, place ...int) script.Run { return script.Run{From: from, Place: place} }
	tests := []*script.Test{
		sentBy("z", 10, "/z"),
		sentBy("y", 30, "/y1 /y1' /y2", run(0, 20, 0, 30), run(2, 20, 1, 30)),
		sentBy("x", 40, "/x11 /x12 /x21 /x22", run(0, 20, 0, 35, 0, 40), run(1, 20, 0, 35, 1, 40), run(2, 20, 1, 35, 0, 40),
			run(3, 20, 1, 35, 1, 40)),
		sentBy("w", 50, "/w"),
	}
	const byName, byFile = "|/w |/x11 /x12 /x21 /x22 |/y1 /y1' /y2 |/z", "|/z |/y1 /y1' |/x11 |/x12 |/y2 |/x21 |/x22 |/w"
	const back = "|/w |/x22 |/x21 |/y2 |/x12 |/x11 |/y1 /y1' |/z"
	all := Orders(&script.Script{Tests: tests})
	all = append(all, Backward(all)...)
	got := map[string]bool{}
	for _, runs := range all {
		got[shown(Sent(runs, nil))] = true
	}
	for _, want := range []string{byName, byFile, back} {
		if !got[want] {
			t.Errorf("no order is\n%s\nbut\n%v", want, got)
		}
	}
}

// Mocha runs the tests of a group before those of the groups in it, wherever they stand; others as they stand.
func TestOuterTestsFirst(t *testing.T) {
	tests := []*script.Test{sentBy("a", 20, "/a"), sentBy("b", 40, "/b"), sentBy("c", 50, "/c"),
		sentBy("d", 70, "/d"), sentBy("e", 90, "/e")}
	in := func(places ...int) (groups []script.Group) { // by their names they stand the other way round
		for _, at := range places {
			groups = append(groups, script.Group{Name: fmt.Sprint(100 - at), Start: at})
		}
		return groups
	}
	for i, groups := range [][]script.Group{in(10, 15), in(10, 30), in(10, 30, 45), in(10, 30), in(10)} {
		tests[i].Groups = groups
	}
	got := map[string]bool{}
	for _, runs := range Orders(&script.Script{Tests: tests}) {
		got[shown(Sent(runs, nil))] = true
	}
	for _, want := range []string{"|/a |/b |/c |/d |/e", "|/e |/a |/b |/d |/c"} {
		if !got[want] {
			t.Errorf("no order is\n%s\nbut\n%v", want, got)
		}
	}
}

// The tests of several classes run class by class: by the names of both (unittest), or as they stand (pytest).
func TestOrdersOfClasses(t *testing.T) {
	tests := []*script.Test{sentBy("b", 20, "/Z.b"), sentBy("a", 30, "/Z.a"), sentBy("d", 50, "/Y.d"), sentBy("c", 60, "/Y.c")}
	for i, group := range []script.Group{{Name: "Z", Start: 10}, {Name: "Z", Start: 10}, {Name: "Y", Start: 40}, {Name: "Y", Start: 40}} {
		tests[i].Groups = []script.Group{group}
	}
	got := map[string]bool{}
	for _, runs := range Orders(&script.Script{Tests: tests}) {
		got[shown(Sent(runs, nil))] = true
	}
	for _, want := range []string{"|/Y.c |/Y.d |/Z.a |/Z.b", "|/Z.b |/Z.a |/Y.d |/Y.c"} {
		if !got[want] {
			t.Errorf("no order is\n%s\nbut\n%v", want, got)
		}
	}
}
