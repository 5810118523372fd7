package golang

import (
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
)

const shop = "../../../cmd/flaketap/testdata/written/go/shop_test.go"

// head is what begins each file of the table.
const head = "package a\nimport (\"errors\"; \"net/http\"; \"testing\")\nvar _ = errors.New; var _ = http.Get\n"

// What ends a test goes on, but where it looks at an error, or where a loop would not end.
func TestMute(t *testing.T) {
	for _, c := range []struct{ from, to string }{
		{`if a() { t.Fatal("x") }`, `if a() { flaketapMute(t).Fatal("x") }`},
		{`if a() { t.Error("x"); return }`, `if a() { flaketapMute(t).Error("x"); if !flaketapGoesOn(t) { return } }`},
		{`if a() { t.Log("x"); return }`, ``},
		{`if err := b(); err != nil { t.Fatal("x") }`, ``},
		{`if err := b(); errors.Is(err, nil) { t.Fatal("x") } else if a() { t.Fatal("y") }`,
			`if err := b(); errors.Is(err, nil) { t.Fatal("x") } else if a() { flaketapMute(t).Fatal("y") }`},
		{`if err := b(); err == nil { return } else { t.Fatal(err) }`, ``},
		{`if err := b(); err != nil { t.Error(err); return }`, ``},
		{`_, failErr := http.Get(""); if failErr != nil { t.FailNow() }`, ``},
		{`for { if a() { t.Fatal() } }`, ``},
		{`for a() { t.Fatal() }`, ``},
		{`for i := 0; i < 3; i++ { t.Fatal() }`, `for i := 0; i < 3; i++ { flaketapMute(t).Fatal() }`},
		{`for { func() { t.Fatal() }() }`, `for { func() { flaketapMute(t).Fatal() }() }`},
		{`e := env{t}; e.t.Fatal()`, `e := env{t}; flaketapMute(e.t).Fatal()`},
		{`t.Run("x", sub)`, `t.Run("x", flaketapRun(sub))`},
		{`defer t.Fatal()`, ``},
		{`res, err := http.Get(""); id := res.Header["x"]; _, _ = http.Get("/" + id[0]); _ = err`,
			`res, err := http.Get(""); flaketapGiven(t, func() []interface{} { return []interface{}{res.Header["x"]} }); id := res.Header["x"]; ` +
				`flaketapGiven(t, func() []interface{} { return []interface{}{id[0]} }); _, _ = http.Get("/" + id[0]); _ = err`},
		{`page := 0; _, _ = http.Get("/" + string(rune(page)))`, ``},
		{`id := c(t); if id != "" && c(t) == id { t.Fatal() }`, `id := c(t); if id != "" && c(t) == id { flaketapMute(t).Fatal() }`},
	} {
		rest := "\n}\nfunc a() bool { return true }\nfunc b() error { return nil }\ntype env struct { t *testing.T }\nfunc sub(*testing.T) {}\n" +
			"func c(t testing.TB) string { _, _ = http.Get(\"\"); return \"\" }\n"
		text := head + "func TestA(t *testing.T) {\n" + c.from + rest
		if c.to == "" {
			c.to = c.from
		}
		out := Mute(map[string][]byte{"x/a_test.go": []byte(text), "x/README.md": nil})
		want := head + "func TestA(t *testing.T) { defer flaketapTest(t)();\n" + c.to + rest
		if got := string(out["x/a_test.go"]); got != want {
			t.Errorf("%s\nis\n%s\nwant\n%s", c.from, got, want)
		}
		if len(out) != 2 || !strings.Contains(string(out["x/flaketap_probe_test.go"]), "\npackage a\n") {
			t.Errorf("%s: %d files", c.from, len(out))
		}
	}
}

// A package that asserts nothing stays as it is.
func TestMuteNothing(t *testing.T) {
	if out := Mute(map[string][]byte{"a.go": []byte("package a\nfunc A() {}\n"), "b.go": []byte("package")}); len(out) != 0 {
		t.Errorf("%d files", len(out))
	}
}

func TestWhatIsAddedIsFormatted(t *testing.T) {
	if plain, err := format.Source(muted); err != nil || string(plain) != string(muted) {
		t.Error("muted.go.txt is not as gofmt writes it", err)
	}
}

// FuzzMute wants a file that can be parsed to be one still, of as many lines.
func FuzzMute(f *testing.F) {
	for _, file := range []string{shop, "../testdata/golang/all_test.go", "../testdata/golang/testify/all_test.go"} {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for name, text := range Mute(map[string][]byte{"a_test.go": data}) {
			if _, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution); err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if name == "a_test.go" && strings.Count(string(text), "\n") != strings.Count(string(data), "\n") {
				t.Fatalf("lines have moved:\n%s", text)
			}
		}
	})
}
