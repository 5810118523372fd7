package before

import (
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/handset"
	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/script"
)

// File is a file of tests that a person wrote.
type File struct {
	Script  *script.Script
	Module  *java.File
	Methods map[*script.Test]*java.Method
	Many    map[*script.Test]bool // tests that run with several values
	Kotlin  bool
}

// New returns what is known of a file before its tests are read.
func New(s *script.Script, module *java.File) *File {
	return &File{Script: s, Module: module, Methods: map[*script.Test]*java.Method{}, Many: map[*script.Test]bool{}}
}

// model is how a test sends a request, for others to be sent in the same way.
type model struct {
	first               []string // RestAssured.given() and .spec(SPEC)
	jdk                 *jdk     // by the JDK's own client; nil for REST-assured
	when                string   // .when(), "" where the test says none
	before, base, after string   // the expression of a URL around its path: url(, a text, )
	mount               string   // the path that the base leads to
	given               bool     // a specification says more of each request
	call                *script.Call
}

// modelOf is how a test sends its requests; why is what is not known of that.
func (f *File) modelOf(t *script.Test) (m model, why string) {
	const notKnown = "with which client, and to which base URL, the test sends its requests is not known at its head"
	why = "the test sends no request of its own by REST-assured's chains or java.net.http"
	for _, c := range t.Calls {
		tokens := f.tokens(c.At.Start, c.At.End)
		if c.SentTarget == "" || c.At.Start < t.BodyStart || len(tokens) == 0 {
			continue
		}
		if m, sends, ok := f.sentBy(t, c); ok {
			return m, ""
		} else if sends {
			why = notKnown
		}
		chain, ok := f.chainOf(tokens, c)
		if !ok {
			continue
		}
		if m, ok := f.modelBy(t, c, chain); ok {
			return m, ""
		}
		why = notKnown
	}
	return model{}, why
}

// tokens are those of a piece of the file.
func (f *File) tokens(start, end int) []java.Token {
	return java.Piece(f.Script.File, f.Script.Text, start, end, f.Kotlin)
}

// link is a call in a chain: its name, and the tokens of its brackets.
type link struct {
	name        string
	at          int // the token of the name
	open, close int
}

// chain is what a request is sent by: given().body(x).post(url).
type chain struct {
	tokens []java.Token
	match  []int
	root   int // the token that it begins with
	links  []link
}

// chainOf finds the one chain of a statement that sends a request of REST-assured's.
func (f *File) chainOf(tokens []java.Token, c *script.Call) (found chain, ok bool) {
	match := java.Matches(tokens)
	opened := map[int]int{}
	for open, end := range match {
		if end > 0 {
			opened[end] = open
		}
	}
	for i := 0; i+1 < len(tokens); i++ {
		method, sends := script.ClientMethod(tokens[i].Text)
		if !sends || tokens[i].Kind != java.NameToken || !tokens[i+1].Is("(") || method != "" && method != c.Method {
			continue
		}
		ch := chain{tokens: tokens, match: match, root: i, links: []link{{tokens[i].Text, i, i + 1, match[i+1]}}}
		for ch.root >= 2 && tokens[ch.root-1].Is(".") {
			end := ch.root - 2
			switch open, call := opened[end]; {
			case call && tokens[end].Is(")") && open > 0 && tokens[open-1].Kind == java.NameToken:
				ch.root = open - 1
				ch.links = append([]link{{tokens[open-1].Text, open - 1, open, end}}, ch.links...)
			case tokens[end].Kind == java.NameToken:
				ch.root = end
			default:
				ch.root = 0
			}
		}
		switch own := f.begins(ch); {
		case own && ok:
			return chain{}, false
		case own:
			found, ok = ch, true
		}
	}
	return found, ok
}

// begins reports whether a chain is one of REST-assured's, of which only the last link sends.
func (f *File) begins(c chain) bool {
	for _, l := range c.links[:len(c.links)-1] {
		if _, sends := script.ClientMethod(l.name); sends && l.name != "request" {
			return false
		}
	}
	first := c.tokens[c.root].Text
	if c.root == c.links[0].at {
		_, sends := script.ClientMethod(first)
		begins := sends || slices.Contains([]string{"given", "when", "with", "expect"}, first)
		return begins && f.Module.Has("static io.restassured.RestAssured."+first)
	}
	return first == "RestAssured" || slices.Contains([]string{"given", "when"}, c.links[0].name)
}

