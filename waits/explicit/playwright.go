package explicit

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/waits/oracle"
)

// playwright writes waits of Playwright into JavaScript and TypeScript: the suite's own locator is waited for, as it
// stands there; with the assertions that wait by themselves, where the file has these.
type playwright struct {
	*javaScript
	typed  bool // it is TypeScript
	expect bool // it imports the assertions that wait
}

func newPlaywright(name, text string, _ map[int]bool) (language, error) {
	j, err := readJavaScript(name, text)
	if err != nil {
		return nil, err
	}
	typed := strings.HasSuffix(strings.TrimSuffix(path.Ext(name), "x"), "ts")
	return &playwright{j, typed, strings.HasSuffix(js.Imported(j.tokens)["expect"], "playwright/test")}, nil
}

// ofPlaywright reports whether a command is one of Playwright.
func ofPlaywright(c *oracle.Command) bool {
	return slices.ContainsFunc(c.Finds(), func(l oracle.Locator) bool { return strings.HasPrefix(l.Using, "playwright") })
}

// call is a call of a suite by which it sends a command.
type call struct {
	receiver string   // the text of what it is called on
	method   string   // its name
	args     []string // their texts
	text     string   // all of it
	page     string   // the page, as it is spoken of there
	locator  string   // the element; "" where it is about none
	every    int64    // milliseconds between two looks of a wait that says so itself
}

func (p *playwright) insert(s site) (int, []string, error) {
	if c := s.wait.Command; c.Reads == "state" || c.Kind == oracle.Acts && len(s.wait.After) == 0 { // tried until its time is over
		return 0, nil, errItself
	}
	at := p.token(s)
	if !p.calls(at) {
		return 0, nil, errCall
	}
	first, err := p.statement(at)
	if err != nil {
		return 0, nil, err
	}
	c, err := p.call(at, s.wait.Command)
	if err != nil {
		return 0, nil, err
	}
	if by := p.byName(locatorOf(s.wait.Command), s.wait.Names); c.locator != "" && by != "" {
		c.locator = c.page + by
	}
	c.every = interval(s.wait).Milliseconds()
	wait, err := p.inTwo(c, s.wait)
	if err != nil {
		return 0, nil, err
	}
	return p.tokens[first].Start, []string{"await " + wait + ".catch(() => {});"}, nil
}

// calls reports whether a token names a method that is called.
func (p *playwright) calls(at int) bool {
	return at > 0 && at+1 < len(p.tokens) && p.tokens[at-1].Is(".") && p.tokens[at+1].Is("(")
}

// call reads the call whose method a token names.
func (p *playwright) call(at int, command *oracle.Command) (c call, err error) {
	begin := at - 1
	locates := -1 // the first dot behind which something is located
	for begin > 0 && p.tokens[begin].Is(".") {
		end := begin - 1
		if p.tokens[end].Is(")") {
			open, ok := p.pairs[end]
			if !ok || open < 2 || !locating(p.tokens[open-1]) || !p.tokens[open-2].Is(".") || !p.plain(open+1, end) {
				return c, errOwn
			}
			begin, locates = open-2, open-2
			continue
		}
		if p.tokens[end].Kind != js.Word {
			return c, errOwn
		}
		begin = end - 1
	}
	begin++
	if begin > 0 && (p.tokens[begin-1].Is("?.") || p.tokens[begin-1].Is(".")) {
		return c, errOwn
	}
	last := p.pairs[at+1]
	c = call{receiver: p.source(begin, at-1), method: p.tokens[at].Text, args: p.split(at+2, last)}
	c.text = p.source(begin, last+1)
	c.page = c.receiver
	for _, device := range []string{".keyboard", ".mouse", ".touchscreen"} {
		c.page = strings.TrimSuffix(c.page, device)
	}
	by := locatorOf(command)
	switch {
	case slices.ContainsFunc(command.Finds(), func(l oracle.Locator) bool { return l.Using == "playwright handle" }):
		return c, errHandle
	case by.Using == "playwright locator":
		if c.locator, c.page = c.receiver, c.receiver+".page()"; locates > 0 {
			c.page = p.source(begin, locates)
		}
	case by.Using == "playwright":
		if len(c.args) == 0 || !p.plain(at+2, p.argumentEnd(at+2, last)) {
			return c, errOwn
		}
		c.locator, c.args = c.receiver+".locator("+c.args[0]+")", c.args[1:]
		if !strings.HasPrefix(c.method, "$$") && !isID(by.Value) {
			c.locator += ".first()" // Playwright takes the first here, and waits for one alone
		}
	}
	return c, nil
}

