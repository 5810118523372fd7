package suite

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// arrayPatch is an assertion about an array, what was seen, and what stands in its place.
type arrayPatch struct {
	name, file, line string
	seen             []*exchange.Response
	want             string
}

func arrayPatches() []arrayPatch {
	ordered, shuffled := replies(`{"l":["b","a"]}`, `{"l":["b","a"]}`), replies(`{"l":["b","a"]}`, `{"l":["a","b"]}`)
	others := replies(`{"l":["b","a","c"]}`, `{"l":["d","a"]}`, `{"l":["a"]}`)
	none := replies(`{"l":["x"]}`, `{"l":["y"]}`)
	of := replies(`{"l":[{"id":2},{"id":1}]}`, `{"l":[{"id":1},{"id":2}]}`)
	gone := replies(`{"l":[{"id":2},{"id":1}]}`, `{"l":[{"id":2},{}]}`)
	objects := replies(`{"l":[{"k":"y"},{"k":"x"}]}`, `{"l":[{"k":"x"},{"k":"y"}]}`)
	lost := []*exchange.Response{reply(404, jsonType, `{"e":1}`), reply(200, jsonType, `{"l":[{"id":1}]}`)}
	return []arrayPatch{
		{"in order", "t.java", `.body("'l'", contains("b", "a"))`, ordered, `.body("'l'", contains("b", "a"))`},
		{"in no order", "t.java", `.body("'l'", contains("b", "a"))`, shuffled, `.body("'l'", containsInAnyOrder("b", "a"))`},
		{"in no order", "t.kt", `.body("'l'", contains("b", "a"))`, shuffled, `.body("'l'", containsInAnyOrder("b", "a"))`},
		{"in any order", "t.java", `.body("'l'", containsInAnyOrder("b", "a"))`, shuffled, `.body("'l'", containsInAnyOrder("b", "a"))`},
		{"others", "t.java", `.body("'l'", contains("b", "a"))`, others, `.body("'l'", hasItem("a"))`},
		{"others in any order", "t.java", `.body("'l'", containsInAnyOrder("b", "a"))`, others, `.body("'l'", hasItem("a"))`},
		{"others in any order", "t.kt", `.body("'l'", containsInAnyOrder("b", "a"))`, others, `.body("'l'", hasItem("a"))`},
		{"none", "t.java", `.body("'l'", containsInAnyOrder("b", "a"))`, none, `.body("'l'", instanceOf(java.util.List.class))`},
		{"a list is no array", "t.java", `.body("'l'", arrayContaining("b", "a"))`, ordered, `.body("'l'", contains("b", "a"))`},
		{"a list is no array in any order", "t.java", `.body("'l'", arrayContainingInAnyOrder("b", "a"))`, shuffled, `.body("'l'", containsInAnyOrder("b", "a"))`},
		{"numbers", "t.java", `.body("'l'", contains(2, 1))`, replies(`{"l":[1,2]}`), `.body("'l'", containsInAnyOrder(numberMatches(2), numberMatches(1)))`},
		{"items that are numbers", "t.java", `.body("'l'", hasItems(2, 1))`, replies(`{"l":[1,3]}`), `.body("'l'", hasItem(numberMatches(1)))`},
		{"size", "t.java", `.body("'l'", hasSize(2))`, others, `.body("'l'", instanceOf(java.util.List.class))`},
		{"size that holds", "t.java", `.body("'l'", hasSize(2))`, shuffled, `.body("'l'", hasSize(2))`},
		{"members of elements", "t.java", `.body("l.id", contains(2, 1))`, of, `.body("'l'.'id'", containsInAnyOrder(numberMatches(2), numberMatches(1)))`},
		{"members of elements in any order", "t.java", `.body("l.id", containsInAnyOrder(2, 1))`, of, `.body("l.id", containsInAnyOrder(2, 1))`},
		{"members of elements that have them", "t.java", `.body("l.id", hasItems(2, 1))`, gone, `.body("'l'.'id'", hasItem(numberMatches(2)))`},
		{"an item of elements that have them", "t.java", `.body("l.id", hasItem(2))`, gone, `.body("l.id", hasItem(2))`},
		{"members of the elements of the body", "t.kt", `.body("id", hasItems(2, 1))`, replies(`[{"id":1},{"id":3}]`), `.body("'id'", hasItem(numberMatches(1)))`},
		{"elements that are matchers", "t.java", `.body("'l'", contains(startsWith("b"), anything()))`, shuffled, `.body("'l'", contains(startsWith("b"), anything()))`},

		{"sorted", "t.js", `expect(res_0.body.l.sort()).toEqual(["a", "b"]);`, shuffled, `expect(res_0.body.l.sort()).toEqual(["a", "b"]);`},
		{"joined", "t.js", `expect(res_0.body.l.join()).toBe("a,b");`, others, `expect(res_0.body.l).toContain("a");`},
		{"joined, shuffled", "t.js", `expect(res_0.body.l.join()).toBe("a,b");`, shuffled, `expect([...res_0.body.l].sort()).toEqual(["a", "b"]);`},
		{"sorted, others", "t.js", `expect([...res_0.body.l].sort()).toEqual(["a", "b"]);`, others, `expect(res_0.body.l).toContain("a");`},
		{"sorted, with others", "t.js", `expect(res_0.body.l.slice().sort()).toEqual(["a", "b"].sort());`, none, `expect(Array.isArray(res_0.body.l)).toBe(true);`},
		{"never sorted so", "t.js", `expect(res_0.body.l.sort()).toEqual(["b", "a"]);`, shuffled, `expect(res_0.body.l.sort()).toEqual(["b", "a"]);`},
		{"sorted by number", "t.js", `expect([...res_0.body.l].sort((a, b) => a - b)).toEqual([9, 10]);`, replies(`{"l":[10,9]}`, `{"l":[9,11]}`), `expect(res_0.body.l).toContain(9);`},
		{"sorted by text", "t.js", `expect([...res_0.body.l].sort()).toEqual([9, 10]);`, replies(`{"l":[10,9]}`), `expect([...res_0.body.l].sort()).toEqual([9, 10]);`},
		{"sorted by something else", "t.js", `expect([...res_0.body.l].sort((a, b) => b - a)).toEqual([10, 9]);`, replies(`{"l":[1]}`), `expect([...res_0.body.l].sort((a, b) => b - a)).toEqual([10, 9]);`},
		{"members of elements, sorted", "t.js", `expect(res_0.body.l.map(e => e.id).sort()).toEqual([1, 2]);`, replies(`{"l":[{"id":2},{"id":3}]}`), `expect(res_0.body.l.map(e => e.id)).toContain(2);`},
		{"in no order", "t.js", `expect(res_0.body.l).toEqual(["b", "a"]);`, shuffled, `expect([...res_0.body.l].sort()).toEqual(["a", "b"]);`},
		{"objects in no order", "t.js", `expect(res_0.body.l).toEqual([{k: "x"}, {k: "y"}]);`, objects, `expect(res_0.body.l.length).toBe(2); expect(res_0.body.l).toEqual(expect.arrayContaining([{"k": "x"}, {"k": "y"}]));`},
		{"all of some", "t.js", `expect(res_0.body.l).toEqual(expect.arrayContaining(["a", "b"]));`, others, `expect(res_0.body.l).toContain("a");`},
		{"all of some that hold", "t.js", `expect(res_0.body.l).toEqual(expect.arrayContaining(["a", "b"]));`, shuffled, `expect(res_0.body.l).toEqual(expect.arrayContaining(["a", "b"]));`},
		{"what is made anew", "t.js", `expect(res_0.body.l).toBe(["b", "a"]);`, shuffled, `expect(res_0.body.l).toBe(["b", "a"]);`},
		{"what was sorted before", "t.js", `res_0.body.l.sort(); expect(res_0.body.l).toEqual(["a", "b"]);`, shuffled, `res_0.body.l.sort(); expect(res_0.body.l).toEqual(["a", "b"]);`},
		{"an element of what was sorted before", "t.js", `res_0.body.l.reverse(); expect(res_0.body.l[0]).toEqual("a");`, ordered, `res_0.body.l.reverse(); expect(res_0.body.l[0]).toEqual("a");`},

		{"sorted", "c.json", `pm.expect(pm.response.json().l.sort()).to.eql(["a", "b"]);`, others, `pm.expect(pm.response.json().l).to.include("a");`},
		{"what is made anew", "c.json", `pm.expect(pm.response.json().l).to.equal(["b", "a"]);`, shuffled, `pm.expect(pm.response.json().l).to.equal(["b", "a"]);`},
		{"made anew, in depth", "c.json", `pm.expect(pm.response.json().l).to.deep.equal(["b", "a"]);`, shuffled, `pm.expect(pm.response.json().l).to.have.members(["b", "a"]);`},

		{"in no order", "a.hurl", `jsonpath "$.l" == ["b", "a"]`, shuffled, "jsonpath \"$.l\" count == 2\njsonpath \"$.l\" includes \"b\"\njsonpath \"$.l\" includes \"a\"\n"},
		{"others", "a.hurl", `jsonpath "$.l" == ["b", "a"] # why`, others, `jsonpath "$.l" includes "a" # why`},
		{"in order", "a.hurl", `jsonpath "$.l" == ["b","a"]`, ordered, `jsonpath "$.l" == ["b","a"]`},
		{"members of elements", "a.hurl", `jsonpath "$.l[*].id" == [2, 1]`, of, "jsonpath \"$.l[*].id\" count == 2\njsonpath \"$.l[*].id\" includes 2\njsonpath \"$.l[*].id\" includes 1\n"},
		{"members of elements that have them", "a.hurl", `jsonpath "$.l[*].id" includes 2`, gone, `jsonpath "$.l[*].id" includes 2`},
		{"repeated", "a.hurl", `jsonpath "$.l" == [1, 1]`, replies(`{"l":[1,2]}`), `jsonpath "$.l" includes 1`},

		{"only with the status", "t.java", `.statusCode(200).body("l.id", contains(1))`, lost, `if (r.statusCode() == 200) r.then().body("l.id", contains(1)); `},
	}
}

