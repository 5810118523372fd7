package explicit

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/waits/oracle"
)

var update = flag.Bool("update", false, "write the golden files anew")

func css(value string) oracle.Locator { return oracle.Locator{Using: "css selector", Value: value} }

// early is a command that one run that passed answered too early at first.
func early(source string, c oracle.Command, first oracle.Answer) oracle.Command {
	c.Browser, c.Source, c.First = 1, source, first
	if c.Kind == "" {
		c.Kind = oracle.Reads
	}
	c.Later = []oracle.Answer{c.Given}
	if c.Does == "" {
		c.Does = fmt.Sprint(c.Reads, c.Found, c.By)
	}
	return c
}

func text(source, given string, found ...oracle.Locator) oracle.Command {
	return early(source, oracle.Command{Reads: "text", Found: found, Given: oracle.Answer{Value: given}}, oracle.Answer{Value: `""`})
}

// learned is a model of one run that passed.
func learned(commands ...oracle.Command) *oracle.Model {
	click := oracle.Command{Browser: 1, Kind: oracle.Acts, Does: "click"}
	return oracle.Learn(&oracle.Session{Runs: []oracle.Run{{Commands: append([]oracle.Command{click}, commands...)}}})
}

// commandsOf are the commands of the files in testdata, whose lines end with what comes of them: "// text "23" of
// #age".
func commandsOf(name, source string) (commands []oracle.Command) {
	for i, line := range strings.Split(source, "\n") {
		code, said, ok := strings.Cut(line, "@@ ")
		if !ok {
			continue
		}
		column := len(code) - len(strings.TrimLeft(code, " ")) + 1
		if await := strings.Index(code, "await"); await > 0 {
			column = await + 1
		}
		at := fmt.Sprintf("%s:%d:%d", name, i+1, column)
		words := strings.Split(said, " | ")
		var found []oracle.Locator
		for _, w := range words[2:] {
			switch {
			case w == "shadow":
				found = append(found, oracle.Locator{Using: "shadow"})
			case strings.HasPrefix(w, "nth "):
				l := css(w[6:])
				l.Nth = int(w[4] - '0')
				found = append(found, l)
			case strings.HasPrefix(w, "//"):
				found = append(found, oracle.Locator{Using: "xpath", Value: w})
			default:
				found = append(found, css(w))
			}
		}
		switch words[0] {
		case "find":
			c := oracle.Command{By: found[len(found)-1], Found: found[:len(found)-1], Given: oracle.Answer{Value: `"an element"`}}
			commands = append(commands, early(at, c, oracle.Answer{Error: "no such element"}))
		case "find all":
			c := oracle.Command{By: found[len(found)-1], Found: found[:len(found)-1], Given: oracle.Answer{Value: words[1]}, Does: "find all" + fmt.Sprint(found)}
			commands = append(commands, early(at, c, oracle.Answer{Value: "0"}))
		case "click":
			c := oracle.Command{Kind: oracle.Acts, Found: found, Given: oracle.Answer{Value: "null"}}
			commands = append(commands, early(at, c, oracle.Answer{Error: "element not interactable"}))
		case "after":
			commands = append(commands, oracle.Command{Browser: 1, Kind: oracle.Acts, Source: at, Does: said, Found: found, Given: oracle.Answer{Value: "null"}})
		case "root":
			commands = append(commands, oracle.Command{Browser: 1, Kind: oracle.Reads, Source: at, Does: "find root", By: css("#x"), Given: oracle.Answer{Value: "1"}, First: oracle.Answer{Value: "1"}})
		default:
			commands = append(commands, early(at, oracle.Command{Reads: words[0], Found: found, Given: oracle.Answer{Value: words[1]}}, oracle.Answer{Value: `"before"`}))
		}
	}
	return commands
}

