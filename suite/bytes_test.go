package suite

import (
	"path/filepath"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// keepsBytes checks what a patch did to the assertions of a suite: one that is kept has the bytes that it had, and one
// that has not is among the changes and says less than before.
func keepsBytes(t *testing.T, file string, data []byte, p Patched) {
	t.Helper()
	was, err := Read(file, data)
	if err != nil {
		t.Fatal(err)
	}
	is, err := Read(file, p.Data)
	if err != nil {
		t.Fatal(err)
	}
	counted := map[ChangeKind]int{}
	changes := map[int][]Change{}
	for _, c := range p.Changes {
		counted[c.Kind]++
		changes[c.Line] = append(changes[c.Line], c)
	}
	if n := p.Kept + counted[Weakened] + counted[Rebound] + counted[Disabled]; n != p.Assertions {
		t.Errorf("%s: of %d assertions %d are accounted for: %d kept, %v", file, p.Assertions, n, p.Kept, counted)
	}
	for i, test := range was.Tests {
		left := map[string][]*script.Assertion{}
		for _, a := range is.Tests[i].Assertions {
			left[a.Text] = append(left[a.Text], a)
		}
		for _, a := range test.Assertions {
			c, changed := changeOf(changes, a)
			text := a.Text
			if changed && c.Kind == Disabled {
				continue
			}
			if changed {
				text = c.After
			}
			if len(left[text]) == 0 {
				if !changed { // what is written may be read as several assertions
					t.Errorf("%s:%d: is no change, and has other bytes now: %s", file, a.Line, a.Text)
				}
				continue
			}
			now := left[text][0]
			left[text] = left[text][1:]
			if changed && c.Kind == Weakened && (c.Before == c.After || expr.Identical(a.Meaning, now.Meaning)) {
				t.Errorf("%s:%d: counted as weakened, and says what it did:\n%s\n%s", file, a.Line, c.Before, c.After)
			}
		}
	}
}

// changeOf returns the change that was made to an assertion; false where it was kept.
func changeOf(changes map[int][]Change, a *script.Assertion) (Change, bool) {
	for _, c := range changes[a.At.FirstLine] {
		if c.Before == a.Text && (c.Kind == Weakened || c.Kind == Rebound || c.Kind == Disabled) {
			return c, true
		}
		if c.Kind == Mended && c.Before != "" {
			return c, true
		}
	}
	return Change{}, false
}

// TestKeptAssertionsKeepTheirBytes patches every real suite, of every dialect, and holds what became of its assertions
// against what is reported.
func TestKeptAssertionsKeepTheirBytes(t *testing.T) {
	patch := func(t *testing.T, file string, data []byte, src Source) {
		for _, mode := range []Mode{Relax, Comment} {
			p, err := Patch(file, data, src, PatchOptions{Mode: mode})
			if err != nil {
				t.Fatal(err)
			}
			keepsBytes(t, file, data, p)
		}
	}
	eachSuite(t, func(t *testing.T, _ fixture, file string, data []byte, src Source) { patch(t, file, data, src) })
	for _, f := range jvmFixtures(t) {
		src := judged(t, disturbed(f.src))
		for _, file := range f.files {
			t.Run(f.name+"/"+filepath.Base(file), func(t *testing.T) { patch(t, file, read(t, file), src) })
		}
	}
	for file, session := range jestFixtures(t) {
		src := source(t, []string{session})
		for name, src := range map[string]Source{"map": judged(t, src), "disturbed": judged(t, disturbed(src))} {
			t.Run(file+"/"+name, func(t *testing.T) { patch(t, file, read(t, file), src) })
		}
	}
	tables(t, patch)
}

// tables calls patch with every assertion of the tables of weakening, in each dialect.
func tables(t *testing.T, patch func(t *testing.T, file string, data []byte, src Source)) {
	for _, tt := range weakenCases() {
		src := Source{Steps: []exchange.Step{stepOf(1, "/x0", tt.seen)}}
		t.Run(tt.name, func(t *testing.T) { patch(t, "t.py", []byte(oneAssertion(t, "t.py", tt.line)), src) })
	}
	for _, tt := range arrayCases() {
		src := Source{Steps: []exchange.Step{stepOf(1, "/x0", tt.seen)}}
		t.Run(tt.file+tt.line, func(t *testing.T) { patch(t, tt.file, []byte(oneAssertion(t, tt.file, tt.line)), src) })
	}
}

// TestNothingWeakerIsKept: where the strongest statement that holds of a place that would move is what the suite says
// already, the assertion stays as it is written.
func TestNothingWeakerIsKept(t *testing.T) {
	field := func(place exchange.Place, h mapfile.Holds) *mapfile.Field {
		return &mapfile.Field{Place: place, Judgement: mapfile.WouldMove, Category: mapfile.Env, Of: 3, Holds: h}
	}
	answer := []*exchange.Response{reply(200, "X-Node: eu-1\r\n"+jsonType, `{"a":"node eu","n":1.0,"l":[1,1,2]}`),
		reply(200, "X-Node: eu-1\r\n"+jsonType, `{"a":"node eu","n":1.0,"l":[2,1,1]}`)}
	one := func(tokens ...string) mapfile.Holds {
		var h mapfile.Holds
		for _, s := range tokens {
			h.OneOf = append(h.OneOf, []byte(s))
		}
		return h
	}
	src := Source{
		Steps:      []exchange.Step{stepOf(1, "/x0", answer)},
		Operations: map[uint64]exchange.Operation{1: {Method: "GET", Template: "/x0"}},
		Map: &mapfile.Map{Operations: []*mapfile.Operation{{
			Operation: exchange.Operation{Method: "GET", Template: "/x0"}, Status: 200,
			Fields: []*mapfile.Field{
				field("/body/a", one(`"node eu"`)), field("/body/n", one(`1.0`)), field("/header/x-node", one(`"eu-1"`)),
			},
		}}},
	}
	for _, tt := range []struct{ file, line string }{
		{"t.py", `assert res_0.json()['a'] == 'node eu'`},
		{"t.py", `assert 'node' in res_0.json()['a']`},
		{"t.py", `assert res_0.json()['n'] == 1`},
		{"t.py", `assert  res_0.headers['X-Node'] == 'eu-1'`},
		{"t.py", `assert 'eu' in res_0.headers['x-node']`},
		{"t.java", `.body("a", equalTo("node eu"))`},
		{"t.java", `.body("a", containsString("node"))`},
		{"t.java", `.header("X-Node", equalTo("eu-1"))`},
		{"t.kt", `.body("a", equalTo("node eu"))`},
		{"t.js", `expect(res_0.body['a']).toBe('node eu')`},
		{"t.js", `expect( res_0.body.n ).toBe(1.00);`},
		{"t.js", `expect(res_0.header['x-node']).toMatch(/eu-1/);`},
		{"c.json", `pm.expect(pm.response.json()['a']).to.eql('node eu');`},
		{"c.json", `pm.expect(pm.response.json().a).to.include('node');`},
		{"c.json", `pm.expect(pm.response.headers.get('X-Node')).to.eql('eu-1');`},
		{"c.json", `pm.response.to.have.header('X-Node', 'eu-1');`},
		{"a.hurl", `jsonpath "$['a']" == "node eu"`},
		{"a.hurl", `jsonpath "$.a"   contains "node"`},
		{"a.hurl", `header "X-Node" == "eu-1"`},
		{"a.hurl", `header "X-Node" contains "eu"`},
	} {
		text := oneAssertion(t, tt.file, tt.line)
		p, err := Patch(tt.file, []byte(text), src, PatchOptions{})
		if err != nil {
			t.Errorf("%s: %v", tt.line, err)
			continue
		}
		keepsBytes(t, tt.file, []byte(text), p)
		if p.Kept != p.Assertions || string(p.Data) != text {
			t.Errorf("%s: %s: %d of %d kept, %+v", tt.file, tt.line, p.Kept, p.Assertions, p.Changes)
		}
	}
}