// TestArraysAreRead: an assertion on an array becomes what is true of it in every execution: its elements in any order,
// those of them that are always there, its type; what is not read stays.
func TestArraysAreRead(t *testing.T) {
	for _, tt := range arrayPatches() {
		src := Source{Steps: []exchange.Step{stepOf(1, "/x0", tt.seen)}}
		text := oneAssertion(t, tt.file, tt.line)
		p, err := Patch(tt.file, []byte(text), src, PatchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		want := tt.want
		if tt.file == "c.json" {
			want = strings.ReplaceAll(want, `"`, `\"`)
		}
		if !strings.Contains(string(p.Data), want) || tt.line == tt.want && string(p.Data) != text {
			t.Errorf("%s, %s: %s\nno %s in\n%s", tt.file, tt.name, tt.line, want, p.Data)
			continue
		}
		again, err := Patch(tt.file, p.Data, src, PatchOptions{})
		if err != nil || string(again.Data) != string(p.Data) {
			t.Errorf("%s, %s: a second patch changes the file (%v):\n%s", tt.file, tt.name, err, again.Data)
		}
		if tt.file == "t.js" && tt.line != tt.want {
			for _, r := range tt.seen {
				if said := runNode(t, "expect.js", []nodeCase{{Code: tt.want, Answers: map[string]nodeAnswer{"res_0": nodeAnswerOf(r)}}})[0]; said != "" {
					t.Errorf("%s: %s fails: %s", tt.name, tt.want, said)
				}
			}
		}
	}
}

// TestArraysAreJudged: what inspect claims tells of an assertion on an array: the place that it is about, what the map
// says of that, how many executions contradict it.
func TestArraysAreJudged(t *testing.T) {
	shuffled := replies(`{"l":["b","a"]}`, `{"l":["a","b"]}`, `{"l":["b","a"]}`)
	of := replies(`{"l":[{"id":2},{"id":1}]}`, `{"l":[{"id":1},{"id":2}]}`, `{"l":[{"id":2},{"id":1}]}`)
	for _, tt := range []struct {
		file, line string
		seen       []*exchange.Response
		place      exchange.Place
		failed     int
		finding    Finding
	}{
		{"t.java", `.body("l", contains("b", "a"))`, shuffled, "/body/l", 1, Moving},
		{"t.java", `.body("l", containsInAnyOrder("b", "a"))`, shuffled, "/body/l", 0, Holding},
		{"t.java", `.body("l", arrayContaining("b", "a"))`, shuffled, "/body/l", 3, Moving},
		{"t.kt", `.body("l", hasItems("a", "b"))`, shuffled, "/body/l", 0, Holding},
		{"t.kt", `.body("l.id", contains(2, 1))`, of, "/body/l/*/id", 1, Moving},
		{"t.js", `expect(res_0.body.l.sort()).toEqual(["a", "b"]);`, shuffled, "/body/l", 0, Holding},
		{"t.js", `expect(res_0.body.l).toEqual(expect.arrayContaining(["a", "z"]));`, shuffled, "/body/l", 3, Moving},
		{"t.js", `expect(res_0.body.l.map(e => e.id)).toEqual([2, 1]);`, of, "/body/l/*/id", 1, Moving},
		{"c.json", `pm.expect(pm.response.json().l).to.have.members(["a", "b"]);`, shuffled, "/body/l", 0, Holding},
		{"a.hurl", `jsonpath "$.l" == ["b", "a"]`, shuffled, "/body/l", 1, Moving},
		{"a.hurl", `jsonpath "$.l[*].id" == [2, 1]`, of, "/body/l/*/id", 1, Moving},
	} {
		s, err := Read(tt.file, []byte(oneAssertion(t, tt.file, tt.line)))
		if err != nil {
			t.Fatal(err)
		}
		src := judged(t, Source{Steps: []exchange.Step{stepOf(1, "/x0", tt.seen)}})
		all := Bind(s, src, nil).Verdicts()
		v := all[len(all)-1]
		if v.Place != tt.place || v.Failed != tt.failed || v.Of != 3 || v.Finding != tt.finding {
			t.Errorf("%s, %s: %s at %s, %d of %d contradict it (%s)", tt.file, tt.line, v.Finding, v.Place, v.Failed, v.Of, v.Reason)
		}
	}
}