// playwrightCommands are those of files whose lines end with the method that sends one, what that is answered, and how its
// element is found: "// textContent | "23" | locator('#age')", with = before what a locator of the suite's own finds. Of
// what is there for a while only it is followed by what there is before and after, and on the way.
func playwrightCommands(name, source string) (commands []oracle.Command) {
	reads := map[string]string{"getAttribute": "attribute title", "title": "title", "toHaveText": "state"}
	for i, line := range strings.Split(source, "\n") {
		code, said, ok := strings.Cut(strings.TrimSuffix(line, "\r"), "@@ ")
		if !ok {
			continue
		}
		words := strings.Split(said, " | ")
		method := words[0] + "("
		if words[0] == "after" {
			method = "click("
		}
		at := fmt.Sprintf("%s:%d:%d", name, i+1, max(strings.LastIndex(code, method), strings.LastIndex(code, "await"))+1)
		l := oracle.Locator{Using: "playwright", Value: words[2]}
		if own, ok := strings.CutPrefix(l.Value, "="); ok {
			l = oracle.Locator{Using: "playwright locator", Value: own}
		}
		c := oracle.Command{Reads: "text", Found: []oracle.Locator{l}, Given: oracle.Answer{Value: words[1]}, Does: said}
		switch {
		case words[0] == "-" || words[0] == "after":
			commands = append(commands, oracle.Command{Browser: 1, Kind: oracle.Acts, Source: at, Does: said, Found: c.Found})
			continue
		case words[0] == "$":
			c.Reads, c.Found, c.By = "", nil, l
		case words[2] == "-":
			c.Found = nil
		case words[2] == "handle":
			c.Found[0].Using = "playwright handle"
		}
		if what := reads[words[0]]; what != "" {
			c.Reads = what
		}
		c = early(at, c, oracle.Answer{Value: `"before"`})
		if len(words) > 3 { // it passes
			c.First, c.Later = oracle.Answer{Value: words[3]}, nil
			for _, step := range append(words[4:], words[1], words[3]) {
				c.Later = append(c.Later, oracle.Answer{Value: step})
			}
		}
		commands = append(commands, c)
	}
	return commands
}

// withStates has actions of a model wait for what the files in testdata say: "// after | #age text 23; #list children 2".
func withStates(m *oracle.Model) *oracle.Model {
	for _, w := range m.Waits() {
		words := strings.Split(w.Does, " | ")
		if words[0] != "after" {
			continue
		}
		for change := range strings.SplitSeq(words[1], "; ") {
			i := max(strings.Index(change, " text "), strings.Index(change, " children "), strings.Index(change, " value "),
				strings.Index(change, " checked "), strings.Index(change, " @"))
			property, is, _ := strings.Cut(change[i+1:], " ")
			w.After = append(w.After, oracle.Mutation{Element: change[:i], Property: property, New: is})
		}
	}
	return m
}

// Each file of testdata is patched as its golden file has it; patched twice it is patched once; and without its
// waits it is what it was, byte for byte.
func TestGolden(t *testing.T) {
	for name, commands := range map[string]func(name, source string) []oracle.Command{"suite.js": commandsOf, "webdriverio.js": commandsOf,
		"test_suite.py": commandsOf, "PagesTest.java": commandsOf, "pages.test.js": playwrightCommands, "pages.spec.ts": playwrightCommands} {
		source, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		m := withStates(learned(commands("e2e/"+name, string(source))...))
		r := Patch("/home/ada/shop/e2e/"+name, source, m, Options{})
		var b strings.Builder
		b.Write(r.Data)
		for _, l := range r.Left {
			fmt.Fprintf(&b, "%d: %s\n", l.Line, l.Reason)
		}
		golden := filepath.Join("testdata", name+".golden")
		if *update {
			if err := os.WriteFile(golden, []byte(b.String()), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), b.String()); diff != "" {
			t.Error(diff)
		}
		if again := Patch("e2e/"+name, r.Data, m, Options{}); string(again.Data) != string(r.Data) || again.Written != r.Written {
			t.Errorf("%s: patched twice:\n%s", name, cmp.Diff(string(r.Data), string(again.Data)))
		}
		if back, had := withoutWaits(string(r.Data)); back != string(source) || !had {
			t.Errorf("%s: something else has changed:\n%s", name, cmp.Diff(string(source), back))
		}
		windows := strings.ReplaceAll(string(source), "\n", "\r\n")
		if r := Patch("e2e/"+name, []byte(windows), m, Options{}); strings.Count(string(r.Data), "\n") != strings.Count(string(r.Data), "\r\n") {
			t.Errorf("%s: the ends of lines are mixed", name)
		}
	}
}

