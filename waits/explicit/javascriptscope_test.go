package explicit

import (
	"strings"
	"testing"
)

// Tests that look for elements through page objects alone have the driver that the file's variable holds: as another test
// looks for elements from it, or as a Builder makes it; and no variable of this name that is another one.
func TestSharedDrivers(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"another test looks later": {"let driver, page;\ntest('a', async () => {\n  HERE;\n});\ntest('b', async () => {\n  await driver.findElement(b);\n});\n", "driver"},
		"a Builder makes it":       {"let page, driver;\nbefore(async () => {\n  driver = await new Builder().forBrowser('chrome').build();\n});\ntest('a', async () => {\n  HERE;\n});\n", "driver"},
		"that of a module":         {"let d;\nbefore(async () => {\n  d = await new webdriver.Builder().build();\n});\ntest('a', async () => {\n  HERE;\n});\n", "d"},
		"declared by describe":     {"describe('x', () => {\n  let driver;\n  before(async () => {\n    driver = await new Builder().build();\n  });\n  it('a', async () => {\n    HERE;\n  });\n});\n", "driver"},
		"of another describe":      {"describe('x', () => {\n  let driver;\n  before(async () => {\n    driver = await new Builder().build();\n  });\n});\ndescribe('y', () => {\n  it('a', async () => {\n    HERE;\n  });\n});\n", ""},
		"another one of its name":  {"let driver;\nbefore(async () => {\n  driver = await new Builder().build();\n});\ntest('a', async () => {\n  const driver = settings();\n  HERE;\n});\n", ""},
		"another one elsewhere":    {"const driver = settings();\ntest('b', async () => {\n  const driver = await new Builder().build();\n});\ntest('a', async () => {\n  HERE;\n});\n", ""},
		"not declared":             {"test('b', async () => {\n  driver = await new Builder().build();\n});\ntest('a', async () => {\n  HERE;\n});\n", ""},
		"no Builder":               {"let driver;\nbefore(async () => {\n  driver = await new Page().build();\n  driver = \n});\nHERE;\n", ""},
	} {
		j, err := readJavaScript("a.js", tt.text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		j.idiom = selenium{map[int]bool{6: strings.Contains(tt.text, "findElement")}, true}
		for i, token := range j.tokens {
			if token.Is("HERE") {
				if got := j.shared(i); got != tt.want {
					t.Errorf("%s: %q, want %q", name, got, tt.want)
				}
			}
		}
	}
}
