package webdriver

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/exchange"
)

// met is what a driver says that leaves a dialog alone which a command comes upon.
const met = `{"error":"unexpected alert open","message":"Unexpected confirm dialog detected. Performed handler \"ignore\"","data":{"text":"Sure?"}}`

// beginFirefox begins a session of Firefox, with what a suite says of dialogs; "" for nothing.
func beginFirefox(t *testing.T, d *fakeDriver, socket, says string) (c *fakeSuite, told string) {
	t.Helper()
	d.t = t
	if d.answers == nil {
		d.answers = map[string][]string{}
	}
	d.answers["POST /session"] = []string{fmt.Sprintf(`{"sessionId":"s1","capabilities":{"browserName":"firefox","webSocketUrl":%q,"unhandledPromptBehavior":"ignore"}}`, socket)}
	server := httptest.NewServer(d)
	t.Cleanup(server.Close)
	c = clientTo(t, server.URL, none{})
	if says != "" {
		says = `,"unhandledPromptBehavior":` + says
	}
	return c, c.ask("POST", "/session", `{"capabilities":{"alwaysMatch":{"browserName":"firefox"`+says+`},"firstMatch":[{}]}}`)
}

// same compares two texts of JSON.
func same(t *testing.T, got, want string) string {
	t.Helper()
	var is [2]any
	for i, text := range []string{want, got} {
		if err := json.Unmarshal([]byte(text), &is[i]); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
	}
	return cmp.Diff(is[0], is[1])
}

// Firefox is asked for a socket, and to leave dialogs alone that a suite could see; the suite is told nothing of either.
// A suite that asks for a socket gets what it asks for, as does one whose wish no driver takes.
func TestFirefoxIsAskedForASocket(t *testing.T) {
	const ours, theirs = `"dismiss and notify"`, `"ignore"`
	for _, tt := range []struct{ asks, sent, told string }{
		{`{"alwaysMatch":{"browserName":"firefox"}}`, `{"alwaysMatch":{"browserName":"firefox","webSocketUrl":true,"unhandledPromptBehavior":"ignore"}}`, ours},
		{`{"alwaysMatch":{"browserName":"firefox","unhandledPromptBehavior":"accept"},"firstMatch":[{"a:b":1}]}`,
			`{"alwaysMatch":{"browserName":"firefox","webSocketUrl":true,"unhandledPromptBehavior":"ignore"},"firstMatch":[{"a:b":1}]}`, `"accept"`},
		{`{"firstMatch":[{"browserName":"firefox","unhandledPromptBehavior":{"beforeUnload":"dismiss"}}]}`,
			`{"alwaysMatch":{"webSocketUrl":true,"unhandledPromptBehavior":{"alert":"ignore","beforeUnload":"dismiss","confirm":"ignore","prompt":"ignore"}},
			"firstMatch":[{"browserName":"firefox"}]}`, `{"beforeUnload":"dismiss"}`},
		{`{"alwaysMatch":{"browserName":"firefox","webSocketUrl":true}}`, "", theirs},
		{`{"alwaysMatch":{"browserName":"firefox","unhandledPromptBehavior":"shrug"}}`, "", theirs},
		{`{"alwaysMatch":{"browserName":"firefox","unhandledPromptBehavior":null}}`, "", theirs},
		{`{"firstMatch":[{"browserName":"firefox"},{"browserName":"chrome"}]}`, "", theirs},
		{`{}`, "", theirs},
	} {
		d := &fakeDriver{t: t, answers: map[string][]string{"POST /session": {`{"sessionId":"s1","capabilities":{"browserName":"firefox","webSocketUrl":"wss://x","unhandledPromptBehavior":"ignore"}}`}}}
		server := httptest.NewServer(d)
		defer server.Close()
		c := clientTo(t, server.URL, none{})
		c.tap.say = func(string, ...any) {} // that there is no such socket
		told := c.ask("POST", "/session", `{"capabilities":`+tt.asks+`}`)
		sent, socket := tt.sent, ""
		if sent == "" {
			sent, socket = tt.asks, `"webSocketUrl":"wss://x",`
		}
		if diff := same(t, d.begun, `{"capabilities":`+sent+`}`); diff != "" {
			t.Errorf("%s: sent is %s", tt.asks, diff)
		}
		if diff := same(t, told, `{"sessionId":"s1","capabilities":{"browserName":"firefox",`+socket+`"unhandledPromptBehavior":`+tt.told+`}}`); diff != "" {
			t.Errorf("%s: told is %s", tt.asks, diff)
		}
	}
}

