package explicit

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/python/importing"
	"github.com/flaketap/flaketap/suite/python/syntax"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/waits/oracle"
)

// python writes waits of Selenium for Python.
type python struct {
	name  string
	stmts []syntax.Statement
	roots map[int]bool
}

func newPython(name, text string, roots map[int]bool) (language, error) {
	stmts, err := syntax.Statements(name, text)
	if err != nil {
		return nil, fmt.Errorf("the file cannot be read: %w", err)
	}
	return &python{name: name, stmts: stmts, roots: roots}, nil
}

func (*python) comment() string { return "# " }

// imports are what the waits name, as "module name".
var imports = []string{"contextlib suppress", "selenium.common.exceptions TimeoutException",
	"selenium.common.exceptions WebDriverException", "selenium.webdriver.common.by By",
	"selenium.webdriver.support.ui WebDriverWait"}

func (p *python) finish(text string) string {
	stmts, err := syntax.Statements(p.name, text)
	if err != nil {
		return text
	}
	eol := lineEnd(text)
	s := &script.Script{Text: text, Lines: []string{eol}}
	for _, e := range importing.Names(s, stmts, slices.Clone(imports)) {
		var lines []string
		for i, line := range strings.Split(strings.ReplaceAll(e.Text, "\r\n", "\n"), "\n") {
			switch {
			case line != "":
				lines = append(lines, line+needed)
			case i == 0 || lines[len(lines)-1] != "": // nothing would tell that more blank ones are not the file's
				lines = append(lines, line)
			}
		}
		text = text[:e.Start] + strings.Join(lines, eol) + text[e.End:]
	}
	return text
}

func (p *python) alone(at int) bool {
	i := slices.IndexFunc(p.stmts, func(st syntax.Statement) bool { return st.Start == at })
	return i >= 0 && p.fits(i) == nil && p.stmts[i].FirstLine == p.stmts[i].LastLine
}

func (p *python) insert(s site) (int, []string, error) {
	at := slices.IndexFunc(p.stmts, func(st syntax.Statement) bool {
		return st.FirstLine <= s.line && s.line <= st.LastLine
	})
	if at < 0 {
		return 0, nil, errChanged
	}
	st := p.stmts[at]
	if err := p.fits(at); err != nil {
		return 0, nil, err
	}
	driver := p.driver(at)
	if driver == "" && nameOfDriver.MatchString(s.driver) {
		driver = s.driver
	}
	if driver == "" {
		return 0, nil, errDriver
	}
	all, err := aimsOf(s.wait, strategies, byWebDriver)
	if err != nil {
		return 0, nil, err
	}
	each, err := eachOf(all, p.condition)
	if err != nil {
		return 0, nil, err
	}
	passing := "WebDriverException"
	if picked(all) {
		passing += ", IndexError"
	}
	return st.Start, []string{
		"with suppress(TimeoutException):",
		fmt.Sprintf("    WebDriverWait(%s, %s, %s, [%s]).until(lambda d: %s)", driver, pythonSeconds(most(s.wait)),
			pythonSeconds(interval(s.wait)), passing, strings.Join(each, " and ")),
	}, nil
}

func pythonSeconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'g', -1, 64) }

// nameOfDriver is a name, or members of one: what a session says is written as code.
var nameOfDriver = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$`)

// fits says why no line can be put before a statement.
func (p *python) fits(at int) error {
	st := p.stmts[at]
	if at > 0 && p.stmts[at-1].LastLine == st.FirstLine {
		return errLine
	}
	for i, t := range st.Tokens {
		switch {
		case t.Kind != syntax.TokenName:
		case t.Text == "for" && i == 0 && st.Tokens[len(st.Tokens)-1].Text == ":": // what a loop goes over is made once
		case slices.Contains([]string{"for", "while", "elif", "else", "except", "finally", "case", "class", "def"}, t.Text):
			return errHead
		case t.Text == "lambda":
			return errLater
		case t.Text == "if" && i == 0 && st.Tokens[len(st.Tokens)-1].Text != ":":
			return errHead
		}
	}
	return nil
}

// driver is the name of the driver where a statement stands: the one from which it, or the last before it in the same
// function, looks for elements. "" is none.
func (p *python) driver(at int) string {
	name := ""
	for i, st := range p.stmts[:at+1] {
		if (st.Is("def") || st.Is("async", "def")) && len(st.Indent) < len(p.stmts[at].Indent) && i < at {
			name = ""
		}
		for k, t := range st.Tokens {
			if t.Kind == syntax.TokenName && (t.Text == "find_element" || t.Text == "find_elements") && p.roots[t.Line] {
				if found := receiver(st.Tokens, k); found != "" {
					name = found
				}
			}
		}
	}
	return name
}

// receiver is what a method is called on, where that is a name, or members of one.
func receiver(tokens []syntax.Token, method int) string {
	text := ""
	i := method - 1
	for ; i > 0 && tokens[i].Text == "." && tokens[i-1].Kind == syntax.TokenName; i -= 2 {
		text = tokens[i-1].Text + "." + text
	}
	if i >= 0 && tokens[i].Text == "." {
		return ""
	}
	return strings.TrimSuffix(text, ".")
}

// condition is an expression that is true where what is waited for is there. It speaks of the driver as d.
func (p *python) condition(a aim) (string, error) {
	found := "d"
	for _, l := range a.found {
		switch {
		case l.Using == "shadow":
			found += ".shadow_root"
		case l.Nth > 0:
			found += ".find_elements(" + pythonLocator(l) + ")[" + strconv.Itoa(l.Nth-1) + "]"
		default:
			found += ".find_element(" + pythonLocator(l) + ")"
		}
	}
	switch a.reads {
	case "":
		return found, nil
	case "all":
		return "len(" + found + ".find_elements(" + pythonLocator(a.by) + ")) == " + a.is, nil
	case "windows":
		return "len(d.window_handles) == " + a.is, nil
	}
	read := a.reader(pythonReads(), literal.Python)
	var text string
	err := json.Unmarshal([]byte(a.is), &text)
	switch {
	case read == "":
		return "", errUnread
	case a.is == "true":
		return found + read, nil
	case a.is == "false":
		return "not " + found + read, nil
	case a.is == "null":
		return found + read + " is None", nil
	case err != nil:
		return "", errParts
	}
	return found + read + " == " + literal.Python(text), nil
}

// pythonReads are the attributes and methods of Selenium, as [aim.reader] takes them.
func pythonReads() map[string]string {
	return map[string]string{"text": ".text", "name": ".tag_name", "selected": ".is_selected()", "enabled": ".is_enabled()",
		"displayed": ".is_displayed()", "computedrole": ".aria_role", "computedlabel": ".accessible_name",
		"title": ".title", "url": ".current_url", "text of the alert": ".switch_to.alert.text",
		"attribute …": ".get_attribute", "property …": ".get_property", "css …": ".value_of_css_property"}
}

// pythonLocator writes a locator as the arguments of find_element.
func pythonLocator(l oracle.Locator) string {
	l = simpler(l)
	name := map[string]string{"css selector": "CSS_SELECTOR", "id": "ID", "xpath": "XPATH", "link text": "LINK_TEXT",
		"partial link text": "PARTIAL_LINK_TEXT", "tag name": "TAG_NAME"}[l.Using]
	return "By." + name + ", " + literal.Python(l.Value)
}
