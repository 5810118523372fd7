package suite

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/script"
)

// jvmFixture is the suite of one session, in Java or in Kotlin.
type jvmFixture struct {
	name  string
	files []string
	src   Source // of the session, what the suite's calls were found in
}

// jvmFixtures returns the real material where it is there, else the cut-down copy that the repository holds.
func jvmFixtures(t testing.TB) []jvmFixture {
	t.Helper()
	var out []jvmFixture
	dirs, _ := filepath.Glob(filepath.Join("..", "..", "shared", "fixtures", "*", "java"))
	more, _ := filepath.Glob(filepath.Join("..", "..", "shared", "fixtures", "*", "kotlin"))
	dirs = append(dirs, more...)
	if len(dirs) == 0 {
		dirs, _ = filepath.Glob(filepath.Join("testdata", "evomaster", "news", "[jk]*"))
	}
	for _, dir := range dirs {
		f := jvmFixture{name: filepath.Base(filepath.Dir(dir)) + "/" + filepath.Base(dir)}
		for _, ext := range []string{"*.java", "*.kt"} {
			files, _ := filepath.Glob(filepath.Join(dir, ext))
			f.files = append(f.files, files...)
		}
		if len(f.files) == 0 {
			continue
		}
		session := source(t, []string{filepath.Join(dir, "session.har.gz")})
		session.Session = true
		found := map[uint64]bool{}
		for _, file := range f.files {
			s, err := Read(file, read(t, file))
			if err != nil {
				t.Fatal(err)
			}
			matched, _ := matchCalls(s, session)
			for _, step := range matched {
				found[step.Exchange.Seq] = true
			}
		}
		f.src.Session = true
		f.src.Steps = slices.DeleteFunc(session.Steps, func(s exchange.Step) bool { return !found[s.Exchange.Seq] })
		out = append(out, f)
	}
	if len(out) < 2 {
		t.Fatalf("%d suites of the JVM", len(out))
	}
	return out
}

// TestJVMRealSuites reads and patches every real suite of the JVM, against its session and what is unlike it.
func TestJVMRealSuites(t *testing.T) {
	for _, f := range jvmFixtures(t) {
		for _, file := range f.files {
			data, src := read(t, file), disturbed(f.src)
			name := f.name + "/" + filepath.Base(file)
			t.Run(name+"/understood", func(t *testing.T) { jvmUnderstood(t, file, data) })
			t.Run(name+"/as it was", func(t *testing.T) {
				if p, err := Patch(file, data, f.src, PatchOptions{}); err != nil || len(p.Changes) > 0 {
					t.Errorf("%d changes by the session alone (%v)", len(p.Changes), err)
				}
			})
			t.Run(name+"/holds", func(t *testing.T) { jvmHolds(t, file, data, src) })
			t.Run(name+"/line ends", func(t *testing.T) { jvmKeepsLineEnds(t, file, data, src) })
		}
	}
}

// assertingLines lists the lines of a suite that assert, as they look: the links behind .then(), and assertTrue.
func assertingLines(data []byte) []int {
	var out []int
	answered := false
	for i, line := range strings.Split(string(data), "\n") {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "given()"), strings.Contains(line, "= given()"):
			answered = false
		case line == ".then()":
			answered = true
		case strings.HasPrefix(line, "assertTrue("), answered && strings.HasPrefix(line, ".") && !strings.HasPrefix(line, ".assertThat()"):
			out = append(out, i+1)
		}
	}
	return out
}

func jvmUnderstood(t *testing.T, file string, data []byte) {
	s, err := Read(file, data)
	if err != nil {
		t.Fatal(err)
	}
	var got []int
	for _, test := range s.Tests {
		for _, a := range test.Assertions {
			got = append(got, a.Line)
			if !a.Understood() || a.Relation == "" || a.Place == "" || a.Meaning == nil {
				t.Errorf("%s:%d: %s: %q: %+v", file, a.Line, a.Text, a.Reason, a.Claim)
			}
		}
		for _, c := range test.Calls {
			if c.TargetAt.End == 0 && c.Location == "" || c.Body != "" && c.BodyAt.End == 0 || test.BodyStart == 0 || test.BodyEnd <= test.BodyStart {
				t.Errorf("%s: %s %s: where it stands is not known: %+v", test.Name, c.Method, c.Target, c)
			}
		}
	}
	if diff := cmp.Diff(assertingLines(data), got); diff != "" {
		t.Errorf("assertions by line (-want +got):\n%s", diff)
	}
	if tests := bytes.Count(data, []byte("@Test @Timeout(60)")); tests != len(s.Tests) {
		t.Errorf("%d tests, not %d", len(s.Tests), tests)
	}
}

