package postman

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/script"
)

// The names of the items that flaketap puts into a folder.
const (
	setUpName = script.CommentMark + "set-up: "
	cleanUp   = script.CommentMark + "clean-up: "
)

// variable begins the keys of the collection variables that hold what a set-up was answered; among the names of
// a test they begin as those of other suites do.
const variable = "flaketap_"

// newItem is an item of a collection, of version 2.0 or 2.1.
type newItem struct {
	Name     string          `json:"name"`
	Behavior map[string]bool `json:"protocolProfileBehavior"`
	Event    []itemEvent     `json:"event,omitempty"`
	Request  itemRequest     `json:"request"`
	Response []string        `json:"response"`
}

type itemEvent struct {
	Listen string     `json:"listen"`
	Script sentScript `json:"script"`
}

type sentScript struct {
	Type string   `json:"type"`
	Exec []string `json:"exec"`
}

type itemRequest struct {
	Auth   map[string]string `json:"auth,omitempty"`
	Method string            `json:"method"`
	Header []field           `json:"header"`
	Body   *itemBody         `json:"body,omitempty"`
	URL    string            `json:"url"`
}

type field struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

type itemBody struct {
	Mode string `json:"mode"`
	Raw  string `json:"raw"`
}

// able reports whether Postman sends a request as it is: it writes methods in capitals, takes # for the beginning of a
// fragment, and {{ for that of a variable.
func (l *file) able(_ *script.Script, t *script.Test, x script.SetUpRequest) bool {
	if x.Method == "" || x.Method != strings.ToUpper(x.Method) || l.urlOf(t, x.Target) == "" {
		return false
	}
	texts := append(append([]script.TextPart(nil), x.Target...), x.Body...)
	for _, f := range x.Headers {
		texts = append(append(texts, script.TextPart{Text: f.Name}), f.Value...)
	}
	for _, p := range texts {
		if strings.Contains(p.Text, "{{") {
			return false
		}
	}
	return true
}

// setUp returns each request as an item, in JSON without any blanks. The clean-up is sent even where a request before
// it fails: Postman goes on.
func (l *file) setUp(s *script.Script, t *script.Test, before, clean []script.SetUpRequest) (open, end []string) {
	for _, x := range before {
		open = append(open, l.item(s, t, x, setUpName))
	}
	for _, x := range clean {
		x.Status = 0
		end = append(end, l.item(s, t, x, cleanUp))
	}
	return open, end
}

// item writes a request with the script that takes what later ones use.
func (l *file) item(s *script.Script, t *script.Test, x script.SetUpRequest, name string) string {
	path, _, _ := strings.Cut(writtenParts(x.Target), "?")
	item := newItem{Name: name + x.Method + " " + path, Behavior: map[string]bool{"followRedirects": false},
		Response: []string{}}
	item.Request = itemRequest{Method: x.Method, Header: []field{}, URL: l.urlOf(t, x.Target)}
	if strings.Contains(s.Text, `"auth"`) { // which it would inherit
		item.Request.Auth = map[string]string{"type": "noauth"}
	}
	for _, f := range x.Headers {
		item.Request.Header = append(item.Request.Header, field{f.Name, writtenParts(f.Value)})
	}
	if len(x.Body) > 0 {
		item.Request.Body = &itemBody{"raw", writtenParts(x.Body)}
	}
	if lines := keeps(s, x); len(lines) > 0 {
		item.Event = []itemEvent{{"test", sentScript{"text/javascript", lines}}}
	}
	return encoded(item)
}

// encoded is an item, or a part of one, in JSON without any blanks.
func encoded(x any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(x); err != nil {
		return "null" // no value of these types cannot be encoded
	}
	return strings.TrimSpace(b.String())
}

// keeps is the script behind a request.
func keeps(s *script.Script, x script.SetUpRequest) []string {
	var out []string
	if x.Comment != "" {
		out = append(out, s.Comment(x.Comment))
	}
	if x.Status != 0 {
		out = append(out, s.Comment(script.SetUpMustSucceed),
			fmt.Sprintf(`pm.test("flaketap: set-up", () => pm.response.to.have.status(%d));`, x.Status))
	}
	for _, k := range x.Captures {
		take := "pm.collectionVariables.set(" + literal.JavaScript(variableKey(k.Name)) + ", " + taken(k) + ");"
		if x.Status != 0 { // what a refusal names is not what was made
			take = fmt.Sprintf("if (pm.response.code === %d) ", x.Status) + take
		}
		out = append(out, take)
	}
	return out
}

// variableKey is the key of the collection variable for a variable of a set-up.
func variableKey(name string) string { return variable + strings.TrimPrefix(name, script.SetUpPrefix) }