// A place of the suite that reads another thing each time, or one of another file, gets no wait; nor does what is
// never early.
func TestWhatIsLeft(t *testing.T) {
	const source = "async function age() {\n  return await driver.findElement(By.id('age')).getText();\n}\n"
	root := oracle.Command{Browser: 1, Kind: oracle.Reads, Source: "a.js:2:3", Does: "find", By: css("#age"), Given: oracle.Answer{Value: "1"}, First: oracle.Answer{Value: "1"}}
	never := text("a.js:2:3", `"23"`, css("#age"))
	never.First, never.Later = never.Given, nil
	for _, tt := range []struct {
		name     string
		commands []oracle.Command
		written  int
		left     string
	}{
		{"one", []oracle.Command{root, text("a.js:2:3", `"23"`, css("#age"))}, 1, ""},
		{"the same twice", []oracle.Command{root, text("a.js:2:3", `"23"`, css("#age")), text("a.js:2:3", `"23"`, css("#age"))}, 1, ""},
		{"an element and its text", []oracle.Command{root, early("a.js:2:3", oracle.Command{By: css("#age"),
			Given: oracle.Answer{Value: `"an element"`}}, oracle.Answer{Error: "no such element"}), text("a.js:2:3", `"23"`, css("#age"))}, 1, ""},
		{"another thing each time", []oracle.Command{root, text("a.js:2:3", `"23"`, css("#age")), text("a.js:2:3", `"42"`, css("#age"))}, 0, "another thing each time"},
		{"another file", []oracle.Command{root, text("ba.js:2:3", `"23"`, css("#age"))}, 0, ""},
		{"never early", []oracle.Command{root, never}, 0, ""},
		{"a line that is not there", []oracle.Command{root, text("a.js:9:3", `"23"`, css("#other"))}, 0, "has changed"},
		{"no driver", []oracle.Command{text("a.js:2:3", `"23"`, css("#age"))}, 0, "no driver"},
		{"an element that goes away", []oracle.Command{root, early("a.js:2:3", oracle.Command{By: css("#old"),
			Given: oracle.Answer{Error: "no such element"}}, oracle.Answer{Value: `"an element"`})}, 0, "cannot be read"},
		{"an unknown way to find", []oracle.Command{root, text("a.js:2:3", `"23"`, oracle.Locator{Using: "image", Value: "x"})}, 0, "cannot be read"},
		{"a number that is none", []oracle.Command{root, early("a.js:2:3", oracle.Command{By: css("li"), Does: "find all",
			Given: oracle.Answer{Value: "1; process.exit()"}}, oracle.Answer{Value: "0"})}, 0, "cannot be read"},
		{"many parts", []oracle.Command{root, text("a.js:2:3", `{"x":1}`, css("#age"))}, 0, "many parts"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := Patch("a.js", []byte(source), learned(tt.commands...), Options{})
			if r.Written != tt.written || (len(r.Left) > 0) != (tt.left != "") || tt.left != "" && !strings.Contains(r.Left[0].Reason, tt.left) {
				t.Errorf("%d written, left %v", r.Written, r.Left)
			}
			if tt.written == 0 && string(r.Data) != source {
				t.Errorf("it has changed:\n%s", r.Data)
			}
		})
	}
	if !Readable("a.spec.ts") || Readable("a.txt") || !Readable("x/a.mjs") || !Readable("test_a.py") {
		t.Error("other files are read")
	}
	if r := Patch("a.ts", []byte(source), learned(root, text("a.ts:2:3", `"23"`, css("#age"))), Options{}); len(r.Left) != 1 || r.Left[0].Reason != errTyped.Error() {
		t.Errorf("TypeScript with Selenium: %v", r.Left)
	}
}

