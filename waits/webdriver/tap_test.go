package webdriver

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/waits/oracle"
)

const element = `{"element-6066-11e4-a52e-4f735466cecf":"e1"}`

// A read is held until it is answered as it is to be, and the client gets the driver's own answer.
func TestReadIsHeld(t *testing.T) {
	d := &fakeDriver{answers: map[string][]string{"POST /element": {element}, "GET /element/e1/text": {`""`, `""`, `"23"`}}}
	c := newSuite(t, d, until{value: `"23"`})
	c.tap.patience = until{value: `"an element"`}
	if got := c.find("#age"); got != element {
		t.Errorf("found %s", got)
	}
	c.tap.patience = until{value: `"23"`}
	if got := c.ask("GET", session+"/element/e1/text", ""); got != `"23"` {
		t.Errorf("the text is %s", got)
	}
	commands := c.tap.end().Commands
	if len(commands) != 2 {
		t.Fatalf("%d commands", len(commands))
	}
	for i := range commands {
		c := &commands[i]
		c.Start, c.First.At, c.Given.At = 0, 0, 0
		for k := range c.Later {
			c.Later[k].At = 0
		}
	}
	css := oracle.Locator{Using: "css selector", Value: "#age"}
	want := []oracle.Command{
		{Browser: 1, Kind: oracle.Reads, Does: `find css "#age"`, Source: "suite.js:7:3", By: css, First: oracle.Answer{Value: `"an element"`}, Given: oracle.Answer{Value: `"an element"`}},
		{Browser: 1, Kind: oracle.Reads, Does: `text of css "#age"`, Source: "suite.js:7:3", Found: []oracle.Locator{css}, Reads: "text",
			First: oracle.Answer{Value: `""`}, Later: []oracle.Answer{{Value: `"23"`}}, Given: oracle.Answer{Value: `"23"`}},
	}
	if diff := cmp.Diff(want, commands); diff != "" {
		t.Error(diff)
	}
}

// What is kept of an answer says nothing of the ids of elements, and all else.
func TestAnswers(t *testing.T) {
	for value, want := range map[string]string{"null": "null", "[]": "0", element: anElement, "[" + element + "," + element + "]": "2",
		`"null"`: `"null"`, `{"x":"1"}`: `{"x":"1"}`, `[{"x":"1"}]`: `[{"x":"1"}]`, "[1]": "[1]"} {
		got, _ := answer(&exchange.Response{Status: 200, Message: exchange.Message{Body: []byte(`{"value":` + value + `}`)}})
		if got.Value != want || got.Error != "" {
			t.Errorf("%s is kept as %+v, want %s", value, got, want)
		}
	}
}

// What is asked again, and what is not.
func TestWhatIsAskedAgain(t *testing.T) {
	for _, tt := range []struct {
		name, method, path string
		answers            []string
		want               string
		asked              int
	}{
		{"a title", "GET", "/title", []string{`"a"`, `"b"`, `"23"`}, `"23"`, 3},
		{"an element that is not there yet", "POST", "/element", []string{"!no such element", "!no such element", `"23"`}, `"23"`, 3},
		{"a click that did nothing", "POST", "/element/e1/click", []string{"!element click intercepted", `null`, `"23"`}, `null`, 2},
		{"a click", "POST", "/element/e1/click", []string{`null`, `"23"`}, `null`, 1},
		{"a script", "POST", "/execute/sync", []string{`1`, `"23"`}, `1`, 1},
		{"an element that is gone", "GET", "/element/e1/text", []string{"!stale element reference", `"23"`}, "stale element reference", 1},
		{"cookies", "GET", "/cookie", []string{`[]`, `"23"`}, `[]`, 1},
		{"windows", "POST", "/window", []string{"!no such window", `"23"`}, "no such window", 1},
		{"an element that comes and goes", "GET", "/element/e1/text", []string{`"a"`, `"b"`, "!stale element reference", `"23"`}, `"b"`, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := &fakeDriver{answers: map[string][]string{tt.method + " " + tt.path: tt.answers}}
			c := newSuite(t, d, until{value: `"23"`})
			if got := c.ask(tt.method, session+tt.path, "{}"); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if n := d.times(tt.method + " " + tt.path); n != tt.asked {
				t.Errorf("asked %d times, want %d", n, tt.asked)
			}
		})
	}
}

