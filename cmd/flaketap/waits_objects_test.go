package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/needs"
)

// Page objects that share what finds elements get their waits where one command alone comes through: in the tests, or
// in the methods that read one thing. What finds all of them waits for none.
func TestRealPythonPageObjects(t *testing.T) {
	t.Parallel()
	s := late(t, "objects/test_objects.py", pytest(t)...)
	s.write("objects/page.py", read(t, filepath.Join("testdata", "browser", "objects", "page.py")))
	s.patchedPass("objects", "3 waits written", "24")
	s.waitsBefore("objects/page.py", "        return self.find(By.ID, \"toast\").text\n")
	s.waitsBefore("objects/test_objects.py", "    assert page.text(\"age\") == \"23\"\n",
		"    assert page.find(\"id\", \"age\").get_attribute(\"value\") == \"23\"\n")
}

// So do those in JavaScript.
func TestRealNodePageObjects(t *testing.T) {
	t.Parallel()
	s := late(t, "objects.test.js", needs.Program(t, "node"), "--test", "--test-reporter=tap")
	s.patchedPass("objects.test.js", "2 waits written", "24")
	s.waitsBefore("objects.test.js", "    return (await this.find('toast')).getText();\n",
		"  assert.strictEqual(await page.text('age'), '23');\n")
}

// A command of Selenium's names the place that calls it also where another one, of the same chain, is what the suite awaits.
// What driver.wait asks for has none.
func TestRealNodeChains(t *testing.T) {
	t.Parallel()
	node, dir := needs.Program(t, "node"), t.TempDir()
	modules := absolute(t, filepath.Join("..", "..", ".tools", "browser", "node_modules"))
	needs.Optional(t, "selenium (make browser installs it)", exists(filepath.Join(modules, "selenium-webdriver")))
	places := make(chan string, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch path.Base(r.URL.Path) {
		case "session":
			fmt.Fprint(w, `{"value":{"sessionId":"s1","capabilities":{}}}`)
			return
		case "value":
			fmt.Fprint(w, `{"value":null}`)
		case "title":
			fmt.Fprint(w, `{"value":"Ages"}`)
		default:
			fmt.Fprint(w, `{"value":{"element-6066-11e4-a52e-4f735466cecf":"e1"}}`)
		}
		places <- path.Base(r.URL.Path) + " " + r.Header.Get("flaketap-source")
	}))
	defer server.Close()
	script := "const { Builder, By, until } = require('selenium-webdriver');\n(async () => {\n  const driver = await new Builder().forBrowser('chrome').build();\n" +
		"  await driver.findElement(By.id('a')).sendKeys('x');\n  await driver.wait(until.titleIs('Ages'), 5000);\n})();\n"
	if err := os.WriteFile(filepath.Join(dir, "suite.js"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(node, "--require", absolute(t, filepath.Join("..", "..", "waits", "webdriver", "preload.cjs")), "suite.js")
	c.Dir, c.Env = dir, append(os.Environ(), "SELENIUM_REMOTE_URL="+server.URL, "NODE_PATH="+modules)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"element suite.js:4:", "value suite.js:4:", "title "} {
		if at := <-places; !strings.HasPrefix(at, want) || want == "title " && at != want {
			t.Errorf("%q, want %q", at, want)
		}
	}
}

// waitsBefore wants waits right before some lines of a file, and before no others.
func (s *browserSuite) waitsBefore(file string, lines ...string) {
	s.t.Helper()
	text := string(read(s.t, filepath.Join(s.dir, file)))
	waits := false
	var before []string
	for line := range strings.Lines(text) {
		switch mark := strings.Contains(line, "flaketap: ready "); {
		case mark:
			waits = true
		case waits && !strings.Contains(line, "suppress(") && !strings.Contains(line, ".wait(") && !strings.Contains(line, "WebDriverWait("):
			before, waits = append(before, line), false
		}
	}
	if strings.Join(before, "") != strings.Join(lines, "") {
		s.t.Errorf("waits stand before\n%s\nwant\n%s\n%s", strings.Join(before, ""), strings.Join(lines, ""), text)
	}
}
