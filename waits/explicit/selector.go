package explicit

import (
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/waits/oracle"
)

// having is the locator that a library has for a name, if it has one.
type having func(oracle.Name) (oracle.Locator, bool)

// selectors are how a wait finds the element that a suite finds by own: by the best name that nothing else had in any
// passing run, where that is better than what the suite has; within each shadow root for itself.
func selectors(own []oracle.Locator, names [][]oracle.Name, has having) []oracle.Locator {
	var steps [][]oracle.Locator
	from := 0
	for i, l := range own {
		if l.Using == "shadow" {
			steps, from = append(steps, own[from:i]), i+1
		}
	}
	steps = append(steps, own[from:])
	if len(steps) != len(names) { // it was found in a way that is not known
		return own
	}
	var found []oracle.Locator
	for i, step := range steps {
		if i > 0 {
			found = append(found, oracle.Locator{Using: "shadow"})
		}
		found = append(found, within(step, names[i], has)...)
	}
	return found
}

// within is selectors within one root.
func within(own []oracle.Locator, names []oracle.Name, has having) []oracle.Locator {
	rank := -1
	for _, l := range own {
		rank = max(rank, oracle.Rank(kindOf(l)))
	}
	for _, n := range names {
		if l, ok := has(n); ok && oracle.Rank(n.By) < rank {
			return []oracle.Locator{l}
		}
	}
	return own
}

// byWebDriver is the locator of WebDriver that a name has, if it has one.
func byWebDriver(n oracle.Name) (oracle.Locator, bool) {
	return n.Locator, n.Locator.Value != "" && (n.Locator.Using == "css selector" || n.Locator.Using == "xpath")
}

// Selectors by what is likely to last, as suites write them.
var (
	ofTest = regexp.MustCompile(`^[\w-]*\[data-(?:[\w-]*-)?(?:test|testid|cy|qa|e2e)(?:-?id)?\s*=[^\]]*\]$`)
	ofRole = regexp.MustCompile(`^[\w-]*(?:\[(?:role|aria-label)\s*=[^\]]*\])+$`)
)

// kindOf is the kind of name that a locator of a suite is, as [oracle.Name] has it; "" is none of these.
func kindOf(l oracle.Locator) string {
	switch {
	case l.Nth > 0:
		return ""
	case l.Using == "id" || simpler(l).Using == "id" || l.Using == "css selector" && strings.HasPrefix(l.Value, "[id=") && strings.Count(l.Value, "]") == 1:
		return "id"
	case l.Using == "css selector" && ofTest.MatchString(l.Value):
		return "test id"
	case l.Using == "css selector" && ofRole.MatchString(l.Value), l.Using == "aria":
		return "role"
	case l.Using == "link text":
		return "text"
	}
	return ""
}

// Locators of Playwright, as it writes them, without what stands in quotes.
var (
	inQuotes   = regexp.MustCompile(`'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"`)
	oneLocator = regexp.MustCompile(`^(getBy\w+|locator)\([^()]*\)$`)
)

// kindOfPlaywright is that of a locator of Playwright. What a user sees, as a label, lasts as a role does.
func kindOfPlaywright(text string) string {
	m := oneLocator.FindStringSubmatch(inQuotes.ReplaceAllString(text, ""))
	if m == nil {
		return ""
	}
	switch m[1] {
	case "locator":
		css := strings.Trim(strings.TrimSuffix(strings.TrimPrefix(text, "locator("), ")"), `'"`)
		return kindOf(oracle.Locator{Using: "css selector", Value: css})
	case "getByTestId":
		return "test id"
	case "getByText":
		return "text"
	}
	return "role"
}

// byName is how a wait of Playwright finds an element, from its page on, by the best of its names, where that is better
// than the suite's own locator; "" where it is not.
func (p *playwright) byName(own oracle.Locator, names [][]oracle.Name) string {
	if len(names) != 1 {
		return ""
	}
	rank := oracle.Rank(kindOfPlaywright(own.Value))
	i := slices.IndexFunc(names[0], func(n oracle.Name) bool { return oracle.Rank(n.By) < rank })
	if i < 0 {
		return ""
	}
	switch n := names[0][i]; {
	case n.By == "role" && n.Role != "" && n.Text != "":
		return ".getByRole(" + literal.PrettyJavaScript(n.Role) + ", { name: " + literal.PrettyJavaScript(n.Text) + ", exact: true })"
	case n.By == "role" && n.Role != "":
		return ".getByRole(" + literal.PrettyJavaScript(n.Role) + ")"
	case n.By == "text" && n.Text != "":
		return ".getByText(" + literal.PrettyJavaScript(n.Text) + ", { exact: true })"
	case n.By == "test id" && n.Text != "" && strings.Contains(p.text, ".getByTestId("): // else a project may have another attribute
		return ".getByTestId(" + literal.PrettyJavaScript(n.Text) + ")"
	case n.Locator.Using == "css selector":
		return ".locator(" + literal.PrettyJavaScript(n.Locator.Value) + ")"
	}
	return ""
}
