package golang

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/onecall"
	"github.com/flaketap/flaketap/suite/script"
)

// wrote reads a file of tests that people wrote.
func wrote(t *testing.T, text string) *script.Script {
	t.Helper()
	s, err := script.Read(Dialect(), "shop_test.go", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A value that comes from an answer by way of variables, structs, and functions of the file is followed to the place of
// the answer, and what is asserted of it is written again as it was.
func TestWrittenIsFollowed(t *testing.T) {
	data, err := os.ReadFile("testdata/written.go")
	if err != nil {
		t.Fatal(err)
	}
	want := `TestList
  GET /products?limit=2&tag=a+b
  81 of 0 equal /status 200: if resp.StatusCode != 200 { true
  89 of 0 length /body/items 2: if len(items) != 2 { true
  93 of 0 equal /body/items/0/name "Coffee": if got := first["name"]; got != "Coffee" { true
  96 of 0 equal /body/items/0/name "Coffee": if name, ok := first["name"].(string); !ok || name != "Coffee" { true
  99 of 0 contains /body/items/0 "price": if _, ok := first["price"]; !ok { true
  102 of 0 equal /header/x-request-id "abc": if id := resp.Header.Get("X-Request-Id"); id != "abc" { true
  105 of 0   : if n, ok := first["stock"].(float64); !ok || n < 3 { true
TestOne
  GET /products/1
  39 of 0   : if resp.StatusCode >= 500 { true
  114 of 0   : if p.Name != "Coffee" || p.ID != 1 { true
  117 of 0   : if p.Stock == nil { true
  120 of 0 equal /body/tags ["hot","black"]: if diff := cmp.Diff([]string{"hot", "black"}, p.Tags); !cmp.Equal(p.Tags, []string{"hot", "black"}) { true
  123 of 0 equal /body/maker/country "": if p.Maker.Country != "" { true
  127 of 0   : if tag == "" { true
  132 not: it is inside a condition
TestOne/as_text
  GET /products/1
  GET /products/?/text
  139 of 1 contains /body "Coffee": if !bytes.Contains(data, []byte("Coffee")) { true
  142 of 0   : if p.Name == "" { true
TestOrder
  POST /login {"email":"ada@cafe.de","age":36}
  POST /orders {"items":[1]}
  GET /orders/?
  GET /health
  DELETE /orders/?
  156 of 1 equal /status 202: if err != nil || resp.StatusCode != 202 { true
  161 of 0   : if again["id"] != order["id"] { true
  164 of 2 equal /body/items [1]: if !reflect.DeepEqual(again["items"], []any{1.0}) && !cmp.Equal(again["items"], []any{float64(1)}) { true
  167 of 3 equal /status 200: if resp := get(t, "/health", nil); resp.StatusCode != 200 { true
TestMany
  GET /a
  GET /b
  183 of 0   :  false`
	if text := onecall.Understood(wrote(t, string(data))); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}

// Each way to send, to decode and to assert is understood, or said not to be.
func TestWrittenWays(t *testing.T) {
	for _, tt := range []struct{ body, want string }{
		// clients
		{`resp, _ := http.Get("http://x:1/a?b=c"); if resp.StatusCode != 200 { t.Error() }`, "GET /a?b=c: not: other code stands on its lines"},
		{`resp, _ := http.Head(base + "/a")
	if resp.StatusCode != http.StatusNoContent {
		t.Error()
	}`, "HEAD /a: equal /status 204"},
		{`c := &http.Client{}
	resp, _ := c.PostForm(base+"/a", url.Values{"q": {"a b"}})
	if got := resp.Header.Get("etag"); got != "x" {
		t.Error()
	}`, `POST /a q=a+b: equal /header/etag "x"`},
		{`req, _ := http.NewRequestWithContext(ctx, "PUT", fmt.Sprintf("%s/a/%d?m=b", base, 3), nil)
	q := req.URL.Query()
	q.Add("n", "1")
	req.URL.RawQuery = q.Encode()
	resp, err := http.DefaultClient.Do(req)
	if err != nil || resp.StatusCode >= 300 {
		t.Fatal(err)
	}`, "PUT /a/3?m=b&n=1:   "},
		{`cache.Get("a"); resp, _ := http.Get(base + "/a"); _ = resp`, "GET /a: "},
		// decoding
		{decoded("var v map[string]any", `v["a"] != "b"`), `GET /a: equal /body/a "b"`},
		{decoded("var v []map[string]any", `v[1]["a"] != nil`), `GET /a: equal /body/1/a null`},
		{decoded("var v map[string]any", `v["a"].(map[string]any)["b"].([]any)[0].(float64) != 4`), `GET /a: equal /body/a/b/0 4`},
		{decoded("var v map[string]any", `int(v["a"].(float64)) != 4`), `GET /a: equal /body/a 4`},
		{decoded("var v map[string]any", `v["a"] != 4`), "GET /a: not: a whole number where JSON gives a float64 is not known"},
		{decoded("var v struct{ UserID int }", `v.UserID != 4`), "GET /a: equal /body/userID 4"},
		{decoded("var v struct{ A time.Time }", `v.A != x`), "GET /a: not: the name x is not known"},
		{decoded("var v struct{ A string `json:\"-\"` }", `v.A != "x"`), "GET /a: not: the field A is not known"},
		{decoded("var v map[string]int\n\tv[\"a\"] = 2", `v["a"] != 2`), "GET /a: not: an element is not known"},
		{decoded("v := struct{ A string }{\"x\"}", `v.A != "x"`),
			"GET /a: not: the field A is not known"},
		{decoded("v := map[string]int{\"a\": 1}", `v["a"] != 1`),
			"GET /a: not: an element is not known"},
		{decoded("v := map[string]int{}", `v["a"] != 1`), "GET /a: equal /body/a 1"},
		{decoded("var v []string", `len(v) != 2`), `GET /a: length /body 2`},
		{decoded("var v []string", `len(v) == 0`), `GET /a:   `},
		{decoded("type s struct{ A, B string }\n\tvar v s", `v != (s{A: "x"})`), `GET /a:   `},
		{decoded("var v struct{ A struct{ B *bool } }", `v.A.B == nil || !*v.A.B`), `GET /a:   `},
		{decoded("var v any", `!reflect.DeepEqual(v, map[string]any{"a": []any{1.0, nil}})`), `GET /a: equal /body {"a":[1,null]}`},
		{decoded("var v any", `!strings.HasPrefix(v.(string), "x")`), `GET /a: contains /body "x"`},
		{decoded("var v any\n\tchange(&v)", `v != "x"`), "GET /a: not: what a function that is not of the file was given is not known"},
		{decoded("var v []int\n\tv = append(v, 1)", `len(v) != 2`), "GET /a: not: a length is not known"},
		// flow
		{`resp, _ := http.Get(base + "/a")
	want := 200
	if x {
		want = 404
	}
	if resp.StatusCode != want {
		t.Error()
	}`, "GET /a: not: what is assigned under a condition is not known"},
		{`resp, _ := http.Get(base + "/a")
	if resp.StatusCode != 200 {
		t.Error()
	} else {
		t.Log("fine")
	}`, "GET /a: not: it has an else"},
		{`for range 3 {
		resp, _ := http.Get(base + "/a")
		if resp.StatusCode != 200 {
			t.Error()
		}
	}`, "GET /a: not: the test runs with several values"},
		{`if get := func() int { resp, _ := http.Get(base + "/a"); return resp.StatusCode }; get() != 200 {
		t.Error()
	}`, "GET /a: not: it sends a request itself"},
		// what is written out decides conditions
		{`for _, tc := range []struct { path string; found bool }{{"/a", true}, {"/b", false}} {
		t.Run(tc.path, func(t *testing.T) {
			resp, _ := http.Get(base + tc.path)
			if !tc.found {
				assert.Equal(t, 404, resp.StatusCode)
				return
			}
			assert.Equal(t, 200, resp.StatusCode)
		})
	}`, `GET /a: GET /b: equal /status 200equal /status 404`},
		{`want := 200
	for range 2 {
		resp, _ := http.Get(base + "/a")
		if want == 200 {
			assert.Equal(t, 200, resp.StatusCode)
		}
		want = 404
	}`, "GET /a: not: the test runs with several values"},
		{`var list []string
	resp, _ := http.Get(base + "/a")
	if list == nil {
		assert.Equal(t, 200, resp.StatusCode)
	}`, "GET /a: equal /status 200not: it is inside a condition"},
		{`send := func(body any) *http.Response {
		buf := new(bytes.Buffer)
		if body != nil {
			_ = json.NewEncoder(buf).Encode(body)
		}
		resp, _ := http.Post(base+"/a", "application/json", buf)
		return resp
	}
	send(map[string]any{"a": 1})
	send(nil)`, "POST /a {\"a\":1}: POST /a: "},
		{`var buf bytes.Buffer
	if x {
		_ = json.NewEncoder(&buf).Encode(1)
	}
	http.Post(base+"/a", "application/json", &buf)`, "POST /a ?: "},
		{`var buf bytes.Buffer
	fill(&buf)
	http.Post(base+"/a", "application/json", &buf)`, "POST /a ?: "},
		{`buf := &bytes.Buffer{}
	buf.WriteString("a")
	buf.WriteString("b")
	http.Post(base+"/a", "text/plain", buf)`, "POST /a ab: "},
		{`buf := &bytes.Buffer{}
	buf.WriteByte('a')
	http.Post(base+"/a", "text/plain", buf)`, "POST /a ?: "},
		// loops over lists of answers
		{decodedOnly("var v struct{ Tags []string }", `for _, e := range v.Tags {
		if e == "" {
			t.Error()
		}
	}`), `GET /a:   `},
		{decodedOnly("var v struct{ Tags []string }", `for _, e := range v.Tags {
		if e == "x" {
			continue
		}
		if e == "" {
			t.Error()
		}
	}`), `GET /a: not: the variable of a loop is not known`},
		{decodedOnly("var v struct{ Tags []string }", `for range v.Tags {
		if resp.StatusCode != 200 {
			t.Error()
		}
	}`), `GET /a: not: whether the loop runs at all is not known`},
		{decodedOnly("var v struct{ Tags []string }", `for i, e := range v.Tags {
		if e != "x" && i > 0 {
			t.Error()
		}
	}`), `GET /a: not: the number of an element is not known`},
		{decodedOnly("var v struct{ Tags []string }", `for _, e := range v.Tags {
		r, _ := http.Get(base + "/b")
		if r.StatusCode != 200 || e == "" {
			t.Error()
		}
	}`), `GET /a: GET /b: not: the test runs with several values`},
		{decodedOnly("var v struct{ Tags []string }", `names := []string{}
	for _, e := range v.Tags {
		names = append(names, e)
	}
	assert.Equal(t, []string{"a"}, names)`), `GET /a: equal /body/tags/* ["a"]`},
		{decodedOnly("var v struct{ Tags []string }", `names := []string{"z"}
	for _, e := range v.Tags {
		names = append(names, e)
	}
	assert.Equal(t, []string{"a"}, names)`), `GET /a: not: what is assigned under a condition is not known`},
		{decodedOnly("var v struct{ Tags []string }", `names := []string{}
	for _, e := range v.Tags {
		if e != "" {
			names = append(names, e)
		}
	}
	assert.Equal(t, []string{"a"}, names)`), `GET /a: not: what is assigned under a condition is not known`},
		{decodedOnly("var v struct{ Tags []string }", `names := []string{}
	for _, e := range v.Tags {
		names = append(names, e)
		names = append(names, "and")
	}
	assert.Equal(t, []string{"a"}, names)`), `GET /a: not: what is assigned under a condition is not known`},
		{decodedOnly("var v struct{ Tags []string }", `names := []string{}
	for _, e := range v.Tags {
		names = append(names, e)
	}
	names[0] = "b"
	assert.Equal(t, []string{"a"}, names)`), `GET /a: not: the name names, which changes is not known`},
		{`for _, tc := range []struct{ path, name string }{{"/a", "x"}, {"/b", "y"}} {
		var v struct{ Tags []string }
		resp, _ := http.Get(base + tc.path)
		_ = json.NewDecoder(resp.Body).Decode(&v)
		var names []string
		for _, e := range v.Tags {
			names = append(names, e)
		}
		assert.Equal(t, []string{tc.name}, names)
		assert.Contains(t, strings.Join(names, ","), tc.name)
	}`, `GET /a: GET /b:   not: a text that is put together is not known`},
		{decodedOnly("var v struct{ Tags []string }", `n := 0
	for range v.Tags {
		n++
	}
	assert.Equal(t, 2, n)`), `GET /a: not: the name n, which changes is not known`},
		// heads of statements
		{decodedOnly("var v map[string]any", "switch {\n\tcase v[\"a\"] != \"x\":\n\t\tt.Error()\n\t}"), `GET /a: equal /body/a "x"`},
		{decodedOnly("var v map[string]any", "switch {\n\tcase v[\"a\"] == \"y\":\n\tcase v[\"a\"] != \"x\":\n\t\tt.Error()\n\t}"),
			"GET /a: not: it is inside a condition"},
		{decodedOnly("var v map[string]any", "switch {\n\tcase v[\"a\"] != \"x\":\n\t\tt.Error()\n\t\tfallthrough\n\tcase v[\"b\"] == nil:\n\t\tt.Log()\n\t}"),
			"GET /a: not: it is inside a condition"},
		{decodedOnly("var v map[string]any", "switch v[\"a\"] {\n\tcase \"y\":\n\t\tt.Error()\n\t}"), "GET /a: not: it is inside a condition"},
		{decodedOnly("var v map[string]any", "if assert.Equal(t, \"x\", v[\"a\"]) {\n\t\tassert.Nil(t, v[\"b\"])\n\t}"),
			`GET /a: equal /body/a "x"equal /body/b null`},
		{decodedOnly("var v map[string]any", "if !assert.Equal(t, \"x\", v[\"a\"]) {\n\t\treturn\n\t}\n\tassert.Nil(t, v[\"b\"])"),
			`GET /a: equal /body/a "x"equal /body/b null`},
		{decodedOnly("var v map[string]any", "if assert.Equal(t, \"x\", v[\"a\"]) {\n\t\treturn\n\t}\n\tassert.Nil(t, v[\"b\"])"), `GET /a: equal /body/a "x"`},
		{decodedOnly("var v map[string]any", "if assert.Equal(t, \"x\", v[\"a\"]) || long {\n\t\tassert.Nil(t, v[\"b\"])\n\t}"),
			"GET /a: equal /body/b nullnot: it is inside a condition"},
		{decodedOnly("var v map[string]any", "if assert.Equal(t, \"x\", v[\"a\"]) {\n\t} else {\n\t\tassert.Nil(t, v[\"b\"])\n\t}"),
			`GET /a: equal /body/a "x"equal /body/b nullnot: it is inside a condition`},
		{"get := func() *http.Response { resp, _ := http.Get(base + \"/a\"); return resp }\n\tif assert.Equal(t, 200, get().StatusCode) {\n\t}",
			"GET /a: not: it sends a request itself"},
		// testify
		{`resp, _ := http.Get(base + "/a")
	require.Equal(t, 200, resp.StatusCode)`, "GET /a: equal /status 200"},
		{`resp, _ := http.Get(base + "/a")
	data, _ := io.ReadAll(resp.Body)
	assert.JSONEq(t, "{\"a\": 1}", string(data))`, `GET /a: equal /body {"a":1}`},
		{`resp, _ := http.Get(base + "/a")
	should := assert.New(t)
	should.Eventually(resp.StatusCode, 1)`, "GET /a: not: the assertion Eventually is not known"},
	} {
		s := wrote(t, header+"func TestIt(t *testing.T) {\n\t"+tt.body+"\n}\n")
		got := outline(s.Tests[0])
		if got != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.body, got, tt.want)
		}
	}
}

