package webdriver

import (
	"context"
	_ "embed"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/flaketap/flaketap/waits/oracle"
)

// page tells of what changes in a page.
//
//go:embed page.js
var page string

// Bounds of what is kept of one run.
const (
	maxMutations = 50_000
	maxRequests  = 20_000
)

// channel is how a browser tells a watcher what happens in its pages, beside what its driver answers. Each protocol has
// a file: cdp.go, firefox.go.
type channel interface {
	// catchUp returns once all pages are watched that are there now.
	catchUp(context.Context)
	// look runs look.js for an element, by the id that its driver has given it, where no script of a page sees that.
	look(ctx context.Context, element string) (says string, err error)
	// close ends the watching.
	close()
}

// opener opens a channel. Pages that are there and pages to come are watched once it returns.
type opener func(context.Context, *watcher) (channel, error)

// watcher sees what one browser does: what changes in its pages, its requests, its timers.
type watcher struct {
	browser int
	began   time.Time // of the run
	channel

	mu        sync.Mutex
	mutations []oracle.Mutation
	requests  []oracle.Request
	dropped   int
	open      map[part]int         // requests under way: where they stand in requests
	timers    map[part]int         // timers under way, by document
	stirred   time.Time            // when something was told last
	changed   chan struct{}        // closed, and made anew, when something is told
	lasting   map[string]bool      // requests that stay under way, and are not waited for
	unseen    map[string]time.Time // since when pages are watched whose documents were there before
	asked     float64              // when pages last asked anybody for something, in milliseconds since the run began
	frames    bool                 // what they say in WebSockets is told of, too
	talks     map[part]talk        // in WebSockets, where frames are told of
	often     map[property]int     // how often each was changed since the last action; of a clock, since it is there
}

// part is a document, or a request, of a page, as its channel names them.
type part struct{ page, id string }

// property is one of an element, in a document.
type property struct {
	document      part
	element, name string
}

// newWatcher is one that has seen nothing yet, and is told of nothing before it has a channel.
func newWatcher(browser int, began time.Time) *watcher {
	return &watcher{browser: browser, began: began, open: map[part]int{}, timers: map[part]int{},
		changed: make(chan struct{}), lasting: map[string]bool{}, unseen: map[string]time.Time{},
		often: map[property]int{}, talks: map[part]talk{}}
}

// watch begins to watch a browser.
func watch(ctx context.Context, open opener, browser int, began time.Time) (w *watcher, err error) {
	w = newWatcher(browser, began)
	w.channel, err = open(ctx, w)
	return w, err
}

// close ends the watching.
func (w *watcher) close() {
	if w != nil {
		w.channel.close()
	}
}

// unseenFor is how long something may be under way in a document that was there before it was watched, as that of a
// window that a page opens may be: nobody tells of what had begun by then.
const unseenFor = time.Second

// missed takes that a page is watched from now on, whatever it is doing.
func (w *watcher) missed(page string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unseen[page] = time.Now()
}

// missedSince reports whether a page is watched since a moment whose document was there before, and still is.
func (w *watcher) missedSince(moment time.Time) bool {
	if w == nil {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, found := range w.unseen {
		if found.After(moment) {
			return true
		}
	}
	return false
}

// begins takes that a page gets another document, which is watched from its beginning.
func (w *watcher) begins(page string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.unseen, page)
}

// forgetDocuments forgets the timers, and the clocks, of documents that are gone: one that gives way to another may do
// so without a last word.
func (w *watcher) forgetDocuments(gone func(part) bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	maps.DeleteFunc(w.timers, func(of part, _ int) bool { return gone(of) })
	maps.DeleteFunc(w.often, func(p property, _ int) bool { return gone(p.document) })
}

// forgetPage forgets the timers, the clocks and the requests under way of a page that is gone: nobody tells of their
// ends.
func (w *watcher) forgetPage(page string) {
	ofPage := func(of part, _ int) bool { return of.page == page }
	w.mu.Lock()
	defer w.mu.Unlock()
	maps.DeleteFunc(w.timers, ofPage)
	maps.DeleteFunc(w.open, ofPage)
	maps.DeleteFunc(w.talks, func(of part, _ talk) bool { return of.page == page })
	maps.DeleteFunc(w.often, func(p property, _ int) bool { return p.document.page == page })
	delete(w.unseen, page)
}

// told takes what page.js says in a document. It comes from a page, so it may say anything.
func (w *watcher) told(document part, text string) {
	var says struct {
		Changes []oracle.Mutation
		Dropped int
		Timers  *int
	}
	if json.Unmarshal([]byte(text), &says) != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if says.Timers != nil {
		w.timers[document] = *says.Timers
	}
	matters := says.Timers != nil
	for _, m := range says.Changes {
		if len(w.mutations) >= maxMutations {
			says.Dropped++
			continue
		}
		m.Browser, m.Element, m.Property = w.browser, shortened(m.Element), shortened(m.Property)
		m.Old, m.New = shortened(m.Old), shortened(m.New)
		m.At -= float64(w.began.UnixMicro()) / 1000
		m.Cause, m.Since = w.cause(m)
		w.mutations = append(w.mutations, m)
		p := property{document, m.Element, m.Property}
		w.often[p]++
		matters = matters || w.often[p] <= tooOften
	}
	w.dropped += max(0, says.Dropped)
	if matters {
		w.stir()
	}
}

// cause is what brought a change about, and since when that is so, as page.js says. What a socket tells goes back to
// what was asked last; where that is not known it may be an answer, and has no cause.
func (w *watcher) cause(m oracle.Mutation) (cause oracle.Cause, since float64) {
	switch {
	case m.Cause == oracle.Timer:
		return m.Cause, m.Since - float64(w.began.UnixMicro())/1000
	case m.Cause == oracle.Socket && w.frames:
		return m.Cause, w.asked
	}
	return "", 0
}

// asks takes that a page asks somebody for something.
func (w *watcher) asks() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = w.sinceBegan(time.Now())
}

// tooOften is how often a property of an element is changed at most, after one action, for a page to be waited for
// until it is not: what changes more often is a clock, or an animation, and stays one in its document.
const tooOften = 8

// requested takes that a request has begun. One that is under way goes on: it was sent elsewhere.
func (w *watcher) requested(id part, method, address string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = w.sinceBegan(time.Now())
	if _, known := w.open[id]; known {
		return
	}
	if len(w.requests) >= maxRequests {
		w.dropped++
		return
	}
	w.open[id] = len(w.requests)
	w.requests = append(w.requests, oracle.Request{Browser: w.browser, Start: w.sinceBegan(time.Now()),
		What: shortened(method + " " + pathOf(address))})
	w.stir()
}

// ended takes that a request has ended.
func (w *watcher) ended(id part) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if at, known := w.open[id]; known {
		w.requests[at].End = w.sinceBegan(time.Now())
		delete(w.open, id)
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
	maps.DeleteFunc(w.often, func(_ property, n int) bool { return n <= tooOften })
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
	if w.unanswered() {
		return 0
	}
	for _, found := range w.unseen {
		if time.Since(found) < unseenFor {
			return 0
		}
	}
	if w.stirred.After(since) {
		since = w.stirred
	}
	return time.Since(since)
}

// lasts notes the requests that are under way as ones that stay so, and the sockets in which there is no rest.
func (w *watcher) lasts() {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, at := range w.open {
		w.lasting[w.requests[at].What] = true
	}
	w.chatters()
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
