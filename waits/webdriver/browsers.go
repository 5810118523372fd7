package webdriver

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
)

// proven says which browsers a suite can be recorded with, and what to do with others.
const proven = "waits record and waits hold are proven with Chrome and Chromium (--driver chromedriver), and with Firefox " +
	"(--driver geckodriver): run the suite with one of these. The waits that waits patch writes are about pages, and stay for " +
	"other browsers"

// Capabilities of a session, and the browsers that they name (W3C WebDriver, § 7; WebDriver BiDi, § 4.1).
const (
	socketCapability  = "webSocketUrl"
	promptsCapability = "unhandledPromptBehavior"
	nameCapability    = "browserName"
)

// wish is what a suite asks for where it begins a session.
type wish struct {
	names   []string // of browsers, one of which it gets
	socket  bool
	prompts json.RawMessage // what it says of dialogs, if anything
	always  map[string]json.RawMessage
	first   []map[string]json.RawMessage
}

// readWish reads what a command asks for that begins a session.
func readWish(r *exchange.Request) (w wish) {
	var asks struct {
		Capabilities struct {
			Always map[string]json.RawMessage   `json:"alwaysMatch"`
			First  []map[string]json.RawMessage `json:"firstMatch"`
		} `json:"capabilities"`
	}
	text, err := r.Payload()
	if err != nil || json.Unmarshal(text, &asks) != nil {
		return w
	}
	w.always, w.first = asks.Capabilities.Always, asks.Capabilities.First
	for _, c := range append(slices.Clone(w.first), w.always) {
		var name string
		if json.Unmarshal(c[nameCapability], &name) == nil && name != "" {
			w.names = append(w.names, shortened(name))
		}
		w.socket = w.socket || c[socketCapability] != nil
		if c[promptsCapability] != nil {
			w.prompts = c[promptsCapability]
		}
	}
	return w
}

// other is a browser that a suite asks for; "" where it may have Chrome, or has no wish.
func (w *wish) other() (name string) {
	for _, name = range w.names {
		if name == "chrome" || name == "chromium" {
			return ""
		}
	}
	return name
}

// unanswered reports whether the suite has asked for a session that the driver did not answer.
func (t *tap) unanswered() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.asked > t.told
}

// names notes the name and the version of a browser.
func (t *tap) names(name, version string) {
	is := strings.TrimSpace(shortened(name + " " + version))
	t.mu.Lock()
	defer t.mu.Unlock()
	if is != "" && len(t.run.Browsers) < maxBrowsers && !slices.Contains(t.run.Browsers, is) {
		t.run.Browsers = append(t.run.Browsers, is)
	}
}

// maxBrowsers bounds the kinds of browsers of one run.
const maxBrowsers = 10

// refusal is why a driver begins no session, in its own words, and what to do.
func refusal(r *exchange.Response) (why, advice string) {
	var says struct {
		Value struct{ Error, Message string }
	}
	if text, err := r.Payload(); err != nil || json.Unmarshal(text, &says) != nil {
		return "status " + strconv.Itoa(r.Status), proven
	}
	why = console.OneLine(shortened(strings.TrimSuffix(cmp.Or(says.Value.Message, says.Value.Error, "no reason"), ".")))
	if strings.Contains(why, "already started") {
		return why, "A geckodriver has one browser at a time: have the suite end one before it begins another, in one worker"
	}
	return why, proven
}

// besides reports whether flaketap is to ask for a socket, by which Firefox alone tells what happens in its pages: the
// suite does not, and what it says of dialogs can be done in the driver's stead.
func (w *wish) besides() bool {
	_, ok := readPrompts(w.prompts)
	return w.other() == "firefox" && !w.socket && ok
}

// withSocket is a command that begins a session, with a socket asked for besides.
func (w *wish) withSocket(r *exchange.Request) []byte {
	first := make([]map[string]json.RawMessage, len(w.first))
	for i, c := range w.first {
		first[i] = maps.Clone(c)
		delete(first[i], promptsCapability)
	}
	always := maps.Clone(w.always)
	if always == nil {
		always = map[string]json.RawMessage{}
	}
	always[socketCapability], always[promptsCapability] = []byte("true"), ignoring(w.prompts)
	all := map[string]any{"alwaysMatch": always}
	if w.first != nil {
		all["firstMatch"] = first
	}
	body, err := json.Marshal(map[string]any{"capabilities": all})
	if err != nil {
		return nil
	}
	return withBody(r.Head, body)
}

// withoutSocket is what a suite is told of a session for which flaketap asked for a socket: nothing of that.
func (w *wish) withoutSocket(r *exchange.Response) []byte {
	text, err := r.Payload()
	if err != nil || r.Status != http.StatusOK {
		return nil
	}
	body, err := within(text, []string{"value", "capabilities"}, func(capabilities map[string]json.RawMessage) {
		delete(capabilities, socketCapability)
		capabilities[promptsCapability] = w.prompts
		if w.prompts == nil {
			capabilities[promptsCapability] = quoted(unasked)
		}
	})
	if err != nil {
		return nil
	}
	return withBody(r.Head, body)
}

// within is a text of JSON in which the object at a path has been changed.
func within(text []byte, path []string, change func(map[string]json.RawMessage)) ([]byte, error) {
	all := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	if len(path) == 0 {
		change(all)
		return json.Marshal(all)
	}
	inner, err := within(all[path[0]], path[1:], change)
	if err != nil {
		return nil, err
	}
	all[path[0]] = inner
	return json.Marshal(all)
}
