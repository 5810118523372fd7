package suite

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
)

// The names of the items that flaketap puts into a folder.
const (
	postmanSetUp   = commentMark + "set-up: "
	postmanCleanUp = commentMark + "clean-up: "
)

// postmanVariable begins the keys of the collection variables that hold what a set-up was answered; among the names of a
// test they begin as those of other suites do.
const postmanVariable = "flaketap_"

// postmanItem is an item of a collection, of version 2.0 or 2.1.
type postmanItem struct {
	Name     string          `json:"name"`
	Behavior map[string]bool `json:"protocolProfileBehavior"`
	Event    []postmanEvent  `json:"event,omitempty"`
	Request  postmanRequest  `json:"request"`
	Response []string        `json:"response"`
}

type postmanEvent struct {
	Listen string        `json:"listen"`
	Script postmanScript `json:"script"`
}

type postmanScript struct {
	Type string   `json:"type"`
	Exec []string `json:"exec"`
}

type postmanRequest struct {
	Auth   map[string]string `json:"auth,omitempty"`
	Method string            `json:"method"`
	Header []postmanField    `json:"header"`
	Body   *postmanBody      `json:"body,omitempty"`
	URL    string            `json:"url"`
}

type postmanField struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

type postmanBody struct {
	Mode string `json:"mode"`
	Raw  string `json:"raw"`
}

// able reports whether Postman sends a request as it is: it writes methods in capitals, takes # for the beginning of a
// fragment, and {{ for that of a variable.
func (l *postman) able(_ *Script, t *Test, x sending) bool {
	if x.method == "" || x.method != strings.ToUpper(x.method) || l.urlOf(t, x.target) == "" {
		return false
	}
	texts := append(append([]part(nil), x.target...), x.body...)
	for _, f := range x.headers {
		texts = append(append(texts, part{text: f.name}), f.value...)
	}
	for _, p := range texts {
		if strings.Contains(p.text, "{{") {
			return false
		}
	}
	return true
}

// setUp returns each request as an item, in JSON without any blanks. The clean-up is sent even where a request before it
// fails: Postman goes on.
func (l *postman) setUp(s *Script, t *Test, before, clean []sending) (open, end []string) {
	for _, x := range before {
		open = append(open, l.item(s, t, x, postmanSetUp))
	}
	for _, x := range clean {
		x.status = 0
		end = append(end, l.item(s, t, x, postmanCleanUp))
	}
	return open, end
}

