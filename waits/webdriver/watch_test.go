package webdriver

import (
	"encoding/json"
	"fmt"
	"testing"
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
