package explicit

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/script"
)

// OfCypress reports whether a file is a spec of Cypress, or helps one. One that cannot be read is told by its name.
func OfCypress(name string, data []byte) bool {
	if ext := path.Ext(name); ext == ".py" || ext == ".java" || !Readable(name) {
		return false
	}
	tokens, err := js.Tokens(name, string(data))
	if err != nil {
		return strings.HasSuffix(strings.TrimSuffix(name, path.Ext(name)), ".cy")
	}
	return slices.ContainsFunc(dotted(tokens, "cy"), func(i int) bool {
		return oneOf(tokens[i], "visit", "get", "contains", "intercept", "request", "wait", "mount")
	})
}

// dotted are the places of the methods and members of what has a name.
func dotted(tokens []js.Token, name string) (at []int) {
	for i := 2; i < len(tokens); i++ {
		if tokens[i-1].Is(".") && tokens[i-2].Is(name) && (i < 3 || !tokens[i-3].Is(".")) {
			at = append(at, i)
		}
	}
	return at
}

// Cypress has assertions of a spec of Cypress ask again until they hold: those in a callback of .then, which looks
// once, come to stand in one of .should, which looks until its time is over. Nothing is recorded of these, as Cypress
// runs its commands within the browser; so this rests on the text alone, and on what it cannot change: the same
// assertions
// hold, or fail with the same words, only that they may hold later. A callback is moved if it does nothing but look and
// assert, behind queries alone, which Cypress asks again too.
//
// Sleeps get a wait for the requests that they are for, where the spec was recorded with its marks; see [MarkCypress].
// Others stay: that they are needless nothing shows.
func Cypress(name string, data []byte, o Options) Result {
	r := Result{Data: data, Spec: true}
	bare := UnmarkCypress(name, data)
	text, known := string(bare.Data), false
	if o.Requests != nil {
		if sleeps, _ := withoutWaits(text); o.Requests.Knows(specOf(name, sleeps)) {
			text, known = sleeps, true
		}
	}
	j, err := readJavaScript(name, text)
	if err != nil {
		r.Left = []Left{unreadSpec(err)}
		return r
	}
	r.Unmarked = bare.Unmarked
	c := cypressPatch{javaScript: j, options: o, Result: r}
	c.askAgain()
	for _, s := range j.cypressSleeps(name) {
		err := errCypressSleep
		switch {
		case known:
			err = c.awaitRequests(s, specOf(name, text))
		case o.Requests != nil:
			err = errCypressUnmarked
		case !o.ReplaceSleeps:
			continue
		}
		if err != nil {
			c.Left = append(c.Left, s.left(err))
		}
	}
	c.Data = []byte(script.Apply(text, c.edits))
	return c.Result
}

// unreadSpec is a spec that stays as it is, as it cannot be read.
func unreadSpec(err error) Left {
	l := Left{1, "the spec", err.Error()}
	var syntax *script.SyntaxError
	if errors.As(err, &syntax) {
		l.Line, l.Reason = max(syntax.Line, 1), "it cannot be read: "+syntax.Reason
	}
	return l
}

// cypressPatch is a spec that is patched.
type cypressPatch struct {
	*javaScript
	options Options
	edits   []script.Edit
	aliases []string // that were given to requests
	Result
}

// askAgain moves what looks once.
func (c *cypressPatch) askAgain() {
	for i := 1; i+1 < len(c.tokens); i++ {
		t := c.tokens[i]
		if !t.Is("then") || !c.tokens[i-1].Is(".") || !c.tokens[i+1].Is("(") {
			continue
		}
		word, err := c.asksAgain(i)
		switch {
		case err != nil:
			c.Left = append(c.Left, Left{t.Line, "an assertion in .then", err.Error()})
		case word != "":
			c.edits = append(c.edits, script.Edit{Start: t.Start, End: t.End, Text: word})
			c.Retried++
		}
	}
}

// Why something of Cypress's stays as it is.
var (
	errCypressSleep = errors.New("no recording shows that what comes after it is not there before; flaketap waits mark has a spec " +
		"recorded, and docs/waits.md what to write by hand")
	errCypressUnmarked = errors.New("the recording has no marks of the spec as it is; record it with those of flaketap waits mark")
	errCypressOnce     = errors.New("what stands before it is no query that Cypress asks again")
	errCypressUsed     = errors.New("what .then yields is used, and .should yields something else")
	errCypressDoes     = errors.New("its callback does more than look and assert")
)

