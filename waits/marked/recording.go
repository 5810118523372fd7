package marked

import (
	"iter"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
)

// Recording is what was asked around the sleeps of specs.
type Recording struct {
	windows map[Sleep][]*window
	specs   map[Spec]bool
}

// window is one time that a sleep was come by, in a test that passed.
type window struct {
	sleep            Sleep
	rest, acts, over time.Time
	requests         []request // those that were under way between rest and over, in the order of their ends
}

// request is one of a browser's.
type request struct {
	method, path string
	query        bool
	fetched      bool // by a script, as far as the browser says
	answered     bool
	redirected   bool
	begin, end   time.Time
}

func (r request) String() string { return r.method + " " + r.path }

// Read reads a recording: its passes, and what was exchanged in them.
func Read(passes []exchange.Pass, exchanges iter.Seq2[*exchange.Exchange, error]) (*Recording, error) {
	all := &Recording{windows: map[Sleep][]*window{}, specs: map[Spec]bool{}}
	byPass := map[int][]*window{}
	for _, p := range passes {
		byPass[p.Number] = all.add(p.Marks)
	}
	for e, err := range exchanges {
		if err != nil {
			return nil, err
		}
		windows := byPass[e.Pass]
		if len(windows) == 0 || !ofPage(&e.Request) {
			continue
		}
		r := requestOf(e)
		first := sort.Search(len(windows), func(i int) bool { return windows[i].over.After(r.begin) })
		for _, w := range windows[first:] {
			if w.rest.After(r.end) {
				break
			}
			w.requests = append(w.requests, r)
		}
	}
	return all, nil
}

// add reads the marks of a pass. Its windows are in their order, and do not meet.
func (r *Recording) add(marks []exchange.PassMark) (windows []*window) {
	var now *window
	var done []*window // of the test that is under way
	for _, m := range marks {
		s, phase, ok := parse(m.Name)
		if !ok {
			continue
		}
		r.specs[s.Spec] = true
		same := now != nil && now.sleep == s
		switch {
		case s.Line == 0:
			if phase == Passed {
				windows = append(windows, done...)
			}
			now, done = nil, nil
		case phase == Rests:
			now = &window{sleep: s, rest: m.At}
		case phase == Acts && same:
			now.acts = m.At
		case phase == Over:
			if same && !now.acts.IsZero() {
				now.over = m.At
				done = append(done, now)
			}
			now = nil
		}
	}
	for _, w := range windows {
		r.windows[w.sleep] = append(r.windows[w.sleep], w)
	}
	return windows
}

// ofPage reports whether a page asked for something: not another program, nor the browser for itself, as it does to
// look for updates, to ask beforehand whether a page may (OPTIONS), or to reach a host by a proxy (CONNECT). What a
// page asks for has an Accept (Fetch standard, 4.1, fetching), and the opening of a WebSocket, which may have none, an
// Origin (RFC 6455, 4.1); what a browser asks for itself over http has neither, and no Sec-Fetch-Site that would tell.
func ofPage(r *exchange.Request) bool {
	ofItself := r.Header.Get("Sec-Fetch-Site") == "none" && r.Header.Get("Sec-Fetch-Dest") == "empty" ||
		r.Header.Get("Accept") == "" && r.Header.Get("Origin") == ""
	return strings.Contains(r.Header.Get("User-Agent"), "Mozilla/") && r.Method != "OPTIONS" && r.Method != "CONNECT" && !ofItself
}

// requestOf is what is needed of an exchange.
func requestOf(e *exchange.Exchange) request {
	path, _, query := strings.Cut(strings.TrimPrefix(e.URL(), e.Scheme+"://"+e.Addr), "?")
	dest := e.Request.Header.Get("Sec-Fetch-Dest")
	r := request{method: e.Request.Method, path: path, query: query, fetched: dest == "" || dest == "empty",
		begin: e.Start, end: e.Start.Add(e.Latency)}
	if e.Response != nil {
		r.answered = e.Response.Status >= 200
		r.redirected = e.Response.Status >= 300 && e.Response.Status < 400 && e.Response.Status != 304
	}
	return r
}

// Knows reports whether a spec set marks.
func (r *Recording) Knows(s Spec) bool { return r.specs[s] }

// split returns the requests of a window that began behind its rest, in their order, and one that did not; nil where
// there is none.
func (w *window) split() (during []request, before *request) {
	for i, r := range w.requests {
		switch {
		case !r.begin.Before(w.acts) && r.begin.Before(w.over):
			during = append(during, r)
		case r.begin.Before(w.rest) && r.end.Before(w.acts) && !r.answered: // the page that asked has gone
		case r.begin.Before(w.acts) && before == nil:
			before = &w.requests[i]
		}
	}
	slices.SortStableFunc(during, func(a, b request) int { return a.begin.Compare(b.begin) })
	return during, before
}
