package webdriver

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"
)

// fakeFirefox is a socket that takes every command but one, and tells what a test has it tell before it answers
// session.status.
func fakeFirefox(t *testing.T, refused string, says ...string) (socket string, asked <-chan string) {
	t.Helper()
	calls := make(chan string, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		for {
			_, text, err := conn.Read(context.Background())
			if err != nil {
				return
			}
			var call struct {
				ID     int
				Method string
			}
			_ = json.Unmarshal(text, &call) // an id of 0 is answered as such
			calls <- call.Method
			answer := `{"type":"success","id":%d,"result":{}}`
			if call.Method == refused {
				answer = `{"type":"error","id":%d,"error":"unknown command","message":"never heard of it"}`
			}
			for _, told := range says {
				if call.Method == "session.status" {
					_ = conn.Write(r.Context(), websocket.MessageText, []byte(told)) // the client may have gone
				}
			}
			_ = conn.Write(r.Context(), websocket.MessageText, fmt.Appendf(nil, answer, call.ID))
		}
	}))
	t.Cleanup(server.Close)
	return strings.Replace(server.URL, "http", "ws", 1), calls
}

// tells is what a browser tells of an event.
func tells(method, params string) string {
	return fmt.Sprintf(`{"type":"event","method":%q,"params":%s}`, method, params)
}

// What page.js says in Firefox is heard, and requests and timers are known to be under way until they end, or their
// documents and pages do.
func TestFirefoxIsHeard(t *testing.T) {
	message := func(channel, context, realm, text string) string {
		payload, _ := json.Marshal(text)
		return tells("script.message", fmt.Sprintf(`{"channel":%q,"data":{"type":"string","value":%s},"source":{"context":%q,"realm":%q}}`, channel, payload, context, realm))
	}
	request := func(event, context, id, path, more string) string {
		return tells("network."+event, fmt.Sprintf(`{"context":%q,"request":{"request":%q,"method":"GET","url":"http://x%s"%s}}`, context, id, path, more))
	}
	const stream = `,"headers":[{"name":"Accept","value":{"type":"string","value":"text/event-stream"}}]`
	begun := []string{message("flaketap", "c1", "r1", `{"timers":1}`), message("flaketap", "c1", "r2", `{"timers":1}`),
		message("other", "c1", "r3", `{"timers":1}`), request("beforeRequestSent", "c1", "1", "/a?secret", ""), request("beforeRequestSent", "c2", "2", "/b", ""),
		request("beforeRequestSent", "c1", "3", "/events", stream), request("beforeRequestSent", "c1", "4", "/left", `,"initiatorType":"beacon"`),
		request("beforeRequestSent", "c1", "6", "/favicon.ico", `,"destination":"image","initiatorType":null`),
		request("beforeRequestSent", "", "5", "/update", ""), message("flaketap", "c1", "r1", `{"changes":[{"element":"#age","property":"text","new":"23","at":1}]}`)}
	for _, tt := range []struct {
		name             string
		then             []string
		requests, timers int
	}{
		{"begun", nil, 2, 2},
		{"ended", []string{request("responseCompleted", "c1", "1", "/a", ""), message("flaketap", "c1", "r1", `{"timers":0}`)}, 1, 1},
		{"failed", []string{request("fetchError", "c2", "2", "/b", "")}, 1, 2},
		{"a document is gone", []string{tells("script.realmDestroyed", `{"realm":"r2"}`)}, 2, 1},
		{"a page is gone", []string{tells("browsingContext.contextDestroyed", `{"context":"c1"}`)}, 1, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			socket, asked := fakeFirefox(t, "", append(begun[:len(begun):len(begun)], tt.then...)...)
			d := &fakeDriver{}
			c, _ := beginFirefox(t, d, socket, "")
			b := c.tap.browserOf("s1")
			if err := b.channel.(*gecko).call(t.Context(), "", "session.status", struct{}{}); err != nil { // all has been heard then
				t.Fatal(err)
			}
			if requests, timers := b.underWay(); requests != tt.requests || timers != tt.timers {
				t.Errorf("%d requests and %d timers, want %d and %d", requests, timers, tt.requests, tt.timers)
			}
			run := c.tap.end()
			if len(run.Mutations) != 1 || run.Mutations[0].New != "23" {
				t.Errorf("changes are %v", run.Mutations)
			}
			var what []string
			for _, r := range run.Requests {
				what = append(what, r.What)
			}
			if diff := cmp.Diff([]string{"GET /a", "GET /b"}, what); diff != "" {
				t.Error(diff)
			}
			if got := []string{<-asked, <-asked}; !cmp.Equal(got, []string{"script.addPreloadScript", "session.subscribe"}) {
				t.Errorf("asked is %s", got)
			}
		})
	}
}