// asksAgain is what stands in the place of a "then" so that the assertions in its callback ask again; "" where it is
// none of Cypress's, or asserts nothing.
func (j *javaScript) asksAgain(then int) (string, error) {
	links, first := j.cypressChain(then - 1)
	from, to := then+2, j.pairs[then+1]
	asserts := func(t js.Token) bool { return oneOf(t, "expect", "assert") }
	if first < 0 || !slices.ContainsFunc(j.tokens[from:max(from, to)], asserts) {
		return "", nil
	}
	if first > 0 && !oneOf(j.tokens[first-1], ";", "{", "}", ")", "=>", "return") && j.tokens[first-1].Line == j.tokens[first].Line {
		return "", errCypressUsed
	}
	if to+1 < len(j.tokens) && j.tokens[to+1].Is(".") {
		return "", errCypressUsed
	}
	word := j.should(links)
	if word == "" {
		return "", errCypressOnce
	}
	if body, end := j.callback(from, to); body < 0 || !j.looks(body, end) {
		return "", errCypressDoes
	}
	return word, nil
}

// link is a call in a chain of calls.
type link struct {
	name     string
	from, to int // the tokens of its arguments
}

// cypressChain are the calls of a chain that a dot goes on, and the token with which it begins; first is -1 where that
// is not cy.
func (j *javaScript) cypressChain(dot int) (links []link, first int) {
	for {
		end := dot - 1
		if end >= 0 && j.tokens[end].Is("cy") && (end == 0 || !j.tokens[end-1].Is(".")) {
			return links, end
		}
		open, ok := j.pairs[end]
		if !ok || open < 3 || !j.tokens[end].Is(")") || j.tokens[open-1].Kind != js.Word || !j.tokens[open-2].Is(".") {
			return nil, -1
		}
		links = append([]link{{j.tokens[open-1].Text, open + 1, end}}, links...)
		dot = open - 2
	}
}

// The queries of Cypress's, which it asks again until what is asserted of them holds: those that give elements, and
// others.
var (
	cypressElements = words("get contains find children closest eq filter first focused last next nextAll nextUntil not parent " +
		"parents parentsUntil prev prevAll prevUntil shadow siblings")
	cypressValues = words("its invoke url title hash location document window")
)

func words(all string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(all) {
		set[word] = true
	}
	return set
}

// should is how assertions are chained to queries, in the words of Cypress; "" where it would not ask these again. A
// callback alone would be content with elements that are not there, which .then is not.
func (j *javaScript) should(links []link) string {
	if len(links) == 0 {
		return ""
	}
	word := ""
	for i, l := range links {
		switch {
		case l.name == "get" && i == 0 && j.begins(l, "@"): // an alias: of a request, it is what it was
			return ""
		case cypressElements[l.name]:
			word = fmt.Sprintf("should(%sexist%[1]s).and", j.quote())
		case l.name == "invoke" && !j.invokesLook(l):
			return ""
		case cypressValues[l.name]:
			word = "should"
		case (l.name == "should" || l.name == "and") && word != "":
			word = "and"
		default:
			return ""
		}
	}
	return word
}

// begins reports whether the first argument of a call is a text that begins so.
func (j *javaScript) begins(l link, with string) bool {
	return l.from < l.to && strings.HasPrefix(strings.TrimLeft(j.source(l.from), "'\"`"), with)
}

// source is the text of a token.
func (j *javaScript) source(i int) string { return j.text[j.tokens[i].Start:j.tokens[i].End] }

// invokesLook reports whether a call of .invoke calls a method that only looks: .invoke('text').
func (j *javaScript) invokesLook(l link) bool {
	if l.from >= l.to {
		return false
	}
	n, known := jQueryReads[strings.Trim(j.source(l.from), "'\"`")]
	return known && j.arguments(l.from, l.to) == n+1
}

// quote is the mark that the file has around its first text.
func (j *javaScript) quote() string {
	for _, t := range j.tokens {
		if c := j.text[t.Start : t.Start+1]; t.Kind != js.Word && (c == "'" || c == `"`) {
			return c
		}
	}
	return "'"
}

// arguments counts the arguments between two tokens.
func (j *javaScript) arguments(from, to int) (n int) {
	for ; from < to; n++ {
		from = j.argumentEnd(from, to) + 1
	}
	return n
}