// modelBy reads a chain: which of its links go with each request, and its URL.
func (f *File) modelBy(t *script.Test, call *script.Call, c chain) (model, bool) {
	m := model{call: call}
	if c.root != c.links[0].at && !c.tokens[c.root].Is("RestAssured") {
		return m, false // a variable, which remembers what is said of it
	}
	first := "given()"
	switch own := c.links[0]; {
	case own.name == "given" && own.close == own.open+1:
		first = f.source(c.tokens[c.root : own.close+1])
	case own.name == "given":
		first, m.given = f.source(c.tokens[c.root:own.close+1]), true
	case c.root != own.at:
		first = f.source(c.tokens[c.root:own.at]) + "given()"
	case !f.Module.Has("static io.restassured.RestAssured.given"):
		first = "io.restassured.RestAssured.given()"
	}
	m.first = []string{first}
	for i, l := range c.links[:len(c.links)-1] {
		text := "." + f.source(c.tokens[l.at:l.close+1])
		switch l.name {
		case "spec", "baseUri", "basePath", "port", "relaxedHTTPSValidation", "urlEncodingEnabled":
			m.given = m.given || l.name == "spec"
			m.first = append(m.first, text)
		case "when":
			m.when = text
		case "auth", "oauth2", "basic", "cookie", "cookies", "sessionId", "filter", "config", "proxy", "redirects", "multiPart":
			return m, false // who asks, or how, would be another
		case "given", "with", "expect":
			if i > 0 {
				return m, false
			}
		}
	}
	ok := f.urlBy(&m, c) && f.knownAtHead(strings.Join(m.first, "")+" "+m.before+" "+m.base, t)
	return m, ok
}

// urlBy finds the expression of the URL: the first argument of what sends, behind the method that request names.
func (f *File) urlBy(m *model, c chain) bool {
	send := c.links[len(c.links)-1]
	from, to := send.open+1, send.close
	if send.name == "request" {
		for from < to && !c.tokens[from-1].Is(",") {
			from++
		}
	}
	for i := from; i < to; i++ { // the URL ends before what fills in its parameters
		if t := &c.tokens[i]; t.Is(",") {
			to = i
		} else if t.Is("(") || t.Is("[") || t.Is("{") {
			i = c.match[i]
		}
	}
	return f.pathBy(m, c.tokens, from, to)
}

// pathBy finds where in the expression of a URL its path begins.
func (f *File) pathBy(m *model, tokens []java.Token, from, to int) bool {
	for i := from; i < to; i++ {
		if tokens[i].Kind != java.StringToken {
			continue
		}
		path, ok := "", false
		m.base, path, ok = f.split(f.source(tokens[i : i+1]))
		if !ok {
			return false
		}
		m.before, m.after = f.Script.Text[tokens[from].Start:tokens[i].Start], f.behind(tokens, i+1, to)
		m.mount, ok = handset.Mount(m.call.SentTarget, strings.ReplaceAll(path, "${", "{"), "{")
		return ok && !strings.Contains(m.after, ",")
	}
	return false
}

// split splits the source of a text where the path of a URL begins.
func (f *File) split(source string) (base, path string, ok bool) {
	if len(source) < 2 || strings.HasPrefix(source, `""`) {
		return "", "", false
	}
	content := source[1 : len(source)-1]
	if named := regexp.MustCompile(`^\$\w+`).FindString(content); f.Kotlin && named != "" {
		path = content[len(named):]
		return named, path, path == "" || path[0] == '/'
	}
	return handset.SplitURL(content, "${", f.Kotlin && strings.Contains(content, "$"))
}

// behind is what of an expression stands behind the bracket that its first part stands in.
func (f *File) behind(tokens []java.Token, from, to int) string {
	depth := 0
	for i := from; i < to; i++ {
		switch t := &tokens[i]; {
		case t.Is("("), t.Is("["), t.Is("{"):
			depth++
		case t.Is(","):
			if depth == 0 {
				return "," + script.Unknown
			}
		case t.Is(")"), t.Is("]"), t.Is("}"):
			if depth--; depth < 0 {
				return f.source(tokens[i:to])
			}
		}
	}
	return ""
}

// source is the text of tokens as it stands in the file.
func (f *File) source(tokens []java.Token) string {
	if len(tokens) == 0 {
		return ""
	}
	return f.Script.Text[tokens[0].Start:tokens[len(tokens)-1].End]
}

// knownAtHead reports whether the names of an expression are known where the test begins: they are none of its own
// variables.
func (f *File) knownAtHead(source string, t *script.Test) bool {
	tokens := f.tokens(t.BodyStart, t.BodyEnd)
	if len(tokens) == 0 {
		return false
	}
	local := map[string]bool{}
	for i := 1; i+1 < len(tokens); i++ {
		name, before, after := &tokens[i], &tokens[i-1], &tokens[i+1]
		declared := before.Kind == java.NameToken || before.Is(">") || before.Is("]")
		if name.Kind == java.NameToken && declared && (after.Is("=") || after.Is(";") || after.Is(":")) {
			local[name.Text] = true
		}
	}
	for _, m := range regexp.MustCompile(`(\.?)\b([A-Za-z_]\w*)`).FindAllStringSubmatch(source, -1) {
		if m[1] == "" && local[m[2]] {
			return false
		}
	}
	return true
}
