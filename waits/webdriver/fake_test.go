package webdriver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/flaketap/flaketap/waits/oracle"
)

// fakeDriver is a driver of WebDriver that answers what a test says: for each method and path behind the session one
// answer after the other, and the last of them from then on. At one that is "gone" it breaks the connection off.
type fakeDriver struct {
	t       *testing.T
	browser string // the address of a browser, in the capabilities of sessions
	socket  string // that of a socket, for BiDi

	mu      sync.Mutex
	answers map[string][]string
	asked   []string
	begun   string // what was asked for where a session began
}

const session = "/session/s1"

func (d *fakeDriver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body) // what is asked is in the path
	what := r.Method + " " + strings.TrimPrefix(r.URL.Path, session)
	d.mu.Lock()
	d.asked = append(d.asked, what)
	if what == "POST /session" {
		d.begun = string(body)
	}
	all := d.answers[what]
	if len(all) > 1 {
		d.answers[what] = all[1:]
	}
	d.mu.Unlock()
	switch {
	case what == "POST /session" && len(all) == 0:
		fmt.Fprintf(w, `{"value":{"sessionId":"s1","capabilities":{"webSocketUrl":%q,"goog:chromeOptions":{"debuggerAddress":%q}}}}`, d.socket, d.browser)
	case len(all) == 0:
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"value":{"error":"no such alert"}}`)
	case strings.HasPrefix(all[0], `{"error"`):
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprintf(w, `{"value":%s}`, all[0])
	case all[0] == "gone":
		panic(http.ErrAbortHandler)
	case strings.HasPrefix(all[0], "!"):
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprintf(w, `{"value":{"error":%q}}`, all[0][1:])
	default:
		fmt.Fprintf(w, `{"value":%s}`, all[0])
	}
}

// times counts how often something was asked.
func (d *fakeDriver) times(what string) (n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, a := range d.asked {
		if a == what {
			n++
		}
	}
	return n
}

// fakeSuite speaks to a driver through a tap.
type fakeSuite struct {
	t   *testing.T
	at  string
	tap *tap
}

// newSuite starts a driver, a tap before it, and a session.
func newSuite(t *testing.T, d *fakeDriver, p patience) *fakeSuite {
	t.Helper()
	d.t = t
	server := httptest.NewServer(d)
	t.Cleanup(server.Close)
	c := clientTo(t, server.URL, p)
	c.ask("POST", "/session", "{}")
	return c
}

// clientTo speaks through a tap to whatever listens at a URL.
func clientTo(t *testing.T, at string, p patience) *fakeSuite {
	t.Helper()
	target, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	x, tap := tapped(target, p, t.Logf)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- x.Serve(ln) }()
	t.Cleanup(func() {
		tap.end()
		_ = x.Close() // it cuts what is open
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return &fakeSuite{t, "http://" + ln.Addr().String(), tap}
}

// ask sends a command, and returns its value or its error.
func (c *fakeSuite) ask(method, path, body string) string {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.at+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set(sourceHeader, "suite.js:7:3")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	var all struct{ Value json.RawMessage }
	if err := json.NewDecoder(resp.Body).Decode(&all); err != nil {
		c.t.Fatal(err)
	}
	var failed struct{ Error, Message string }
	if json.Unmarshal(all.Value, &failed) == nil && failed.Error != "" && failed.Message == "" {
		return failed.Error
	}
	return string(all.Value)
}

// find looks for an element of an id.
func (c *fakeSuite) find(css string) string {
	c.t.Helper()
	return c.ask("POST", session+"/element", fmt.Sprintf(`{"using":"css selector","value":%q}`, css))
}

// fakeBrowser is a browser that takes every call, and tells what a test has it tell.
type fakeBrowser struct {
	addr  string
	calls chan string // the methods that it was called with
	tell  chan string
}

// busyPage is the target of a page that cannot be watched yet.
const busyPage = "busy page"

func newFakeBrowser(t *testing.T) *fakeBrowser {
	b := &fakeBrowser{calls: make(chan string, 100), tell: make(chan string)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/devtools" {
			fmt.Fprintf(w, `{"webSocketDebuggerUrl":"ws://%s/devtools"}`, b.addr)
			return
		}
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		b.serve(conn)
	}))
	b.addr = server.Listener.Addr().String()
	t.Cleanup(server.Close)
	return b
}

// serve answers calls, and tells a client of one page, and of what is none, before it answers the first.
func (b *fakeBrowser) serve(conn *websocket.Conn) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	write := func(text string) { _ = conn.Write(ctx, websocket.MessageText, []byte(text)) } // the client may have gone
	go func() {
		for {
			select {
			case text := <-b.tell:
				write(text)
			case <-ctx.Done():
				return
			}
		}
	}()
	for {
		_, text, err := conn.Read(ctx)
		if err != nil {
			return
		}
		var call struct {
			ID     int
			Method string
		}
		_ = json.Unmarshal(text, &call) // an id of 0 is answered as such
		b.calls <- call.Method
		if bytes.Contains(text, []byte(busyPage)) {
			continue
		}
		switch call.Method {
		case "Target.setDiscoverTargets": // a browser tells of what is there before it answers
			write(`{"method":"Target.targetCreated","params":{"targetInfo":{"targetId":"p1","type":"page","url":"data:,"}}}`)
			write(`{"method":"Target.targetCreated","params":{"targetInfo":{"targetId":"p2","type":"browser_ui","url":"chrome://x"}}}`)
		case "Target.attachToTarget":
			write(`{"method":"Target.attachedToTarget","params":{"sessionId":"t1"}}`)
		}
		write(fmt.Sprintf(`{"id":%d,"result":{}}`, call.ID))
	}
}

// says has the browser tell what page.js says in a page.
func (b *fakeBrowser) says(payload string) {
	text, _ := json.Marshal(payload)
	b.tell <- fmt.Sprintf(`{"method":"Runtime.bindingCalled","sessionId":"t1","params":{"name":%q,"payload":%s,"executionContextId":1}}`, bindingName, text)
}

// until holds reads until they are answered a value, for as long as it may take.
type until struct {
	none
	value string
	time  func() bool // reports whether they were held long enough
}

func (u until) enough(_ *turn, a oracle.Answer) bool {
	return a.Value == u.value || u.time != nil && u.time()
}

func (until) most(*turn) time.Duration { return time.Minute }