// A file that looks for no elements by itself, as where page objects do, gets waits where its runner gives it the names
// for these.
func TestGlobals(t *testing.T) {
	const source = "it('x', async () => {\n  equal(await page.age.getText(), '23');\n});\n"
	read := text("a.js:2:9", `"23"`, css("#age"))
	if r := Patch("a.js", []byte(source), learned(read), Options{}); r.Written != 0 || string(r.Data) != source {
		t.Errorf("without the names:\n%s", r.Data)
	}
	read.Globals = true
	if r := Patch("a.js", []byte(source), learned(read), Options{}); !strings.Contains(string(r.Data), `await browser.waitUntil(() => $("#age").getText()`) {
		t.Errorf("with them:\n%s", r.Data)
	}
}

// Waits belong into the text that was recorded: in another one other lines stand in their places. What no wait is
// known of is left as it is, with the waits that an earlier patch wrote.
func TestOtherTextThanRecorded(t *testing.T) {
	const source = "async function age() {\n  return await driver.findElement(By.id('age')).getText();\n}\n"
	root := oracle.Command{Browser: 1, Kind: oracle.Reads, Source: "a.js:2:3", Does: "find", By: css("#age"), Given: oracle.Answer{Value: "1"}, First: oracle.Answer{Value: "1"}}
	model := func(file, recorded string) *oracle.Model {
		s := &oracle.Session{Runs: []oracle.Run{{Commands: []oracle.Command{root, text("a.js:2:3", `"23"`, css("#age"))}}}}
		for i := range s.Runs[0].Commands {
			s.Runs[0].Commands[i].Source = file + ":2:3"
		}
		s.See(&s.Runs[0], func(string) ([]byte, error) { return []byte(recorded), nil })
		return oracle.Learn(s)
	}
	patched := string(Patch("a.js", []byte(source), model("a.js", source), Options{}).Data)
	for _, tt := range []struct {
		name, text string
		model      *oracle.Model
		want, left string
	}{
		{"as recorded", source, model("a.js", source), patched, ""},
		{"patched before", patched, model("a.js", source), patched, ""},
		{"moved to a line with another function", "//\n  log(await now());\n" + source, model("a.js", source), "", "has changed"},
		{"patched, and changed behind it", patched + "//\n", model("a.js", source), "", "has changed"},
		{"recorded with waits", patched, model("a.js", patched), "", "without them"},
		{"not recorded", patched, model("b.js", source), "", ""},
	} {
		r := Patch("a.js", []byte(tt.text), tt.model, Options{})
		if tt.want == "" {
			tt.want = tt.text
		}
		reason := ""
		if len(r.Left) > 0 {
			reason = r.Left[0].Reason
		}
		if string(r.Data) != tt.want || (reason == "") != (tt.left == "") || !strings.Contains(reason, tt.left) {
			t.Errorf("%s: left %v\n%s", tt.name, r.Left, cmp.Diff(tt.want, string(r.Data)))
		}
	}
}