// A read that comes upon a dialog closes it: none is sent while one is open. One that the suite itself waits for is
// asked for again.
func TestDialogsStay(t *testing.T) {
	d := &fakeDriver{answers: map[string][]string{"GET /title": {`"a"`, `"b"`, `"23"`}, "GET /alert/text": {`"Sure?"`}}}
	c := newSuite(t, d, until{value: `"23"`})
	if got := c.ask("GET", session+"/title", ""); got != `"a"` || d.times("GET /title") != 1 {
		t.Errorf("got %s after %d", got, d.times("GET /title"))
	}
	d = &fakeDriver{answers: map[string][]string{"GET /alert/text": {"!no such alert", "!no such alert", `"Sure?"`}, "POST /alert/accept": {"!no such alert", `null`}}}
	c = newSuite(t, d, until{value: `"Sure?"`})
	if got := c.ask("GET", session+"/alert/text", ""); got != `"Sure?"` {
		t.Errorf("the dialog's text is %s", got)
	}
	if got := c.ask("POST", session+"/alert/accept", "{}"); got != "null" || d.times("POST /alert/accept") != 2 {
		t.Errorf("accepting it gives %s", got)
	}
}

// What a suite reads of a password field is given to it, and kept nowhere; what it reads of other fields is. So it is
// where the driver does not say what a field is.
func TestPasswordsAreLeftOut(t *testing.T) {
	for kind, out := range map[string]bool{`"password"`: true, `"text"`: false, "!no such element": true} {
		d := &fakeDriver{answers: map[string][]string{"POST /element": {element}, "GET /element/e1/property/value": {`"hush"`},
			"GET /element/e1/attribute/value": {`"hush"`}, "GET /element/e1/property/type": {kind}}}
		c := newSuite(t, d, none{})
		c.find("#secret")
		for _, path := range []string{"/element/e1/property/value", "/element/e1/attribute/value"} {
			if got := c.ask("GET", session+path, ""); got != `"hush"` {
				t.Errorf("%s: the suite is given %s", kind, got)
			}
		}
		run, err := json.Marshal(c.tap.end())
		if err != nil || strings.Contains(string(run), "hush") == out {
			t.Errorf("%s: kept is %s, %v", kind, run, err)
		}
	}
}

// So it is where the field is there only later: its first answer is an error.
func TestPasswordsThatComeLaterAreLeftOut(t *testing.T) {
	d := &fakeDriver{answers: map[string][]string{"POST /element": {element},
		"GET /element/e1/property/value": {"!no such element", `"hush"`}, "GET /element/e1/property/type": {`"password"`}}}
	c := newSuite(t, d, none{})
	c.find("#secret")
	asked := 0
	c.tap.patience = until{value: password, time: func() bool { asked++; return asked > 3 }}
	if got := c.ask("GET", session+"/element/e1/property/value", ""); got != `"hush"` {
		t.Errorf("the suite is given %s", got)
	}
	run, err := json.Marshal(c.tap.end())
	if err != nil || strings.Contains(string(run), "hush") {
		t.Errorf("kept is %s, %v", run, err)
	}
}

// A window has another name in each run: what is waited for is how many there are.
func TestWindowsAreCounted(t *testing.T) {
	d := &fakeDriver{answers: map[string][]string{"GET /window/handles": {`["a1"]`, `["a1"]`, `["a1","b2"]`}}}
	c := newSuite(t, d, until{value: "2"})
	if got := c.ask("GET", session+"/window/handles", ""); got != `["a1","b2"]` {
		t.Errorf("the suite is given %s", got)
	}
	if does := c.tap.end().Commands[0].Does; does != "windows" {
		t.Errorf("it is called %s", does)
	}
}

// When the time is over, the suite gets the driver's last answer, whatever it is.
func TestHoldsEnd(t *testing.T) {
	asked := 0
	d := &fakeDriver{answers: map[string][]string{"GET /title": {`"22"`, `"24"`}}}
	c := newSuite(t, d, until{value: `"23"`, time: func() bool { asked++; return asked > 3 }})
	if got := c.ask("GET", session+"/title", ""); got != `"24"` {
		t.Errorf("got %s", got)
	}
}

// A browser that is not watched has nothing under way, also where the patience ends before it has come to rest.
func TestHoldsEndUnwatched(t *testing.T) {
	d := &fakeDriver{answers: map[string][]string{"GET /title": {`"22"`}}}
	c := newSuite(t, d, hasty{})
	if got := c.ask("GET", session+"/title", ""); got != `"22"` {
		t.Errorf("got %s", got)
	}
}

