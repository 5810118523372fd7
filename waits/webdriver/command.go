package webdriver

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/lazy"
	"github.com/flaketap/flaketap/waits/oracle"
)

// sourceHeader is the field by which a suite's commands name their places in it, that which sends one and its callers,
// each in a line. Behind a tab stands by what name the driver is known there, where that is known.
const sourceHeader = "flaketap-source"

// globalsHeader is there where the suite's runner is WebdriverIO's: see [oracle.Command].
const globalsHeader = "flaketap-globals"

// Element references of W3C WebDriver (§ 12), and those of shadow roots (§ 12.2).
const (
	elementKey = "element-6066-11e4-a52e-4f735466cecf"
	shadowKey  = "shadow-6066-11e4-a52e-4f735466cecf"
)

// request is a command of WebDriver on its way to the driver.
type request struct {
	session string   // the id of the session of WebDriver; "" where it begins one, or is about none
	path    []string // behind the session
	method  string
	about   string // the id of the element, or shadow root, that it is about
	body    body
	source  string
	driver  string // by what name it is known there
	callers []oracle.Caller
	globals bool
}

// body is what of a command's body is looked at.
type body struct {
	Using  string            `json:"using"`
	Value  any               `json:"value"` // what is looked for; of other commands: something that is not kept
	URL    string            `json:"url"`
	Script string            `json:"script"`
	Args   []json.RawMessage `json:"args"`
}

// maxText bounds what is kept of a text: of a source, a locator, an answer.
const maxText = 4096

// readRequest reads a command. ok is false where it is none.
func readRequest(r *exchange.Request) (c request, ok bool) {
	target, _, _ := strings.Cut(r.Target, "?")
	parts := strings.Split(strings.Trim(strings.TrimPrefix(target, "/wd/hub"), "/"), "/")
	if parts[0] != "session" || len(parts) > 10 || len(target) > maxText {
		return c, false
	}
	c.method = r.Method
	if len(parts) > 1 {
		c.session, c.path = parts[1], parts[2:]
	}
	if len(c.path) > 1 && (c.path[0] == "element" || c.path[0] == "shadow") && c.path[1] != "active" {
		c.about = c.path[1]
	}
	if text, err := r.Payload(); err == nil && r.Method == http.MethodPost {
		_ = json.Unmarshal(text, &c.body) // a body that is no JSON is for the driver to refuse
	}
	if from, err := url.PathUnescape(r.Header.Get(sourceHeader)); err == nil {
		c.from(from)
	}
	c.globals = r.Header.Has(globalsHeader)
	return c, true
}

// maxCallers bounds those of a command that are kept.
const maxCallers = 20

// from notes where a command comes from, as [sourceHeader] has it.
func (c *request) from(text string) {
	if len(text) > maxText {
		return
	}
	lines := strings.SplitN(text, "\n", maxCallers+2)
	c.source, c.driver, _ = strings.Cut(lines[0], "\t")
	for _, line := range lines[1:min(len(lines), maxCallers+1)] {
		place, driver, _ := strings.Cut(line, "\t")
		c.callers = append(c.callers, oracle.Caller{Place: place, Driver: driver})
	}
}

// begins reports whether a command begins a session, and ends whether it ends one.
func (c *request) begins() bool { return c.session == "" && c.method == http.MethodPost }
func (c *request) ends() bool   { return len(c.path) == 0 && c.method == http.MethodDelete }

// last is the last part of a command's path.
func (c *request) last() string {
	if len(c.path) == 0 {
		return ""
	}
	return c.path[len(c.path)-1]
}

// finds reports whether a command looks for elements, and for all of them.
func (c *request) finds() (finds, all bool) {
	last := c.last()
	return c.method == http.MethodPost && (last == "element" || last == "elements"), last == "elements"
}

// atoms are the scripts by which clients ask for what WebDriver has no command for. They begin with a comment that
// names them, and change nothing.
var atoms = map[string]string{"getAttribute": "attribute", "isDisplayed": "displayed"}

// atom is the name of the atom that a command runs, and of the attribute that it asks for; "" where it is none.
func (c *request) atom() (what, name string) {
	head, _, _ := strings.Cut(strings.TrimPrefix(c.body.Script, "/* "), " */")
	if what = atoms[head]; what == "" || !strings.HasPrefix(c.body.Script, "/* ") || len(c.body.Args) == 0 {
		return "", ""
	}
	if len(c.body.Args) > 1 {
		_ = json.Unmarshal(c.body.Args[1], &name)
	}
	return what, name
}

// element is the id of the element that a command is about.
func (c *request) element() string {
	if what, _ := c.atom(); what != "" {
		var ref map[string]string
		_ = json.Unmarshal(c.body.Args[0], &ref)
		return ref[elementKey]
	}
	return c.about
}

// pageReads are the commands that read something of a page as a whole.
var pageReads = map[string]string{"title": "title", "url": "url", "alert/text": "text of the alert",
	"window/handles": "windows"}

