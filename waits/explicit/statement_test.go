package explicit

import (
	"errors"
	"testing"

	"github.com/flaketap/flaketap/waits/oracle"
)

// What a loop goes over is made once, so a wait for it stands before the loop; what is asked in each round has none.
func TestLoopsOverWhatIsRead(t *testing.T) {
	for _, tt := range []struct {
		text string
		want error
	}{
		{"async function f() {\n  for (const row of await driver.findElements(HERE)) {\n  }\n}\n", nil},
		{"async function f() {\n  for (const row of await driver.findElements(a)) await row.getText(HERE);\n}\n", errHead},
		{"async function f() {\n  for (let i = 0; i < (await driver.findElements(HERE)).length; i++) {\n  }\n}\n", errHead},
		{"async function f() {\n  for await (const row of await driver.findElements(HERE)) {\n  }\n}\n", errHead},
		{"async function f() {\n  while (await of.driver.findElements(HERE)) {\n  }\n}\n", errHead},
	} {
		j, err := readJavaScript("a.js", tt.text)
		if err != nil {
			t.Fatalf("%s: %v", tt.text, err)
		}
		for i, token := range j.tokens {
			if token.Is("HERE") {
				if _, err := j.statement(i); !errors.Is(err, tt.want) {
					t.Errorf("%s: %v, want %v", tt.text, err, tt.want)
				}
			}
		}
	}
	for _, tt := range []struct {
		text string
		want error
	}{
		{"for row in driver.find_elements(a):\n    pass\n", nil},
		{"for row in driver.find_elements(a): row.click()\n", errHead},
		{"texts = [x.text for x in driver.find_elements(a)]\n", errHead},
		{"while driver.find_elements(a):\n    pass\n", errHead},
	} {
		lang, err := newPython("a.py", tt.text, map[int]bool{1: true})
		if err != nil {
			t.Fatalf("%s: %v", tt.text, err)
		}
		wait := &oracle.Wait{Command: &oracle.Command{Driver: "driver", By: oracle.Locator{Using: "css selector", Value: "li"}}}
		wait.Answer.Value = "2"
		if _, _, err := lang.insert(site{line: 1, wait: wait}); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.text, err, tt.want)
		}
	}
}