// item writes a request with the script that takes what later ones use.
func (l *postman) item(s *Script, t *Test, x sending, name string) string {
	path, _, _ := strings.Cut(postmanParts(x.target), "?")
	item := postmanItem{Name: name + x.method + " " + path, Behavior: map[string]bool{"followRedirects": false}, Response: []string{}}
	item.Request = postmanRequest{Method: x.method, Header: []postmanField{}, URL: l.urlOf(t, x.target)}
	if strings.Contains(s.text, `"auth"`) { // which it would inherit
		item.Request.Auth = map[string]string{"type": "noauth"}
	}
	for _, f := range x.headers {
		item.Request.Header = append(item.Request.Header, postmanField{f.name, postmanParts(f.value)})
	}
	if len(x.body) > 0 {
		item.Request.Body = &postmanBody{"raw", postmanParts(x.body)}
	}
	if lines := l.keeps(x); len(lines) > 0 {
		item.Event = []postmanEvent{{"test", postmanScript{"text/javascript", lines}}}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(item); err != nil {
		return "null" // no value of these types cannot be encoded
	}
	return strings.TrimSpace(b.String())
}

// keeps is the script behind a request.
func (l *postman) keeps(x sending) []string {
	var out []string
	if x.about != "" {
		out = append(out, remark(l, x.about))
	}
	if x.status != 0 {
		out = append(out, remark(l, setUpSucceeds),
			fmt.Sprintf(`pm.test("flaketap: set-up", () => pm.response.to.have.status(%d));`, x.status))
	}
	for _, k := range x.takes {
		take := "pm.collectionVariables.set(" + jsQuoted(postmanKey(k.name)) + ", " + postmanTaken(k) + ");"
		if x.status != 0 { // what a refusal names is not what was made
			take = fmt.Sprintf("if (pm.response.code === %d) ", x.status) + take
		}
		out = append(out, take)
	}
	return out
}

// postmanKey is the key of the collection variable for a variable of a set-up.
func postmanKey(name string) string { return postmanVariable + strings.TrimPrefix(name, setUpName) }

// postmanParts writes a text of which parts are variables.
func postmanParts(parts []part) string {
	var b strings.Builder
	for _, p := range parts {
		if b.WriteString(p.text); p.variable != "" {
			b.WriteString("{{" + postmanKey(p.variable) + "}}")
		}
	}
	return b.String()
}

// postmanTaken writes the text that is taken from the answer.
func postmanTaken(k take) string {
	s := k.place.Segments()
	switch {
	case k.place == exchange.PlaceBody:
		return "pm.response.text().trim()"
	case s[0] == "header" && len(s) == 4 && s[2] == "path":
		n, _ := strconv.Atoi(s[3])
		return fmt.Sprintf(`decodeURIComponent(pm.response.headers.get(%s).replace(/^(?:[a-z][a-z0-9+.-]*:)?\/\/[^\/?#]*/i, "").split(/[?#]/)[0].split("/")[%d])`, jsQuoted(s[1]), n+1)
	case s[0] == "header":
		return "pm.response.headers.get(" + jsQuoted(s[1]) + ")"
	}
	return "String(pm.response.json()" + jsSteps(k.steps) + ")"
}

// place puts items around those of the folder, written as these are.
func (l *postman) place(s *Script, t *Test, open, end []string) []edit {
	before := s.text[:t.open]
	gap := before[len(strings.TrimRight(before, " \t\r\n")):]
	inside := s.text[t.open+1:]
	inside = inside[:len(inside)-len(strings.TrimLeft(inside, " \t\r\n"))]
	var edits []edit
	text := ""
	for _, item := range open {
		text += laidOut(item, gap, inside) + "," + gap
	}
	if text != "" {
		edits = append(edits, edit{t.open, t.open, text})
	}
	text = ""
	for _, item := range end {
		text += "," + gap + laidOut(item, gap, inside)
	}
	if text != "" {
		edits = append(edits, edit{t.end, t.end, text})
	}
	return edits
}

// laidOut lays a JSON object out as its neighbour is: gap is the white space before that one, inside that before its first
// member.
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
func (l *postman) urlOf(t *Test, target []part) string {
	for _, c := range t.Calls {
		if url := l.behind(c, target); url != "" {
			return url
		}
	}
	return ""
}

// behind writes a URL for a target as the suite writes that of a call.
func (l *postman) behind(c *Call, target []part) string {
	base, rest, ok := targetBehind(l.urls[c], c.sent, target)
	if !ok {
		return ""
	}
	return base + postmanParts(rest)
}

func (l *postman) url(_ *Script, c *Call, target []part) string {
	url, raw := l.behind(c, target), l.urls[c]
	if url == "" || hasHole(target) || strings.Contains(raw[len(urlBase.FindString(raw)):], "{{") {
		return ""
	}
	return literal.JSON(url)
}

func (*postman) payload(_ *Script, _ *Call, body []part) string {
	if hasHole(body) {
		return ""
	}
	return literal.JSON(postmanParts(body))
}

func (*postman) header(_ *Script, _ *Call, value []part) string {
	if hasHole(value) {
		return ""
	}
	return literal.JSON(postmanParts(value))
}

// hasHole reports whether what is to be sent as it is would be taken for a variable.
func hasHole(parts []part) bool {
	for _, p := range parts {
		if strings.Contains(p.text, "{{") {
			return true
		}
	}
	return false
}

// urlBase is what comes before the path in a URL with variables in {{ }}: one that holds a scheme and a host, or the like
// in pieces.
var urlBase = regexp.MustCompile(`^(?:(?:\{\{[^{}]*\}\}|[a-zA-Z][a-zA-Z0-9+.-]*)://(?:\{\{[^{}]*\}\}|[^/?#{}])*|\{\{[^{}]*\}\}(?::(?:\d+|\{\{[^{}]*\}\}))?|[^/?#{}]+)`)

// targetBehind splits a target where it goes on behind the base of a URL that a suite writes. sent is the target that
// URL led to: its path may begin with what a variable of the base holds. ok is false where that does not begin the
// target too.
func targetBehind(raw, sent string, target []part) (base string, rest []part, ok bool) {
	base = urlBase.FindString(raw)
	own, _, _ := strings.Cut(raw[len(base):], "#")
	own, _, _ = strings.Cut(own, "?")
	path, _ := exchange.SplitTarget(sent)
	for n := strings.Count(own, "/"); n > 0; n-- {
		i := strings.LastIndexByte(path, '/')
		if i < 0 {
			return "", nil, false
		}
		path = path[:i]
	}
	if own == "" { // a base alone is sent as the path that it holds, which is "/" where it holds none
		path = strings.TrimSuffix(path, "/")
	}
	if base == "" || len(target) == 0 || target[0].variable != "" || !strings.HasPrefix(target[0].text, path+"/") {
		return "", nil, false
	}
	rest = append([]part{{text: target[0].text[len(path):]}}, target[1:]...)
	return base, rest, true
}
