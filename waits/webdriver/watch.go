package webdriver

import (
	"context"
	_ "embed"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/flaketap/flaketap/waits/oracle"
)

// page tells of what changes in a page.
//
//go:embed page.js
var page string

// bindingName is the name by which page.js speaks. No page sees it: it is gone before the page's own scripts begin.
const bindingName = "flaketapTells"

// Bounds of what is kept of one run.
const (
	maxMutations = 50_000
	maxRequests  = 20_000
)

// watcher sees what one browser does: what changes in its pages, its requests, its timers.
type watcher struct {
	browser int
	began   time.Time // of the run
	tools   *devtools
	done    sync.WaitGroup // what puts scripts into targets

	mu        sync.Mutex
	mutations []oracle.Mutation
	requests  []oracle.Request
	dropped   int
	open      map[string]int    // requests under way, by page: where they stand in requests
	timers    map[string]int    // timers under way, by page and document
	stirred   time.Time         // when something was told last
	changed   chan struct{}     // closed, and made anew, when something is told
	lasting   map[string]bool   // requests that stay under way, and are not waited for
	often     map[[2]string]int // how often each property of an element was changed
}

// newWatcher is one that has seen nothing yet, and is told of nothing before it is connected.
func newWatcher(browser int, began time.Time) *watcher {
	return &watcher{browser: browser, began: began, open: map[string]int{}, timers: map[string]int{},
		changed: make(chan struct{}), lasting: map[string]bool{}, often: map[[2]string]int{}}
}

// watch begins to watch the browser at an address. Pages that are there and pages to come are watched once it
// returns.
func watch(ctx context.Context, addr string, browser int, began time.Time) (*watcher, error) {
	w := newWatcher(browser, began)
	tools, err := connect(ctx, addr, w.hear)
	if err != nil {
		return nil, err
	}
	w.tools = tools
	go tools.listen()
	if err := tools.call(ctx, "", "Target.setDiscoverTargets", map[string]any{"discover": true}); err != nil {
		w.close()
		return nil, err
	}
	w.done.Wait() // pages that are there were told of before the answer
	return w, nil
}

// close ends the watching.
func (w *watcher) close() {
	if w != nil {
		w.tools.close()
		w.done.Wait()
	}
}

// hear takes what the browser tells.
func (w *watcher) hear(e event) {
	switch e.Method {
	case "Target.targetCreated":
		w.found(e.Params)
	case "Target.attachedToTarget":
		w.attached(e.Params)
	case "Runtime.bindingCalled":
		w.told(e)
	case "Target.detachedFromTarget":
		w.detached(e.Params)
	case "Runtime.executionContextsCleared":
		w.mu.Lock()
		maps.DeleteFunc(w.timers, ofPage(e.Session))
		w.mu.Unlock()
	case "Network.requestWillBeSent", "Network.loadingFinished", "Network.loadingFailed":
		w.request(e)
	}
}

// found connects to a page, or to a frame that runs in a process of its own. The browser could do so by itself
// (Target.setAutoAttach), but a window that a page opens waits for ever where the driver asks for the same.
func (w *watcher) found(params json.RawMessage) {
	var p struct {
		Target struct {
			ID        string `json:"targetId"`
			Type, URL string
		} `json:"targetInfo"`
	}
	if json.Unmarshal(params, &p) != nil || p.Target.Type != "page" && p.Target.Type != "iframe" ||
		strings.HasPrefix(p.Target.URL, "chrome") || strings.HasPrefix(p.Target.URL, "devtools") {
		return
	}
	w.meanwhile("", call{"Target.attachToTarget", map[string]any{"targetId": p.Target.ID, "flatten": true}})
}

