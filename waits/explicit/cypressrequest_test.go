package explicit

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/waits/marked"
	"github.com/flaketap/flaketap/waits/settle"
)

// markedBy is a recording of a spec that ran with its marks so often. Behind each that says that something is done, the
// page asks for paths.
func markedBy(t *testing.T, spec string, runs int, paths ...string) *marked.Recording {
	t.Helper()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	pass, all := exchange.Pass{Number: 1}, []*exchange.Exchange{}
	for range runs {
		for _, name := range marksOf(spec) {
			at = at.Add(time.Second)
			pass.Marks = append(pass.Marks, exchange.PassMark{Name: name, At: at})
			for _, path := range paths {
				if strings.HasSuffix(name, ":act") {
					all = append(all, &exchange.Exchange{Pass: 1, Scheme: "http", Addr: "a:1", Start: at.Add(100 * time.Millisecond), Latency: 100 * time.Millisecond,
						Request:  exchange.ParseRequest(exchange.Message{Head: []byte("GET " + path + " HTTP/1.1\r\nUser-Agent: Mozilla/5.0\r\nAccept: */*\r\n\r\n")}),
						Response: exchange.ParseResponse(exchange.Message{Head: []byte("HTTP/1.1 200 OK\r\n\r\n")})})
				}
			}
		}
	}
	r, err := marked.Read([]exchange.Pass{pass}, func(yield func(*exchange.Exchange, error) bool) {
		for _, e := range all {
			if !yield(e, nil) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// marksOf are the marks of a spec of one test that passes, in their order: that of the hook which stands before the test
// comes last.
func marksOf(spec string) (all []string) {
	var last string
	for _, m := range regexp.MustCompile(`\?name=([\w:]+)`).FindAllStringSubmatch(spec, -1) {
		if strings.HasSuffix(m[1], ":") {
			last = m[1] + "passed"
			continue
		}
		all = append(all, m[1])
	}
	return append(all, last)
}

func test(lines ...string) string {
	return "it('works', () => {\n  " + strings.Join(lines, "\n  ") + "\n})\n"
}

// double is a test of a file with such quotes.
func double(lines ...string) string { return strings.ReplaceAll(test(lines...), "'", `"`) }

// A sleep of which it is known what it is for gives way to a wait for that; all else stays.
func TestCypressRequests(t *testing.T) {
	const ready = "// flaketap: ready 200ms after the action before it, 200ms at most, in 5 tests that passed"
	const gone = "// flaketap: in the place of "
	price := []string{"/api/price"}
	for _, tt := range []struct {
		name  string
		paths []string
		was   string
		want  string // "" where it stays
		left  string
	}{
		{"a click", price, test("cy.get('#a').click()", "cy.wait(500)", "cy.get('#b').should('exist')"),
			test("cy.intercept('GET', '/api/price').as('price') // flaketap: for its waits", "cy.get('#a').click()", gone+"cy.wait(500)", ready, "cy.wait('@price')", "cy.get('#b').should('exist')"), ""},
		{"quotes and semicolons", price, double(`cy.visit("/");`, `cy.get("#a").type("x");`, "cy.wait(500); // slow"),
			double(`cy.intercept("GET", "/api/price").as("price"); // flaketap: for its waits`, `cy.visit("/");`, `cy.get("#a").type("x");`, gone+"cy.wait(500); // slow", ready, `cy.wait("@price");`), ""},
		{"two, one with a query", []string{"/api/price?of=tea", "/api/stock"}, test("cy.get('#a').click()", "cy.wait(500)"),
			test("cy.intercept({ method: 'GET', pathname: '/api/price' }).as('price') // flaketap: for its waits", "cy.intercept('GET', '/api/stock').as('stock') // flaketap: for its waits",
				"cy.get('#a').click()", gone+"cy.wait(500)", ready, "cy.wait(['@price', '@stock'])"), ""},
		{"two sleeps", price, test("cy.get('#a').click()", "cy.wait(500)", "cy.get('#c').click()", "cy.wait(600)"),
			test("cy.intercept('GET', '/api/price').as('price') // flaketap: for its waits", "cy.get('#a').click()", gone+"cy.wait(500)", ready, "cy.wait('@price')",
				"cy.intercept('GET', '/api/price').as('price2') // flaketap: for its waits", "cy.get('#c').click()", gone+"cy.wait(600)", ready, "cy.wait('@price2')"), ""},
		{"an alias that is there", price, test("cy.intercept('GET', '/api/price').as('cost')", "cy.get('#a').click()", "cy.wait(500)"),
			test("cy.intercept('GET', '/api/price').as('cost')", "cy.get('#a').click()", gone+"cy.wait(500)", ready, "cy.wait('@cost')"), ""},
		{"that is waited for", price, test("cy.intercept('GET', '/api/price').as('cost')", "cy.get('#a').click()", "cy.wait('@cost')", "cy.wait(500)"),
			test("cy.intercept('GET', '/api/price').as('cost')", "cy.get('#a').click()", "cy.wait('@cost')", gone+"cy.wait(500)"), ""},
		{"an alias of another's", price, "beforeEach(() => {\n  cy.intercept('GET', '/api/*').as('price')\n})\n" + test("cy.get('#a').click()", "cy.wait(500)"),
			"beforeEach(() => {\n  cy.intercept('GET', '/api/*').as('price')\n})\n" + test("cy.intercept('GET', '/api/price').as('price2') // flaketap: for its waits", "cy.get('#a').click()",
				gone+"cy.wait(500)", ready, "cy.wait('@price2')"), ""},
		{"a stub of another's", price, test("cy.intercept('GET', '/api/other', [])", "cy.get('#a').click()", "cy.wait(500)"),
			test("cy.intercept('GET', '/api/other', [])", "cy.intercept('GET', '/api/price').as('price') // flaketap: for its waits", "cy.get('#a').click()", gone+"cy.wait(500)", ready, "cy.wait('@price')"), ""},
		{"a stub", price, test("cy.intercept('get', '/api/price', [])", "cy.get('#a').click()", "cy.wait(500)"), "", errStubbed.Error()},
		{"a stub of many", price, test("cy.intercept('/api/**', [])", "cy.get('#a').click()", "cy.wait(500)"), "", errStubbed.Error()},
		{"a stub by a name", price, test("cy.intercept(url, answer)", "cy.get('#a').click()", "cy.wait(500)"), "", errStubbed.Error()},
		{"nothing asked", nil, test("cy.get('#a').click()", "cy.wait(500)"), "", "the page asks for nothing in it, so no request decides"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			spec := string(MarkCypress("a.cy.js", []byte(tt.was), "http://127.0.0.1:8878").Data)
			o := Options{ReplaceSleeps: true, Requests: markedBy(t, spec, marked.Least, tt.paths...)}
			want, left := tt.want, ""
			if want == "" {
				want = tt.was
			}
			for _, was := range []string{tt.was, spec} { // the marks go
				r := Cypress("a.cy.js", []byte(was), o)
				for _, l := range r.Left {
					left = l.Reason
				}
				if diff := cmp.Diff(want, string(r.Data)); diff != "" || left != tt.left || (r.Unmarked == 1) != (was == spec) {
					t.Errorf("%q\n%s", left, diff)
				}
				if again := Cypress("a.cy.js", r.Data, o); string(again.Data) != string(r.Data) {
					t.Errorf("patched twice:\n%s", again.Data)
				}
			}
			if r := Cypress("a.cy.js", []byte(want+"// changed\n"), o); string(r.Data) != want+"// changed\n" || len(r.Left) != strings.Count(want, "\n  cy.wait(5") {
				t.Errorf("of another text: %+v\n%s", r.Left, r.Data)
			}
		})
	}
}

// Without the flag the sleep stays, before what it is not for any more.
func TestCypressRequestsBesideSleeps(t *testing.T) {
	was := test("cy.get('#a').click()", "cy.wait(500)")
	spec := string(MarkCypress("a.cy.js", []byte(was), "http://127.0.0.1:8878").Data)
	r := Cypress("a.cy.js", []byte(was), Options{Requests: markedBy(t, spec, marked.Least, "/p")})
	if !strings.Contains(string(r.Data), "  cy.wait(500)\n  // flaketap: ready ") || r.Written != 1 || r.Gone != 0 {
		t.Errorf("%s", r.Data)
	}
}

// Marks stand around what can be looked at: the marked spec is a program, and without them it is as it was.
func TestMarkCypress(t *testing.T) {
	for _, tt := range []struct{ name, was, left string }{
		{"a test", "import './x'\n\ndescribe('a', () => {\r\n\tit.only('b', function () {\r\n\t\tcy.visit('/')\r\n\t\tcy.wait(500)\r\n\t})\r\n})", ""},
		{"a test that returns", test("cy.visit('/')", "cy.wait(500)", "return cy.get('b').should('exist')"), ""},
		{"a hook", "beforeEach(() => {\n  const at = '/'\n  cy.visit(at)\n  cy.wait(500)\n})\nit('a', () => {\n  cy.get('b').should('exist')\n})\n", ""},
		{"a constant", "const MS = 500\n" + test("cy.visit('/')", "cy.wait(MS)"), ""},
		{"types and options", "it('a', { retries: 2 }, (): void => {\n  cy.visit('/')\n  cy.wait(500)\n})\n", ""},
		{"a constant of another file", "import { MS } from './x'\n" + test("cy.visit('/')", "cy.wait(MS)"), errSleepTime.Error()},
		{"a custom command", test("cy.login()", "cy.get('a').click()", "cy.wait(500)"), errSleepBefore.Error()},
		{"a helper", test("open()", "cy.get('a').click()", "cy.wait(500)"), errSleepBefore.Error()},
		{"a callback", test("cy.get('a').click().then(() => {})", "cy.wait(500)"), errSleepBefore.Error()},
		{"a request", test("cy.request('/x')", "cy.visit('/')", "cy.wait(500)"), errSleepBefore.Error()},
		{"a loop", test("for (const a of all) {", "  cy.get(a).click()", "  cy.wait(500)", "}"), errSleepPlace.Error()},
		{"a branch", test("if (x) {", "  cy.get(a).click()", "  cy.wait(500)", "}"), errSleepPlace.Error()},
		{"a function", "function go() {\n  cy.get('a').click()\n  cy.wait(500)\n}\n" + test("go()"), errSleepPlace.Error()},
		{"in a chain", test("cy.get('a').click().wait(500)"), errSleepPlace.Error()},
		{"in a line with others", test("cy.get('a').click(); cy.wait(500)"), errSleepPlace.Error()},
		{"no action", test("cy.get('a').should('exist')", "cy.wait(500)"), errSleepAlone.Error()},
		{"behind another sleep", test("cy.visit('/')", "cy.wait(400)", "cy.wait(500)"), errSleepAlone.Error()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := MarkCypress("a.cy.js", []byte(tt.was), "http://127.0.0.1:8878")
			left := ""
			for _, l := range r.Left {
				left = l.Reason
			}
			text := string(r.Data)
			if left != tt.left || (r.Written == 0) != (text == tt.was) || string(UnmarkCypress("a.cy.js", r.Data).Data) != tt.was {
				t.Errorf("%q, %d marked\n%s", left, r.Written, text)
			}
			if tt.left == "" {
				for _, part := range []string{":rest')", "cy.wait(500 + Math.round(1500 * Math.random()))", ":act')", ":over')", "before(() => { cy.request('", ":0:begins')", "afterEach(function () { cy.request('", ":0:' + this.currentTest.state)"} {
					if strings.Count(text, part) != 1 {
						t.Errorf("%d of %s:\n%s", strings.Count(text, part), part, text)
					}
				}
			}
			if _, err := readJavaScript("a.cy.js", text); err != nil {
				t.Error(err)
			}
			if again := MarkCypress("a.cy.js", r.Data, "http://127.0.0.1:8878"); string(again.Data) != text {
				t.Errorf("marked twice:\n%s", again.Data)
			}
		})
	}
}

// What is taken out is what marking wrote, whatever else was changed since then, and laid out anew: also the waits of an
// earlier patch come to stand where they stood.
func TestUnmarkCypress(t *testing.T) {
	const control = "http://127.0.0.1:8878"
	was := test("cy.get('#a').click()", "cy.wait(500) // slow", "return cy.get('#b').should('exist')")
	marked := string(MarkCypress("a.cy.js", []byte(was), control).Data)
	patched := string(Cypress("a.cy.js", []byte(was), Options{ReplaceSleeps: true, Requests: markedBy(t, marked, 5, "/p")}).Data)
	windows := func(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }
	for before, bare := range map[string]string{was: was, patched: was, windows(patched): windows(was)} {
		t.Run("", func(t *testing.T) {
			r := MarkCypress("a.cy.js", []byte(before), control)
			text, marked := string(r.Data), string(MarkCypress("a.cy.js", []byte(bare), control).Data)
			if got := marksOf(text); r.Written != 1 || strings.Join(got, " ") != strings.Join(marksOf(marked), " ") {
				t.Errorf("the marks are %v\n%s", got, text)
			}
			laid := regexp.MustCompile(`(?m)^( *)(cy\.request|afterEach|before)\((.*)\)( // flaketap: mark\r?)$`).ReplaceAllString(text, "$1$2(\n$1  $3,\n$1);$4")
			for _, edit := range []struct{ text, from, to string }{
				{text, "#a", "#c"}, {laid, "#a", "#c"}, {text, "  return ", "  cy.get('[x=\"(\"]')\n  return "}, {text, "it('works", "it.only('works"},
			} {
				want := strings.ReplaceAll(before, edit.from, edit.to)
				got := UnmarkCypress("a.cy.js", []byte(strings.ReplaceAll(edit.text, edit.from, edit.to)))
				if diff := cmp.Diff(want, string(got.Data)); diff != "" || got.Unmarked != 1 {
					t.Errorf("%s to %s:\n%s", edit.from, edit.to, diff)
				}
			}
		})
	}
	prose := "Around a sleep:\n\n    cy.request(url) // flaketap: mark\n"
	if r := UnmarkCypress("README.md", []byte(prose)); r.Unmarked != 0 || string(r.Data) != prose {
		t.Errorf("a file that writes of marks: %+v\n%s", r, r.Data)
	}
	if r := UnmarkCypress("a.cy.js", []byte(patched)); r.Unmarked != 0 || string(r.Data) != patched {
		t.Errorf("a spec without marks: %s", r.Data)
	}
	if r := MarkCypress("a.cy.js", []byte(strings.Replace(patched, "cy.get('#a').click()", "go()", 1)), control); r.Written != 0 || !strings.Contains(string(r.Data), "cy.wait('@p')") {
		t.Errorf("what cannot be marked loses its waits: %s", r.Data)
	}
}

// A spec that cannot be read is told of, not passed over.
func TestCypressUnread(t *testing.T) {
	src := []byte("it('a', () => {\n  cy.visit('/'\n  cy.wait(500)\n})\n")
	if !OfCypress("cypress/a.cy.ts", src) || OfCypress("a.ts", src) {
		t.Error("what cannot be read is a spec by its name alone")
	}
	for _, r := range []Result{MarkCypress("a.cy.ts", src, "http://127.0.0.1:8878"), Cypress("a.cy.ts", src, Options{})} {
		if len(r.Left) != 1 || r.Left[0].Does != "the spec" || r.Left[0].Line < 1 || r.Left[0].Line > 4 ||
			!strings.HasPrefix(r.Left[0].Reason, "it cannot be read: ") || string(r.Data) != string(src) {
			t.Errorf("%+v\n%s", r.Left, r.Data)
		}
	}
}

func FuzzMarkCypress(f *testing.F) {
	f.Add("it('a', (): A<")
	f.Add("it(function(): a")
	f.Add(test("cy.visit('/')", "cy.wait(500)"))
	f.Add("it('a', () => { cy.visit('/'); cy.wait(5) })")
	f.Add("it(x => {\ncy.wait(")
	f.Add("it.only(()=>{\ncy.get(a).click()\ncy.wait(1e3)\n")
	f.Fuzz(func(t *testing.T, src string) {
		bare := unmarked(src)
		r := MarkCypress("a.cy.js", []byte(src), "http://127.0.0.1:8878")
		if r.Written > 0 && unmarked(string(r.Data)) != bare {
			t.Errorf("the marks leave more than they should: %q", r.Data)
		}
	})
}

// A request is waited for five times as long as it took at most, where that is longer than Cypress waits by itself.
func TestCypressPatience(t *testing.T) {
	for want, e := range map[string]marked.Evidence{
		"":                            {Begin: time.Second, Times: settle.Times{Longest: 6 * time.Second}},
		", { requestTimeout: 10000 }": {Begin: 2 * time.Second, Times: settle.Times{Longest: 3 * time.Second}},
		", { timeout: 35000 }":        {Begin: 2 * time.Second, Times: settle.Times{Longest: 7 * time.Second}},
	} {
		if got := patience(e); got != want {
			t.Errorf("%+v: %q, not %q", e, got, want)
		}
	}
}

// The name of a request says what it does where it does more than read, and is none that the file has.
func TestCypressAliases(t *testing.T) {
	c := &cypressPatch{javaScript: &javaScript{}}
	for _, tt := range []struct{ method, path, want string }{
		{"GET", "/api/cart-lines", "cartlines"}, {"POST", "/api/cart-lines", "postCartlines"}, {"GET", "/api/cart-lines", "cartlines2"}, {"GET", "/", "request"},
	} {
		if got := c.alias(marked.Route{Method: tt.method, Path: tt.path}); got != tt.want {
			t.Errorf("%s %s: %s, not %s", tt.method, tt.path, got, tt.want)
		}
	}
}
