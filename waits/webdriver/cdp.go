package webdriver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// bindingName is the name by which page.js speaks in Chrome. No page sees it: it is gone before the page's own scripts
// begin.
const bindingName = "flaketapTells"

// devtools is a channel by the Chrome DevTools Protocol.
type devtools struct {
	*connection
	watcher *watcher
	done    sync.WaitGroup // what puts scripts into targets

	mu      sync.Mutex
	targets map[string]string // that are watched, by the sessions in which they are
}

// chrome opens the channel of the Chrome at an address, as a driver tells it in goog:chromeOptions.
func chrome(addr string) opener {
	return func(ctx context.Context, w *watcher) (channel, error) {
		socket, err := debugger(ctx, addr)
		if err != nil {
			return nil, err
		}
		d := &devtools{watcher: w, targets: map[string]string{}}
		w.frames = true
		if d.connection, err = connect(ctx, socket, d.hear); err != nil {
			return nil, err
		}
		go d.listen()
		if err := d.call(ctx, "", "Target.setDiscoverTargets", map[string]any{"discover": true}); err != nil {
			d.close()
			return nil, err
		}
		d.done.Wait() // pages that are there were told of before the answer
		return d, nil
	}
}

// debugger is the socket of the browser at an address.
func debugger(ctx context.Context, addr string) (string, error) {
	ask, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/json/version", nil)
	if err != nil {
		return "", fmt.Errorf("connect to the browser: %w", err)
	}
	r, err := http.DefaultClient.Do(ask)
	if err != nil {
		return "", fmt.Errorf("connect to the browser: %w", err)
	}
	defer r.Body.Close()
	var version struct {
		URL string `json:"webSocketDebuggerUrl"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(nil, r.Body, maxMessage)).Decode(&version); err != nil {
		return "", fmt.Errorf("read the browser's version: %w", err)
	}
	return version.URL, nil
}

// close ends the watching.
func (d *devtools) close() {
	d.connection.close()
	d.done.Wait()
}

// hear takes what the browser tells.
func (d *devtools) hear(e event) {
	switch e.Method {
	case "Target.targetCreated":
		d.found(e.Params)
	case "Target.attachedToTarget":
		d.attached(e.Params)
	case "Runtime.bindingCalled":
		d.told(e)
	case "Target.detachedFromTarget":
		d.detached(e.Params)
	case "Runtime.executionContextsCleared":
		d.watcher.begins(e.Session)
		d.watcher.forgetDocuments(func(of part) bool { return of.page == e.Session })
	case "Network.requestWillBeSent", "Network.loadingFinished", "Network.loadingFailed":
		d.request(e)
	case "Network.webSocketCreated", "Network.webSocketFrameSent", "Network.webSocketFrameReceived", "Network.webSocketClosed":
		d.socket(e)
	}
}

// found connects to a page, or to a frame that runs in a process of its own. The browser could do so by itself
// (Target.setAutoAttach), but a window that a page opens waits for ever where the driver asks for the same.
func (d *devtools) found(params json.RawMessage) {
	var p struct {
		Target struct {
			ID        string `json:"targetId"`
			Type, URL string
		} `json:"targetInfo"`
	}
	if json.Unmarshal(params, &p) != nil || !isPage(p.Target.Type, p.Target.URL) {
		return
	}
	d.watcher.missed(p.Target.ID)
	d.meanwhile("", func() { d.watcher.forgetPage(p.Target.ID) }, // it has a session now, or is gone
		call{"Target.attachToTarget", map[string]any{"targetId": p.Target.ID, "flatten": true}})
}

// isPage reports whether a target is a page, or a frame, that a suite visits, and not one of the browser's own. A tab
// may begin with one of these, though: where the suite has a profile (--user-data-dir), or opens one itself.
func isPage(kind, address string) bool {
	if strings.HasPrefix(address, "chrome://new") {
		return kind == "page"
	}
	return (kind == "page" || kind == "iframe") && !strings.HasPrefix(address, "chrome") && !strings.HasPrefix(address, "devtools")
}

// attached puts the script into a page, and has the browser tell what it says.
func (d *devtools) attached(params json.RawMessage) {
	var p struct {
		Session string `json:"sessionId"`
		Target  struct {
			ID string `json:"targetId"`
		} `json:"targetInfo"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	d.mu.Lock()
	d.targets[p.Session] = p.Target.ID
	d.mu.Unlock()
	d.watcher.missed(p.Session)
	d.meanwhile(p.Session, func() {}, call{"Runtime.enable", map[string]any{}},
		call{"Page.enable", map[string]any{}},
		call{"Network.enable", map[string]any{"maxTotalBufferSize": 0, "maxResourceBufferSize": 0}},
		call{"Runtime.addBinding", map[string]any{"name": bindingName}},
		call{"Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": bound(), "runImmediately": true}})
}