// callback is where the body of a function begins and ends that is all of a call's arguments, and takes one parameter
// at most; -1 for anything else.
func (j *javaScript) callback(from, to int) (body, end int) {
	if from < to && j.tokens[from].Is("function") && j.tokens[from+1].Is("(") {
		params := j.pairs[from+1]
		if open := j.pastResult(params+1, to); params > from && open < to && j.tokens[open].Is("{") && j.pairs[open] == to-1 && j.arguments(from+2, params) <= 1 {
			return open + 1, to - 1
		}
		return -1, 0
	}
	arrow := from + 1
	if from < to && j.tokens[from].Is("(") {
		params := j.pairs[from]
		if params < from || j.arguments(from+1, params) > 1 {
			return -1, 0
		}
		arrow = j.pastResult(params+1, to)
	}
	switch {
	case arrow <= from || arrow+1 >= to || !j.tokens[arrow].Is("=>"):
		return -1, 0
	case !j.tokens[arrow+1].Is("{"):
		if j.arguments(arrow+1, to) != 1 {
			return -1, 0
		}
		return arrow + 1, to
	case j.pairs[arrow+1] == to-1:
		return arrow + 2, to - 1
	}
	return -1, 0
}

// pastResult is the token behind the type of what a function returns, where a colon begins one: (): void =>
func (j *javaScript) pastResult(at, to int) int {
	if at >= to || !j.tokens[at].Is(":") {
		return at
	}
	for at++; at < to && (j.tokens[at].Kind == js.Word || oneOf(j.tokens[at], ".", "<", ">", ">>", "[", "]", "|", "&", ",")); {
		at++
	}
	return at
}

// jQueryReads are methods of jQuery's that look if they are given so many arguments, and set something if they are
// given more.
var jQueryReads = map[string]int{"text": 0, "val": 0, "html": 0, "width": 0, "height": 0, "attr": 1, "prop": 1, "css": 1,
	"data": 1}

// Other calls that only look, and words in front of a matcher of Chai's.
var (
	purelyLooks = words("expect hasClass is has find first last eq children parent parents closest filter not next prev siblings get " +
		"toArray map every some join split slice substring trim trimStart trimEnd toLowerCase toUpperCase replace replaceAll includes " +
		"startsWith endsWith indexOf concat toFixed toString match parseInt parseFloat Number String Boolean keys values entries from " +
		"isArray isNaN abs round floor ceil min max getAttribute hasAttribute querySelector querySelectorAll getBoundingClientRect $")
	chaiChains = words("to be been is that which and has have with at of same but does still not deep nested own ordered any all a an " +
		"include includes contain contains")
	doesMore = words("cy await async return throw new delete if for while do switch try function yield")
)

// looks reports whether tokens do nothing but look and assert: they may be run again.
func (j *javaScript) looks(from, to int) bool {
	for i := from; i < to; i++ {
		t := j.tokens[i]
		switch {
		case t.Kind == js.Word && doesMore[t.Text] && !j.tokens[i-1].Is("."):
			return false
		case t.Kind == js.JsTemplate && len(t.Holes) > 0:
			return false // what is called in it is not looked at
		case t.Is("=") && !j.declares(i):
			return false
		case t.Kind != js.Word && (t.Is("++") || t.Is("--") || len(t.Text) > 1 && strings.HasSuffix(t.Text, "=") &&
			!oneOf(t, "==", "===", "!=", "!==", "<=", ">=")):
			return false
		case t.Is("(") && i > from && !j.looksBy(i):
			return false
		}
	}
	return true
}

// looksBy reports whether a bracket is none of a call, or of one that only looks or asserts.
func (j *javaScript) looksBy(open int) bool {
	name := j.tokens[open-1]
	if oneOf(name, ")", "]") || name.Kind == js.JsTemplate {
		return false
	}
	if name.Kind != js.Word {
		return true
	}
	member := j.tokens[open-2].Is(".") || j.tokens[open-2].Is("?.")
	before := j.tokens[open-3]
	if member && before.Kind == js.Word && (chaiChains[before.Text] || before.Text == "assert") {
		return true
	}
	if most, ok := jQueryReads[name.Text]; ok && member {
		return j.arguments(open+1, j.pairs[open]) <= most && !j.tokens[open+1].Is("{")
	}
	return purelyLooks[name.Text]
}

// declares reports whether a sign of assignment gives a new name its value: const text = …
func (j *javaScript) declares(sign int) bool {
	name := sign - 1
	if open, ok := j.pairs[name]; ok && oneOf(j.tokens[name], "}", "]") {
		name = open
	}
	return oneOf(j.tokens[name-1], "const", "let", "var")
}