// reads says what a command reads: of its element, or of the page. It is "" where it reads nothing.
func (c *request) reads() string {
	if what, name := c.atom(); what != "" {
		return strings.TrimSpace(what + " " + name)
	}
	if c.method != http.MethodGet {
		return ""
	}
	if c.about == "" {
		return pageReads[strings.Join(c.path, "/")]
	}
	switch rest := c.path[2:]; {
	case len(rest) == 1:
		switch rest[0] {
		case "text", "name", "selected", "enabled", "displayed", "computedrole", "computedlabel", "shadow":
			return rest[0]
		}
	case len(rest) == 2 && (rest[0] == "attribute" || rest[0] == "property" || rest[0] == "css"):
		if name, err := url.PathUnescape(rest[1]); err == nil {
			return rest[0] + " " + name
		}
	}
	return ""
}

// acting are the commands that do something to a page, by the last part of their paths.
var acting = map[string]string{"click": "click on", "value": "type into", "clear": "clear", "url": "open", "back": "go back",
	"forward": "go forward", "refresh": "reload", "actions": "perform actions", "sync": "run a script",
	"async": "run a script", "accept": "accept the alert", "dismiss": "dismiss the alert", "text": "type into the alert"}

// kind says what a command may do.
func (c *request) kind() oracle.Kind {
	finds, _ := c.finds()
	switch {
	case finds || c.reads() != "":
		return oracle.Reads
	case c.method == http.MethodPost && acting[c.last()] != "":
		return oracle.Acts
	}
	return oracle.Neither
}

// does names a command, and what it is about, without what was typed.
func (c *request) does(found []oracle.Locator) string {
	about := ""
	for _, l := range slices.Backward(found) {
		about += " in " + l.String()
	}
	finds, all := c.finds()
	switch {
	case all:
		return "find all " + c.by().String() + about
	case finds:
		return "find " + c.by().String() + about
	case c.reads() != "":
		return c.reads() + strings.Replace(about, " in ", " of ", 1)
	case c.kind() == oracle.Acts:
		return acting[c.last()] + strings.TrimPrefix(about, " in")
	}
	return strings.TrimSpace(c.method + " " + strings.Join(c.path, "/"))
}

// by is what a command looks for.
func (c *request) by() oracle.Locator {
	text, _ := c.body.Value.(string)
	return simple(oracle.Locator{Using: shortened(c.body.Using), Value: shortened(text)})
}

// idSelector is how clients write an id as a selector: WebDriver has no strategy for it.
var idSelector = lazy.Regexp(`^\*?\[id="([^"\\]*)"\]$`)

// plainID is an id that needs nothing escaped behind a #.
var plainID = lazy.Regexp(`^[A-Za-z_][A-Za-z0-9_-]*$`)

// simple writes the selectors by which clients ask for ids as people do.
func simple(l oracle.Locator) oracle.Locator {
	if m := idSelector().FindStringSubmatch(l.Value); m != nil && l.Using == "css selector" {
		l.Value = "#" + m[1]
		if !plainID().MatchString(m[1]) {
			l.Value = `[id="` + m[1] + `"]`
		}
	}
	return l
}

// shortened keeps no more than that of a text in memory either.
func shortened(s string) string {
	if len(s) <= maxText {
		return s
	}
	return strings.Clone(s[:maxText])
}

// answer is what a driver answered: the value as JSON without the ids of elements, and the ids that it names.
func answer(r *exchange.Response) (a oracle.Answer, ids []string) {
	var all struct {
		Value json.RawMessage `json:"value"`
	}
	text, err := r.Payload()
	if err != nil || json.Unmarshal(text, &all) != nil {
		return oracle.Answer{Error: "an answer that is no JSON"}, nil
	}
	if r.Status != http.StatusOK {
		var failed struct {
			Error string `json:"error"`
		}
		_ = json.Unmarshal(all.Value, &failed) // one that does not say is an error all the same
		if failed.Error == "" {
			failed.Error = "status " + strconv.Itoa(r.Status)
		}
		return oracle.Answer{Error: shortened(failed.Error)}, nil
	}
	value, ids := withoutIDs(all.Value)
	return oracle.Answer{Value: kept(value)}, ids
}

// answered is what a command was answered. A driver draws the names of windows anew in each run, so of these it is how
// many there are.
func (c *request) answered(r *exchange.Response) (a oracle.Answer, ids []string) {
	a, ids = answer(r)
	var all []string
	if c.reads() == "windows" && json.Unmarshal([]byte(a.Value), &all) == nil {
		a.Value = strconv.Itoa(len(all))
	}
	return a, ids
}

// kept is a value as it is kept: what is long, or may hold a secret in the query of a URL, by its digest alone.
func kept(value string) string {
	if len(value) > maxText || strings.Contains(value, "://") && strings.ContainsAny(value, "?#@") {
		sum := sha256.Sum256([]byte(value))
		return "sha256:" + hex.EncodeToString(sum[:])
	}
	return value
}

// anElement stands in the place of a reference to one.
const anElement = `"an element"`

// withoutIDs is a value in which references to elements say only that they are some.
func withoutIDs(value json.RawMessage) (text string, ids []string) {
	var one map[string]string
	var many []map[string]string
	switch {
	case string(value) == "null":
		return "null", nil
	case json.Unmarshal(value, &one) == nil && len(one) == 1:
		many = append(many, one)
	case json.Unmarshal(value, &many) != nil:
		return string(value), nil
	}
	for _, ref := range many {
		id := ref[elementKey] + ref[shadowKey]
		if id == "" || len(ref) != 1 {
			return string(value), nil
		}
		ids = append(ids, id)
	}
	if one != nil {
		return anElement, ids
	}
	return strconv.Itoa(len(ids)), ids
}
