package explicit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/waits/oracle"
)

func xpath(value string) oracle.Locator { return oracle.Locator{Using: "xpath", Value: value} }

// Names, as look.js has them.
var (
	anID     = oracle.Name{By: "id", Locator: css("#price")}
	aTestID  = oracle.Name{By: "test id", Locator: css(`[data-testid="price"]`), Text: "price"}
	aRole    = oracle.Name{By: "role", Locator: css(`button[aria-label="Close"]`), Role: "button", Text: "Close"}
	aText    = oracle.Name{By: "text", Locator: xpath(`//button[normalize-space()="Save"]`), Tag: "button", Text: "Save"}
	hostile  = `'+"); process.exit() //`
	aHostile = oracle.Name{By: "text", Locator: xpath(`//p[normalize-space()=concat("'+", '"', "); process.exit() //")]`), Tag: "p", Text: hostile}
)

// An element is found by the best name that it had alone, unless the suite finds it by one as good; in each language with
// all that its literals need.
func TestSelectors(t *testing.T) {
	absolute := []oracle.Locator{xpath("/html/body/p[1]")}
	in := func(name ...oracle.Name) [][]oracle.Name { return [][]oracle.Name{name} }
	shadow := oracle.Locator{Using: "shadow"}
	for _, tt := range []struct {
		name  string
		file  string
		own   []oracle.Locator
		names [][]oracle.Name
		want  string
	}{
		{"an id", "a.js", absolute, in(anID, aTestID, aText), `driver.findElement(By.id("price")).getText()`},
		{"a test id", "a.js", absolute, in(aTestID, aRole, aText), `By.css('[data-testid="price"]')`},
		{"a role", "a.js", absolute, in(aRole, aText), `By.css('button[aria-label="Close"]')`},
		{"a text", "a.js", absolute, in(aText), `By.xpath('//button[normalize-space()="Save"]')`},
		{"no name", "a.js", absolute, in(), `By.xpath("/html/body/p[1]")`},
		{"nobody looked", "a.js", absolute, nil, `By.xpath("/html/body/p[1]")`},
		{"one of several", "a.js", []oracle.Locator{{Using: "css selector", Value: "li", Nth: 5}}, in(aTestID), `By.css('[data-testid="price"]')`},
		{"a role that WebDriver cannot say", "a.js", absolute, in(oracle.Name{By: "role", Role: "button", Text: "Save"}, aText), `By.xpath('//button`},
		{"the suite's own id", "a.js", []oracle.Locator{css("#own")}, in(anID), `By.id("own")`},
		{"the suite's own test id", "a.js", []oracle.Locator{css(`p[data-cy="own"]`)}, in(aTestID), `By.css('p[data-cy="own"]')`},
		{"the suite's own text", "a.js", []oracle.Locator{{Using: "link text", Value: "Own"}}, in(aText), `By.linkText("Own")`},
		{"its own text, with an id", "a.js", []oracle.Locator{{Using: "link text", Value: "Own"}}, in(anID), `By.id("price")`},
		{"within a shadow root", "a.js", []oracle.Locator{xpath("/html/body/card"), shadow, css("p")}, [][]oracle.Name{{aTestID}, {anID}},
			`driver.findElement(By.css('[data-testid="price"]')).getShadowRoot().then((found) => found.findElement(By.id("price")))`},
		{"its host alone", "a.js", []oracle.Locator{css("card"), shadow, css("p > b")}, [][]oracle.Name{{anID}, {}},
			`driver.findElement(By.id("price")).getShadowRoot().then((found) => found.findElement(By.css("p > b")))`},
		{"found otherwise", "a.js", []oracle.Locator{css("p > b")}, [][]oracle.Name{{anID}, {anID}}, `By.css("p > b")`},
		{"a hostile text", "a.js", absolute, in(aHostile), `By.xpath('//p[normalize-space()=concat("\'+", \'"\', "); process.exit() //")]')`},
		{"in Python", "a.py", absolute, in(aHostile), `d.find_element(By.XPATH, '//p[normalize-space()=concat("\'+", \'"\', "); process.exit() //")]').text`},
		{"in Java", "A.java", absolute, in(aHostile), `.xpath("//p[normalize-space()=concat(\"'+\", '\"', \"); process.exit() //\")]"))`},
		{"in WebdriverIO", "wdio.js", absolute, in(aText), `browser.$("button=Save").getText()`},
		{"in WebdriverIO, hostile", "wdio.js", absolute, in(aHostile), `browser.$('//p[normalize-space()=concat("\'+", \'"\', "); process.exit() //")]')`},
		{"in WebdriverIO, by a test id", "wdio.js", absolute, in(aTestID), `browser.$('[data-testid="price"]').getText()`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			source := map[string]string{
				"a.js":    "const { By } = x;\nasync function f() {\n  await driver.findElement(By.id('go')).click();\n}\n",
				"a.py":    "\ndef f(driver):\n    driver.find_element(By.ID, 'go').click()\n",
				"A.java":  "class A {\n  void a() {\n    driver.findElement(By.id(\"go\")).click();\n  }\n}\n",
				"wdio.js": "\nasync function f() {\n  await browser.$('#go').click();\n}\n",
			}[tt.file]
			at := tt.file + ":3:3"
			root := oracle.Command{Browser: 1, Kind: oracle.Reads, Source: at, Does: "find", By: css("#x"), Given: oracle.Answer{Value: "1"}, First: oracle.Answer{Value: "1"}}
			read := text(at, `"23"`, tt.own...)
			read.Names = tt.names
			r := Patch(tt.file, []byte(source), learned(root, read), Options{})
			if r.Written != 1 || !strings.Contains(string(r.Data), tt.want) {
				t.Errorf("want %s; left %v, in\n%s", tt.want, r.Left, r.Data)
			}
		})
	}
}