// A command within a session may speak of capabilities: it passes as it is.
func TestWishesAreOfSessions(t *testing.T) {
	c := clientTo(t, "http://127.0.0.1:1", none{})
	script := exchange.Request{Method: "POST", Target: session + "/execute/sync",
		Message: exchange.Message{Body: []byte(`{"capabilities":{"alwaysMatch":{"browserName":"firefox"}}}`)}}
	if got := c.tap.Request(&exchange.Exchange{Request: script}); got != nil {
		t.Errorf("sent is %s", got)
	}
}

// What a suite wants to become of a dialog is done when a command comes upon it, as the driver itself would.
func TestDialogsAreMet(t *testing.T) {
	told := func(handler string) string { return strings.Replace(met, "ignore", handler, 1) }
	for _, tt := range []struct {
		says            string
		answers         []string
		want            string
		accepted, asked int // how often dialogs were accepted, and the title was asked for
		dismissed       int
	}{
		{"", []string{`"a"`}, `"a"`, 0, 1, 0},
		{"", []string{met, `"a"`}, told("dismiss"), 0, 1, 1},
		{`"dismiss and notify"`, []string{met}, told("dismiss"), 0, 1, 1},
		{`"accept and notify"`, []string{met}, told("accept"), 1, 1, 0},
		{`"dismiss"`, []string{met, `"a"`}, `"a"`, 0, 2, 1},
		{`"accept"`, []string{met, met, `"a"`}, `"a"`, 2, 3, 0},
		{`"accept"`, []string{met, "!no such window"}, "no such window", 1, 2, 0},
		{`"accept"`, []string{met}, met, mostDialogs, mostDialogs + 1, 0},
		{`"ignore"`, []string{met, `"a"`}, met, 0, 1, 0},
		{`{"confirm":"accept","default":"ignore"}`, []string{met, `"a"`}, `"a"`, 1, 2, 0},
		{`{"alert":"accept"}`, []string{met, `"a"`}, told("dismiss"), 0, 1, 1},
	} {
		d := &fakeDriver{answers: map[string][]string{"GET /title": tt.answers, "POST /alert/accept": {"null"}, "POST /alert/dismiss": {"null"}}}
		c, _ := beginFirefox(t, d, "", tt.says)
		got := c.ask("GET", session+"/title", "")
		if got != tt.want && (!strings.HasPrefix(got, "{") || same(t, got, tt.want) != "") {
			t.Errorf("%s, %s: got %s", tt.says, tt.answers, got)
		}
		counts := [3]int{d.times("POST /alert/accept"), d.times("GET /title"), d.times("POST /alert/dismiss")}
		if want := [3]int{tt.accepted, tt.asked, tt.dismissed}; counts != want {
			t.Errorf("%s, %s: %d accepted, asked, dismissed, want %d", tt.says, tt.answers, counts, want)
		}
	}
}

// A read that is held does not come upon a dialog for the suite: that gets the answer from before it.
func TestHeldReadsMeetNoDialog(t *testing.T) {
	d := &fakeDriver{answers: map[string][]string{"GET /title": {"!no such element", met}, "POST /alert/dismiss": {"null"}}}
	c, _ := beginFirefox(t, d, "", "")
	c.tap.patience = until{value: `"23"`}
	if got := c.ask("GET", session+"/title", ""); got != "no such element" || d.times("POST /alert/dismiss") != 0 {
		t.Errorf("got %s", got)
	}
}
