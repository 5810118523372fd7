package webdriver

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/waits/oracle"
)

// Whatever a suite, a driver, a browser or a page says, nothing panics, and what is kept of it is bounded.
func FuzzSaid(f *testing.F) {
	f.Add("POST", "/session/s1/element", `{"using":"css selector","value":"*[id=\"age\"]"}`, `{"value":{"element-6066-11e4-a52e-4f735466cecf":"e1"}}`)
	f.Add("POST", "/session/s1/execute/sync", `{"script":"/* getAttribute */return 1","args":[{},"value"]}`, `{"value":[]}`)
	f.Add("GET", "/wd/hub/session/s1/element/e1/attribute/x%2Fy", ``, `{"value":{"error":"no such element"}}`)
	f.Add("POST", "/session", `{"capabilities":{"alwaysMatch":{"browserName":"firefox","unhandledPromptBehavior":{"alert":"accept"}},"firstMatch":[{}]}}`,
		`{"value":{"error":"unexpected alert open","message":"Unexpected alert dialog detected. Performed handler \"ignore\""}}`)
	f.Add("", "", `{"channel":"flaketap","data":{"value":"{\"timers\":1}"},"source":{"realm":"r"}}`, `{"context":"c","request":{"request":"1","method":"GET","url":"http://x/?a=b"}}`)
	f.Add("", "", `{"name":"flaketapTells","payload":"{\"changes\":[{\"at\":1e300}],\"timers\":-1}"}`, `{"requestId":"1","request":{"method":"GET","url":"http://x/?a=b"}}`)
	f.Add("", "", ``, `[[{"by":"id","locator":{"using":"css selector","value":"#a"}}]]`)
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
		d, g := devtools{watcher: w}, gecko{watcher: w}
		for _, params := range []string{body, value} {
			for _, method := range append(watched(), "Runtime.bindingCalled", "Runtime.executionContextsCleared", "Network.requestWillBeSent",
				"Network.loadingFinished", "Target.detachedFromTarget") {
				d.hear(event{Method: method, Params: json.RawMessage(params)})
				g.hear(event{Method: method, Params: json.RawMessage(params)})
			}
		}
		for _, path := range [][]byte{[]byte(body), []byte(value)} {
			asks := exchange.Request{Method: "POST", Target: "/session", Message: exchange.Message{Body: path}}
			wants := readWish(&asks)
			_ = wants.besides()
			_ = wants.withSocket(&asks)
			_ = wants.withoutSocket(&exchange.Response{Status: 200, Message: asks.Message})
			_, _ = dialogOf(&exchange.Response{Status: 500, Message: asks.Message})
			_, _ = refusal(&exchange.Response{Status: 500, Message: asks.Message})
			_ = performed(&exchange.Response{Status: 500, Message: asks.Message}, "accept")
		}
		var names [][]oracle.Name
		if json.Unmarshal([]byte(value), &names) == nil {
			_ = bare(names)
		}
		_ = w.quietFor(time.Now())
		_ = w.since(time.Now())
	})
}
