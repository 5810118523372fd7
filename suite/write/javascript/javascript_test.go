package javascript

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/notation"
	"pgregory.net/rapid"
)

// runNode runs a script in the folder of the library and returns what it prints.
func runNode(t *testing.T, script string) []byte {
	t.Helper()
	needs.Program(t, "node")
	file := filepath.Join(t.TempDir(), "script.js")
	dir, err := filepath.Abs("runtime")
	if err != nil {
		t.Fatal(err)
	}
	text := "const use = (name) => require(" + literal.PrettyJavaScript(dir) + " + \"/\" + name);\n" + script
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", file)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return out
}

// TestJavaScriptFormats: the library's formats are those of the map.
func TestJavaScriptFormats(t *testing.T) {
	out := runNode(t, `const { FORMATS } = use("statements");
console.log(JSON.stringify(Object.fromEntries(Object.entries(FORMATS).map(([k, v]) => [k, v.source.replaceAll("\\/", "/")]))));`)
	var got map[string]string
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	for name, want := range notation.FormatPatterns() {
		if got[name] != want {
			t.Errorf("%s: %s, want %s", name, got[name], want)
		}
		delete(got, name)
	}
	if len(got) > 0 {
		t.Errorf("formats that no map knows: %v", got)
	}
}

// TestJavaScriptLiterals: each text is read by JavaScript as it was written, from a literal, from a template, from JSON.
func TestJavaScriptLiterals(t *testing.T) {
	var texts []string
	rapid.Check(t, func(t *rapid.T) {
		texts = append(texts, rapid.StringOf(rapid.OneOf(rapid.Rune(), rapid.SampledFrom([]rune("\"'`\\${}\n\r\t\u2028\U000e0001")))).Draw(t, "text"))
	})
	var lines []string
	for _, s := range texts {
		fromJSON := literal.PrettyJavaScriptUnits(literal.JSONUnits(literal.JSON(s)))
		lines = append(lines, fmt.Sprintf("[%s, `%s`, %s]", literal.PrettyJavaScript(s), literal.JavaScriptTemplate(s), fromJSON))
	}
	half := literal.PrettyJavaScriptUnits([]uint16{'a', 0xd800, '"', 0xdc00})
	out := runNode(t, "console.log(JSON.stringify(["+strings.Join(lines, ",\n")+"]));\nif ("+half+" !== 'a\\ud800\"\\udc00') throw new Error('half');")
	var got [][3]string
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	for i, s := range texts {
		if got[i] != [3]string{s, s, s} {
			t.Fatalf("%q is read as %q", s, got[i])
		}
	}
}

// TestJavaScriptPatterns: what RE2 matches, JavaScript does.
func TestJavaScriptPatterns(t *testing.T) {
	for _, tt := range []struct{ pattern, match, miss string }{
		{`^a/b\.c [0-9]+$`, "a/b.c 12", "a/bxc 12"},
		{`^\{"x": [\s\S]+\}$`, "{\"x\": \n}", "{x: 1}"},
		{`^µ[0-9A-Za-zµμ_.:+-]+s "q" \$1$`, `µ1.5µs "q" $1`, `µs`},
		{"^a\u2028b\\|c{2}]$", "a\u2028b|cc]", "a b|cc]"},
		{`^[0-9A-Za-z_.:+/=~-]+$`, "a/b=~", "a b"},
		{`^(?i)a$`, "A", "b"}, {`^(?P<n>a)$`, "a", "n"}, {`^\Aa\z$`, "a", "Aaz"}, {`^\pL$`, "é", "1"}, {`^[[:alpha:]]$`, "x", ":"}, {`^\x{41}$`, "A", "x"},
	} {
		regexp, ok := pattern(mapfile.Holds{Pattern: tt.pattern})
		if !ok {
			t.Errorf("%s has no form in JavaScript", tt.pattern)
			continue
		}
		out := runNode(t, fmt.Sprintf("const p = %s;\nconst q = new RegExp(`^(?:${p.source})$`, p.flags);\nconsole.log(q.test(%s), q.test(%s));",
			regexp, literal.PrettyJavaScript(tt.match), literal.PrettyJavaScript(tt.miss)))
		if strings.TrimSpace(string(out)) != "true false" {
			t.Errorf("%s is %s: %s", tt.pattern, regexp, out)
		}
	}
	if regexp, ok := pattern(mapfile.Holds{Pattern: `^a($`}); ok {
		t.Errorf("what is no pattern is taken for %s", regexp)
	}
}

