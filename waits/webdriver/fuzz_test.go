package webdriver

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
)

// Whatever a suite, a driver, a browser or a page says, nothing panics, and what is kept of it is bounded.
func FuzzSaid(f *testing.F) {
	f.Add("POST", "/session/s1/element", `{"using":"css selector","value":"*[id=\"age\"]"}`, `{"value":{"element-6066-11e4-a52e-4f735466cecf":"e1"}}`)
	f.Add("POST", "/session/s1/execute/sync", `{"script":"/* getAttribute */return 1","args":[{},"value"]}`, `{"value":[]}`)
	f.Add("GET", "/wd/hub/session/s1/element/e1/attribute/x%2Fy", ``, `{"value":{"error":"no such element"}}`)
	f.Add("", "", `{"name":"flaketapTells","payload":"{\"changes\":[{\"at\":1e300}],\"timers\":-1}"}`, `{"requestId":"1","request":{"method":"GET","url":"http://x/?a=b"}}`)
	f.Fuzz(func(t *testing.T, method, target, body, value string) {
		r := exchange.Request{Method: method, Target: target, Message: exchange.Message{Body: []byte(body)}}
		if c, ok := readRequest(&r); ok {
			_ = c.does(nil)
			_ = c.element()
			_ = c.kind()
		}
		a, _ := answer(&exchange.Response{Status: 200, Message: exchange.Message{Body: []byte(value)}})
		if len(a.Value) > maxText+100 || len(a.Error) > maxText {
			t.Errorf("%d bytes are kept", len(a.Value)+len(a.Error))
		}
		w := newWatcher(1, time.Now())
		for _, params := range []string{body, value} {
			w.told(event{Params: json.RawMessage(params)})
			w.request(event{Method: "Network.requestWillBeSent", Params: json.RawMessage(params)})
			w.request(event{Method: "Network.loadingFinished", Params: json.RawMessage(params)})
			w.detached(json.RawMessage(params))
		}
		_ = w.quietFor(time.Now())
		_ = w.since(time.Now())
	})
}
