package before

import (
	"fmt"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/handset"
	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/jvm/meaning"
	"github.com/flaketap/flaketap/suite/script"
)

// jdk is how a test sends requests by the JDK's own client.
type jdk struct {
	client  string // what is before .send(
	uri     string // what makes a URI of a text: URI.create(
	handler string // HttpResponse.BodyHandlers.ofString()
}

// sentBy reads the statement of a request that the JDK's own client sends; sends is whether it is one.
func (f *File) sentBy(t *script.Test, c *script.Call) (m model, sends, ok bool) {
	tokens := f.tokens(t.BodyStart, c.At.End)
	match, at := java.Matches(tokens), -1
	for i := 2; i+1 < len(tokens); i++ {
		if tokens[i].Start < c.At.Start || !tokens[i].Is("send") || !tokens[i-1].Is(".") || !tokens[i+1].Is("(") {
			continue
		}
		if at >= 0 {
			return m, true, false
		}
		at = i
	}
	if at < 0 || tokens[at-2].Kind != java.NameToken {
		return m, at >= 0, false
	}
	from := at - 2
	for from >= 2 && tokens[from-1].Is(".") && tokens[from-2].Kind == java.NameToken {
		from -= 2
	}
	comma := at + 2
	for comma < match[at+1] && !tokens[comma].Is(",") {
		if t := &tokens[comma]; t.Is("(") || t.Is("[") || t.Is("{") {
			comma = match[comma]
		}
		comma++
	}
	if comma >= match[at+1] || from > 0 && tokens[from-1].Is(".") {
		return m, true, false
	}
	handler := strings.TrimSuffix(strings.TrimSpace(f.source(tokens[comma+1:match[at+1]])), ",")
	m = model{call: c, jdk: &jdk{client: f.source(tokens[from : at-1]), handler: handler}}
	first, last := at+2, comma
	if last == first+1 { // a variable, which is given its request before
		first, last = declared(tokens[:from], tokens[first].Text), from
	}
	return m, true, strings.HasSuffix(handler, "ofString()") && first >= 0 && f.uriBy(&m, t, tokens, first, last)
}

// declared is the token behind the = that gives a variable its one value; -1 where there is none, or more than one.
func declared(tokens []java.Token, name string) int {
	at := -1
	for i := range tokens {
		if i > 0 && tokens[i].Is("=") && tokens[i-1].Is(name) {
			if at >= 0 {
				return -1
			}
			at = i + 1
		}
	}
	return at
}

// uriBy reads the one URI of some tokens.
func (f *File) uriBy(m *model, t *script.Test, tokens []java.Token, from, to int) bool {
	match := java.Matches(tokens)
	found := false
	for i := from; i+1 < to; i++ {
		if !tokens[i].Is("URI") {
			continue
		}
		open := i + 1
		if i+3 < to && tokens[i+1].Is(".") && tokens[i+2].Is("create") {
			open = i + 3
		}
		if found || !tokens[open].Is("(") {
			return false
		}
		found = true
		if i > 0 && tokens[i-1].Is("new") {
			i--
		}
		m.jdk.uri = f.source(tokens[i : open+1])
		if !f.pathBy(m, tokens, open+1, match[open]) {
			return false
		}
		i = match[open]
	}
	return found && f.knownAtHead(m.jdk.client+" "+m.before+" "+m.base, t)
}

