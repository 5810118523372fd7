package refute

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/relation"
)

func answer(status int, head, body string) *exchange.Response {
	return exchange.ParseResponse(exchange.Message{
		Head: fmt.Appendf(nil, "HTTP/1.1 %d X\r\n%s\r\n", status, head), Body: []byte(body), Plain: true,
	})
}

const jsonType = "Content-Type: application/json\r\n"

func told(body string) *exchange.Response { return answer(200, jsonType, body) }

func text(s string) plan.Text { return plan.Text{{Literal: s}} }

func number(n int) *int { return &n }

// contradictions are checks of an answer, and answers that contradict them.
var contradictions = []struct {
	name         string
	check        plan.Check
	sound, other *exchange.Response
	want         string
}{
	{"status", plan.Check{Kind: plan.CheckStatus, Place: "/status", Statuses: []int{200}}, told("{}"), answer(404, "", ""), "status [200 404]"},
	{"header", plan.Check{Kind: plan.CheckHeader, Place: "/header/x-a", Lines: []plan.Text{text("1")}},
		answer(200, "X-A: 1\r\n", ""), answer(200, "X-A: 2\r\n", ""), "holds string"},
	{"header, missing", plan.Check{Kind: plan.CheckHeader, Place: "/header/x-a", Lines: []plan.Text{text("1")}},
		answer(200, "X-A: 1\r\n", ""), answer(200, "", ""), "holds string optional"},
	{"header, another bound value", plan.Check{Kind: plan.CheckHeader, Place: "/header/x-a", Lines: []plan.Text{{{Literal: "n-"}, {Bound: "id"}}}},
		answer(200, "X-A: n-7\r\n", ""), answer(200, "X-A: n-8\r\n", ""), "holds string"},
	{"header, another line", plan.Check{Kind: plan.CheckHeader, Place: "/header/x-a", Lines: []plan.Text{text("1"), text("2")}},
		answer(200, "X-A: 1\r\nX-A: 2\r\n", ""), answer(200, "X-A: 1\r\n", ""), "holds string"},
	{"cookie", plan.Check{Kind: plan.CheckCookie, Place: "/header/set-cookie", Name: text("sid")},
		answer(200, "Set-Cookie: sid=1\r\n", ""), answer(200, "Set-Cookie: other=1\r\n", ""), "holds  optional"},
	{"empty", plan.Check{Kind: plan.CheckEmpty, Place: "/body"}, answer(200, "", ""), told("{}"), "holds  optional"},
	{"text", plan.Check{Kind: plan.CheckText, Place: "/body", Text: text("a")}, answer(200, "", "a"), answer(200, "", "b"), "holds string"},
	{"text, none", plan.Check{Kind: plan.CheckText, Place: "/body", Text: text("a")}, answer(200, "", "a"), answer(200, "", ""), "holds  optional"},
	{"digest", plan.Check{Kind: plan.CheckDigest, Place: "/body", Length: 1, SHA256: digest([]byte{0})},
		answer(200, "", "\x00"), answer(200, "", "\x01"), "size 1"},
	{"digest, length", plan.Check{Kind: plan.CheckDigest, Place: "/body", Length: 1, SHA256: digest([]byte{0})},
		answer(200, "", "\x00"), answer(200, "", "\x01\x02"), "size 0"},
	{"size", plan.Check{Kind: plan.CheckSize, Place: "/body", Length: 1}, answer(200, "", "a"), answer(200, "", "ab"), "size 0"},
	{"size, none", plan.Check{Kind: plan.CheckSize, Place: "/body"}, answer(200, "", "a"), answer(200, "", ""), "holds  optional"},
	{"json", plan.Check{Kind: plan.CheckJSON, Place: "/body", JSON: json.RawMessage(`{"a":1,"b":[{"c":2}]}`)},
		told(`{"a":1,"b":[{"c":2}]}`), told(`{"a":2,"b":[{"c":2}]}`), `json {"a":"<volatile>","b":[{"c":2}]} [/a]; holds integer`},
	{"json, within an array", plan.Check{Kind: plan.CheckJSON, Place: "/body", JSON: json.RawMessage(`{"a":1,"b":[{"c":2}]}`)},
		told(`{"a":1,"b":[{"c":2}]}`), told(`{"a":1,"b":[{"c":"2"}]}`), `json {"a":1,"b":[{"c":"<volatile>"}]} [/b/*/c]; holds integer|string optional`},
	{"json, another member", plan.Check{Kind: plan.CheckJSON, Place: "/body", JSON: json.RawMessage(`{"a":1}`)}, told(`{"a":1}`), told(`{"b":1}`), "holds object"},
	{"outline, keys", plan.Check{Kind: plan.CheckOutline, Place: "/body", Keys: []string{"a", "b"}}, told(`{"a":1,"b":2}`), told(`{"a":1}`), "outline [a] 0"},
	{"outline, no keys", plan.Check{Kind: plan.CheckOutline, Place: "/body", Keys: []string{"a"}}, told(`{"a":1}`), told(`{"c":1}`), "holds object"},
	{"outline, length", plan.Check{Kind: plan.CheckOutline, Place: "/body", Length: 1}, told(`[1]`), told(`[1,2]`), "holds array"},
	{"holds", plan.Check{Kind: plan.CheckHolds, Place: "/body/a", Holds: mapfile.Holds{Type: "integer", Min: "1"}}, told(`{"a":1}`), told(`{"a":0}`), "holds integer"},
	{"holds, type", plan.Check{Kind: plan.CheckHolds, Place: "/body/a", Holds: mapfile.Holds{Type: "integer"}}, told(`{"a":1}`), told(`{"a":null}`), "holds null|integer"},
	{"holds, length", plan.Check{Kind: plan.CheckHolds, Place: "/body/a", Holds: mapfile.Holds{Type: "array", MinLength: number(1)}}, told(`{"a":[1]}`), told(`{"a":[]}`), "holds array"},
	{"holds, missing", plan.Check{Kind: plan.CheckHolds, Place: "/body/a", Holds: mapfile.Holds{Type: "array"}}, told(`{"a":[1]}`), told(`{}`), "holds array optional"},
	{"holds, a time", plan.Check{Kind: plan.CheckHolds, Place: "/body/a", Holds: mapfile.Holds{Type: "string"}, Near: &plan.Near{After: 60, Within: 2}},
		told(`{"a":"2026-11-03T10:01:01Z"}`), told(`{"a":"2026-11-03T10:01:09Z"}`), "holds string"},
	{"items", plan.Check{Kind: plan.CheckItems, Place: "/body/a", JSON: json.RawMessage(`[1,2]`)}, told(`{"a":[2,1]}`), told(`{"a":[2,3]}`), "items [2] among"},
	{"items, one more", plan.Check{Kind: plan.CheckItems, Place: "/body/a", JSON: json.RawMessage(`[1,2]`)}, told(`{"a":[2,1]}`), told(`{"a":[2,3,1]}`), "items [1,2] among"},
	{"items, a set", plan.Check{Kind: plan.CheckItems, Place: "/body/a", JSON: json.RawMessage(`[1,2]`), Extent: plan.AsSet}, told(`{"a":[2,1,1]}`), told(`{"a":[2]}`), "holds array"},
	{"items, among", plan.Check{Kind: plan.CheckItems, Place: "/body/a", JSON: json.RawMessage(`[{"b":1,"c":"<volatile>"}]`), Masks: []exchange.Place{"/*/c"}, Extent: plan.Among},
		told(`{"a":[{"b":2},{"c":7,"b":1}]}`), told(`{"a":[{"b":2}]}`), "holds array"},
	{"items, no array", plan.Check{Kind: plan.CheckItems, Place: "/body/a", JSON: json.RawMessage(`[1,2]`)}, told(`{"a":[2,1]}`), told(`{}`), "holds array optional"},
	{"equal", plan.Check{Kind: plan.CheckEqual, Place: "/body/a", Text: plan.Text{{Bound: "id"}}}, told(`{"a":7}`), told(`{"a":8}`), "holds integer"},
	{"equal, missing", plan.Check{Kind: plan.CheckEqual, Place: "/body/a", Text: plan.Text{{Secret: "s"}}}, told(`{"a":"key"}`), told(`{}`), "holds string optional"},
	{"equal, another end", plan.Check{Kind: plan.CheckEqual, Place: "/body/a", Text: plan.Text{{Literal: "/"}, {Bound: "id"}}, Suffix: true},
		told(`{"a":"x/7"}`), told(`{"a":"x/8"}`), "holds string"},
	{"equal, another host", plan.Check{Kind: plan.CheckEqual, Place: "/header/location", Text: plan.Text{{Literal: "http://"}, {Host: true}}},
		answer(200, "Location: http://h:1\r\n", ""), answer(200, "Location: http://i:1\r\n", ""), "holds string"},
	{"equal, among", plan.Check{Kind: plan.CheckEqual, Place: "/body/a/*/b", Text: plan.Text{{Bound: "id"}}, Extent: plan.Among},
		told(`{"a":[{"b":6},{"b":7}]}`), told(`{"a":[{"b":6}]}`), "holds  optional"},
	{"related", plan.Check{Kind: plan.CheckRelated, Place: "/body/a", Relation: relation.Sum, Of: []exchange.Place{"/body/b", "/body/c"}},
		told(`{"a":3,"b":1,"c":2}`), told(`{"a":4,"b":1,"c":2}`), ""},
	{"related, to what is known", plan.Check{Kind: plan.CheckRelated, Place: "/body/a", Relation: relation.Sum, Given: []plan.Text{{{Bound: "id"}}, text("1")}},
		told(`{"a":8}`), told(`{"a":9}`), ""},
	{"related, unique", plan.Check{Kind: plan.CheckRelated, Place: "/body/a", Relation: plan.Unique, Of: []exchange.Place{"/body/a/*/i"}},
		told(`{"a":[{"i":1},{"i":2}]}`), told(`{"a":[{"i":1},{"i":1}]}`), ""},
	{"related, other", plan.Check{Kind: plan.CheckRelated, Place: "/body/a", Relation: plan.Other, Given: []plan.Text{{{Bound: "id"}}}}, told(`{"a":8}`), told(`{"a":7}`), ""},
	{"related, above", plan.Check{Kind: plan.CheckRelated, Place: "/body/a", Relation: plan.Above, Given: []plan.Text{{{Bound: "id"}}}}, told(`{"a":8}`), told(`{"a":7}`), ""},
	{"related, sorted", plan.Check{Kind: plan.CheckRelated, Place: "/body/a", Relation: relation.Ascending, Of: []exchange.Place{"/body/a/*/i"}},
		told(`{"a":[{"i":1},{"i":2}]}`), told(`{"a":[{"i":2},{"i":1}]}`), ""},
	{"hash", plan.Check{Kind: plan.CheckHash, Place: "/header/etag", Hash: plan.MD5, Of: []exchange.Place{"/body"}},
		answer(200, "ETag: 900150983cd24fb0d6963f7d28e17f72\r\n", "abc"), answer(200, "ETag: 900150983cd24fb0d6963f7d28e17f72\r\n", "abd"), ""},
	{"hash, of what is known", plan.Check{Kind: plan.CheckHash, Place: "/body/a", Hash: plan.MD5, Given: []plan.Text{text("abc")}},
		told(`{"a":"900150983cd24fb0d6963f7d28e17f72"}`), told(`{"a":"800150983cd24fb0d6963f7d28e17f72"}`), ""},
}

