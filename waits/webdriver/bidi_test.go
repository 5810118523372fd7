package webdriver

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/waits/oracle"
)

// answers of the socket of a fake driver, one after the other, for each of its methods.
type answers map[string][]string

// socketTo begins a session whose driver answers commands of BiDi so, and connects to its socket through a tap. What
// the driver is sent comes by the channel.
func socketTo(t *testing.T, p patience, says answers) (c *fakeSuite, suite *websocket.Conn, sent <-chan string) {
	t.Helper()
	asked := make(chan string, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.CloseNow()
		for {
			_, text, err := conn.Read(r.Context())
			if err != nil {
				return
			}
			asked <- string(text)
			var call message
			if err := json.Unmarshal(text, &call); err != nil {
				t.Error(err)
			}
			all := says[call.Method]
			if len(all) > 1 {
				says[call.Method] = all[1:]
			}
			_ = conn.Write(r.Context(), websocket.MessageText, fmt.Appendf(nil, `{"type":"success","id":%d,%s}`, call.ID, all[0])) // the suite may have gone
		}
	}))
	t.Cleanup(server.Close)
	d := &fakeDriver{t: t, socket: strings.Replace(server.URL, "http", "ws", 1) + "/session/s1", answers: map[string][]string{"GET /element/n1/text": {`"23"`}}}
	driver := httptest.NewServer(d)
	t.Cleanup(driver.Close)
	c = clientTo(t, driver.URL, p)
	var begun struct{ Capabilities struct{ WebSocketURL string } }
	if err := json.Unmarshal([]byte(c.ask("POST", "/session", "{}")), &begun); err != nil {
		t.Fatal(err)
	}
	suite, _, err := websocket.Dial(t.Context(), begun.Capabilities.WebSocketURL, nil)
	if err != nil {
		t.Fatalf("%v: %s", err, begun.Capabilities.WebSocketURL)
	}
	t.Cleanup(func() { suite.CloseNow() })
	if !strings.Contains(begun.Capabilities.WebSocketURL, relayPath) {
		t.Errorf("the socket is %s", begun.Capabilities.WebSocketURL)
	}
	return c, suite, asked
}

// say sends a message, and returns the next that comes.
func say(t *testing.T, suite *websocket.Conn, text string) string {
	t.Helper()
	if err := suite.Write(t.Context(), websocket.MessageText, []byte(text)); err != nil {
		t.Fatal(err)
	}
	_, got, err := suite.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return string(got)
}