// decodedOnly is the body of a test that decodes an answer, with statements behind.
func decodedOnly(variable, statements string) string { return checked(variable, statements) }

// outline is what a test sends and asserts.
func outline(test *script.Test) (out string) {
	for _, c := range test.Calls {
		out += strings.TrimSpace(c.Method+" "+c.Target+" "+strings.ReplaceAll(c.Body, script.Unknown, "?")) + ": "
	}
	for _, a := range test.Assertions {
		if out += fmt.Sprintf("%s %s %s", a.Relation, a.Place, a.Value); a.Reason != "" {
			out = strings.TrimSuffix(out, "  ") + "not: " + a.Reason
		}
	}
	return out
}

// header begins a file of tests.
const header = `package a

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var base = os.Getenv("BASE")

`

// decoded is the body of a test that decodes an answer to a variable, and fails under a condition.
func decoded(variable, condition string) string {
	declaration, rest, _ := strings.Cut(variable, "\n\tv ")
	if rest != "" {
		rest = "\n\tv " + rest
	}
	if i := strings.Index(variable, "\n\tv["); i > 0 {
		declaration, rest = variable[:i], variable[i:]
	}
	if i := strings.Index(variable, "\n\tchange"); i > 0 {
		declaration, rest = variable[:i], variable[i:]
	}
	return "resp, _ := http.Get(base + \"/a\")\n\t" + declaration + "\n\t_ = json.NewDecoder(resp.Body).Decode(&v)" + rest +
		"\n\tif " + condition + " {\n\t\tt.Error()\n\t}"
}