// So does Playwright, in its own words.
func TestPlaywrightSelectors(t *testing.T) {
	for _, tt := range []struct {
		call, own string
		names     []oracle.Name
		want      string
	}{
		{"page.textContent('//p[1]')", "locator('//p[1]')", []oracle.Name{anID}, `page.locator("#price").filter`},
		{"page.textContent('//p[1]')", "locator('//p[1]')", []oracle.Name{aTestID}, `page.locator('[data-testid="price"]').filter`},
		{"page.locator('p').first().textContent()", "locator('p').first()", []oracle.Name{aRole}, `page.getByRole("button", { name: "Close", exact: true }).filter`},
		{"page.textContent('//p[1]')", "locator('//p[1]')", []oracle.Name{{By: "role", Role: "status"}}, `page.getByRole("status").filter`},
		{"page.textContent('//p[1]')", "locator('//p[1]')", []oracle.Name{aHostile}, `page.getByText("'+\"); process.exit() //", { exact: true }).filter`},
		{"page.getByRole('status').textContent()", "getByRole('status')", []oracle.Name{aText}, "page.getByRole('status').filter"},
		{"page.getByLabel('Age (years)').textContent()", "getByLabel('Age (years)')", []oracle.Name{aRole}, "page.getByLabel('Age (years)').filter"},
		{"page.getByText('Own').textContent()", "getByText('Own')", []oracle.Name{aRole}, `page.getByRole("button"`},
		{"page.textContent('#own')", "locator('#own')", []oracle.Name{anID}, "page.locator('#own').filter"},
		{"page.textContent('//p[1]')", "locator('//p[1]')", nil, "page.locator('//p[1]').first().filter"},
	} {
		source := "\nasync function f() {\n  await " + tt.call + ";\n}\n"
		l := oracle.Locator{Using: "playwright", Value: tt.own}
		if !strings.HasPrefix(tt.call, "page.textContent") {
			l.Using = "playwright locator"
		}
		line := strings.Split(source, "\n")[2]
		read := text(fmt.Sprintf("a.spec.js:3:%d", strings.Index(line, "textContent(")+1), `"23"`, l)
		read.Names = [][]oracle.Name{tt.names}
		r := Patch("a.spec.js", []byte(source), learned(read), Options{})
		if r.Written != 1 || !strings.Contains(string(r.Data), tt.want) {
			t.Errorf("want %s; left %v, in\n%s", tt.want, r.Left, r.Data)
		}
	}
	p := &playwright{javaScript: &javaScript{text: "page.getByTestId('x')"}}
	if got := p.byName(oracle.Locator{Value: "locator('p')"}, [][]oracle.Name{{aTestID}}); got != `.getByTestId("price")` {
		t.Errorf("a file that has getByTestId: %s", got)
	}
}