// Waits in Java name classes as the file may: imported, by what it imports of whole packages, or with their packages.
func TestJavaNames(t *testing.T) {
	const class = "class A {\n  void a() throws Exception {\n    driver.findElement(By.id(\"age\")).getText();\n  }\n}\n"
	for _, tt := range []struct{ name, head, has, lacks string }{
		{"no imports", "", "import java.time.Duration; // flaketap: for its waits\n", "org.openqa.selenium.TimeoutException notReady"},
		{"a class of another package", "package a;\nimport java.util.concurrent.TimeoutException;\n", "catch (org.openqa.selenium.TimeoutException notReady) {}",
			"import org.openqa.selenium.TimeoutException;"},
		{"a whole package", "package a;\n\nimport org.openqa.selenium.*;\n", "new WebDriverWait(driver, Duration.of", "org.openqa.selenium.By."},
		{"a class of the same package", "package a;\n\n// x\nimport static x.Y.*;\n\nclass Own { Duration own; }\n", "java.time.Duration.ofSeconds(2)", "import java.time.Duration;"},
		{"behind static imports", "package a;\nimport static x.Y.*;\n", "import static x.Y.*;\nimport java.time.Duration; //", "qqq"},
		{"a package alone", "package a;\n", "package a;\nimport java.time.Duration; //", "qqq"},
	} {
		source := tt.head + class
		at := fmt.Sprintf("A.java:%d:0", strings.Count(tt.head, "\n")+3)
		root := oracle.Command{Browser: 1, Kind: oracle.Reads, Source: at, Does: "find", By: css("#age"), Given: oracle.Answer{Value: "1"}, First: oracle.Answer{Value: "1"}}
		r := Patch("A.java", []byte(source), learned(root, text(at, `"23"`, css("#age"))), Options{})
		if r.Written != 1 || !strings.Contains(string(r.Data), tt.has) || strings.Contains(string(r.Data), tt.lacks) {
			t.Errorf("%s: left %v\n%s", tt.name, r.Left, r.Data)
		}
	}
}

// Whatever a file holds and wherever waits belong, nothing panics, and all but the waits stays.
func FuzzPatch(f *testing.F) {
	for _, name := range []string{"suite.js", "webdriverio.js", "test_suite.py", "PagesTest.java"} {
		source, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(source), name, 12, 5)
	}
	f.Add("await driver.findElement(x).getText()", "a.js", 1, 1)
	f.Fuzz(func(t *testing.T, source, name string, line, column int) {
		if !Readable(name) || strings.ContainsAny(name, ":/") {
			return
		}
		at := fmt.Sprintf("%s:%d:%d", name, line, column)
		root := oracle.Command{Browser: 1, Kind: oracle.Reads, Source: at, Does: "find", By: css("#age"), Given: oracle.Answer{Value: "1"}, First: oracle.Answer{Value: "1"}}
		m := learned(root, text(at, `"23"`, css("#age")))
		r := Patch(name, []byte(source), m, Options{})
		bare, _ := withoutWaits(source)
		if back, _ := withoutWaits(string(r.Data)); back != bare {
			t.Errorf("%q became %q", source, r.Data)
		}
		if again := Patch(name, r.Data, m, Options{}); string(again.Data) != string(r.Data) {
			t.Errorf("%q is patched again to %q", r.Data, again.Data)
		}
	})
}

// Playwright looks often until what is waited for has come in the middle, in a wait of its own where one that is long
// enough would look too seldom.
func TestPlaywrightLooksOften(t *testing.T) {
	const toast = `toast.nth(0).waitFor({ state: "attached", timeout: %d })`
	for _, c := range []struct {
		median, longest time.Duration
		want            string
	}{
		{300 * time.Millisecond, 300 * time.Millisecond, fmt.Sprintf(toast, 2000)},
		{300 * time.Millisecond, 480 * time.Millisecond, fmt.Sprintf(toast, 2400)},
		{300 * time.Millisecond, 500 * time.Millisecond, fmt.Sprintf(toast+".catch(() => "+toast+")", 2400, 100)},
		{2 * time.Second, 3 * time.Second, fmt.Sprintf(toast+".catch(() => "+toast+")", 2400, 12600)},
		{2500 * time.Millisecond, 3 * time.Second, fmt.Sprintf(toast, 15000)},
	} {
		w := &oracle.Wait{Command: &oracle.Command{}, Rest: &oracle.Answer{Value: "[]"}, Answer: oracle.Answer{Value: `["Saved"]`}}
		w.Times.Median, w.Times.Longest = c.median, c.longest
		got, err := new(playwright).inTwo(call{method: "allTextContents", locator: "toast"}, w)
		if got != c.want || err != nil {
			t.Errorf("%s in the middle, %s at most:\n got %s, %v\nwant %s", c.median, c.longest, got, err, c.want)
		}
	}
}

