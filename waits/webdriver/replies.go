package webdriver

import "time"

// Nobody tells which message in a WebSocket is the answer to which. So a page that has said something in one, and was
// told nothing there since, is not at rest for a while. A socket in which nobody answers, such as one of statistics, or
// in which there is no end of answers, is not waited for again and again.

const (
	// mostReply is how long a page is waited for that has said something.
	mostReply = time.Second
	// mostSilent is how many messages in a row have no answer before a socket is one that is not answered.
	mostSilent = 3
	// maxTalks bounds the sockets that are known.
	maxTalks = 1000
)

// talk is what is said in a socket.
type talk struct {
	asked  time.Time // when the page said what was not answered yet; zero where all was
	heard  time.Time // when it was answered last
	silent int       // how many messages had no answer in time, in a row
}

// says takes that a page says something in a socket.
func (w *watcher) says(socket part) {
	w.asks()
	w.mu.Lock()
	defer w.mu.Unlock()
	t, known := w.talks[socket]
	if t.silent >= mostSilent || !known && len(w.talks) >= maxTalks {
		return
	}
	if !t.asked.IsZero() && time.Since(t.asked) >= mostReply {
		t = talk{silent: t.silent + 1}
	}
	if t.asked.IsZero() {
		t.asked = time.Now()
	}
	w.talks[socket] = t
}

// hears takes that a page is told something in a socket: what comes of it shows a moment later.
func (w *watcher) hears(socket part) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if t := w.talks[socket]; t.silent < mostSilent && !t.asked.IsZero() {
		w.talks[socket] = talk{heard: time.Now()}
		w.stir()
	}
}

// chatters notes the sockets in which there is always something said as ones that are not waited for: what a page says
// there, as to show where others are, comes of nothing that a suite did. It is called with mu held.
func (w *watcher) chatters() {
	for socket, t := range w.talks {
		if !t.asked.IsZero() || time.Since(t.heard) < rest {
			w.talks[socket] = talk{silent: mostSilent}
		}
	}
}

// hangsUp takes that a socket is closed.
func (w *watcher) hangsUp(socket part) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.talks, socket)
}

// unanswered reports whether a page waits for an answer to what it has said. It is called with mu held.
func (w *watcher) unanswered() bool {
	for _, t := range w.talks {
		if t.silent < mostSilent && time.Since(t.asked) < mostReply {
			return true
		}
	}
	return false
}