// disturbed adds to each step of a session two observations that are unlike it: an error page, and other values.
func disturbed(src Source) Source {
	out := Source{Session: src.Session}
	other := strings.NewReplacer(`":"`, `":"un`, `":1`, `":91`, `true`, `null`, "[]", "[7]", "[{", "[{},{")
	for _, s := range src.Steps {
		body := ""
		if s.Exchange.Response != nil {
			payload, _ := s.Exchange.Response.Payload()
			body = other.Replace(string(payload))
		}
		page := reply(404, "Content-Type: text/html\r\n", "<html></html>")
		s.Observations = []*exchange.Observation{{Run: 1, Seq: s.Exchange.Seq, Response: page}}
		if r := s.Exchange.Response; r != nil {
			s.Observations = append(s.Observations, &exchange.Observation{Run: 2, Seq: s.Exchange.Seq,
				Response: reply(r.Status, "Content-Type: "+r.Header.Get("Content-Type")+"\r\n", body)})
		}
		out.Steps = append(out.Steps, s)
	}
	return out
}

func jvmHolds(t *testing.T, file string, data []byte, src Source) {
	for _, mode := range []Mode{Relax, Comment} {
		p, err := Patch(file, data, src, PatchOptions{Mode: mode})
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Changes) < p.Matched {
			t.Errorf("%s: %d changes for %d calls", mode, len(p.Changes), p.Matched)
		}
		jvmOnlyChanged(t, data, p)
		again, err := Patch(file, p.Data, src, PatchOptions{Mode: mode})
		if err != nil || !bytes.Equal(again.Data, p.Data) {
			t.Fatalf("%s: a second patch changes the file: %v\n%s", mode, err, cmp.Diff(string(p.Data), string(again.Data)))
		}
		s, err := Read(file, p.Data)
		if err != nil {
			t.Fatal(err)
		}
		matched, _ := matchCalls(s, src)
		for _, test := range s.Tests {
			for _, a := range test.Assertions {
				for run := 0; run < 3 && a.Meaning != nil && a.Ours; run++ {
					if ok, err := scopeOf(test, matched, run).Holds(a.Meaning); err == nil && !ok {
						t.Errorf("%s:%d fails in run %d: %s", file, a.Line, run, a.Text)
					}
				}
			}
		}
	}
}

// jvmOnlyChanged checks that a patched file is the original but for the lines that its changes are about, and new lines.
func jvmOnlyChanged(t *testing.T, data []byte, p Patched) {
	t.Helper()
	changed := map[int]bool{}
	for _, c := range p.Changes {
		changed[c.Line] = true
	}
	rest := script.SplitLines(string(p.Data))
	for i, line := range script.SplitLines(string(data)) {
		at := slices.Index(rest, line)
		if changed[i+1] {
			continue
		}
		if at < 0 {
			t.Errorf("line %d is gone: %q", i+1, line)
			return
		}
		for _, extra := range rest[:at] {
			text := strings.TrimSpace(extra)
			if !strings.HasPrefix(text, "// ") && !strings.HasPrefix(text, "; // ") && !strings.HasPrefix(text, ".") {
				t.Errorf("before line %d: a line that was not there: %q", i+1, extra)
			}
		}
		rest = rest[at+1:]
	}
}

