package explicit

import (
	"strings"

	"github.com/flaketap/flaketap/suite/js"
)

// shared is a driver in a variable that is known where a token stands, as the tests of a file share it: one that a
// Builder makes, or from which another function looks for elements. "" is none.
func (j *javaScript) shared(at int) (name string) {
	blocks := j.blocks()
	for i, t := range j.tokens {
		driver := j.root(j, i)
		if driver == "" && j.built(i) {
			driver = t.Text
		}
		variable, _, _ := strings.Cut(driver, ".")
		if open := j.innermost(blocks[variable], at); open != nowhere && open == j.innermost(blocks[variable], i) {
			name = driver
		}
	}
	return name
}

// built reports whether a name is given what a Builder of Selenium's makes: driver = await new Builder()…
func (j *javaScript) built(name int) bool {
	i := name + 1
	if j.tokens[name].Kind != js.Word || !j.is(i, "=") {
		return false
	}
	if i++; j.is(i, "await") {
		i++
	}
	if !j.is(i, "new") {
		return false
	}
	for i++; j.is(i+1, "."); {
		i += 2
	}
	return j.is(i, "Builder")
}

// is reports whether a token is there, and what it is.
func (j *javaScript) is(i int, text string) bool { return i < len(j.tokens) && j.tokens[i].Is(text) }

// The blocks without a bracket.
const (
	wholeFile = -1
	nowhere   = -2
)

// blocks are, for each name, the brackets that open the blocks in which let, const or var declare a variable of it.
func (j *javaScript) blocks() map[string][]int {
	out, open := map[string][]int{}, []int{wholeFile}
	for name := range j.top {
		out[name] = []int{wholeFile}
	}
	for i, t := range j.tokens {
		switch {
		case t.Is("{"):
			open = append(open, i)
		case t.Is("}") && len(open) > 1:
			open = open[:len(open)-1]
		case t.Kind == js.Word && j.declared(i):
			out[t.Text] = append(out[t.Text], open[len(open)-1])
		}
	}
	return out
}

// maxDeclared bounds the names of one declaration that are looked at.
const maxDeclared = 20

// declared reports whether a name is one of those that let, const or var declare, ahead of which no value stands.
func (j *javaScript) declared(i int) bool {
	for range maxDeclared {
		if i < 2 || !j.tokens[i-1].Is(",") {
			break
		}
		i -= 2
	}
	return i > 0 && oneOf(j.tokens[i-1], "let", "const", "var")
}

// innermost is which of some blocks is the innermost around a token; [nowhere] where none is.
func (j *javaScript) innermost(blocks []int, at int) int {
	found := nowhere
	for _, open := range blocks {
		if open > found && (open == wholeFile || open < at && at < j.pairs[open]) {
			found = open
		}
	}
	return found
}