// A subtest is a test by the name that go test gives it, where that is written out; what it says of an answer that the
// test around it got is about that.
func TestSubtests(t *testing.T) {
	s := wrote(t, header+`func TestIt(t *testing.T) {
	resp, _ := http.Get(base + "/a")
	t.Run("is there", func(t *testing.T) {
		if resp.StatusCode != 200 {
			t.Error("gone")
		}
		t.Run("ü/\t", func(t *testing.T) {
			http.Get(base + "/b")
		})
	})
	t.Run("is there", check)
	for _, name := range []string{"x", "y"} {
		t.Run(name, func(t *testing.T) {
			http.Get(base + "/c")
		})
	}
	t.Cleanup(func() { http.Get(base + "/last") })
	defer http.Get(base + "/d")
}

func check(t *testing.T) {
	http.Get(base + "/e")
}
`)
	var got []string
	for _, test := range s.Tests {
		one := test.Name
		for _, c := range test.Calls {
			one += " " + c.Target
		}
		got = append(got, one)
	}
	want := []string{"TestIt /a /c /c /d /last", "TestIt/is_there /a", "TestIt/is_there/ü/_ /b", "TestIt/is_there#01 /e"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if a := s.Tests[1].Assertions[0]; a.Call != 0 || a.Place != "/status" {
		t.Errorf("%+v", a)
	}
	if n := s.Calls(); n != 7 {
		t.Errorf("%d calls", n)
	}
}

// An assertion is commented out, or kept from failing where a name would be left without a use.
func TestDisable(t *testing.T) {
	for body, want := range map[string]string{
		"if resp.StatusCode != 200 {\n\n\t\tt.Error(`a\nb`)\n\t}":                                                               "// if resp.StatusCode != 200 {\n\t//\n\t// \tt.Error(`a\n\t// b`)\n\t// }",
		"if got := resp.StatusCode; got != 200 {\n\t\tt.Error()\n\t}":                                                           "// if got := resp.StatusCode; got != 200 {\n\t// \tt.Error()\n\t// }",
		"want := 200\n\tif resp.StatusCode != want {\n\t\tt.Error()\n\t}":                                                       "want := 200\n\tif false && (resp.StatusCode != want) {\n\t\tt.Error()\n\t}",
		"want := 200\n\tassert.Equal(t, want,\n\t\tresp.StatusCode, `a\nb`)":                                                    "want := 200\n\tif false {\n\t\tassert.Equal(t, want,\n\t\t\tresp.StatusCode, `a\nb`)\n\t}",
		"want := 100\n\twant = 200\n\tif resp.StatusCode != want {\n\t\tt.Error()\n\t}":                                         "want := 100\n\twant = 200\n\tif false && (resp.StatusCode != want) {\n\t\tt.Error()\n\t}",
		"want := 200\n\tif resp.StatusCode == want+1 {\n\t\tt.Error()\n\t}\n\tif resp.StatusCode != want {\n\t\tt.Error()\n\t}": "want := 200\n\tif resp.StatusCode == want+1 {\n\t\tt.Error()\n\t}\n\tif false && (resp.StatusCode != want) {\n\t\tt.Error()\n\t}",
		"require.Equal(t, 200, resp.StatusCode)":                                                                                "if false {\n\t\trequire.Equal(t, 200, resp.StatusCode)\n\t}",
	} {
		const open = "func TestIt(t *testing.T) {\n\tresp, _ := http.Get(base + \"/a\")\n\tassert.True(t, resp.Close)\n\t"
		s := wrote(t, header+open+body+"\n}\n")
		all := s.Tests[0].Assertions
		text, _ := edited(s, func(_ *script.Test, a *script.Assertion) []script.Edit {
			if a != all[len(all)-1] {
				return nil
			}
			return s.Writer.Disable(s, a)
		})
		if got := strings.TrimSuffix(strings.TrimPrefix(text, header+open), "\n}\n"); got != want {
			t.Errorf("%s\nbecomes\n%s\nwant\n%s", body, got, want)
		}
	}
}

// What refers to itself again and again is given up, and takes no time.
func TestBounded(t *testing.T) {
	const get = "func TestIt(t *testing.T) {\n\tresp, _ := http.Get(base + \"/a\")\n\tvar v any\n\tjson.NewDecoder(resp.Body).Decode(&v)\n"
	const ends = "\tif x != v {\n\t\tt.Error()\n\t}\n}\n"
	for _, text := range []string{
		get + "\tx := v.(string)\n" + strings.Repeat("\tx = x + x\n", 60) + ends,
		get + "\tx := []any{v}\n" + strings.Repeat("\tx = []any{x, x}\n", 60) + ends,
		get + "\tx := again(1)\n" + ends + "func again(n int) any { return again(n) + again(n) }\n",
		get + "\tx := " + strings.Repeat("(", 5000) + "v" + strings.Repeat(")", 5000) + "\n" + ends,
	} {
		if a := wrote(t, header+text).Tests[0].Assertions[0]; a.Reason == "" {
			t.Errorf("%+v", a)
		}
	}
}

// A file without requests is no suite, nor is one of another name.
func TestNeedsRequests(t *testing.T) {
	const sends = header + "func TestIt(t *testing.T) {\n\thttp.Get(base + \"/a\")\n}\n"
	for name, text := range map[string]string{"a_test.go": header, "b_test.go": header + "func TestIt(t *testing.T) {}\n", "a.go": sends,
		"c_test.go": strings.Replace(sends, "TestIt(", "Testit(", 1)} {
		var e *script.SyntaxError
		if _, err := script.Read(Dialect(), name, []byte(text)); !errors.As(err, &e) || !e.NoTests {
			t.Errorf("%s: %v", name, err)
		}
	}
	var e *script.SyntaxError
	if _, err := script.Read(Dialect(), "a_test.go", []byte(sends+"}")); !errors.As(err, &e) || e.NoTests || e.Line == 0 {
		t.Errorf("%v", err)
	}
}