func jvmKeepsLineEnds(t *testing.T, file string, data []byte, src Source) {
	plain, err := Patch(file, data, src, PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for name, variant := range map[string]func([]byte) []byte{
		"CRLF":          func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")) },
		"BOM":           func(b []byte) []byte { return append([]byte("\xef\xbb\xbf"), b...) },
		"no final line": func(b []byte) []byte { return bytes.TrimSuffix(b, []byte("\n")) },
	} {
		p, err := Patch(file, variant(data), src, PatchOptions{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(string(variant(plain.Data)), string(p.Data)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	exact, err := Patch(file, data, src, PatchOptions{Mode: Exact})
	if err != nil || !bytes.Equal(exact.Data, data) {
		t.Errorf("mode exact changes the file (%v)", err)
	}
}

// TestJVMDisabled pins how links and statements are commented out: FlakyCatch's style, in which what ends the statement
// stays.
func TestJVMDisabled(t *testing.T) {
	src := Source{Steps: []exchange.Step{stepOf(1, "/x0", []*exchange.Response{reply(200, "Location: /a\r\n", "x"), reply(204, "Location: /a b%zz\r\n", "")})}}
	lines := []string{".statusCode(200)", ".assertThat()", ".body(containsString(\"x\"))", "String location_a = res_0.extract().header(\"location\");", "assertTrue(isValidURIorEmpty(location_a));"}
	p, err := Patch("T.java", []byte(jvmSuiteOf(false, lines)), src, PatchOptions{Mode: Comment})
	if err != nil {
		t.Fatal(err)
	}
	want := `                .then()
                // Flaky Status Code: 200 vs. 204
                // .statusCode(200)
                .assertThat()
                // Flaky response in plain text: "x" vs. ""
                ; // .body(containsString("x"))
        String location_a = res_0.extract().header("location");
        // Flaky header location: `
	if !strings.Contains(string(p.Data), want) || !strings.Contains(string(p.Data), "\n        // assertTrue(isValidURIorEmpty(location_a));\n") {
		t.Errorf("got\n%s\nwant\n%s", p.Data, want)
	}
	inline := strings.Replace(jvmSuiteOf(false, []string{".statusCode(200)"}), "\n                .statusCode(200);", ".statusCode(200).body(containsString(\"x\"));", 1)
	for _, mode := range []Mode{Relax, Comment} {
		if p, err = Patch("T.java", []byte(inline), src, PatchOptions{Mode: mode}); err != nil {
			t.Fatal(err)
		}
		if _, err := Read("T.java", p.Data); err != nil {
			t.Errorf("links on one line: %v\n%s", err, p.Data)
		}
	}
	if !strings.Contains(string(p.Data), "/* .statusCode(200) */") {
		t.Errorf("a link that shares its line:\n%s", p.Data)
	}
}

func TestJVMSlips(t *testing.T) {
	tests := []struct {
		name   string
		kotlin bool
		line   string
		want   string // "" where the file is refused
	}{
		{"quote", false, `.body("'a"b'.'c'", containsString("x"))`, `.body("'a\"b'.'c'", containsString("x"))`},
		{"quote in Kotlin", true, `.body("'a"b'[0].'c'.size()", equalTo(1))`, `.body("'a\"b'[0].'c'.size()", equalTo(1))`},
		{"apostrophe", false, `.body("'it's'.'c'", containsString("x"))`, `.body("'it\\'s'.'c'", containsString("x"))`},
		{"backslash that is no escape", false, `.body("'a\d'", containsString("x"))`, `.body("'a\\\\d'", containsString("x"))`},
		{"backslash of the path", true, `.body("'a\\d'.size()", equalTo(1))`, `.body("'a\\\\d'.size()", equalTo(1))`},
		{"a choice of ends", false, `.body("'a"b'", containsString("x'", containsString("y"))`, ""},
		{"a quote elsewhere", false, `.body(containsString("a"b"))`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := jvmSuiteOf(tt.kotlin, []string{".statusCode(200)", tt.line})
			p, err := Patch(jvmFile(tt.kotlin), []byte(text), Source{}, PatchOptions{})
			var e *script.SyntaxError
			if tt.want == "" {
				if !errors.As(err, &e) || e.Line == 0 {
					t.Errorf("err = %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			comment := "                // flaketap: "
			_, after, _ := strings.Cut(string(p.Data), comment)
			_, after, _ = strings.Cut(after, "\n")
			if got, _, _ := strings.Cut(strings.TrimSpace(after), "\n"); strings.TrimSuffix(got, ";") != tt.want {
				t.Errorf("got %s\nwant %s", got, tt.want)
			}
			again, err := Patch(jvmFile(tt.kotlin), p.Data, Source{}, PatchOptions{})
			if err != nil || !bytes.Equal(again.Data, p.Data) {
				t.Errorf("a second patch changes the file: %v", err)
			}
		})
	}
}

func TestJVMSkippedAndUndefined(t *testing.T) {
	text := jvmSuiteOf(false, []string{".statusCode(200)"})
	for _, annotation := range []string{"@Disabled", "@org.junit.Ignore(\"x\")", "@Disabled(\"a\") @Timeout(value = 1)"} {
		s, err := Read("T.java", []byte(strings.Replace(text, "@Test\n", "@Test "+annotation+"\n", 1)))
		if err != nil || len(s.Tests) != 1 || !s.Tests[0].Skipped {
			t.Errorf("%s: %v", annotation, err)
		}
	}
	s, err := Read("T.java", []byte(strings.Replace(text, "public class", "@Disabled public class", 1)))
	if err != nil || !s.Tests[0].Skipped {
		t.Errorf("a class that is disabled: %v", err)
	}
	for _, kotlin := range []bool{false, true} {
		text := jvmSuiteOf(kotlin, []string{".statusCode(200)"})
		text = strings.NewReplacer(`.get(baseUrlOfSut + "/x0")`, `.get(resolveLocation(location_a, baseUrlOfSut + "/x0"))`,
			`.get("${baseUrlOfSut}/x0")`, `.get(resolveLocation(location_a, baseUrlOfSut + "/x0"))`).Replace(text)
		p, err := Patch(jvmFile(kotlin), []byte(text), Source{}, PatchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		want := "\n        String location_a = \"\";\n        ValidatableResponse res_0 ="
		if kotlin {
			want = "\n        val location_a: String? = \"\"\n        val res_0"
		}
		if !strings.Contains(string(p.Data), want) {
			t.Errorf("%q is missing in\n%s", want, p.Data)
		}
	}
	old, err := Read("T.java", []byte("import org.junit.Test;\nimport static io.restassured.RestAssured.given;\nclass T { @Test public void a() { given().get(\"/a\"); } }"))
	if err != nil {
		t.Fatal(err)
	}
	if got := old.Writer.Skip("x"); got != `@org.junit.Ignore("flaketap: x")` {
		t.Errorf("skip: %s", got)
	}
}

func TestJVMLongSuite(t *testing.T) {
	const tests = 5000
	links := []string{".statusCode(200)", ".assertThat()", ".contentType(\"application/json\")", ".body(\"'a'\", containsString(\"x\"))",
		".body(\"'b'.'c'[0]\", numberMatches(1.0))", ".body(\"'l'\", hasItems(\"a\", \"b\"))", ".body(\"'d'.size()\", equalTo(2))"}
	one := strings.TrimSuffix(strings.TrimPrefix(jvmSuiteOf(false, links), javaHead), "}\n")
	text := []byte(javaHead + strings.Repeat(one, tests) + "}\n")
	if n := bytes.Count(text, []byte("\n")); n < 50_000 {
		t.Fatalf("%d lines", n)
	}
	began := time.Now()
	s, err := Read("T.java", text)
	if err != nil || len(s.Tests) != tests || len(s.Tests[0].Assertions) != 6 {
		t.Fatalf("%v", err)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("read in %s", took)
	}
	chain := strings.Repeat("\n                .body(\"'a'\", containsString(\"x\"))", 2_000)
	deep := strings.Repeat("(", 5000) + strings.Repeat(")", 5000)
	for _, odd := range []string{chain, "\n.body(" + deep + ")", "\n.body(\"" + strings.Repeat("'a'.", 20_000) + "\", nullValue())",
		"\n.body(\"'a'\", " + strings.Repeat("anyOf(", 5000) + strings.Repeat(")", 5000) + ")", "\n.body(" + strings.Repeat("\"a\" + ", 20_000) + "\"\")"} {
		text := strings.Replace(jvmSuiteOf(false, []string{".statusCode(200)"}), "\n                .statusCode(200)", odd, 1)
		if _, err := Patch("T.java", []byte(text), Source{Steps: []exchange.Step{stepOf(1, "/x0", replies(`{"a":1}`, `{}`))}}, PatchOptions{}); err != nil {
			t.Errorf("%.40q: %v", odd, err)
		}
	}
}

func FuzzReadEvoMasterJVM(f *testing.F) {
	for _, kotlin := range []bool{false, true} {
		f.Add([]byte(jvmSuiteOf(kotlin, []string{".statusCode(200)", `.body("'a'[0]", containsString("\u00e9"))`, `.body("'it's'", anyOf(nullValue(), equalTo(1)))`})), kotlin)
		f.Add([]byte(jvmSuiteOf(kotlin, []string{`.header("content-type", r -> { if (r.statusCode() == 200) r.then().body("'a'", nullValue()); return anything(); })`})), kotlin)
	}
	src := Source{Steps: []exchange.Step{stepOf(1, "/x0", replies(`{"a":[1]}`, `[]`))}}
	f.Fuzz(func(t *testing.T, data []byte, kotlin bool) {
		p, err := Patch(jvmFile(kotlin), data, src, PatchOptions{})
		if err != nil {
			if !errors.As(err, new(*script.SyntaxError)) {
				t.Fatalf("err = %v", err)
			}
			return
		}
		again, err := Patch(jvmFile(kotlin), p.Data, src, PatchOptions{})
		if err != nil {
			t.Fatalf("a patched suite cannot be read: %v\n%q\n%q", err, data, p.Data)
		}
		if string(again.Data) != string(p.Data) {
			t.Fatalf("a second patch changes the file:\n%q\n%q\n%q", data, p.Data, again.Data)
		}
	})
}
