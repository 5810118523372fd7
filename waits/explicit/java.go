package explicit

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/waits/oracle"
)

// javaSuite writes waits of Selenium for Java.
type javaSuite struct {
	text  string
	file  *java.File
	roots map[int]bool
	names *javaNames
	given string // what a wait calls the driver that it is given
	unit  string // by which the file indents
}

func newJava(name, text string, roots map[int]bool) (language, error) {
	tokens, err := java.LexWritten(name, text)
	if err != nil {
		return nil, fmt.Errorf("the file cannot be read: %w", err)
	}
	given := "d"
	for slices.ContainsFunc(tokens, func(t java.Token) bool { return t.Is(given) }) { // a lambda must not hide a name
		given += "d"
	}
	file := java.Read(tokens)
	return &javaSuite{text: text, file: file, roots: roots, names: newJavaNames(text, file), given: given,
		unit: unitOf(text)}, nil
}

func (*javaSuite) comment() string             { return "// " }
func (j *javaSuite) finish(text string) string { return j.names.imported(text) }

// alone leaves a sleep where it is in a method that catches what it throws: without it nothing does, and the method
// does not compile.
func (j *javaSuite) alone(at int) bool {
	i := slices.IndexFunc(j.file.Tokens, func(t java.Token) bool { return t.Start == at })
	within := j.method(i)
	if within == nil || slices.ContainsFunc(j.file.Tokens[within.Open:within.Close], func(t java.Token) bool {
		return t.Is("InterruptedException")
	}) {
		return false
	}
	first, err := j.statement(within, i)
	return err == nil && first == i
}

func (j *javaSuite) insert(s site) (int, []string, error) {
	at := j.call(s.line)
	if at < 0 {
		return 0, nil, errChanged
	}
	within := j.method(at)
	if within == nil {
		return 0, nil, errLater
	}
	first, err := j.statement(within, at)
	if err != nil {
		return 0, nil, err
	}
	driver := j.driver(within, first, at)
	if driver == "" {
		return 0, nil, errDriver
	}
	all, err := aimsOf(s.wait, strategies, byWebDriver)
	if err != nil {
		return 0, nil, err
	}
	each, err := eachOf(all, func(a aim) (string, error) {
		text, err := j.condition(a)
		if a.reads == "" && len(all) > 1 { // an element is no truth value
			text += " != null"
		}
		return text, err
	})
	if err != nil {
		return 0, nil, err
	}
	passing := j.names.say("WebDriverException") + ".class"
	if picked(all) {
		passing += ", IndexOutOfBoundsException.class"
	}
	duration := j.names.say("Duration")
	return j.file.Tokens[first].Start, []string{
		"try {",
		fmt.Sprintf("%snew %s(%s, %s.%s, %s.%s).ignoring(%s)", j.unit, j.names.say("WebDriverWait"), driver, duration,
			javaDuration(most(s.wait)), duration, javaDuration(interval(s.wait)), passing),
		fmt.Sprintf("%s.until(%s -> %s);", strings.Repeat(j.unit, 3), j.given, strings.Join(each, " && ")),
		"} catch (" + j.names.say("TimeoutException") + " notReady) {}",
	}, nil
}

// unitOf is by how much a text indents: as its line with the least indentation is.
func unitOf(text string) string {
	unit := ""
	for line := range strings.Lines(text) {
		bare := strings.TrimLeft(line, " \t")
		if by := line[:len(line)-len(bare)]; by != "" && strings.TrimSpace(bare) != "" && bare[0] != '*' && (unit == "" || len(by) < len(unit)) {
			unit = by
		}
	}
	return unit
}

func javaDuration(d time.Duration) string {
	if d%time.Second == 0 {
		return "ofSeconds(" + strconv.Itoa(int(d/time.Second)) + ")"
	}
	return "ofMillis(" + strconv.FormatInt(d.Milliseconds(), 10) + ")"
}

// condition is an expression that is true, or something, where what is waited for is there.
func (j *javaSuite) condition(a aim) (string, error) {
	found := j.given
	for _, l := range a.found {
		switch {
		case l.Using == "shadow":
			found += ".getShadowRoot()"
		case l.Nth > 0:
			found += ".findElements(" + j.locator(l) + ").get(" + strconv.Itoa(l.Nth-1) + ")"
		default:
			found += ".findElement(" + j.locator(l) + ")"
		}
	}
	switch a.reads {
	case "":
		return found, nil
	case "all":
		return found + ".findElements(" + j.locator(a.by) + ").size() == " + a.is, nil
	case "windows":
		return found + ".getWindowHandles().size() == " + a.is, nil
	}
	read := a.reader(javaReads(), literal.Java)
	var text string
	err := json.Unmarshal([]byte(a.is), &text)
	switch {
	case read == "":
		return "", errUnread
	case a.is == "true":
		return found + read, nil
	case a.is == "false":
		return "!" + found + read, nil
	case a.is == "null":
		return found + read + " == null", nil
	case err != nil:
		return "", errParts
	}
	return literal.Java(text) + ".equals(" + found + read + ")", nil
}

// javaReads are the methods of Selenium, as [aim.reader] takes them.
func javaReads() map[string]string {
	return map[string]string{"text": ".getText()", "name": ".getTagName()", "selected": ".isSelected()", "enabled": ".isEnabled()",
		"displayed": ".isDisplayed()", "computedrole": ".getAriaRole()", "computedlabel": ".getAccessibleName()",
		"title": ".getTitle()", "url": ".getCurrentUrl()", "text of the alert": ".switchTo().alert().getText()",
		"attribute …": ".getAttribute", "property …": ".getDomProperty", "css …": ".getCssValue"}
}

// locator writes a locator as the methods of By have it.
func (j *javaSuite) locator(l oracle.Locator) string {
	l = simpler(l)
	name := map[string]string{"css selector": "cssSelector", "id": "id", "xpath": "xpath", "link text": "linkText",
		"partial link text": "partialLinkText", "tag name": "tagName"}[l.Using]
	return j.names.say("By") + "." + name + "(" + literal.Java(l.Value) + ")"
}