// locatorOf is how a command's element is found; the zero value where it is about none.
func locatorOf(c *oracle.Command) oracle.Locator {
	switch {
	case c.By.Using != "":
		return c.By
	case len(c.Found) > 0:
		return c.Found[len(c.Found)-1]
	}
	return oracle.Locator{}
}

// isID reports whether a locator is one of an id, of which there is one element.
func isID(locator string) bool {
	id, ok := strings.CutPrefix(locator, "locator('#")
	id, closed := strings.CutSuffix(id, "')")
	return ok && closed && !strings.ContainsAny(id, " >.:[#,+~*\\\"'")
}

// locating are the methods that say where an element is, and do nothing.
func locating(t js.Token) bool {
	return t.Kind == js.Word && (strings.HasPrefix(t.Text, "getBy") ||
		slices.Contains([]string{"locator", "frameLocator", "contentFrame", "first", "last", "nth", "filter", "and", "or", "page"}, t.Text))
}

// plain reports whether tokens can be said twice: nothing but what locates is called in them.
func (p *playwright) plain(from, to int) bool {
	for i := from; i < to; i++ {
		t := p.tokens[i]
		called := i > from && t.Is("(") && (p.tokens[i-1].Kind == js.Word && !locating(p.tokens[i-1]) || oneOf(p.tokens[i-1], ")", "]"))
		if called || oneOf(t, "await", "++", "--", "=", "=>", "function", "?.") {
			return false
		}
		if t.Kind == js.JsTemplate && slices.ContainsFunc(t.Holes, func(hole []js.Token) bool {
			return slices.ContainsFunc(hole, func(t js.Token) bool { return oneOf(t, "(", "++", "--", "=") })
		}) {
			return false
		}
	}
	return true
}