// variableName is the name that a variable of Postman's has among the names of a test; "" where it can have none.
func variableName(key string) string {
	if !js.Identifier.MatchString("a" + key) {
		return ""
	}
	if own, ok := strings.CutPrefix(key, variable); ok {
		if strings.HasPrefix(own, script.FreshPrefix) {
			return own
		}
		return script.SetUpPrefix + own
	}
	return "var_" + key
}

// writtenParts writes a text of which parts are variables.
func writtenParts(parts []script.TextPart) string {
	var b strings.Builder
	for _, p := range parts {
		if b.WriteString(p.Text); p.Variable != "" {
			b.WriteString("{{" + variableKey(p.Variable) + "}}")
		}
	}
	return b.String()
}

// taken writes the text that is taken from the answer.
func taken(k script.Capture) string {
	s := k.Place.Segments()
	switch {
	case k.Place == exchange.PlaceBody:
		return "pm.response.text().trim()"
	case s[0] == "header" && len(s) == 4 && s[2] == "path":
		n, _ := strconv.Atoi(s[3])
		return fmt.Sprintf(`decodeURIComponent(pm.response.headers.get(%s).replace(/^(?:[a-z][a-z0-9+.-]*:)?\/\/[^\/?#]*/i, "").split(/[?#]/)[0].split("/")[%d])`, literal.JavaScript(s[1]), n+1)
	case s[0] == "header":
		return "pm.response.headers.get(" + literal.JavaScript(s[1]) + ")"
	}
	return "String(pm.response.json()" + js.Steps(k.Steps) + ")"
}

// place puts items around those of the folder, written as these are, and what is drawn before the first of all.
func (l *file) place(s *script.Script, t *script.Test, open, end, _ []string) []script.Edit {
	gap, inside := spaceBefore(s.Text, t.BodyStart), spaceAt(s.Text, t.BodyStart+1)
	statements, items := apart(open)
	var edits []script.Edit
	if len(items) > 0 {
		items[0] = before(items[0], statements)
	} else {
		edits = l.beforeFirst(s, t, statements)
	}
	text := ""
	for _, item := range items {
		text += laidOut(item, gap, inside) + "," + gap
	}
	if text != "" {
		edits = append(edits, script.Edit{Start: t.BodyStart, End: t.BodyStart, Text: text})
	}
	text = ""
	for _, item := range end {
		text += "," + gap + laidOut(item, gap, inside)
	}
	if text != "" {
		edits = append(edits, script.Edit{Start: t.BodyEnd, End: t.BodyEnd, Text: text})
	}
	return edits
}

// laidOut lays a JSON object out as its neighbour is: gap is the white space before that one, inside that before its
// first member.
func laidOut(text, gap, inside string) string {
	outer, inner := strings.LastIndexAny(gap, "\r\n"), strings.LastIndexAny(inside, "\r\n")
	if inner < 0 {
		return text
	}
	indent := gap[outer+1:]
	if outer < 0 {
		indent = ""
	}
	eol := strings.TrimLeft(inside[:inner+1], " \t")
	if i := strings.IndexByte(eol, '\n'); i >= 0 {
		eol = eol[:i+1]
	}
	var b bytes.Buffer
	if json.Indent(&b, []byte(text), indent, strings.TrimPrefix(inside[inner+1:], indent)) != nil {
		return text
	}
	return strings.ReplaceAll(b.String(), "\n", eol)
}

// urlOf writes a URL for a target, behind what the URLs of a test begin with; "" where that is not clear.
func (l *file) urlOf(t *script.Test, target []script.TextPart) string {
	for _, c := range t.Calls {
		if url := l.behind(c, target); url != "" {
			return url
		}
	}
	return ""
}

// behind writes a URL for a target as the suite writes that of a call.
func (l *file) behind(c *script.Call, target []script.TextPart) string {
	base, rest, ok := script.TargetBehind(l.urls[c], c.SentTarget, target)
	if !ok {
		return ""
	}
	return base + writtenParts(rest)
}

func (l *file) url(_ *script.Script, c *script.Call, target []script.TextPart) string {
	url, raw := l.behind(c, target), l.urls[c]
	if url == "" || script.HasVariable(target) || strings.Contains(raw[len(script.UrlBase.FindString(raw)):], "{{") {
		return ""
	}
	return literal.JSON(url)
}

func (*file) payload(_ *script.Script, _ *script.Call, body []script.TextPart) string {
	if script.HasVariable(body) {
		return ""
	}
	return literal.JSON(writtenParts(body))
}

func (*file) header(_ *script.Script, _ *script.Call, value []script.TextPart) string {
	if script.HasVariable(value) {
		return ""
	}
	return literal.JSON(writtenParts(value))
}