// A Firefox that cannot be watched is said to be, and goes on; its dialogs are met all the same.
func TestFirefoxThatCannotBeWatched(t *testing.T) {
	refusing, _ := fakeFirefox(t, "session.subscribe")
	for socket, want := range map[string]string{refusing: "never heard of it", "ws://127.0.0.1:1": "connection refused", "": "in the pages of firefox is not seen"} {
		d := &fakeDriver{t: t, answers: map[string][]string{"GET /title": {met}, "POST /alert/dismiss": {"null"},
			"POST /session": {fmt.Sprintf(`{"sessionId":"s1","capabilities":{"browserName":"firefox","webSocketUrl":%q}}`, socket)}}}
		server := httptest.NewServer(d)
		defer server.Close()
		c, said := clientTo(t, server.URL, none{}), ""
		c.tap.say = func(format string, args ...any) { said += fmt.Sprintf(format, args...) }
		c.ask("POST", "/session", `{"capabilities":{"alwaysMatch":{"browserName":"firefox"}}}`)
		c.ask("GET", session+"/title", "")
		if !strings.Contains(said, want) || d.times("POST /alert/dismiss") != 1 {
			t.Errorf("%q: it says %s", socket, said)
		}
	}
}

// A suite that speaks BiDi hears nothing of what flaketap subscribed to, and all that it subscribed to itself.
func TestSuitesHearWhatTheyAskFor(t *testing.T) {
	age := tells("network.fetchError", `{"context":"c1","request":{"request":"1"}}`)
	ours := tells("script.message", `{"channel":"flaketap","data":{"value":"{}"},"source":{}}`)
	theirs := tells("script.message", `{"channel":"theirs","data":{"value":"{}"},"source":{}}`)
	logged := tells("log.entryAdded", `{}`)
	socket, _ := fakeFirefox(t, "", age, ours, theirs, logged)
	answered := `{"type":"success","id":%d,"result":{}}`
	d := &fakeDriver{t: t, answers: map[string][]string{"POST /session": {fmt.Sprintf(`{"sessionId":"s1","capabilities":{"browserName":"firefox","webSocketUrl":%q}}`, socket)}}}
	server := httptest.NewServer(d)
	defer server.Close()
	c := clientTo(t, server.URL, none{})
	var begun struct{ Capabilities struct{ WebSocketURL string } }
	if err := json.Unmarshal([]byte(c.ask("POST", "/session", `{"capabilities":{"alwaysMatch":{"browserName":"firefox","webSocketUrl":true}}}`)), &begun); err != nil {
		t.Fatal(err)
	}
	suite, _, err := websocket.Dial(t.Context(), begun.Capabilities.WebSocketURL, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer suite.CloseNow()
	read := func() string {
		_, text, err := suite.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for i, step := range []struct {
		subscribes string
		want       []string
	}{
		{"", []string{logged}},
		{"network", []string{age, logged}},
		{"script.message", []string{age, theirs, logged}},
	} {
		if step.subscribes != "" {
			say(t, suite, fmt.Sprintf(`{"id":%d,"method":"session.subscribe","params":{"events":[%q]}}`, 10+i, step.subscribes))
		}
		got := []string{say(t, suite, fmt.Sprintf(`{"id":%d,"method":"session.status","params":{}}`, i+1))}
		for got[len(got)-1] != fmt.Sprintf(answered, i+1) {
			got = append(got, read())
		}
		if diff := cmp.Diff(step.want, got[:len(got)-1]); diff != "" {
			t.Errorf("with %q: %s", step.subscribes, diff)
		}
	}
	if b := c.tap.browserOf("s1"); b.prompts != nil || b.watcher == nil {
		t.Error("its dialogs are met, or its pages are not watched")
	}
}
