package explicit

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/waits/read"
)

// cypressSleep is a sleep of a spec of Cypress's, and what is done before it.
type cypressSleep struct {
	line  int
	time  time.Duration
	at    int   // where its statement begins, in the text
	acts  int   // where the first statement begins that does something to the page
	group []int // tokens with which the statements begin that stand before it, back to the sleep before it
	own   bool  // its statement ends with a semicolon
	err   error // why nothing can be done about it
}

// Why a sleep of Cypress's cannot be looked at.
var (
	errSleepPlace  = errors.New("it does not stand directly in a test or a hook, as a statement in a line of its own")
	errSleepBefore = errors.New("more than commands of Cypress's own stand before it, such as a custom command, a callback or a branch")
	errSleepTime   = errors.New("the file does not tell how long it is, and the rest before it is between one and four times as long")
	errSleepAlone  = errors.New("nothing is done to the page before it, in its test or hook")
)

// What a command of Cypress's does to a page, and what stands beside such commands.
var (
	cypressActs = words("visit reload go click dblclick rightclick type clear check uncheck select selectFile submit trigger " +
		"scrollTo scrollIntoView focus blur invoke")
	cypressBeside = words("should and as log viewport intercept wait clearCookies clearCookie clearLocalStorage setCookie")
	cypressTests  = words("it specify test")
	cypressHooks  = words("beforeEach before")
)

// cypressSleeps are the sleeps of a spec.
func (j *javaScript) cypressSleeps(name string) (all []cypressSleep) {
	of := map[int]cypressSleep{}
	for _, body := range j.cypressBodies() {
		statements := j.statements(body.from, body.to)
		for n, first := range statements {
			if j.fixedWait(first) {
				s := j.cypressSleep(statements[:n], first)
				of[j.tokens[first].Start] = s
			}
		}
	}
	for _, w := range read.Parse(name, []byte(j.text)).Waits {
		if w.Kind != read.Sleep || !strings.HasSuffix(w.Form, "wait") {
			continue
		}
		s := cypressSleep{err: errSleepPlace}
		for at, found := range of {
			if at < w.At.Start && !strings.Contains(j.text[at:w.At.Start], "\n") {
				s = found
			}
		}
		if s.line, s.time = w.From, w.Time; s.time == 0 && s.err == nil {
			s.err = errSleepTime
		}
		all = append(all, s)
	}
	return all
}

// cypressBody is the block of a test or a hook: its tokens, without its braces.
type cypressBody struct{ from, to int }

// cypressBodies are the blocks of tests and hooks that are functions written out.
func (j *javaScript) cypressBodies() (all []cypressBody) {
	for i, t := range j.tokens {
		if t.Kind != js.Word || !cypressTests[t.Text] && !cypressHooks[t.Text] || i > 0 && j.tokens[i-1].Is(".") {
			continue
		}
		open := i + 1
		if open+2 < len(j.tokens) && j.tokens[open].Is(".") && j.tokens[open+1].Is("only") {
			open += 2
		}
		if open >= len(j.tokens) || !j.tokens[open].Is("(") || j.pairs[open] <= open {
			continue
		}
		last, to := open+1, j.pairs[open]
		for end := j.argumentEnd(last, to); end+1 < to; end = j.argumentEnd(last, to) {
			last = end + 1
		}
		if body, end := j.callback(last, to); body > 0 && j.tokens[body-1].Is("{") {
			all = append(all, cypressBody{body, end})
		}
	}
	return all
}

// statements are the tokens with which the statements between two tokens begin.
func (j *javaScript) statements(from, to int) (all []int) {
	begins := true
	for i := from; i < to; i++ {
		if begins || j.beginsStatement(i) {
			all = append(all, i)
		}
		begins = j.tokens[i].Is(";")
		if end, ok := j.pairs[i]; ok && end > i {
			i = end
		}
	}
	return all
}

// cypressCalls are the calls of a chain that a statement consists of, and its last token; ok is false of another
// statement.
func (j *javaScript) cypressCalls(first int) (links []link, last int, ok bool) {
	if !j.tokens[first].Is("cy") {
		return nil, first, false
	}
	i := first + 1
	call := func() bool {
		return i+2 < len(j.tokens) && j.tokens[i].Is(".") && j.tokens[i+1].Kind == js.Word && j.tokens[i+2].Is("(")
	}
	for call() && j.pairs[i+2] > i {
		links = append(links, link{j.tokens[i+1].Text, i + 3, j.pairs[i+2]})
		i = j.pairs[i+2] + 1
	}
	ends := i >= len(j.tokens) || oneOf(j.tokens[i], ";", "}") || j.beginsStatement(i)
	return links, i - 1, ends && len(links) > 0
}

// fixedWait reports whether a statement is a wait for a time: cy.wait(500).
func (j *javaScript) fixedWait(first int) bool {
	links, _, ok := j.cypressCalls(first)
	return ok && len(links) == 1 && links[0].name == "wait" && !j.begins(links[0], "@") && !j.tokens[links[0].from].Is("[")
}

// cypressSleep looks at what stands before a sleep, which begins at a token.
func (j *javaScript) cypressSleep(before []int, first int) cypressSleep {
	_, last, _ := j.cypressCalls(first)
	s := cypressSleep{at: j.tokens[first].Start, acts: -1, own: last+1 < len(j.tokens) && j.tokens[last+1].Is(";")}
	for _, b := range slices.Backward(before) {
		if j.fixedWait(b) {
			break
		}
		does, err := j.does(b, first)
		if err != nil {
			s.err = err
			return s
		}
		if does {
			s.acts = j.tokens[b].Start
		}
		s.group = append(s.group, b)
	}
	end := j.tokens[last].End
	behind := strings.TrimLeft(strings.TrimSpace(j.text[end:endOfLine(j.text, end)]), "; \t")
	switch {
	case s.acts < 0:
		s.err = errSleepAlone
	case !j.beginsLine(s.at) || !j.beginsLine(s.acts) || behind != "" && !strings.HasPrefix(behind, "//"):
		s.err = errSleepPlace
	}
	return s
}

func (j *javaScript) beginsLine(at int) bool {
	return strings.TrimSpace(j.text[strings.LastIndexByte(j.text[:at], '\n')+1:at]) == ""
}

// does reports whether a statement does something to the page. The error is that it may do anything. to bounds it.
func (j *javaScript) does(first, to int) (acts bool, err error) {
	links, last, ok := j.cypressCalls(first)
	if !ok { // const name = 'tea'
		for i := first; i < to && (i == first || !j.beginsStatement(i)) && !j.tokens[i].Is(";"); i++ {
			if oneOf(j.tokens[i], "(", "=>", "{", "await", "return") || j.tokens[i].Kind == js.JsTemplate {
				return false, errSleepBefore
			}
		}
		return false, nil
	}
	for i := first + 1; i <= last; i++ {
		if oneOf(j.tokens[i], "=>", "function", "cy") {
			return false, errSleepBefore
		}
	}
	for _, l := range links {
		switch {
		case cypressActs[l.name]:
			acts = true
		case !cypressElements[l.name] && !cypressValues[l.name] && !cypressBeside[l.name]:
			return false, errSleepBefore
		}
	}
	return acts, nil
}
