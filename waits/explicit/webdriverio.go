package explicit

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/waits/oracle"
)

// webdriverIO is the idiom of WebdriverIO.
type webdriverIO struct {
	browsers []string // names of browsers
	global   string   // that of the one which $ alone looks in; "" where the file does not know it
}

// bare stands for the browser that $ alone looks in.
const bare = "$"

func newWebdriverIO(j *javaScript, text string) webdriverIO {
	w := webdriverIO{browsers: []string{"browser"}}
	for i, t := range j.tokens {
		if oneOf(t, "url", "navigateTo", "deleteSession", "getTitle", "getUrl") {
			w.browsers = append(w.browsers, j.receiver(i))
		}
		if t.Is("browser") {
			w.global = t.Text
		}
	}
	if !strings.Contains(text, "@wdio/globals") { // its runner gives a file all names
		w.global = "browser"
	}
	return w
}

func (w webdriverIO) root(j *javaScript, i int) string {
	switch {
	case !oneOf(j.tokens[i], "$", "$$") || i+1 == len(j.tokens) || !j.tokens[i+1].Is("("):
		return ""
	case i == 0 || !oneOf(j.tokens[i-1], ".", "?."):
		return bare
	}
	if on := j.receiver(i); on != "" && slices.Contains(w.browsers, on) {
		return on
	}
	return ""
}

func (webdriverIO) strategies() []string { return append(slices.Clone(strategies), "aria") }

// plainText is a text that says nothing else in a selector of WebdriverIO.
var plainText = regexp.MustCompile(`^[\pL\pN][^"=*]*$`)

// has has a word of its own for an element with a text: button=Save. It looks for that as the XPath does, of which the
// session knows that it finds nothing else.
func (webdriverIO) has(n oracle.Name) (oracle.Locator, bool) {
	l, ok := byWebDriver(n)
	if ok && n.By == "text" && n.Tag != "" && plainText.MatchString(n.Text) {
		l = oracle.Locator{Using: "css selector", Value: n.Tag + "=" + n.Text}
	}
	return l, ok
}

func (w webdriverIO) wait(driver string, all []aim, of *oracle.Wait) (string, error) {
	browser, from := driver, driver+"."
	if driver == bare {
		browser, from = w.global, ""
	}
	options := fmt.Sprintf("{ timeout: %d, interval: %d }", most(of).Milliseconds(), interval(of).Milliseconds())
	if own := w.waits(all[0]); own != "" && len(all) == 1 {
		return chain(from, all[0].found) + "." + own + "(" + options + ")", nil
	}
	condition, err := promised(all, func(a aim) (string, error) { return w.condition(browser, from, a) })
	if err == nil && browser == "" {
		err = errDriver
	}
	return browser + ".waitUntil(() => " + condition + ", " + options + ")", err
}

// waits is the method of an element that waits for an aim by itself; "" where none does.
func (webdriverIO) waits(a aim) string {
	switch {
	case len(a.found) == 0 || a.found[len(a.found)-1].Using == "shadow":
	case a.reads == "":
		return "waitForExist"
	case a.reads == "displayed" && a.is == "true":
		return "waitForDisplayed"
	}
	return ""
}

// condition is a promise that tells whether what is waited for is there; from is what stands before the first step.
func (webdriverIO) condition(browser, from string, a aim) (string, error) {
	element := chain(from, a.found)
	call := a.reader(webdriverIOReads(), literal.JavaScript)
	switch {
	case len(a.found) > 0 && a.found[len(a.found)-1].Using == "shadow":
		return "", errUnread
	case a.reads == "":
		return element + ".isExisting()", nil
	case a.reads == "all":
		return step(element, from, "$$", a.by) + a.counts(), nil
	case a.reads == "windows":
		return browser + ".getWindowHandles()" + a.counts(), nil
	case call == "":
		return "", errUnread
	case element == "":
		element = browser
	}
	is, err := a.equals()
	return element + "." + call + is, err
}

// webdriverIOReads are the methods of WebdriverIO, as [aim.reader] takes them.
func webdriverIOReads() map[string]string {
	return map[string]string{"text": "getText()", "name": "getTagName()", "selected": "isSelected()", "enabled": "isEnabled()",
		"displayed": "isDisplayed()", "computedrole": "getComputedRole()", "computedlabel": "getComputedLabel()",
		"title": "getTitle()", "url": "getUrl()", "text of the alert": "getAlertText()",
		"attribute …": "getAttribute", "property …": "getProperty"}
}

// chain is how an element is found; from is what stands before the first step.
func chain(from string, found []oracle.Locator) string {
	text, in := "", ""
	for _, l := range found {
		switch {
		case l.Using == "shadow":
			in = "shadow"
			continue
		case l.Nth > 0:
			text = fmt.Sprintf("%s[%d]", step(text, from, in+"$$", l), l.Nth-1)
		default:
			text = step(text, from, in+"$", l)
		}
		in = ""
	}
	return text
}

// step is how an element is found within another one, or, where that is "", behind from.
func step(within, from, finder string, l oracle.Locator) string {
	if within != "" {
		from = within + "."
	}
	return from + finder + "(" + literal.PrettyJavaScript(selector(l)) + ")"
}

// selector is a locator as WebdriverIO has it.
func selector(l oracle.Locator) string {
	switch l.Using {
	case "link text":
		return "=" + l.Value
	case "partial link text":
		return "*=" + l.Value
	case "aria":
		return "aria/" + l.Value
	case "tag name":
		return "<" + l.Value + " />"
	}
	return l.Value
}