// A wait looks each tenth of the time that it takes in the middle, within what a browser bears and a toast lasts; in
// each language.
func TestWaitsLookInTime(t *testing.T) {
	for median, want := range map[time.Duration]time.Duration{
		0:                        20 * time.Millisecond,
		190 * time.Millisecond:   20 * time.Millisecond,
		312 * time.Millisecond:   30 * time.Millisecond,
		500 * time.Millisecond:   50 * time.Millisecond,
		1200 * time.Millisecond:  50 * time.Millisecond,
		60000 * time.Millisecond: 50 * time.Millisecond,
	} {
		w := &oracle.Wait{}
		w.Times.Median = median
		if got := interval(w); got != want {
			t.Errorf("%s in the middle: it looks each %s, want %s", median, got, want)
		}
	}
	for name, looks := range map[string]string{
		"suite.js":       ", 2000, undefined, 30)",
		"webdriverio.js": "{ timeout: 2000, interval: 30 }",
		"test_suite.py":  "WebDriverWait(driver, 2, 0.03, [",
		"PagesTest.java": "Duration.ofSeconds(2), Duration.ofMillis(30))",
		"pages.spec.ts":  "{ timeout: 2000, intervals: [30] }",
	} {
		source, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		commands := commandsOf(name, string(source))
		if name == "pages.spec.ts" {
			commands = playwrightCommands(name, string(source))
		}
		m := learned(commands...)
		for _, w := range m.Waits() {
			w.Times.Median = 312 * time.Millisecond
		}
		if r := Patch(name, source, m, Options{}); !strings.Contains(string(r.Data), looks) {
			t.Errorf("%s: no wait has %q", name, looks)
		}
	}
}

// Waits of earlier versions, which looked at other times, give way to those of this one.
func TestEarlierWaitsGiveWay(t *testing.T) {
	for _, tt := range []struct{ name, bare, earlier string }{
		{"a.js", "x(await driver.findElement(By.id('age')).getText());\n",
			"await driver.wait(() => driver.findElement(By.id(\"age\")).getText().then((is) => is === \"23\", () => false), 2000).catch(() => {});\n"},
		{"wdio.js", "x(await browser.$('#age').getText());\n",
			"await browser.waitUntil(() => browser.$(\"#age\").getText().then((is) => is === \"23\", () => false), { timeout: 2000, interval: 200 }).catch(() => {});\n"},
		{"a.py", "x(driver.find_element(By.ID, 'age').text)\n",
			"with suppress(TimeoutException):\n    WebDriverWait(driver, 2, 0.2, [WebDriverException]).until(lambda d: d.find_element(By.ID, \"age\").text == \"23\")\n"},
	} {
		comment := "// "
		if filepath.Ext(tt.name) == ".py" {
			comment = "# "
		}
		earlier := comment + "flaketap: ready 312ms after the action before it, 340ms at most, in 5 runs\n" + tt.earlier + tt.bare
		at := tt.name + ":1:3"
		root := oracle.Command{Browser: 1, Kind: oracle.Reads, Source: at, Does: "find", By: css("#age"), Given: oracle.Answer{Value: "1"}, First: oracle.Answer{Value: "1"}}
		m := learned(root, text(at, `"23"`, css("#age")))
		want, got := Patch(tt.name, []byte(tt.bare), m, Options{}), Patch(tt.name, []byte(earlier), m, Options{})
		if want.Written != 1 || string(got.Data) != string(want.Data) {
			t.Errorf("%s: %d written, left %v\n%s", tt.name, want.Written, want.Left, cmp.Diff(string(want.Data), string(got.Data)))
		}
	}
}
