package explicit

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/waits/oracle"
)

// javaScript writes waits of selenium-webdriver.
type javaScript struct {
	text   string
	tokens []js.Token
	pairs  map[int]int // of brackets
	lines  []int       // where each line begins
	roots  map[int]bool
	top    map[string]bool // names that the file declares outside of any brackets
	by     bool            // By is known in the file
}

func newJavaScript(name, text string, roots map[int]bool) (language, error) {
	tokens, err := js.Tokens(name, text)
	if err != nil {
		return nil, fmt.Errorf("the file cannot be read: %w", err)
	}
	by := slices.ContainsFunc(tokens, func(t js.Token) bool { return t.Kind == js.Word && t.Text == "By" })
	return &javaScript{text: text, tokens: tokens, pairs: pairs(tokens), lines: lineStarts(text), roots: roots,
		top: js.Declared(tokens), by: by}, nil
}

// lineStarts is where each line of a text begins.
func lineStarts(text string) []int {
	out := []int{0}
	for i := range len(text) {
		if text[i] == '\n' {
			out = append(out, i+1)
		}
	}
	return out
}

func (*javaScript) comment() string           { return "// " }
func (*javaScript) finish(text string) string { return text }

func (j *javaScript) alone(at int) bool {
	i := slices.IndexFunc(j.tokens, func(t js.Token) bool { return t.Start == at })
	if i < 0 {
		return false
	}
	first, err := j.statement(i)
	return err == nil && first == i
}

func (j *javaScript) insert(s site) (int, []string, error) {
	if s.line > len(j.lines) {
		return 0, nil, errChanged
	}
	offset := j.lines[s.line-1] + max(0, s.column-1)
	at := slices.IndexFunc(j.tokens, func(t js.Token) bool { return t.Start >= offset })
	if at < 0 || j.tokens[at].Line != s.line {
		return 0, nil, errChanged
	}
	first, err := j.statement(at)
	if err != nil {
		return 0, nil, err
	}
	driver := j.driver(first, at)
	if driver == "" {
		return 0, nil, errDriver
	}
	a, err := aimOf(s.wait)
	if err != nil {
		return 0, nil, err
	}
	condition, err := j.condition(driver, a)
	if err != nil {
		return 0, nil, err
	}
	line := fmt.Sprintf("await %s.wait(() => %s, %d).catch(() => {});", driver, condition, most(s.wait).Milliseconds())
	return j.tokens[first].Start, []string{line}, nil
}

// condition is a promise that tells whether what is waited for is there.
func (j *javaScript) condition(driver string, a aim) (string, error) {
	p := j.chain(driver, a.found)
	switch a.reads {
	case "":
		return p.text + ".then(() => true, () => false)", nil
	case "all":
		return p.read("findElements("+j.locator(a.by)+")").text + ".then((all) => all.length === " + a.is + ", () => false)", nil
	case "windows":
		return driver + ".getAllWindowHandles().then((all) => all.length === " + a.is + ", () => false)", nil
	}
	call, value := a.reader(javaScriptReads(), literal.JavaScript), a.is
	var text string
	switch err := json.Unmarshal([]byte(a.is), &text); {
	case call == "":
		return "", errUnread
	case a.is == "null" || a.is == "true" || a.is == "false":
	case err != nil:
		return "", errParts
	default:
		value = literal.JavaScript(text)
	}
	return p.read(call).text + ".then((is) => is === " + value + ", () => false)", nil
}

// javaScriptReads are the methods of selenium-webdriver, as [aim.reader] takes them.
func javaScriptReads() map[string]string {
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
func (j *javaScript) chain(driver string, found []oracle.Locator) promise {
	p := promise{driver, false}
	for _, l := range found {
		switch {
		case l.Using == "shadow":
			p = promise{p.read("getShadowRoot()").text, true}
		case l.Nth > 0:
			p = promise{fmt.Sprintf("%s.then((all) => all[%d])", p.read("findElements("+j.locator(l)+")").text, l.Nth-1), true}
		default:
			p = p.read("findElement(" + j.locator(l) + ")")
		}
	}
	return p
}

// locator writes a locator: as By has it, where the file knows that.
func (j *javaScript) locator(l oracle.Locator) string {
	l = simpler(l)
	name := map[string]string{"css selector": "css", "id": "id", "xpath": "xpath", "link text": "linkText",
		"partial link text": "partialLinkText", "tag name": "tagName"}[l.Using]
	if j.by {
		return "By." + name + "(" + literal.JavaScript(l.Value) + ")"
	}
	return "{ " + name + ": " + literal.JavaScript(l.Value) + " }"
}

// driver is the name of the driver where a statement begins: the one from which it, or the last before it in the same
// blocks, looks for elements. "" is none.
func (j *javaScript) driver(first, at int) string {
	var names known
	for i, t := range j.tokens {
		switch {
		case i > at && t.Is(";"):
			return names.last()
		case t.Is("{"):
			names.opens()
		case t.Is("}") && i < first:
			names.closes(func(root string) bool { return j.top[root] })
		case oneOf(t, "findElement", "findElements") && j.roots[t.Line]:
			names.add(j.receiver(i))
		}
	}
	return names.last()
}

// receiver is what a method is called on, where that is a name, or members of one.
func (j *javaScript) receiver(method int) string {
	i := method - 1
	for i > 0 && j.tokens[i].Is(".") && j.tokens[i-1].Kind == js.Word {
		i -= 2
	}
	if i == method-1 || i >= 0 && (j.tokens[i].Is(".") || j.tokens[i].Is("?.")) {
		return ""
	}
	return j.text[j.tokens[i+1].Start:j.tokens[method-2].End]
}
