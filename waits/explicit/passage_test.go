package explicit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/waits/oracle"
)

// page is a page object whose methods share what finds elements, and objects the tests that use it.
const (
	page = `class Page:
    def find(self, by, value):
        return self.driver.find_element(by, value)

    def text(self, id):
        return self.find(By.ID, id).text

    def total(self):
        return self.find(By.ID, "total").text

    def buy(self, id):
        self.find(By.ID, id).click()
`
	objects = `def test_cart(driver):
    page = Page(driver)
    page.buy("book")
    assert page.text("cart-count") == "1"

def test_total(driver):
    page = Page(driver)
    page.buy("pen")
    assert page.total() == "12"
    for id in ["a", "b"]:
        page.buy(id)
        assert page.text(id) == "1"
`
)

// stacked is what was recorded of page objects: each step is a kind, an element, what it is answered where that comes
// late, and from where.
func stacked(steps ...[]string) *oracle.Model {
	var all []oracle.Command
	for _, s := range steps {
		c := oracle.Command{Browser: 1, Kind: oracle.Reads, Given: oracle.Answer{Value: `"an element"`}}
		switch s[0] {
		case "find":
			c.By = css(s[1])
		case "text":
			c.Found, c.Reads, c.Given = []oracle.Locator{css(s[1])}, "text", oracle.Answer{Value: s[2]}
		case "click":
			c.Kind, c.Found = oracle.Acts, []oracle.Locator{css(s[1])}
		}
		c.Does, c.Source, c.First = s[0]+" "+s[1], s[3], c.Given
		if s[2] != "" {
			c.First, c.Later = oracle.Answer{Value: `"0"`}, []oracle.Answer{c.Given}
		}
		for i, place := range s[3:] {
			driver := "driver"
			if strings.HasPrefix(place, "page.py") {
				driver = "self.driver"
			}
			if i == 0 {
				c.Driver = driver
				continue
			}
			c.Callers = append(c.Callers, oracle.Caller{Place: place, Driver: driver})
		}
		all = append(all, c)
	}
	return oracle.Learn(&oracle.Session{Runs: []oracle.Run{{Commands: all}}})
}

// waitsIn patches a file, and says before which of its lines waits stand, and what is left.
func waitsIn(name, source string, m *oracle.Model) (before, left []string) {
	r := Patch(name, []byte(source), m, Options{})
	n := 1
	for line := range strings.Lines(string(r.Data)) {
		switch {
		case strings.Contains(line, marker):
			before = append(before, fmt.Sprintf("%s:%d", name, n))
		case !strings.Contains(line, "suppress") && !strings.Contains(line, "WebDriver") && !strings.HasSuffix(line, needed+"\n"):
			n++
		}
	}
	for _, l := range r.Left {
		left = append(left, fmt.Sprintf("%s:%d: %s", name, l.Line, l.Reason))
	}
	return before, left
}

// reads are the steps by which an object's method, called from a test, reads an element, and buys those that buy one.
func reads(id, is, method, test string) [][]string {
	return [][]string{{"find", id, "", "page.py:3:16", method, test}, {"text", id, is, method, test}}
}

func buys(id, test string) [][]string {
	return [][]string{{"find", id, "", "page.py:3:16", "page.py:12:9", test}, {"click", id, "", "page.py:12:9", test}}
}

// A wait stands at the nearest place of a stack at which it holds for all that comes through: not in what finds all
// elements, nor in what reads several.
func TestSharedPlaces(t *testing.T) {
	const text, total = "page.py:6:16", "page.py:9:16"
	of := func(all ...[][]string) (steps [][]string) {
		for _, one := range all {
			steps = append(steps, one...)
		}
		return steps
	}
	first := of(buys("#book", "test_page.py:3:5"), reads("#cart-count", `"1"`, text, "test_page.py:4:12"))
	second := of(buys("#pen", "test_page.py:8:5"), reads("#total", `"12"`, total, "test_page.py:9:12"))
	loop := of(buys("#a", "test_page.py:11:9"), reads("#a", `"1"`, text, "test_page.py:12:16"),
		buys("#b", "test_page.py:11:9"), reads("#b", `"1"`, text, "test_page.py:12:16"))
	bare := func(steps [][]string) (out [][]string) {
		for _, s := range steps {
			out = append(out, s[:4])
		}
		return out
	}
	same := of(reads("#cart-count", `"1"`, text, "test_page.py:9:12"))
	other := of(reads("#cart-count", `"2"`, text, "test_page.py:9:12"))
	chain := [][]string{{"click", "#go", "", "page.py:12:9", "test_page.py:4:20"}}
	for _, tt := range []struct {
		name   string
		steps  [][]string
		before []string // the lines that waits stand before
		left   []string
	}{
		{"two methods that read one each", of(first, second), []string{"page.py:6", "page.py:9"}, nil},
		{"and a loop", of(first, second, loop), []string{"page.py:9", "test_page.py:4"}, []string{"page.py:6: other commands", "page.py:6: other commands"}},
		{"no callers are known", bare(of(first, second, loop)), []string{"page.py:9"}, []string{"page.py:6: other commands", "page.py:6: other commands", "page.py:6: other commands"}},
		{"one that all read", of(first, buys("#pen", "test_page.py:8:5"), same), []string{"page.py:6"}, nil},
		{"one that has another text each time", of(first, buys("#pen", "test_page.py:8:5"), other), []string{"test_page.py:4", "test_page.py:9"}, nil},
		{"one that is read behind an action in its statement", of(buys("#book", "test_page.py:3:5"), reads("#title", "", text, "test_page.py:8:5"), chain, reads("#cart-count", `"1"`, text, "test_page.py:4:12")), nil,
			[]string{"test_page.py:4: the action that brings it about stands in the same statement"}},
	} {
		m := stacked(tt.steps...)
		before, left := waitsIn("page.py", page, m)
		more, others := waitsIn("test_page.py", objects, m)
		before, left = append(before, more...), append(left, others...)
		if diff := cmp.Diff(tt.before, before); diff != "" {
			t.Errorf("%s: waits stand before others:\n%s", tt.name, diff)
		}
		for i, l := range left {
			if i >= len(tt.left) || !strings.HasPrefix(l, tt.left[i]) {
				t.Errorf("%s: left %q", tt.name, l)
			}
		}
		if len(left) < len(tt.left) {
			t.Errorf("%s: left %q, want %q", tt.name, left, tt.left)
		}
	}
}
