package explicit

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/waits/marked"
)

// errStubbed is why a sleep gets no wait although it is known what it is for.
var errStubbed = errors.New("an intercept of the spec with an answer of its own may stand for the request")

// awaitRequests writes a wait for the requests that a sleep is for: an intercept for each before what brings them, and
// one cy.wait for all behind the sleep, or in its place.
func (c *cypressPatch) awaitRequests(s cypressSleep, spec marked.Spec) error {
	if s.err != nil {
		return s.err
	}
	e, err := c.options.Requests.Of(marked.Sleep{Spec: spec, Line: s.line})
	if err != nil {
		return err
	}
	end := ""
	if s.own {
		end = ";"
	}
	var intercepts, waits []string
	for _, route := range e.Routes {
		if c.stubbed(route) {
			return errStubbed
		}
		alias, waited := c.existing(s, route)
		if alias == "" {
			alias = c.alias(route)
			intercepts = append(intercepts, c.intercept(route)+".as("+c.literal(alias)+")"+end+neededBySlashes)
		}
		if !waited {
			waits = append(waits, c.literal("@"+alias))
		}
	}
	eol := lineEnd(c.text)
	at, indent := c.line(s.acts)
	for _, line := range intercepts {
		c.edits = append(c.edits, script.Edit{Start: at, End: at, Text: indent + line + eol})
	}
	if c.options.ReplaceSleeps {
		c.edits = append(c.edits, script.Edit{Start: s.at, End: s.at, Text: c.comment() + instead})
		c.Gone++
	}
	if len(waits) > 0 {
		_, indent = c.line(s.at)
		at = endOfLine(c.text, s.at)
		c.edits = append(c.edits, script.Edit{Start: at, End: at, Text: indent + c.comment() + marker + e.Says() + eol +
			indent + "cy.wait(" + list(waits) + patience(e) + ")" + end + eol})
		c.Written++
	}
	return nil
}

// list is one alias, or several.
func list(aliases []string) string {
	if len(aliases) == 1 {
		return aliases[0]
	}
	return "[" + strings.Join(aliases, ", ") + "]"
}

// Cypress waits so long for a request to begin, and then for its answer, if it is told nothing else.
const (
	requestTimeout  = 5 * time.Second
	responseTimeout = 30 * time.Second
)

// patience is how long requests are waited for, where that is longer than Cypress does by itself: five times as long as
// it took at most.
func patience(e marked.Evidence) string {
	switch begin, all := 5*e.Begin, 5*e.Times.Longest; {
	case all > responseTimeout:
		return fmt.Sprintf(", { timeout: %d }", all.Milliseconds())
	case begin > requestTimeout:
		return fmt.Sprintf(", { requestTimeout: %d }", begin.Milliseconds())
	}
	return ""
}

// intercept is the call that looks at the requests of a route.
func (c *cypressPatch) intercept(r marked.Route) string {
	if r.Query { // a text would be held against the query too
		return fmt.Sprintf("cy.intercept({ method: %s, pathname: %s })", c.literal(r.Method), c.literal(r.Path))
	}
	return fmt.Sprintf("cy.intercept(%s, %s)", c.literal(r.Method), c.literal(r.Path))
}

// literal is a text of plain signs as the file writes them.
func (j *javaScript) literal(text string) string { return j.quote() + text + j.quote() }

// noName is what no name has.
var noName = regexp.MustCompile(`[^A-Za-z0-9]+`)

// alias is a name for a request that the file does not have yet: of the last segment of its path that is the same
// always.
func (c *cypressPatch) alias(r marked.Route) string {
	name := "request"
	for segment := range strings.SplitSeq(r.Path, "/") {
		if plain := noName.ReplaceAllString(segment, ""); plain != "" {
			name = plain
		}
	}
	if r.Method != "GET" {
		name = strings.ToLower(r.Method) + strings.ToUpper(name[:1]) + name[1:]
	}
	taken := func(name string) bool {
		return slices.Contains(c.aliases, name) || slices.ContainsFunc(c.tokens, func(t js.Token) bool {
			return t.Kind == js.JsString && strings.TrimPrefix(t.Text, "@") == name
		})
	}
	free := name
	for n := 2; taken(free); n++ {
		free = name + strconv.Itoa(n)
	}
	c.aliases = append(c.aliases, free)
	return free
}

// texts are the arguments of a call that are texts written out; "" stands for another.
func (j *javaScript) texts(l link) (all []string) {
	for from := l.from; from < l.to; {
		end := j.argumentEnd(from, l.to)
		text := ""
		if t := j.tokens[from]; end == from+1 && t.Kind == js.JsString {
			text = t.Text
		}
		all, from = append(all, text), end+1
	}
	return all
}

// existing is the alias of an intercept for a route that stands right before what a sleep is for, and whether it is
// waited for already; "" where there is none. An alias that the file gives twice may be another's.
func (c *cypressPatch) existing(s cypressSleep, r marked.Route) (alias string, waited bool) {
	for _, first := range s.group {
		links, _, ok := c.cypressCalls(first)
		if !ok || len(links) != 2 || links[0].name != "intercept" || links[1].name != "as" || c.tokens[first].Start > s.acts {
			continue
		}
		names, same := c.texts(links[1]), slices.Equal(c.texts(links[0]), []string{r.Method, r.Path})
		if same && !r.Query && len(names) == 1 && c.given(names[0]) == 1 {
			alias = names[0]
		}
	}
	for _, first := range s.group {
		if links, _, ok := c.cypressCalls(first); ok && alias != "" && links[0].name == "wait" {
			waited = waited || slices.Contains(c.texts(links[0]), "@"+alias)
		}
	}
	return alias, waited
}

// given counts how often the file gives an alias.
func (j *javaScript) given(alias string) (n int) {
	for i := 2; i < len(j.tokens); i++ {
		if t := j.tokens[i]; t.Kind == js.JsString && t.Text == alias && j.tokens[i-1].Is("(") && j.tokens[i-2].Is("as") {
			n++
		}
	}
	return n
}

var httpMethods = words("GET HEAD POST PUT PATCH DELETE OPTIONS")

// stubbed reports whether an intercept of the spec may answer the requests of a route itself.
func (j *javaScript) stubbed(r marked.Route) bool {
	for _, i := range dotted(j.tokens, "cy") {
		if !j.tokens[i].Is("intercept") || i+1 >= len(j.tokens) || j.pairs[i+1] <= i {
			continue
		}
		texts := j.texts(link{"intercept", i + 2, j.pairs[i+1]})
		named := len(texts) > 0 && httpMethods[strings.ToUpper(texts[0])]
		if len(texts) < 2 || len(texts) == 2 && named {
			continue
		}
		url := texts[0]
		if named {
			url = texts[1]
		}
		url, _, _ = strings.Cut(url, "?")
		apart := url != "" && !strings.ContainsAny(url+r.Path, "*[{!(")
		if !apart || strings.HasSuffix(url, r.Path) || strings.Contains(r.Path, url) {
			return true
		}
	}
	return false
}