// hasty waits for a page to come to rest, but not for long enough.
type hasty struct{ quiet }

func (hasty) most(*turn) time.Duration { return rest / 4 }

// Bytes pass as they are, in both directions, also where they are no WebDriver; and so does an answer that breaks
// off.
func TestBytesPass(t *testing.T) {
	const request = "POST /session/s1/odd HTTP/1.1\r\nhOST:  x\r\nX-Odd:\ta \r\ncontent-LENGTH: 5\r\n\r\n{\"a\":"
	for _, answer := range []string{
		"HTTP/1.1 200 Fine\r\nx-ODD:  b\r\nContent-length: 7\r\n\r\n{\"val\":",
		"HTTP/1.1 500 \r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"val",
	} {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		got := make(chan string, 1)
		go func() {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			defer conn.Close()
			buf := make([]byte, len(request))
			_, _ = io.ReadFull(conn, buf) // what came is compared
			got <- string(buf)
			fmt.Fprint(conn, answer)
		}()
		c := clientTo(t, "http://"+ln.Addr().String(), until{value: "never"})
		conn, err := net.Dial("tcp", strings.TrimPrefix(c.at, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(conn, request)
		back, _ := io.ReadAll(bufio.NewReader(conn)) // an answer that breaks off may end by a reset
		if r := <-got; r != request || string(back) != answer {
			t.Errorf("the driver got %q, the client %q of %q", r, back, answer)
		}
		conn.Close()
		ln.Close()
	}
}

// A suite that ends its driver does not end flaketap's.
func TestDriverStays(t *testing.T) {
	d := &fakeDriver{answers: map[string][]string{"GET /status": {`{"ready":true}`}}}
	c := newSuite(t, d, none{})
	if got := c.ask("GET", "/shutdown", ""); got != `{"ready":true}` || d.times("GET /shutdown") != 0 {
		t.Errorf("got %s", got)
	}
}

// An action waits for the one before it alone: where the suite looked at the page in between, it knows what it does.
func TestActionsWaitForActions(t *testing.T) {
	d := &fakeDriver{answers: map[string][]string{"POST /element": {element}, "POST /element/e1/click": {"null"}}}
	var asked atomic.Int32
	c := newSuite(t, d, counted{n: &asked})
	for i, want := range []int32{0, 1, 2, 2} {
		if i == 3 {
			c.find("#go")
		}
		c.ask("POST", session+"/element/e1/click", "{}")
		if n := asked.Load(); n != want {
			t.Errorf("%d actions were held by click %d, want %d", n, i, want)
		}
	}
}

// counted counts the actions that it is asked about.
type counted struct {
	none
	n *atomic.Int32
}

func (c counted) before(*turn) bool {
	c.n.Add(1)
	return true
}

// The paper's window lasts a second, and from a change late in it a second more, but not for ever.
func TestWindowEnds(t *testing.T) {
	for _, tt := range []struct {
		changes []float64
		want    time.Duration
	}{
		{nil, 1100 * time.Millisecond},
		{[]float64{300}, 1100 * time.Millisecond},
		{[]float64{300, 700}, 1700 * time.Millisecond},
		{[]float64{700, 1100}, 1700 * time.Millisecond},
		{[]float64{700, 1300}, 2300 * time.Millisecond},
		{[]float64{1100}, 1100 * time.Millisecond},
	} {
		var changes []oracle.Mutation
		for _, at := range tt.changes {
			changes = append(changes, oracle.Mutation{At: at})
		}
		if got := windowEnds(100*time.Millisecond, changes); got != tt.want {
			t.Errorf("%v: %s, want %s", tt.changes, got, tt.want)
		}
	}
	var clock []oracle.Mutation
	for at := range 400 {
		clock = append(clock, oracle.Mutation{At: float64(at) * 100})
	}
	if got := windowEnds(0, clock); got != mostWindow {
		t.Errorf("a clock: %s", got)
	}
}

// shortly is until a value is there, with no time for it but for one more look.
type shortly struct{ until }

func (shortly) most(*turn) time.Duration { return 0 }

// The driver is asked a last time once the time is up.
func TestLastLookAtDriver(t *testing.T) {
	d := &fakeDriver{answers: map[string][]string{"GET /element/e1/text": {`""`, `"23"`}}}
	c := newSuite(t, d, shortly{until{value: `"23"`}})
	if got := c.ask("GET", session+"/element/e1/text", ""); got != `"23"` {
		t.Errorf("the text is %s", got)
	}
}

// A page may say anything, and so much of it: little of that is kept.
func TestLittleIsKept(t *testing.T) {
	w := newWatcher(1, time.Now())
	text := strings.Repeat("x", 1<<20)
	held := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := held()
	for range 20 {
		w.told(part{"page", "document"}, `{"changes":[{"element":"`+text+`","property":"`+text+`","old":"`+text+`","new":"`+text+`"}]}`)
	}
	if after := held(); len(w.mutations) != 20 || after > before+20<<20 {
		t.Errorf("%d changes are kept, in %d MiB", len(w.mutations), (after-before)>>20)
	}
	runtime.KeepAlive(w)
	runtime.KeepAlive(text)
}

// A clock is nothing to wait for: what changes again and again after an action stirs a page only so often, and after the
// next action no more; what changes after each of many actions stirs it each time, and so does what is alike elsewhere.
func TestClocksDoNotStir(t *testing.T) {
	w := newWatcher(1, time.Now())
	stirs := func(document, element string, times int) (stirred int) {
		for range times {
			news := w.next()
			w.told(part{"page", document}, `{"changes":[{"element":"`+element+`","property":"text"}]}`)
			select {
			case <-news:
				stirred++
			default:
			}
		}
		return stirred
	}
	if n := stirs("one", "#clock", 3*tooOften); n != tooOften || len(w.mutations) != 3*tooOften {
		t.Errorf("it stirred %d times, and %d changes are kept", n, len(w.mutations))
	}
	for i := range 3 * tooOften {
		w.acts()
		if age, clock := stirs("one", "#age", 1), stirs("one", "#clock", 1); age != 1 || clock != 0 {
			t.Fatalf("action %d: what it changed stirred %d times, the clock %d times", i, age, clock)
		}
	}
	if n := stirs("two", "#clock", 1); n != 1 {
		t.Error("what is a clock in one document is one in another")
	}
	w.forgetDocuments(func(of part) bool { return of.id == "one" })
	w.forgetPage("page")
	if len(w.often) > 0 {
		t.Errorf("of what is gone is kept %v", w.often)
	}
}

// The query of a URL, its fragment and its user may hold secrets, and what is long is kept by its digest too.
func TestWhatIsKeptOfAValue(t *testing.T) {
	for _, value := range []string{`"http://a/?t=hush"`, `"http://a/#hush"`, `"http://ada:hush@a/"`, strings.Repeat("hush", maxText)} {
		if got := kept(value); strings.Contains(got, "hush") || !strings.HasPrefix(got, "sha256:") {
			t.Errorf("of %.40s is kept %.40s", value, got)
		}
	}
	for _, value := range []string{`"http://a/b"`, `"23?"`, `"#go"`} {
		if got := kept(value); got != value {
			t.Errorf("of %s is kept %s", value, got)
		}
	}
}

// What changes in a page is heard, at its time, and wakes what waits for it; an action waits until a state is
// reached.
func TestChangesAreHeard(t *testing.T) {
	b := newFakeBrowser(t)
	d := &fakeDriver{browser: b.addr, answers: map[string][]string{"POST /element": {element}, "POST /element/e1/click": {"null"}, "POST /element/e1/value": {"null"}}}
	s := &oracle.Session{}
	c := newSuite(t, d, expected{oracle.Learn(s)})
	c.find("#go")
	want := oracle.Mutation{Browser: 1, Element: "#age", Property: "text", New: "23", Later: true, Visible: true}
	c.tap.patience = reached{want}
	c.ask("POST", session+"/element/e1/click", "{}")
	done := make(chan string)
	go func() { done <- c.ask("POST", session+"/element/e1/value", `{"text":"secret"}`) }()
	at := float64(c.tap.began.UnixMilli()) + 60_000
	b.says(`{"changes":[{"element":"#clock","property":"text","old":"","new":"1","at":1}],"dropped":2}`)
	b.says(`no JSON`)
	b.says(fmt.Sprintf(`{"changes":[{"element":"#age","property":"text","old":"","new":"23","at":%f,"later":true,"visible":true}]}`, at))
	if got := <-done; got != "null" {
		t.Errorf("got %s", got)
	}
	run := c.tap.end()
	if len(run.Mutations) != 2 || run.Dropped != 2 {
		t.Fatalf("%d changes, %d dropped", len(run.Mutations), run.Dropped)
	}
	if m := run.Mutations[1]; m.At < 59_000 || m.At > 61_000 {
		t.Errorf("the change came at %f", m.At)
	}
	var does []string
	for _, command := range run.Commands {
		if strings.Contains(fmt.Sprint(command), "secret") {
			t.Errorf("what was typed is kept: %v", command)
		}
		does = append(does, command.Does)
	}
	if diff := cmp.Diff([]string{`find css "#go"`, `click on css "#go"`, `type into css "#go"`}, does); diff != "" {
		t.Error(diff)
	}
	var calls []string
	for range 7 {
		calls = append(calls, <-b.calls)
	}
	if diff := cmp.Diff([]string{"Target.setDiscoverTargets", "Target.attachToTarget", "Runtime.enable", "Page.enable", "Network.enable", "Runtime.addBinding", "Page.addScriptToEvaluateOnNewDocument"}, calls); diff != "" {
		t.Error(diff) // Target.setAutoAttach has a window that a page opens wait for ever
	}
}

// Pages that a suite visits are watched, also where their tab begins with one of the browser's own.
func TestPagesAreWatched(t *testing.T) {
	for _, tt := range []struct {
		kind, address string
		want          bool
	}{
		{"page", "data:,", true},
		{"page", "about:blank", true},
		{"iframe", "http://shop/", true},
		{"page", "chrome://newtab/", true},
		{"page", "chrome://new-tab-page-third-party/", true},
		{"browser_ui", "chrome://omnibox-popup.top-chrome/", false},
		{"page", "chrome://omnibox-popup.top-chrome/", false},
		{"page", "chrome-extension://x/page.html", false},
		{"page", "devtools://devtools/x", false},
		{"service_worker", "http://shop/worker.js", false},
	} {
		if got := isPage(tt.kind, tt.address); got != tt.want {
			t.Errorf("%s %s: %t", tt.kind, tt.address, got)
		}
	}
}

// reached has actions wait for one change.
type reached struct{ want oracle.Mutation }

func (r reached) before(u *turn) bool {
	return u.browser == nil || (&oracle.Wait{After: []oracle.Mutation{r.want}}).Reached(u.browser.since(u.act.sent))
}
func (reached) enough(*turn, oracle.Answer) bool { return true }
func (reached) gone(*turn, oracle.Answer) bool   { return false }
func (reached) most(*turn) time.Duration         { return time.Minute }
func (reached) tired(*turn)                      {}
func (reached) looks() bool                      { return false }

// Who uses another browser is told that this is not proven, and what to do: where the driver does not have it, and where
// it does.
func TestOtherBrowsers(t *testing.T) {
	for _, tt := range []struct{ name, asks, answer, want string }{
		{"refused", `{"capabilities":{"alwaysMatch":{"browserName":"firefox"}}}`, "!session not created", "asks for firefox"},
		{"refused, of several", `{"capabilities":{"firstMatch":[{"browserName":"firefox"},{}]}}`, "!session not created", "asks for firefox"},
		{"another reason", `{"capabilities":{"firstMatch":[{"browserName":"chrome"},{"browserName":"firefox"}]}}`, "!session not created", ""},
		{"one at a time", `{"capabilities":{"alwaysMatch":{"browserName":"firefox"}}}`, `{"error":"session not created","message":"Session is already started"}`, "refuses it: Session is already started. A geckodriver has one browser at a time"},
		{"no wish", `{`, "!session not created", ""},
		{"begun", `{}`, `{"sessionId":"s1","capabilities":{"browserName":"firefox"}}`, "in the pages of firefox is not seen"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := &fakeDriver{t: t, answers: map[string][]string{"POST /session": {tt.answer}}}
			server := httptest.NewServer(d)
			defer server.Close()
			c := clientTo(t, server.URL, none{})
			said := ""
			c.tap.say = func(format string, args ...any) { said += fmt.Sprintf(format, args...) }
			c.ask("POST", "/session", tt.asks)
			if (said != "") != (tt.want != "") || tt.want != "" && (!strings.Contains(said, tt.want) || !strings.Contains(said, proven) && tt.name != "one at a time") {
				t.Errorf("said: %s", said)
			}
		})
	}
}
