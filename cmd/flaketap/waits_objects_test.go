package main

import (
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
