package webdriver

import (
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/flaketap/flaketap/waits/oracle"
)

// A cause is kept with what may be behind it: of a timer when it was set, of a socket when a page last asked somebody for
// something. Where nobody tells what pages say in sockets, and of anything else, nothing is known.
func TestCauses(t *testing.T) {
	for _, tt := range []struct {
		frames bool
		cause  string
		want   oracle.Cause
		since  float64
	}{
		{true, "timer", oracle.Timer, -500},
		{true, "socket", oracle.Socket, 7},
		{false, "socket", "", 0},
		{true, "magic", "", 0},
	} {
		w := newWatcher(1, time.UnixMilli(1500))
		w.frames, w.asked = tt.frames, 7
		w.told(part{}, fmt.Sprintf(`{"changes":[{"element":"#age","cause":%q,"since":1000}]}`, tt.cause))
		if m := w.mutations[0]; m.Cause != tt.want || m.Since != tt.since {
			t.Errorf("%s: %q since %f", tt.cause, m.Cause, m.Since)
		}
	}
}

// A page asks by requests, and by what it says in a WebSocket that it has opened.
func TestAsks(t *testing.T) {
	for method, params := range map[string]string{
		"Network.requestWillBeSent":  `{"requestId":"1","type":"Fetch","request":{"method":"GET","url":"http://shop/"}}`,
		"Network.webSocketCreated":   `{"requestId":"2"}`,
		"Network.webSocketFrameSent": `{"requestId":"2"}`,
	} {
		w := newWatcher(1, time.Now().Add(-time.Minute))
		d := &devtools{watcher: w}
		if d.hear(event{Method: method, Params: json.RawMessage(params)}); w.asked == 0 {
			t.Errorf("%s is no asking", method)
		}
	}
}

// A page that has said something in a WebSocket is at rest once it was told something there, or a while later, and at
// once where nobody ever answers.
func TestReplies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatcher(1, time.Now())
		d := &devtools{watcher: w}
		hear := func(method, socket string) {
			d.hear(event{Session: "page", Method: "Network." + method, Params: json.RawMessage(`{"requestId":"` + socket + `"}`)})
		}
		since := time.Now()
		unrest := func() (n int) { // in tenths of a second until it rests
			for w.quietFor(since) < rest {
				time.Sleep(rest)
				n++
			}
			return n
		}
		time.Sleep(time.Minute)
		if n := unrest(); n > 0 {
			t.Errorf("it says nothing, and rests after %d", n)
		}
		hear("webSocketFrameReceived", "news")
		if n := unrest(); n > 0 {
			t.Errorf("it is told something that it did not ask for, and rests after %d", n)
		}
		hear("webSocketFrameSent", "chat")
		time.Sleep(3 * rest)
		if w.quietFor(since) > 0 {
			t.Error("it rests before an answer")
		}
		hear("webSocketFrameReceived", "chat")
		if n := unrest(); n != 1 {
			t.Errorf("it was answered, and rests after %d", n)
		}
		hear("webSocketFrameSent", "chat")
		hear("webSocketClosed", "chat")
		if n := unrest(); n > 0 {
			t.Errorf("its socket is closed, and it rests after %d", n)
		}
		hear("webSocketFrameSent", "chat")
		w.forgetPage("page")
		if n := unrest(); n > 0 {
			t.Errorf("it is gone, and rests after %d", n)
		}
		for i, want := range []int{10, 10, 10, 0, 0} {
			hear("webSocketFrameSent", "statistics")
			if n := unrest(); n != want {
				t.Errorf("message %d that nobody answers: it rests after %d, want %d", i+1, n, want)
			}
			time.Sleep(mostReply)
		}
		chat := func() {
			hear("webSocketFrameSent", "presence")
			time.Sleep(rest / 2)
			hear("webSocketFrameReceived", "presence")
			time.Sleep(rest / 2)
		}
		for range 10 {
			if chat(); w.quietFor(since) >= rest {
				t.Error("it rests while it is answered")
			}
		}
		w.lasts()
		time.Sleep(rest)
		if chat(); w.quietFor(since) < rest {
			t.Error("what is said without end is waited for again")
		}
		for i := range 2 * maxTalks {
			hear("webSocketFrameSent", fmt.Sprint(i))
		}
		if len(w.talks) != maxTalks {
			t.Errorf("%d sockets are known", len(w.talks))
		}
	})
}