// parser writes what is taken from a text of JSON, as the file reads such: by a mapper of Jackson's, org.json, or
// REST-assured's paths; false where it does not.
func (f *File) parser(t *script.Test, text string, steps []expr.Expr) (string, bool) {
	pointer := f.text([]script.TextPart{{Text: pointerOf(steps)}})
	var names []string
	for class, n := f.Methods[t].Class, 0; class != "" && n < script.MaxDepth; class, n = f.Module.Outer[class], n+1 {
		for name, v := range f.Module.Fields[class] {
			made := v.To > 0 && slices.Contains([]string{"ObjectMapper()", "jacksonObjectMapper()"}, f.Module.Joined(v.From, v.To))
			if made || v.Typ == "ObjectMapper" || v.Typ == "JsonMapper" {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	switch {
	case len(names) > 0:
		return names[0] + ".readTree(" + text + ").at(" + pointer + ").asText()", true
	case f.Module.Has("org.json.JSONObject") && !f.Kotlin:
		return "new JSONObject(" + text + ").query(" + pointer + ").toString()", true
	case f.Module.Has("io.restassured.path.json.JsonPath"):
		return "JsonPath.from(" + text + ").getString(" + f.text([]script.TextPart{{Text: meaning.PathTo(steps)}}) + ")", true
	}
	return "", false
}

// pointerOf is the JSON pointer that steps make.
func pointerOf(steps []expr.Expr) string {
	pointer := ""
	for _, step := range steps {
		switch step := step.(type) {
		case expr.Num:
			pointer += "/" + step.Text
		case expr.Str:
			pointer += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(step.Value)
		}
	}
	return pointer
}

// jdkTaken writes the text that is taken from an answer of the JDK's client; false where nothing reads it.
func (f *File) jdkTaken(t *script.Test, name string, k script.Capture) (string, bool) {
	s := k.Place.Segments()
	header := func() string {
		return name + ".headers().firstValue(" + literal.Java(s[1]) + ").get()"
	}
	switch {
	case k.Place == exchange.PlaceBody:
		return name + ".body().trim()", true
	case s[0] == "header" && len(s) == 4 && s[2] == "path":
		return f.segment(header(), s[3]), true
	case s[0] == "header":
		return header(), true
	}
	return f.parser(t, name+".body()", k.Steps)
}

// jdkRequest writes the links of a request that the JDK's client sends; false where it cannot be.
func (f *File) jdkRequest(m model, t *script.Test, x script.SetUpRequest) ([]string, bool) {
	url, ok := f.url(m, x.Target)
	links := []string{"HttpRequest.newBuilder(" + m.jdk.uri + url + "))"}
	for _, h := range x.Headers {
		links = append(links, ".header("+literal.Java(h.Name)+", "+f.text(h.Value)+")")
	}
	for _, k := range x.Captures {
		_, known := f.jdkTaken(t, x.Var, k)
		ok = ok && known
	}
	publishers := "HttpRequest.BodyPublishers"
	if f.Module.Has("java.net.http.HttpRequest.BodyPublishers") {
		publishers = "BodyPublishers"
	}
	body := publishers + ".noBody()"
	if len(x.Body) > 0 {
		parts := x.Body
		if item, isJSON := handset.JSON(x.Body); isJSON {
			parts = compact(item)
		}
		body = publishers + ".ofString(" + f.text(parts) + ")"
	}
	switch method := x.Method; {
	case method == "POST", method == "PUT":
		links = append(links, "."+method+"("+body+")")
	case len(x.Body) == 0 && (method == "GET" || method == "DELETE"):
		links = append(links, "."+method+"()")
	default:
		links = append(links, ".method("+literal.Java(method)+", "+body+")")
	}
	return append(links, ".build()"), ok && f.Module.Has("java.net.http.HttpRequest")
}

// jdkLines sends a request by the JDK's client, laid out as google-java-format and ktfmt do.
func (f *File) jdkLines(declares string, m model, links []string, further string, width int) []string {
	begin := m.jdk.client + ".send("
	all := begin + strings.Join(links, "") + ", " + m.jdk.handler + ")" + f.end()
	if len(declares+all) <= width {
		return []string{declares + all}
	}
	var out []string
	indent := ""
	if declares != "" {
		out, indent = []string{strings.TrimSuffix(declares, " ")}, further
		if len(indent+all) <= width {
			return append(out, indent+all)
		}
	}
	out = append(out, indent+begin)
	indent += further
	arguments := strings.Join(links, "") + ", " + m.jdk.handler
	last := ")" + f.end()
	switch {
	case f.Kotlin:
	case len(indent+arguments+last) <= width:
		return append(out, indent+arguments+last)
	}
	for _, line := range f.laid("", links, ",", further, width-len(indent)) {
		out = append(out, indent+line)
	}
	if f.Kotlin {
		return append(out, indent+m.jdk.handler+",", strings.TrimSuffix(indent, further)+last)
	}
	return append(out, indent+m.jdk.handler+last)
}

// hasStatus asserts the status of an answer as the file does.
func (f *File) hasStatus(m model, name string, status int) string {
	if m.jdk == nil {
		return fmt.Sprintf("%s.then().statusCode(%d)", name, status)
	}
	imported := func(prefix string) bool {
		return slices.ContainsFunc(f.Module.Imports, func(i string) bool { return strings.HasPrefix(i, prefix) })
	}
	assert := "org.junit.jupiter.api.Assertions.assertEquals"
	switch has := f.Module.Has; {
	case imported("org.testng."):
		return fmt.Sprintf("org.testng.Assert.assertEquals(%s.statusCode(), %d)", name, status)
	case has("static org.junit.jupiter.api.Assertions.assertEquals"), has("static org.junit.Assert.assertEquals"),
		f.Kotlin && has("kotlin.test.assertEquals"):
		assert = "assertEquals"
	case !imported("org.junit.jupiter."):
		assert = "org.junit.Assert.assertEquals"
	}
	return fmt.Sprintf("%s(%d, %s.statusCode())", assert, status, name)
}
