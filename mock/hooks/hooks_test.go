package hooks

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/mock"
)

func install(t *testing.T) *Hooks {
	t.Helper()
	h, err := Install(filepath.Join(t.TempDir(), "a folder"), "")
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// called is what a program asked for the answer that it is given alone.
const called = "/latest"

// told are the reads of a program that is given an answer in the variable ANSWER, as texts, in their order.
func told(t *testing.T, answer string, argv ...string) (reads []string, out string) {
	t.Helper()
	h := begun(t)
	out = run(t, h, marked(h, called, answer), argv...)
	return readsOf(t, h)[called], out
}

func begun(t *testing.T) *Hooks {
	t.Helper()
	h := install(t)
	if err := h.Begin(true); err != nil {
		t.Fatal(err)
	}
	return h
}

func marked(h *Hooks, target, answer string) string {
	return string(h.Mark(mock.Call{Service: "rates.example.com:443", Method: "GET", Target: target}, []byte(answer)))
}

// run has a program run with the hooks, and returns what it prints.
func run(t *testing.T, h *Hooks, answer string, argv ...string) string {
	t.Helper()
	c := exec.Command(argv[0], argv[1:]...)
	c.Env = append(h.Variables(os.Environ()), "ANSWER="+answer)
	text, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return string(text)
}

// readsOf are the reads of each answer, by the target of its call, without that of the whole, which comes first.
func readsOf(t *testing.T, h *Hooks) map[string][]string {
	t.Helper()
	all, err := h.Reads()
	if err != nil {
		t.Fatal(err)
	}
	out, begun := map[string][]string{}, map[string]bool{}
	for _, r := range all {
		if r.Place == exchange.PlaceBody && r.Kind == "" {
			begun[r.Call.Target] = true
			continue
		}
		if !begun[r.Call.Target] {
			t.Errorf("the first read is %+v, not the whole", r)
		}
		if r.Call.Service != "rates.example.com:443" || r.Call.Method != "GET" {
			t.Errorf("read of %+v", r.Call)
		}
		value := ""
		if r.Value != nil {
			raw, _ := json.Marshal(r.Value)
			value = "=" + string(raw)
		}
		out[r.Call.Target] = append(out[r.Call.Target], strings.TrimSpace(string(r.Place)+" "+r.Kind+value))
	}
	return out
}

// readCase is an answer, what a program does with it, and what is told of that.
type readCase struct {
	name, answer, program string
	want                  []string
}

// checkReads has one process do what all cases say: it is given a list of the answers, and of the programs.
func checkReads(t *testing.T, cases []readCase, argv ...string) {
	t.Helper()
	h := begun(t)
	var given [][2]string
	for _, c := range cases {
		given = append(given, [2]string{marked(h, c.name, c.answer), c.program})
	}
	data, err := json.Marshal(given)
	if err != nil {
		t.Fatal(err)
	}
	run(t, h, string(data), argv...)
	of := readsOf(t, h)
	for _, c := range cases {
		if diff := cmp.Diff(c.want, of[c.name]); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// What Node reads is told, by whatever way it reads it.
func TestNodeReads(t *testing.T) {
	node := needs.Program(t, "node")
	checkReads(t, []readCase{
		{"a field that is not there", `{}`, `a.rate`, []string{"/body/rate"}},
		{"a field that is there", `{"rate":1}`, `a.rate`, []string{"/body/rate"}},
		{"each once", `{}`, `a.rate; a.rate; a.base`, []string{"/body/rate", "/body/base"}},
		{"taken apart", `{}`, `const {rate, ...rest} = a`, []string{"/body/rate"}},
		{"asked for", `{}`, `"rate" in a; Object.hasOwn(a, "base"); a.hasOwnProperty("x")`, []string{"/body/rate", "/body/base", "/body/x"}},
		{"within", `{"of":{},"list":[{}]}`, `a.of.city; a.list.map(x => x.id)`, []string{"/body/of", "/body/of/city", "/body/list", "/body/list/*/id"}},
		{"a list", `[{},{}]`, `a.forEach(x => x.id)`, []string{"/body/*/id"}},
		{"an object in the place of a list", `{"items":{}}`, `a.items.map?.(x => x)`, []string{"/body/items", "/body/items list"}},
		{"an element of an object", `{"items":{}}`, `a.items[0]`, []string{"/body/items", "/body/items list"}},
		{"iterated", `{"items":{}}`, `try { for (const x of a.items); } catch {}`, []string{"/body/items", "/body/items list"}},
		{"in the place of a text", `{"code":{}}`, `a.code.toUpperCase?.()`, []string{"/body/code", "/body/code string"}},
		{"by other methods of a text or a list", `{"code":{},"all":{}}`, `a.code.substring?.(1); a.code.padEnd?.(2); a.all.reduceRight?.(() => 1)`,
			[]string{"/body/code", "/body/code string", "/body/all", "/body/all list"}},
		{"given on", `{"rate":1,"of":{"city":2}}`, `JSON.stringify(a); ({...a}); Object.entries(a)`, nil},
		{"written anew", `{"of":{}}`, `JSON.parse(JSON.stringify(a.of)).city; JSON.parse("{}").other; JSON.parse(JSON.stringify(a)).whole`,
			[]string{"/body/of", "/body/of/city", "/body/whole"}},
		{"looked at by whoever awaits", `{}`, `await Promise.resolve(a)`, nil},
	}, node, "--input-type=module", "-e", `for (const [answer, program] of JSON.parse(process.env.ANSWER))
  await new Function("a", "return (async () => {" + program + "})()")(JSON.parse(answer));`)
}

// fetch has a way of its own to read JSON.
func TestNodeResponse(t *testing.T) {
	node := needs.Program(t, "node")
	got, _ := told(t, `{}`, node, "--input-type=module", "-e", "const a = await new Response(process.env.ANSWER).json(); a.rate")
	if want := []string{"/body/rate"}; !slices.Equal(got, want) {
		t.Errorf("told are %q", got)
	}
}

// nodeSame prints what a program may do with an answer.
const nodeSame = `
const {MessageChannel, receiveMessageOnPort, threadId} = require('node:worker_threads');
const v8 = require('node:v8'), util = require('node:util'), assert = require('node:assert');
const a = JSON.parse(process.env.ANSWER);
const same = JSON.parse('{"n":1,"of":{"x":[{"y":null}]},"t":"text","__proto__":{"p":1}}');
assert.deepStrictEqual(a, same);
assert.deepEqual(structuredClone({a, list: [a], map: new Map([["a", a]])}).map.get("a"), same);
const {port1, port2} = new MessageChannel();
port1.postMessage([a]);
assert.deepEqual(receiveMessageOnPort(port2).message[0], same);
port1.close();
assert.deepEqual(v8.deserialize(v8.serialize(a)), same);
assert.throws(() => structuredClone(() => 1), {name: 'DataCloneError'});
Object.freeze(a);
Object.freeze(a.of);
console.log(JSON.stringify(a), util.inspect(a, {depth: 9}), Object.keys(a), {...a}, Object.assign({}, a), typeof a,
  Array.isArray(a.of.x), a instanceof Object, Object.getPrototypeOf(a) === Object.prototype, a.of === a.of, String(a),
  Object.prototype.toString.call(a), a.constructor === Object, Object.isFrozen(a), a.of.x.length, [...a.of.x].length,
  a.missing, JSON.parse.name, JSON.parse.length, structuredClone.name,
  JSON.parse('{"a":1}', (k, v) => k ? v + 1 : v), JSON.parse(Buffer.from('[1]')));
for (const name in a) console.log(name);
try { a.missing.deeper; } catch (err) { console.log(err.message); }
try { a.of.map(x => x); } catch (err) { console.log(err.message); }
try { JSON.parse('{"a'); } catch (err) { console.log(err.name, err.message); }
`

// An API in Node does the same with what is marked.
func TestNodeStaysTheSame(t *testing.T) {
	node := needs.Program(t, "node")
	const answer = `{"n":1,"of":{"x":[{"y":null}]},"t":"text","__proto__":{"p":1}}`
	reads, got := told(t, answer, node, "-e", nodeSame)
	if len(reads) == 0 {
		t.Error("nothing is told")
	}
	want := run(t, install(t), answer, node, "-e", nodeSame)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// What Python reads is told, and what it compares texts with.
func TestPythonReads(t *testing.T) {
	python := needs.Program(t, "python3")
	checkReads(t, []readCase{
		{"a field that is not there", `{}`, `a.get("rate")`, []string{"/body/rate"}},
		{"a field that is there", `{"rate":1}`, `a["rate"]`, []string{"/body/rate"}},
		{"asked for", `{}`, `"rate" in a; a.pop("base", 1); a.setdefault("x", 1)`, []string{"/body/rate", "/body/base", "/body/x"}},
		{"within", `{"of":{},"list":[{}]}`, `a["of"].get("city"); [x.get("id") for x in a["list"]]`, []string{"/body/of", "/body/of/city", "/body/list", "/body/list/*/id"}},
		{"compared", `{"status":"x"}`, `a["status"] == "open" or a["status"] in ("shut", "open") or "none" == a["status"]`,
			[]string{"/body/status", `/body/status string="open"`, `/body/status string="shut"`, `/body/status string="none"`}},
		{"compared with a secret", `{"token":"x"}`, `a["token"] == "s3cret"`, []string{"/body/token", "/body/token string"}},
		{"matched", `{"status":"x"}`, "\nmatch a['status']:\n  case 'open': pass", []string{"/body/status", `/body/status string="open"`}},
		{"an object in the place of a list", `{}`, "\ntry: a[0]\nexcept KeyError: pass", []string{"/body list"}},
		{"in the place of a text", `{"code":{}}`, `hasattr(a["code"], "upper")`, []string{"/body/code", "/body/code string"}},
		{"used as a text", `{"code":"x"}`, `a["code"].strip().lower() == "yes"`, []string{"/body/code", "/body/code string", `/body/code string="yes"`}},
		{"reckoned with", `{"rate":"x","left":{}}`, "\nfor name in a:\n  try: a[name] > 3 or a[name] - 1.5\n  except TypeError: pass",
			[]string{"/body/rate", "/body/rate number", "/body/left", "/body/left number"}},
		{"a dataclass", `{}`, "\ntry: Rate(**a)\nexcept TypeError: pass", []string{"/body object", "/body/rate number", "/body/codes list", "/body/codes/* string"}},
		{"a dataclass with names for type checkers", `{}`, "\ntry: Checked(**a)\nexcept TypeError: pass", []string{"/body object", "/body/of", "/body/rate"}},
		{"a dataclass of what another thread changes meanwhile", `{"rate":1}`, `
class Name(str):
  def __hash__(self):
    if len(a) == 2: a["more"] = 1
    return str.__hash__(self)
given = {"rate": 1, "codes": []}
dict.__setitem__(a, Name("codes"), given["codes"]); Rate(**given)
assert "more" in dict.keys(a)`,
			[]string{"/body object", "/body/rate number", "/body/codes list", "/body/codes/* string"}},
		{"given on", `{"rate":1,"of":{"city":2}}`, `json.dumps(a); dict(a); {**a}; list(a.items())`, nil},
		{"written anew", `{"of":{}}`, `json.loads(json.dumps(a["of"])).get("city"); json.loads("{}").get("other"); json.loads(json.dumps(a)).get("whole")`,
			[]string{"/body/of", "/body/of/city", "/body/whole"}},
		{"bytes", `{}`, `json.loads(answer.encode()).get("rate")`, []string{"/body/rate"}},
	}, python, "-c", `import dataclasses, json, os, typing
@dataclasses.dataclass
class Rate:
    rate: float
    codes: typing.List[str] = dataclasses.field(default_factory=list)
@dataclasses.dataclass
class Checked:
    of: "NotThere"
    rate: float
    made: int = dataclasses.field(default=0, init=False)
    shared: typing.ClassVar[int] = 0
@dataclasses.dataclass
class Other:
    of: int = 0
for answer, program in json.loads(os.environ["ANSWER"]):
    Other()
    exec(program, {"a": json.loads(answer), "json": json, "answer": answer, "Rate": Rate, "Checked": Checked})`)
}

// What was imported before the hooks are there is changed as well, and types that hold themselves many times are told as
// far as there is room for what is told.
func TestPythonImportedBefore(t *testing.T) {
	python := needs.Program(t, "python3")
	reads, out := told(t, `{}`, python, "-S", "-c", `import dataclasses, json, os, typing
import sitecustomize
hints, asked = typing.get_type_hints, []
typing.get_type_hints = lambda kind: asked.append(kind) or hints(kind)
@dataclasses.dataclass
class Node:
    a: "Node"
    b: "Node"
    c: "Node"
try: Node(**json.loads(os.environ["ANSWER"]))
except TypeError: print(len(asked) <= 500)`)
	if len(reads) < 400 || len(reads) > 500 || !slices.Contains(reads, "/body/a object") || out != "True\n" {
		t.Errorf("%d are told, and it printed %s: %q", len(reads), out, reads[:min(len(reads), 10)])
	}
}

// pythonSame prints what a program may do with an answer.
const pythonSame = `
import copy, json, os, pickle, sys
a = json.loads(os.environ["ANSWER"])
same = {"n": 1, "of": {"x": [{"y": None}]}, "t": "text"}
assert a == same and same == a and not a != same and isinstance(a, dict) and isinstance(a["t"], str)
for one in (pickle.loads(pickle.dumps(a)), copy.deepcopy(a), copy.copy(a), dict(a), {**a}, a | {}, a.copy()):
    assert one == same
assert type(pickle.loads(pickle.dumps(a))) is dict and type(pickle.loads(pickle.dumps(a["t"]))) is str
print(json.dumps(a), json.dumps(a, indent=1, sort_keys=True), a, repr(a["t"]), type(a), type(a["t"]), f"{a['t']:>9}", str(a["t"]))
print(hash(a["t"]) == hash("text"), {"text": 1}[a["t"]], a["t"] in {"text"}, a["t"] + "!", "!" + a["t"], a["t"] * 2, "%s" % a["t"], "".join([a["t"]]), sorted(a), a["t"] < "u", a["t"].upper().split("E"), str.lower.__name__)
print(list(a.items()), list(reversed(a)), len(a), bool(a), a["of"] is a["of"], sys.path, json.loads.__name__, json.dumps.__name__, json.loads(json.dumps(a)) == same)
def f(**given): return given
print(type(a)(x=1)["x"], type(a).fromkeys("ab", 1)["a"], type(a["t"])("u") == "u", json.loads(s='{"x": 2}'))
print(f(**a), json.loads('{"a": 1}'), type(json.loads('{"a": "b"}')["a"]))
for bad in (lambda: a["missing"], lambda: a["of"].upper(), lambda: a + 1, lambda: a["t"] + 1, lambda: 1 + a["t"], lambda: a["t"] - 1, lambda: a / 2.5, lambda: a < 1, lambda: 1 < a["t"], lambda: a["t"] * 2.5, lambda: a["t"].nothing, lambda: json.loads('{"a')):
    try: bad()
    except Exception as err: print(type(err), err)
a["n"] = 2
del a["of"]
a.update(z=1)
print(a, os.environ.get("PYTHONDONTWRITEBYTECODE"))
`

// An API in Python does the same with what is marked, and its own sitecustomize runs.
func TestPythonStaysTheSame(t *testing.T) {
	python := needs.Program(t, "python3")
	own := t.TempDir()
	if err := os.WriteFile(filepath.Join(own, "sitecustomize.py"), []byte("print('own')\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PYTHONPATH", own)
	const answer = `{"n":1,"of":{"x":[{"y":null}]},"t":"text"}`
	reads, got := told(t, answer, python, "-c", pythonSame)
	if len(reads) == 0 || !strings.HasPrefix(got, "own\n") {
		t.Errorf("told are %q, and it printed %s", reads, got)
	}
	c := exec.Command(python, "-c", pythonSame)
	c.Env = append(os.Environ(), "ANSWER="+answer)
	want, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, want)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
}

// Where nobody can be told any more, the API goes on, and what is told has a bound.
func TestHooksFailSilently(t *testing.T) {
	node, python := needs.Program(t, "node"), needs.Program(t, "python3")
	for _, argv := range [][]string{
		{node, "-e", `const a = JSON.parse(process.env.ANSWER); a.rate; console.log("on")`},
		{python, "-c", `import json, os; a = json.loads(os.environ["ANSWER"]); a.get("rate"); print("on")`},
	} {
		h := begun(t)
		answer := marked(h, called, `{}`)
		if err := os.Remove(filepath.Join(h.dir, readsFile)); err != nil {
			t.Fatal(err)
		}
		c := exec.Command(argv[0], argv[1:]...)
		c.Env = append(h.Variables(os.Environ()), "ANSWER="+answer)
		if out, err := c.CombinedOutput(); err != nil || string(out) != "on\n" {
			t.Errorf("%s: %v: %s", argv[0], err, out)
		}
	}
	for _, argv := range [][]string{
		{node, "-e", `const a = JSON.parse(process.env.ANSWER); for (let i = 0; i < 2000; i++) a["f" + i]`},
		{python, "-c", `import json, os; a = json.loads(os.environ["ANSWER"]); [a.get("f%d" % i) for i in range(2000)]`},
	} {
		if got, _ := told(t, `{}`, argv...); len(got) != 499 {
			t.Errorf("%s: %d reads are told", argv[0], len(got))
		}
	}
	deep := strings.Repeat(`{"a":`, 3000) + "1" + strings.Repeat("}", 3000)
	got, _ := told(t, deep, node, "-e", `JSON.stringify(JSON.parse(process.env.ANSWER)).length`)
	if len(got) != 0 {
		t.Errorf("told are %q", got)
	}
}

func TestMark(t *testing.T) {
	h := install(t)
	call := mock.Call{Service: "a:1", Method: "GET", Target: "/"}
	if got := h.Mark(call, []byte(`{}`)); string(got) != `{}` {
		t.Errorf("before it begins, %q", got)
	}
	if err := h.Begin(true); err != nil {
		t.Fatal(err)
	}
	first := string(h.Mark(call, []byte(` {"a":1}`)))
	if want := " {" + strings.Repeat(" ", 16) + `"a":1}`; first != want {
		t.Errorf("marked %q", first)
	}
	if got := string(h.Mark(mock.Call{Service: "b:1"}, []byte(`[]`))); got != "["+strings.Repeat(" ", 15)+"\t]" {
		t.Errorf("marked %q", got)
	}
	if again := string(h.Mark(call, []byte(` {"a":1}`))); again != first {
		t.Errorf("marked again %q", again)
	}
	for _, body := range []string{"", " ", "null", "<html>", `"{}"`} {
		if got := string(h.Mark(call, []byte(body))); got != body {
			t.Errorf("%q is marked %q", body, got)
		}
	}
}

// Where the file of a run has gone, nothing is told, and the search goes on.
func TestLostFile(t *testing.T) {
	h := install(t)
	if err := h.Begin(true); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(h.dir, readsFile)); err != nil {
		t.Fatal(err)
	}
	if reads, err := h.Reads(); err != nil || len(reads) > 0 {
		t.Errorf("read %v, %v", reads, err)
	}
	if err := h.Begin(true); err != nil {
		t.Error(err)
	}
}

// An API may write to the file whatever it wants.
func FuzzReads(f *testing.F) {
	f.Add([]byte(`{"mark":0,"path":["a",0,"b"],"kind":"string","value":"x"}` + "\n"))
	f.Add([]byte(`{"mark":0,"path":["token"],"value":"x"}` + "\n{}\n\n[]\n" + `{"mark":-1}` + "\n"))
	h, err := Install(f.TempDir(), "")
	if err != nil {
		f.Fatal(err)
	}
	h.calls = []Call{{Service: "a"}}
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(filepath.Join(h.dir, readsFile), text, 0o600); err != nil {
			t.Fatal(err)
		}
		reads, err := h.Reads()
		if err != nil {
			t.Error(err)
		}
		for _, r := range reads {
			if len(r.Place.Segments()) > maxDepth+1 || r.Value != nil && exchange.Secret(r.Place) {
				t.Errorf("read %+v", r)
			}
		}
	})
}