// attached puts the script into a page, and has the browser tell what it says.
func (w *watcher) attached(params json.RawMessage) {
	var p struct {
		Session string `json:"sessionId"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	script := strings.Replace(page, "BINDING", bindingName, 2)
	w.meanwhile(p.Session, call{"Runtime.enable", map[string]any{}},
		call{"Page.enable", map[string]any{}},
		call{"Network.enable", map[string]any{"maxTotalBufferSize": 0, "maxResourceBufferSize": 0}},
		call{"Runtime.addBinding", map[string]any{"name": bindingName}},
		call{"Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": script, "runImmediately": true}})
}

// call is something that a browser is asked to do.
type call struct {
	method string
	params map[string]any
}

// meanwhile calls a session of the browser, one call after the other: what listens to it must not wait for answers.
func (w *watcher) meanwhile(session string, calls ...call) {
	w.done.Add(1)
	go func() {
		defer w.done.Done()
		ctx, cancel := context.WithTimeout(context.Background(), connectTimeout)
		defer cancel()
		for _, c := range calls {
			if w.tools.call(ctx, session, c.method, c.params) != nil {
				return // the page is gone already
			}
		}
	}()
}

// detached forgets the timers and the requests under way of a target that is gone: nobody tells of their ends.
func (w *watcher) detached(params json.RawMessage) {
	var p struct {
		Session string `json:"sessionId"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	maps.DeleteFunc(w.timers, ofPage(p.Session))
	maps.DeleteFunc(w.open, ofPage(p.Session))
}

// ofPage tells what is of a page, by the session of the browser that watches it: a page that gives way to another one
// may do so without a last word.
func ofPage(session string) func(key string, n int) bool {
	return func(key string, _ int) bool { return strings.HasPrefix(key, session+" ") }
}

// catchUp returns once all pages are watched that are there now: the browser tells of them before it answers.
func (w *watcher) catchUp(ctx context.Context) {
	if w.tools.call(ctx, "", "Target.getTargets", map[string]any{}) == nil {
		w.done.Wait()
	}
}

// told takes what page.js says. It comes from a page, so it may say anything.
func (w *watcher) told(e event) {
	var p struct {
		Name, Payload      string
		ExecutionContextID int `json:"executionContextId"`
	}
	if json.Unmarshal(e.Params, &p) != nil || p.Name != bindingName {
		return
	}
	var says struct {
		Changes []oracle.Mutation
		Dropped int
		Timers  *int
	}
	if json.Unmarshal([]byte(p.Payload), &says) != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if says.Timers != nil {
		w.timers[e.Session+" "+strconv.Itoa(p.ExecutionContextID)] = *says.Timers
	}
	matters := says.Timers != nil
	for _, m := range says.Changes {
		if len(w.mutations) >= maxMutations {
			says.Dropped++
			continue
		}
		m.Browser, m.Element, m.Old, m.New = w.browser, shortened(m.Element), shortened(m.Old), shortened(m.New)
		m.At -= float64(w.began.UnixMicro()) / 1000
		w.mutations = append(w.mutations, m)
		property := [2]string{m.Element, m.Property}
		w.often[property]++
		matters = matters || w.often[property] <= tooOften
	}
	w.dropped += max(0, says.Dropped)
	if matters {
		w.stir()
	}
}

// tooOften is how often a property of an element is changed at most, in one browser, for a page to be waited for
// until it is not: what changes more often is a clock, or an animation.
const tooOften = 8

// request takes what the browser says of a request.
func (w *watcher) request(e event) {
	var p struct {
		ID      string `json:"requestId"`
		Type    string `json:"type"`
		Request struct{ Method, URL string }
	}
	if json.Unmarshal(e.Params, &p) != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	id := e.Session + " " + p.ID
	at, known := w.open[id]
	switch {
	case e.Method != "Network.requestWillBeSent":
		if known {
			w.requests[at].End = w.sinceBegan(time.Now())
			delete(w.open, id)
		}
	case p.Type == "WebSocket" || p.Type == "EventSource" || p.Type == "Ping" || known: // a stream has no end; a redirect goes on
		return
	case len(w.requests) >= maxRequests:
		w.dropped++
		return
	default:
		w.open[id] = len(w.requests)
		w.requests = append(w.requests, oracle.Request{Browser: w.browser, Start: w.sinceBegan(time.Now()),
			What: shortened(p.Request.Method + " " + pathOf(p.Request.URL))})
	}
	w.stir()
}

// pathOf is what is kept of a URL: a query may hold secrets.
func pathOf(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return u.EscapedPath()
}

// stir tells those who wait that something was told. It is called with mu held.
func (w *watcher) stir() {
	w.stirred = time.Now()
	close(w.changed)
	w.changed = make(chan struct{})
}

// acts notes that an action is over: what it brings about may be told a little later, however long it took itself.
func (w *watcher) acts() {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stir()
}

func (w *watcher) sinceBegan(t time.Time) float64 {
	return float64(t.Sub(w.began).Microseconds()) / 1000
}

// next is closed when something is told. A browser that is not watched never tells.
func (w *watcher) next() <-chan struct{} {
	if w == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.changed
}

// underWay counts the requests and timers that are.
func (w *watcher) underWay() (requests, timers int) {
	if w == nil {
		return 0, 0
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, at := range w.open {
		if !w.lasting[w.requests[at].What] {
			requests++
		}
	}
	for _, n := range w.timers {
		timers += n
	}
	return requests, timers
}

// quietFor is how long nothing that matters was told, since a moment at least; 0 where something is under way.
func (w *watcher) quietFor(since time.Time) time.Duration {
	if w == nil {
		return time.Since(since)
	}
	if requests, timers := w.underWay(); requests+timers > 0 {
		return 0
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stirred.After(since) {
		since = w.stirred
	}
	return time.Since(since)
}

// lasts notes the requests that are under way as ones that stay so.
func (w *watcher) lasts() {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, at := range w.open {
		w.lasting[w.requests[at].What] = true
	}
}

// since are the changes from a moment on.
func (w *watcher) since(moment time.Time) []oracle.Mutation {
	if w == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	at := w.sinceBegan(moment)
	from := len(w.mutations)
	for from > 0 && w.mutations[from-1].At >= at {
		from--
	}
	return slices.Clone(w.mutations[from:])
}
