package explicit

import (
	"encoding/json"
	"fmt"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/waits/oracle"
)

// selenium is the idiom of selenium-webdriver.
type selenium struct {
	roots map[int]bool // the lines on which elements are looked for from the driver itself
	by    bool         // By is known in the file
}

func (s selenium) root(j *javaScript, i int) string {
	if t := j.tokens[i]; !oneOf(t, "findElement", "findElements", "get", "getTitle", "getCurrentUrl") || !s.roots[t.Line] {
		return ""
	}
	return j.receiver(i)
}

func (selenium) strategies() []string { return strategies }

func (selenium) has(n oracle.Name) (oracle.Locator, bool) { return byWebDriver(n) }

func (s selenium) wait(driver string, all []aim, w *oracle.Wait) (string, error) {
	condition, err := promised(all, func(a aim) (string, error) { return s.condition(driver, a) })
	return fmt.Sprintf("%s.wait(() => %s, %d, undefined, %d)", driver, condition, most(w).Milliseconds(), interval(w).Milliseconds()), err
}

// condition is a promise that tells whether what is waited for is there.
func (s selenium) condition(driver string, a aim) (string, error) {
	p := s.chain(driver, a.found)
	switch a.reads {
	case "":
		return p.text + ".then(() => true, () => false)", nil
	case "all":
		return p.read("findElements("+s.locator(a.by)+")").text + a.counts(), nil
	case "windows":
		return driver + ".getAllWindowHandles()" + a.counts(), nil
	}
	call := a.reader(seleniumReads(), literal.JavaScript)
	if call == "" {
		return "", errUnread
	}
	is, err := a.equals()
	return p.read(call).text + is, err
}

// equals is the rest of a promise in JavaScript that tells whether what is read is as it is to be.
func (a aim) equals() (string, error) {
	var text string
	switch err := json.Unmarshal([]byte(a.is), &text); {
	case a.is == "null" || a.is == "true" || a.is == "false":
		text = a.is
	case err != nil:
		return "", errParts
	default:
		text = literal.JavaScript(text)
	}
	return ".then((is) => is === " + text + ", () => false)", nil
}

// counts is the rest of a promise in JavaScript that tells whether there are as many as there are to be.
func (a aim) counts() string { return ".then((all) => all.length === " + a.is + ", () => false)" }

// seleniumReads are the methods of selenium-webdriver, as [aim.reader] takes them.
func seleniumReads() map[string]string {
	return map[string]string{"text": "getText()", "name": "getTagName()", "selected": "isSelected()", "enabled": "isEnabled()",
		"displayed": "isDisplayed()", "computedrole": "getAriaRole()", "computedlabel": "getAccessibleName()",
		"title": "getTitle()", "url": "getCurrentUrl()", "text of the alert": "switchTo().alert().getText()",
		"attribute …": "getAttribute", "property …": "getProperty", "css …": "getCssValue"}
}

// promise is an expression, and whether it is a mere promise: the methods of an element can be called on what
// Selenium returns, but on no other promise of one.
type promise struct {
	text string
	mere bool
}

func (p promise) read(call string) promise {
	if p.mere {
		return promise{p.text + ".then((found) => found." + call + ")", true}
	}
	return promise{p.text + "." + call, false}
}

// chain is how an element is found, from the driver on.
func (s selenium) chain(driver string, found []oracle.Locator) promise {
	p := promise{driver, false}
	for _, l := range found {
		switch {
		case l.Using == "shadow":
			p = promise{p.read("getShadowRoot()").text, true}
		case l.Nth > 0:
			p = promise{fmt.Sprintf("%s.then((all) => all[%d])", p.read("findElements("+s.locator(l)+")").text, l.Nth-1), true}
		default:
			p = p.read("findElement(" + s.locator(l) + ")")
		}
	}
	return p
}

// locator writes a locator: as By has it, where the file knows that.
func (s selenium) locator(l oracle.Locator) string {
	l = simpler(l)
	name := map[string]string{"css selector": "css", "id": "id", "xpath": "xpath", "link text": "linkText",
		"partial link text": "partialLinkText", "tag name": "tagName"}[l.Using]
	if s.by {
		return "By." + name + "(" + literal.PrettyJavaScript(l.Value) + ")"
	}
	return "{ " + name + ": " + literal.PrettyJavaScript(l.Value) + " }"
}
