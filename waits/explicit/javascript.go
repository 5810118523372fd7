package explicit

import (
	"fmt"
	"slices"

	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/waits/oracle"
)

// javaScript writes waits of selenium-webdriver, or of WebdriverIO.
type javaScript struct {
	idiom
	text   string
	tokens []js.Token
	pairs  map[int]int     // of brackets
	lines  []int           // where each line begins
	top    map[string]bool // names that the file declares outside of any brackets
}

// idiom is how a library looks for elements, and waits.
type idiom interface {
	// root is the name of the driver from which a token looks for elements; "" where it does not.
	root(j *javaScript, i int) string
	// strategies are those by which elements can be looked for.
	strategies() []string
	// has is the locator that it has for a name, if it has one.
	has(oracle.Name) (oracle.Locator, bool)
	// wait is the call that waits for all of some aims.
	wait(driver string, all []aim, w *oracle.Wait) (string, error)
}

func newJavaScript(name, text string, roots map[int]bool) (language, error) {
	j, err := readJavaScript(name, text)
	if err != nil {
		return nil, err
	}
	has := func(words ...string) bool {
		return slices.ContainsFunc(j.tokens, func(t js.Token) bool { return t.Kind == js.Word && oneOf(t, words...) })
	}
	if has("$", "$$") && !has("findElement", "findElements") {
		j.idiom = newWebdriverIO(j, text)
	} else {
		j.idiom = selenium{roots, has("By")}
	}
	return j, nil
}

// readJavaScript reads a file, whatever the library that its waits are of.
func readJavaScript(name, text string) (*javaScript, error) {
	tokens, err := js.Tokens(name, text)
	if err != nil {
		return nil, fmt.Errorf("the file cannot be read: %w", err)
	}
	return &javaScript{text: text, tokens: tokens, pairs: pairs(tokens), lines: lineStarts(text),
		top: js.Declared(tokens)}, nil
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

// token is the first that stands at a site, or behind it in its line; -1 where there is none.
func (j *javaScript) token(s site) int {
	if s.line > len(j.lines) {
		return -1
	}
	offset := j.lines[s.line-1] + max(0, s.column-1)
	at := slices.IndexFunc(j.tokens, func(t js.Token) bool { return t.Start >= offset })
	if at < 0 || j.tokens[at].Line != s.line {
		return -1
	}
	return at
}

func (j *javaScript) insert(s site) (int, []string, error) {
	at := j.token(s)
	if at < 0 {
		return 0, nil, errChanged
	}
	first, err := j.statement(at)
	if err != nil {
		return 0, nil, err
	}
	idiom, driver := j.idiom, j.driver(first, at)
	if driver == "" {
		driver = j.member(first)
	}
	if driver == "" {
		driver = j.shared(first)
	}
	switch {
	case driver != "":
	case s.wait.Command.Globals:
		idiom, driver = webdriverIO{global: "browser"}, bare
	default:
		return 0, nil, errDriver
	}
	all, err := aimsOf(s.wait, idiom.strategies(), idiom.has)
	if err != nil {
		return 0, nil, err
	}
	line, err := idiom.wait(driver, all, s.wait)
	if err != nil {
		return 0, nil, err
	}
	return j.tokens[first].Start, []string{"await " + line + ".catch(() => {});"}, nil
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
			names.closes(func(root string) bool { return j.top[root] || root == bare })
		case t.Kind == js.Word:
			names.add(j.root(j, i))
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

// argumentEnd is where the argument ends that begins at a token.
func (j *javaScript) argumentEnd(from, to int) int {
	for i := from; i < to; i++ {
		if end, ok := j.pairs[i]; ok && end > i {
			i = end
		} else if j.tokens[i].Is(",") {
			return i
		}
	}
	return to
}