// TestJavaScriptLibrary holds the library to what the checks of a plan mean.
func TestJavaScriptLibrary(t *testing.T) {
	out := runNode(t, `
const json = use("json");
const places = use("places");
const { digestComplaint } = use("digests");
const { relationComplaint } = use("relations");
const { complaint, madeAt } = use("statements");
const texts = use("texts");
const wrong = [];
const is = (name, got, want) => got === want || wrong.push(name + ": " + got + ", want " + want);
const parse = json.parseJSON;
const answer = (text, headers = []) => ({
  lines: (name) => headers.filter(([k]) => k === name).map(([, v]) => v),
  header(name) { return this.lines(name)[0]; },
  get cookies() { return places.cookiesOf(this.lines("set-cookie")); },
  text, host: "h:1", time: 1700000000,
  get json() { return parse(text); },
});
is("numbers are equal by value", json.difference(parse("[1.0, 1e2, -0, 9007199254740993]"), parse("[1, 100, 0, 9007199254740993]")), "");
is("big numbers differ", json.difference(parse("9007199254740993"), parse("9007199254740992")) !== "", true);
is("an integer", complaint(parse("12345678901234567890"), { type: "integer" }), "");
is("1.0 is none", complaint(parse("1.0"), { type: "integer" }) !== "", true);
is("null is let through", complaint(null, { type: "null|string", format: "uuid" }), "");
is("bounds", complaint(parse("12.6"), { type: "number", min: "0", max: "12.5" }) !== "", true);
is("length counts characters", complaint("😀", { type: "string", minLength: 1, maxLength: 1 }), "");
is("the host", complaint("http://h:1/x", { type: "string", host: true }, answer("")), "");
for (const [text, near] of [
  ["2023-11-14T22:13:20Z", true], ["2023-11-14T22:15:21Z", false], ["20231114T221320Z", true], ["Tue, 14 Nov 2023 22:13:20 GMT", true],
  ["2023-11-14", true], ["14 Nov 2023", true], ["14.11.2023", true], ["14.1.2023", false], ["Tue Nov 14 22:13:20 2023", true], ["2023-13-14", false], ["nothing", false], ["1700000001", true], ["2023-11-15T00:13:20+02:00", true],
]) is("clock of " + text, complaint(text, { type: "string", near: [madeAt(answer("")), 60] }) === "", near);
is("clock of a number", complaint(1700000000123, { type: "integer", near: [madeAt(answer("")), 60] }), "");
for (const [text, time, ok] of [["2023-11-14T22:14:20Z", 1700000060, true], ["2023-11-14T22:14:20Z", 1700000300, false]])
  is(text + " near " + time, complaint(text, { type: "string", near: [time, 2] }) === "", ok);
is("an answer's own date counts", madeAt(answer("", [["date", "Tue, 14 Nov 2023 23:13:20 GMT"]])), 1700003600);
is("else the clock", madeAt(answer("")), 1700000000);
const doubled = parse('{"k":1,"k":2,"__proto__":3}');
is("the last of two keys", json.each(doubled, "/k")[0], 2);
is("__proto__ is a key", json.each(parse('{"__proto__":{"a":5}}'), "/__proto__/a")[0], 5);
is("no key of the prototype", json.each(parse("{}"), "/constructor").length + json.each(parse("{}"), "/__proto__").length, 0);
is("masks", json.difference(json.masked(parse('{"a":[{"x":1,"y":2},{"x":3}],"b":4,"*":5}'), ["/a/*/x", "/~2"], ["/a/*/y", "/b"]), parse('{"a":[{"x":"<volatile>"},{"x":"<volatile>"}],"*":"<volatile>"}')), "");
is("a difference is named", json.difference(parse('{"a":{"b/c":[1,2]}}'), parse('{"a":{"b/c":[1,3]}}')), "/a/b~1c/1: 2, not 3");
is("items", json.itemsDifference(parse('[{"b":1,"a":2},1]'), parse('[1.0,{"a":2,"b":1}]')), "");
is("as often", json.itemsDifference([1, 1, 2], [1, 2]) !== "", true);
is("as a set", json.itemsDifference([1, 1, 2], [1, 2], "set"), "");
is("among others", json.itemsDifference(parse('[1,{"a":2},1]'), parse('[{"a":2},1]'), "among"), "");
is("not as often", json.itemsDifference([1, 2], [1, 1], "among") !== "", true);
const shop = answer('{"t":0.3,"a":0.1,"b":0.2,"n":"2","l":[{"q":2,"p":1.255,"s":2.51},{"q":1,"p":2}],"sum":4.51,"c":2,"at":"2026-01-02T00:00:00+01:00","list":["b","A"],"twice":[1,2,1]}');
for (const [relation, holds] of [
  [["sum", "/body/t", "/body/a", "/body/b"], true], [["sum", "/body/t", "/body/a", "/body/a"], false], [["difference", "/body/b", "/body/t", "/body/a"], true],
  [["product", "/body/l/*/s", "/body/l/*/q", "/body/l/*/p"], true], [["total", "/body/sum", "/body/l/*/q", "/body/l/*/p"], true], [["count", "/body/c", "/body/l"], true],
  [["equal", "/body/n", "/body/c"], true], [["equal", "/body/n", "/body/t"], false], [["sum", "/body/none", "/body/a", "/body/b"], true], [["count", "/body/t", "/body/l"], false],
  [["sum", "/body/c", "=1", "=1"], true], [["sum", "/body/c", "=2", "=1"], false], [["other", "/body/c", "=3"], true], [["other", "/body/c", "=2"], false],
  [["above", "/body/sum", "/body/c"], true], [["above", "/body/c", "=2"], false], [["contains", "/body/at", "=02T"], true], [["contains", "/body/at", "=x"], false],
  [["at-least", "/body/at", "=2026-01-01T22:59:59Z"], true], [["at-least", "/body/at", "=2026-01-01T23:00:01Z"], false], [["ascending", "/body/l", "/body/l/*/p"], true],
  [["descending", "/body/l", "/body/l/*/p"], false], [["unique", "/body/l", "/body/l/*/p"], true], [["unique", "/body/twice", "/body/twice/*"], false], [["descending", "/body/list", "/body/list/*"], true], [["ascending", "/body/list", "/body/list/*"], false],
]) is(relation.join(" "), relationComplaint(shop, ...relation) === "", holds);
const hash = (kind, bytes) => require("node:crypto").createHash(kind).update(bytes).digest("hex");
const summed = { ...answer('{"v":"abc"}', [["etag", 'W/"CBF43926"'], ["digest", "md5=kAFQmDzST7DWlj99KOF_cg, sha-256=:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=:"], ["x-sum", "ba7816bf8f01cfea"]]), hash, json: { v: "abc" }, body: Buffer.from("123456789") };
for (const [digest, holds] of [
  [["/header/etag", "crc32", "/body"], true], [["/header/etag", "crc32", "=123456788"], false], [["/header/digest", "md5", "/body/v"], true], [["/header/digest", "md5", "=abd"], false],
  [["/header/digest", "sha256", "=abc"], true], [["/header/digest", "sha512", "=abc"], false], [["/header/x-sum", "sha256", "=abc", 16], true], [["/header/x-sum", "sha256", "=abc"], false], [["/header/x-sum", "sha256", "=abc", 17], false],
]) is(digest.join(" "), digestComplaint(summed, ...digest) === "", holds);
const headers = [["location", "http://h/orders/a%20b?x=1&c=d+e"], ["link", '<http://h/?n=2>; rel="next"'], ["set-cookie", "sid=a%2Fb; Path=/"]];
for (const [place, want] of [
  ["/header/location/path/1", "a b"], ["/header/location/query/c", "d e"], ["/header/link/query/n", "2"], ["/header/set-cookie/sid", "a%2Fb"],
  ["/header/set-cookie/sid/unescaped", "a/b"], ["/header/none", undefined], ["/body/l/0/p", "1.255"], ["/body/l", undefined], ["/body/none", undefined],
]) is(place, places.take(answer(shop.text, headers), place), want);
is("a star in a key is no wildcard", places.placeComplaint(answer('{"a":1}'), "/body/*n", { type: "integer" }) !== "", true);
is("found elsewhere", places.find(answer('[{"i":"b"},{"i":"a"}]'), "/body/0/i", "a"), "a");
is("not found", places.find(answer('[{"i":"b"},{"i":"c"}]'), "/body/0/i", "a"), "b");
is("in a path", texts.inPath("a/b c~!?#é"), "a%2Fb%20c~!%3F%23%C3%A9");
is("in a query", texts.inQuery("a b&c=d+(*)"), "a%20b%26c%3Dd%2B(*)");
is("as JSON", [texts.asJSON("12"), texts.asJSON("012"), texts.asJSON('a"')].join(" "), '12 "012" "a\\""');
for (const text of ["", "{", "[1,]", '{"a":1,}', "01", "1 2", '"\n"', "nul", "[".repeat(5000)]) {
  try { parse(text); wrong.push("is read: " + text.slice(0, 20)); } catch (e) { is("kind of error", e instanceof SyntaxError, true); }
}
console.log(wrong.join("\n"));
`)
	if s := strings.TrimSpace(string(out)); s != "" {
		t.Error(s)
	}
}

// TestTextsOfValues: the text of a value is compared, whatever kind of value it is, and no container has one.
func TestTextsOfValues(t *testing.T) {
	out := runNode(t, `const { complaint } = use("statements");
const { parseJSON } = use("json");
for (const [value, said, want] of [
  ["17", { text: "17" }, true], ["17", { text: "18" }, false], ['"/orders/17"', { ends: "/17" }, true],
  ['"/orders/17"', { text: "/17" }, false], ["12345678901234567890", { text: "12345678901234567890" }, true],
  ["[17]", { text: "17" }, false], ["{}", { ends: "" }, false], ["true", { text: "true" }, true],
]) {
  if ((complaint(parseJSON(value), said) === "") !== want) {
    console.log(value, said);
  }
}`)
	if len(out) > 0 {
		t.Errorf("%s", out)
	}
}