// What goes by a socket passes as it is, but for what Node added; a list that is looked for is held until it is as it
// is to be, and how an element was found is known where it is read.
func TestSocket(t *testing.T) {
	two, one := `"result":{"nodes":[{"sharedId":"n1"},{"sharedId":"n2"}]}`, `"result":{"nodes":[{"sharedId":"n1"}]}`
	c, suite, sent := socketTo(t, until{value: "2"}, answers{"session.status": {`"result": {}`}, "browsingContext.locateNodes": {one, one, two, one}, "browsingContext.navigate": {`"result":{}`}})
	for _, tt := range []struct{ text, passed, want string }{
		{`{"id":1, "method":"session.status"}`, `{"id":1, "method":"session.status"}`, `{"type":"success","id":1,"result": {}}`},
		{`{"id":2,"method":"browsingContext.locateNodes","params":{"locator":{"type":"css","value":"li"}},"flaketap":{"source":"a.js:1:2","first":false}}`,
			`{"id":2,"method":"browsingContext.locateNodes","params":{"locator":{"type":"css","value":"li"}}}`, `{"id":2,` + two + `,"type":"success"}`},
	} {
		if got := say(t, suite, tt.text); got != tt.want {
			t.Errorf("%s is answered\n%s, want\n%s", tt.text, got, tt.want)
		}
		if got := <-sent; got != tt.passed {
			t.Errorf("passed is %s, want %s", got, tt.passed)
		}
	}
	c.tap.patience = none{}
	say(t, suite, `{"id":3,"method":"browsingContext.locateNodes","params":{"locator":{"type":"css","value":"#age"}},"flaketap":{"source":"","first":true}}`)
	if got := c.ask("GET", session+"/element/n1/text", ""); got != `"23"` {
		t.Errorf("the text is %s", got)
	}
	say(t, suite, `{"id":4,"method":"browsingContext.navigate","params":{"url":"/"},"flaketap":{"source":"a.js:2:2","first":false}}`)
	var got []string
	for _, k := range c.tap.end().Commands {
		if k.Kind == oracle.Acts && k.Sent < k.Start {
			t.Errorf("%s went at %g, and came at %g", k.Does, k.Sent, k.Start)
		}
		got = append(got, fmt.Sprint(k.Does, " ", k.Source, " ", k.First.Value, " ", k.Given.Value))
	}
	want := []string{`find all css "li" a.js:1:2 1 2`, `text of css "#age" suite.js:7:3 "23" "23"`, "open a.js:2:2 null null"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Commands of BiDi are those of WebDriver that do the same.
func TestReadBiDi(t *testing.T) {
	at := `,"flaketap":{"source":"a.js:1:2","first":%t,"globals":true}}`
	for _, tt := range []struct {
		text, does string
		first      bool
		answer     string
		want       oracle.Answer
	}{
		{`"browsingContext.navigate","params":{"url":"/"}`, "open", false, `{"result":{"navigation":null}}`, oracle.Answer{Value: "null"}},
		{`"browsingContext.reload","params":{}`, "reload", false, `{"error":"no such frame"}`, oracle.Answer{Error: "no such frame"}},
		{`"browsingContext.traverseHistory","params":{"delta":-1}`, "go back", false, `{}`, oracle.Answer{Value: "null"}},
		{`"browsingContext.traverseHistory","params":{"delta":1}`, "go forward", false, `{}`, oracle.Answer{Value: "null"}},
		{`"browsingContext.handleUserPrompt","params":{}`, "accept the alert", false, `{}`, oracle.Answer{Value: "null"}},
		{`"browsingContext.handleUserPrompt","params":{"accept":false}`, "dismiss the alert", false, `{}`, oracle.Answer{Value: "null"}},
		{`"input.performActions","params":{}`, "perform actions", false, `{}`, oracle.Answer{Value: "null"}},
		{`"browsingContext.locateNodes","params":{"locator":{"type":"css","value":"li"}}`, `find all css "li"`, false, `{"result":{"nodes":[]}}`, oracle.Answer{Value: "0"}},
		{`"browsingContext.locateNodes","params":{"locator":{"type":"css","value":"li"}}`, `find css "li"`, true, `{"result":{"nodes":[]}}`, oracle.Answer{Error: "no such element"}},
		{`"browsingContext.locateNodes","params":{"locator":{"type":"innerText","value":"Go"}}`, `find link text "Go"`, true, `{"result":{"nodes":[{"sharedId":"n1"}]}}`, oracle.Answer{Value: anElement}},
		{`"browsingContext.locateNodes","params":{"locator":{"type":"innerText","value":"Go","matchType":"partial"}}`, `find partial link text "Go"`, true, `no`, oracle.Answer{Error: "an answer that is no JSON"}},
		{`"browsingContext.locateNodes","params":{"locator":{"type":"accessibility","value":{"name":"Go"}}}`, `find aria "Go"`, true, `{}`, oracle.Answer{Error: "no such element"}},
		{`"script.callFunction","params":{"functionDeclaration":"function checkVisibility(e) {}","arguments":[{"sharedId":"n1"}]}`, `displayed`, false, `{"result":{"result":{"type":"boolean","value":true}}}`, oracle.Answer{Value: "true"}},
		{`"script.callFunction","params":{"functionDeclaration":"function f() {}","arguments":[{"sharedId":"n1"}]}`, ``, false, ``, oracle.Answer{}},
		{`"session.status","params":{}`, ``, false, ``, oracle.Answer{}},
	} {
		sent := `{"id":7,"method":` + tt.text
		c, bare := readBiDi([]byte(sent+fmt.Sprintf(at, tt.first)), "s1")
		if string(bare) != sent+"}" {
			t.Errorf("passed is %s, want %s", bare, sent+"}")
		}
		if c == nil {
			if tt.does != "" {
				t.Errorf("%s is none", tt.text)
			}
			continue
		}
		if got := c.does(nil); got != tt.does || c.source != "a.js:1:2" || !c.globals || c.id != 7 || c.aside {
			t.Errorf("%s: %+v does %q, want %q", tt.text, c, got, tt.does)
		}
		if got := c.reply([]byte(tt.answer)); got.Answer != tt.want {
			t.Errorf("%s: answered %+v, want %+v", tt.text, got.Answer, tt.want)
		}
	}
	if c, _ := readBiDi([]byte(`{"id":7,"method":"browsingContext.locateNodes","params":{}}`), "s1"); c == nil || !c.aside {
		t.Errorf("what a client looks for that names no place is %+v", c)
	}
}

// Whatever a suite sends, what passes is the same but for what Node added.
func FuzzReadBiDi(f *testing.F) {
	f.Add(`{"id":1,"method":"browsingContext.locateNodes","params":{"startNodes":[{"sharedId":"a"}]},"flaketap":{"source":"a.js:1:1"}}`)
	f.Add(`{"id":1,"method":"x","params":{"y":",\"flaketap\":{"}}`)
	f.Add(`{`)
	f.Fuzz(func(t *testing.T, text string) {
		c, bare := readBiDi([]byte(text), "s1")
		if string(bare) != text && (!strings.HasPrefix(text, strings.TrimSuffix(string(bare), "}")) || !strings.Contains(text, `,"flaketap":{`)) {
			t.Errorf("%s passes as %s", text, bare)
		}
		if c != nil {
			_ = c.does(nil)
			_ = c.reply([]byte(text))
		}
	})
}