// source is the text of tokens, in one line.
func (p *playwright) source(from, to int) string {
	if from >= to {
		return ""
	}
	text := p.text[p.tokens[from].Start:p.tokens[to-1].End]
	if !strings.Contains(text, "\n") {
		return text
	}
	var b strings.Builder
	for i := from; i < to; i++ {
		t := p.tokens[i]
		b.WriteString(strings.ReplaceAll(p.text[t.Start:t.End], "\n", " "))
		if i+1 < to && (oneOf(t, ",", ":", "{") || p.tokens[i+1].Is("}") || t.Kind == js.Word && p.tokens[i+1].Kind == js.Word) {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// split are the texts of the arguments that tokens are.
func (p *playwright) split(from, to int) (args []string) {
	for from < to {
		end := p.argumentEnd(from, to)
		args = append(args, p.source(from, end))
		from = end + 1
	}
	return args
}

// often is a time of a wait, in milliseconds, in which Playwright looks every tenth of a second: it looks again after
// 20, 50, 100, 100 and then each 500 ms, and leaves out what is more than a fifth of the wait's time.
const often = 2400

// inTwo waits as wait does, in two waits where one that is long enough would look too seldom: during the first
// Playwright looks often, and what is waited for mostly comes.
func (p *playwright) inTwo(c call, w *oracle.Wait) (string, error) {
	most := most(w).Milliseconds()
	if most <= often || w.Times.Median.Milliseconds() > often {
		return p.wait(c, w, most)
	}
	first, err := p.wait(c, w, often)
	if err != nil {
		return "", err
	}
	then, err := p.wait(c, w, most-often)
	return first + ".catch(() => " + then + ")", err
}

// wait is the call that waits until a call is answered as it was, for so many milliseconds.
func (p *playwright) wait(c call, w *oracle.Wait, most int64) (string, error) {
	switch {
	case len(w.After) > 0:
		return p.state(c, w, most)
	case w.Answer.Error != "" && !w.Varies:
		return "", errUnread
	case c.method == "$":
		return fmt.Sprintf(`%s.waitFor({ state: "attached", timeout: %d })`, c.locator, most), nil
	case w.Varies:
		return "", errVaries
	}
	var is any
	if err := json.Unmarshal([]byte(w.Answer.Value), &is); err != nil {
		return "", errParts
	}
	if w.Rest != nil && !w.Steps {
		if text := appears(c, w, is, most); text != "" {
			return text, nil
		}
	}
	return p.read(c, is, most)
}

// appears is the call that waits until something is there that is there for a while only, whatever it says: were it
// waited for word for word, one that says something else would be gone before the suite looks at it. It is "" where
// there is something before, too.
func appears(c call, w *oracle.Wait, is any, most int64) string {
	all, _ := is.([]any)
	count, _ := is.(float64)
	there := ""
	switch m, rest := c.method, w.Rest.Value; {
	case (m == "textContent" || m == "innerText") && rest == `""`:
		there = `.filter({ hasText: /\S/ })`
	case (m == "allTextContents" || m == "allInnerTexts") && rest == "[]":
		there = fmt.Sprintf(".nth(%d)", len(all)-1)
	case (m == "count" || m == "all" || m == "$$") && rest == "0":
		there = fmt.Sprintf(".nth(%d)", int(count)-1)
	default:
		return ""
	}
	return fmt.Sprintf(`%s%s.waitFor({ state: "attached", timeout: %d })`, c.locator, there, most)
}

// state waits for what an action has to find.
func (p *playwright) state(c call, w *oracle.Wait, most int64) (string, error) {
	if strings.HasSuffix(w.Command.Does, " the dialog") {
		return "", errItself
	}
	all, err := stateOf(w.After)
	if err != nil {
		return "", err
	}
	each, err := eachOf(all, func(a aim) (string, error) { return p.reached(c.page, a, most) })
	if len(each) == 1 {
		return each[0], err
	}
	return "Promise.all([" + strings.Join(each, ", ") + "])", err
}

// reached waits for an aim of a state. Selectors reach into shadow roots by themselves.
func (p *playwright) reached(page string, a aim, most int64) (string, error) {
	var path []string
	for _, l := range a.found {
		if l.Using != "shadow" {
			path = append(path, l.Value)
		}
	}
	c := call{page: page, locator: page + ".locator(" + literal.PrettyJavaScript(strings.Join(path, " ")) + ")"}
	var is any
	if a.reads != "" {
		if err := json.Unmarshal([]byte(a.is), &is); err != nil {
			return "", errParts
		}
	}
	switch a.reads {
	case "":
		return fmt.Sprintf(`%s.waitFor({ state: "attached", timeout: %d })`, c.locator, most), nil
	case "text":
		c.method = "textContent"
	case "property value":
		c.method = "inputValue"
	case "selected":
		c.method = "isChecked"
	case "all":
		c.method, c.locator = "count", c.locator+".locator("+literal.JavaScript(a.by.Value)+")"
	default:
		return "", errUnread
	}
	return p.read(c, is, most)
}

// read waits until a read is answered with a value.
func (p *playwright) read(c call, is any, most int64) (string, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(is); err != nil {
		return "", errParts
	}
	value := strings.TrimSpace(b.String())
	if p.expect {
		return assertion(c, is, value, most)
	}
	return p.waiting(c, is, value, most)
}

// assertion is one of the assertions of Playwright that ask again.
func assertion(c call, is any, value string, most int64) (string, error) {
	about, options := "expect("+c.locator+")", fmt.Sprintf("{ timeout: %d }", most)
	state := func(matcher, option string, holds bool) string {
		if holds {
			return about + "." + matcher + "(" + options + ")"
		}
		return fmt.Sprintf("%s.%s({ %s: false, timeout: %d })", about, matcher, option, most)
	}
	yes, isBool := is.(bool)
	_, isText := is.(string)
	switch m := c.method; {
	case (m == "textContent" || m == "innerText") && isText, m == "allTextContents", m == "allInnerTexts":
		if m == "innerText" || m == "allInnerTexts" {
			options = fmt.Sprintf("{ timeout: %d, useInnerText: true }", most)
		}
		return about + ".toHaveText(" + value + ", " + options + ")", nil
	case m == "inputValue":
		return about + ".toHaveValue(" + value + ", " + options + ")", nil
	case m == "getAttribute" && len(c.args) > 0 && isText:
		return about + ".toHaveAttribute(" + c.args[0] + ", " + value + ", " + options + ")", nil
	case m == "getAttribute" && len(c.args) > 0:
		return about + ".not.toHaveAttribute(" + c.args[0] + ", " + options + ")", nil
	case m == "count" || m == "all" || m == "$$":
		return about + ".toHaveCount(" + value + ", " + options + ")", nil
	case m == "title":
		return "expect(" + c.page + ").toHaveTitle(" + value + ", " + options + ")", nil
	case !isBool:
	case m == "isVisible" || m == "isHidden":
		return state("toBeVisible", "visible", yes == (m == "isVisible")), nil
	case m == "isEnabled" || m == "isDisabled":
		return state("toBeEnabled", "enabled", yes == (m == "isEnabled")), nil
	case m == "isChecked":
		return state("toBeChecked", "checked", yes), nil
	case m == "isEditable":
		return state("toBeEditable", "editable", yes), nil
	}
	if strings.Contains(c.text, "await ") {
		return "", errOwn
	}
	return fmt.Sprintf("expect.poll(() => %s, { timeout: %d, intervals: [%d] }).toEqual(%s)", c.text, most, c.every, value), nil
}

// waiting is a wait of Playwright without its assertions.
func (p *playwright) waiting(c call, is any, value string, most int64) (string, error) {
	timeout := fmt.Sprintf("timeout: %d", most)
	text, _ := is.(string)
	yes, isBool := is.(bool)
	switch m := c.method; {
	case (m == "textContent" || m == "innerText") && strings.TrimSpace(text) != "":
		return c.locator + ".filter({ hasText: " + wholeText(text) + ` }).waitFor({ state: "attached", ` + timeout + " })", nil
	case m == "allTextContents" || m == "allInnerTexts":
		all, _ := is.([]any)
		if len(all) == 0 {
			return c.locator + `.first().waitFor({ state: "detached", ` + timeout + " })", nil
		}
		last, _ := all[len(all)-1].(string)
		return fmt.Sprintf(`%s.nth(%d).filter({ hasText: %s }).waitFor({ state: "attached", %s })`, c.locator, len(all)-1, wholeText(last), timeout), nil
	case m == "count" || m == "all" || m == "$$":
		n, ok := is.(float64)
		if !ok || n < 0 || n > 1e6 {
			return "", errParts
		}
		fewer := fmt.Sprintf(`%s.nth(%d).waitFor({ state: "detached", %s })`, c.locator, int(n), timeout)
		if n == 0 {
			return fewer, nil
		}
		return fmt.Sprintf(`%s.nth(%d).waitFor({ state: "attached", %s }).then(() => %s)`, c.locator, int(n)-1, timeout, fewer), nil
	case (m == "isVisible" || m == "isHidden") && isBool:
		if yes == (m == "isVisible") {
			return c.locator + ".waitFor({ " + timeout + " })", nil
		}
		return c.locator + `.waitFor({ state: "hidden", ` + timeout + " })", nil
	case m == "title":
		return c.page + ".waitForFunction((is) => document.title === is, " + value + ", { " + timeout + " })", nil
	}
	property := map[string]string{"textContent": "e.textContent", "innerText": "e.innerText", "inputValue": "e.value", "innerHTML": "e.innerHTML",
		"isChecked": "e.checked", "isEnabled": "!e.disabled", "isDisabled": "e.disabled"}[c.method]
	if c.method == "getAttribute" && len(c.args) > 0 {
		property = "e.getAttribute(" + c.args[0] + ")"
	}
	if property == "" || c.locator == "" {
		return "", errExpect
	}
	parameters := "([e, is])"
	if p.typed {
		parameters = "([e, is]: any[])"
	}
	return fmt.Sprintf("%s.elementHandle({ %s }).then((found) => %s.waitForFunction(%s => %s === is, [found, %s], { %s }))",
		c.locator, timeout, c.page, parameters, property, value, timeout), nil
}

// wholeText is a pattern of JavaScript for all of an element's text, whatever the blanks in it.
func wholeText(text string) string {
	words := strings.Fields(text)
	for i, word := range words {
		words[i] = strings.ReplaceAll(regexp.QuoteMeta(word), "/", `\/`)
	}
	return `/^\s*` + strings.Join(words, `\s+`) + `\s*$/`
}