// bound is page.js as a script that speaks by the binding, and takes it away. Where that is gone, it runs already.
func bound() string {
	return "{\n  const send = globalThis." + bindingName + ";\n  delete globalThis." + bindingName +
		";\n  if (typeof send === 'function') (" + page + ")(send);\n}"
}

// meanwhile calls a session of the browser, and does something then: what listens to it must not wait for answers.
func (d *devtools) meanwhile(session string, then func(), calls ...call) {
	d.done.Go(func() {
		defer then()
		ctx, cancel := context.WithTimeout(context.Background(), connectTimeout)
		defer cancel()
		_ = d.callAll(ctx, session, calls...) // the page may be gone already
	})
}

// detached forgets what is of a target that is gone: nobody tells of its end.
func (d *devtools) detached(params json.RawMessage) {
	var p struct {
		Session string `json:"sessionId"`
	}
	if json.Unmarshal(params, &p) == nil {
		d.mu.Lock()
		delete(d.targets, p.Session)
		d.mu.Unlock()
		d.watcher.forgetPage(p.Session)
	}
}

// look runs look.js in a world of its own. ChromeDriver's ids of elements name the frame, its document, and the node
// in its process, by which DevTools knows it too.
func (d *devtools) look(ctx context.Context, element string) (says string, err error) {
	parts := strings.Split(element, ".")
	if len(parts) != 6 || parts[0] != "f" || parts[4] != "e" {
		return "", errors.New("look at element: its id is none of ChromeDriver's")
	}
	node, err := strconv.Atoi(parts[5])
	if err != nil {
		return "", fmt.Errorf("look at element: %w", err)
	}
	for _, session := range d.sessionsOf(parts[1]) {
		var made struct {
			World int `json:"executionContextId"`
		}
		if err = d.ask(ctx, session, "Page.createIsolatedWorld", map[string]any{"frameId": parts[1], "worldName": tellsBy}, &made); err != nil {
			continue // the frame is another page's
		}
		var found, said struct {
			Object struct {
				ID string `json:"objectId"`
			} `json:"object"`
			Result struct{ Value string } `json:"result"`
		}
		if err = d.ask(ctx, session, "DOM.resolveNode", map[string]any{"backendNodeId": node, "executionContextId": made.World}, &found); err != nil {
			return "", err
		}
		err = d.ask(ctx, session, "Runtime.callFunctionOn", map[string]any{"functionDeclaration": look, "objectId": found.Object.ID,
			"arguments": []any{map[string]any{"objectId": found.Object.ID}}, "returnByValue": true, "silent": true}, &said)
		return said.Result.Value, errors.Join(err, d.call(ctx, session, "Runtime.releaseObject", map[string]any{"objectId": found.Object.ID}))
	}
	return "", err
}

// sessionsOf are the sessions of pages that a frame may lie in: first the one whose own it is.
func (d *devtools) sessionsOf(frame string) (sessions []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for session, target := range d.targets {
		if target == frame {
			return []string{session}
		}
		sessions = append(sessions, session)
	}
	return sessions
}

// catchUp returns once all pages are watched that are there now: the browser tells of them before it answers.
func (d *devtools) catchUp(ctx context.Context) {
	if d.call(ctx, "", "Target.getTargets", map[string]any{}) == nil {
		d.done.Wait()
	}
}

// told takes what page.js says.
func (d *devtools) told(e event) {
	var p struct {
		Name, Payload      string
		ExecutionContextID int `json:"executionContextId"`
	}
	if json.Unmarshal(e.Params, &p) == nil && p.Name == bindingName {
		d.watcher.told(part{e.Session, strconv.Itoa(p.ExecutionContextID)}, p.Payload)
	}
}

// socket takes what the browser says of a WebSocket.
func (d *devtools) socket(e event) {
	var p struct {
		ID string `json:"requestId"`
	}
	if json.Unmarshal(e.Params, &p) != nil {
		return
	}
	switch id := (part{e.Session, p.ID}); e.Method {
	case "Network.webSocketCreated":
		d.watcher.asks()
	case "Network.webSocketFrameSent":
		d.watcher.says(id)
	case "Network.webSocketFrameReceived":
		d.watcher.hears(id)
	default:
		d.watcher.hangsUp(id)
	}
}

// request takes what the browser says of a request.
func (d *devtools) request(e event) {
	var p struct {
		ID      string `json:"requestId"`
		Type    string `json:"type"`
		Request struct{ Method, URL string }
	}
	if json.Unmarshal(e.Params, &p) != nil {
		return
	}
	switch id := (part{e.Session, p.ID}); {
	case e.Method != "Network.requestWillBeSent":
		d.watcher.ended(id)
	case p.Type == "WebSocket" || p.Type == "EventSource" || p.Type == "Ping": // a stream has no end
		d.watcher.asks()
	default:
		d.watcher.requested(id, p.Request.Method, p.Request.URL)
	}
}