// shown writes what is left of a check.
func shown(checks []plan.Check) string {
	var out []string
	for _, c := range checks {
		s := string(c.Kind) + " "
		switch c.Kind {
		case plan.CheckStatus:
			s += fmt.Sprint(c.Statuses)
		case plan.CheckHolds:
			s += c.Holds.Type
		case plan.CheckSize:
			s += strconv.Itoa(c.Length)
		case plan.CheckJSON:
			s += fmt.Sprintf("%s %v", c.JSON, c.Masks)
		case plan.CheckItems:
			s += string(c.JSON) + " " + string(c.Extent)
		case plan.CheckOutline:
			s += fmt.Sprint(c.Keys, c.Length)
		}
		if c.Optional {
			s += " optional"
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

// TestWeaken: a check of each kind that an answer contradicts is gone, or is weaker and says why; what is left holds of
// the recorded answer and of this one. An answer that bears it changes nothing.
func TestWeaken(t *testing.T) {
	tried := map[plan.CheckKind]bool{plan.CheckCommon: true} // no plan has it
	for _, tt := range contradictions {
		tried[tt.check.Kind] = true
		in := func(r *exchange.Response) Answer {
			return Answer{Response: r, At: time.Date(2026, 11, 3, 10, 0, 0, 0, time.UTC), Host: "h:1",
				Bound: map[string]string{"id": "7"}, Secrets: map[string]string{"s": "key"}}
		}
		given := []plan.Check{tt.check}
		if got := Weaken(given, tt.sound, in(tt.sound), "so"); !reflect.DeepEqual(got, given) {
			t.Errorf("%s: the recorded answer leaves %s", tt.name, shown(got))
		}
		got := Weaken(given, tt.sound, in(tt.other), "so")
		if shown(got) != tt.want || reflect.DeepEqual(got, given) {
			t.Errorf("%s: left is %s, want %s", tt.name, shown(got), tt.want)
		}
		for _, r := range []*exchange.Response{tt.sound, tt.other} {
			if again := Weaken(got, tt.sound, in(r), "so"); !reflect.DeepEqual(again, got) {
				t.Errorf("%s: of what is left, %s, is left %s", tt.name, shown(got), shown(again))
			}
		}
		for _, c := range got {
			if c.Kind == plan.CheckHolds && tt.check.Kind != plan.CheckHolds && c.Why != "so" {
				t.Errorf("%s: %s does not say why", tt.name, shown(got))
			}
		}
		unknown := in(tt.other)
		unknown.Bound, unknown.Secrets, unknown.Host = nil, nil, ""
		for _, text := range append([]plan.Text{tt.check.Text}, append(tt.check.Lines, tt.check.Given...)...) {
			if _, constant := text.Constant(); !constant && len(tt.check.Lines) < 2 {
				if got := Weaken(given, tt.sound, unknown, "so"); !reflect.DeepEqual(got, given) {
					t.Errorf("%s: what is not known leaves %s", tt.name, shown(got))
				}
			}
		}
	}
	for _, kind := range kinds(t) {
		if !tried[kind] {
			t.Errorf("no check of kind %q is contradicted here", kind)
		}
	}
}

// TestOfOneStatus: checks of answers of one status are not held against others.
func TestOfOneStatus(t *testing.T) {
	given := []plan.Check{{Kind: plan.CheckEmpty, Place: "/body"}, {Kind: plan.CheckEmpty, Place: "/body", If: 404}}
	got := Weaken(given, answer(200, "", ""), Answer{Response: answer(404, "", "x")}, "so")
	if want := "empty ; holds  optional"; shown(got) != want {
		t.Errorf("left is %s, want %s", shown(got), want)
	}
}

// kinds are the kinds of checks, as package plan declares them.
func kinds(t *testing.T) (out []plan.CheckKind) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../plan/check.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok {
			if name, ok := v.Type.(*ast.Ident); ok && name.Name == "CheckKind" {
				kind, _ := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
				out = append(out, plan.CheckKind(kind))
			}
		}
		return true
	})
	if len(out) < 10 {
		t.Fatalf("the kinds are %q", out)
	}
	return out
}
