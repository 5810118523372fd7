package proxy

import (
	"net"
	"sync"
	"sync/atomic"
)

// roster knows where a proxy listens and whom it serves, until it is told to take nobody more. The zero roster is empty
// and without a bound.
type roster struct {
	slots    chan struct{} // one is taken for each session; nil where there is no bound
	draining atomic.Bool   // nobody more is taken
	wg       sync.WaitGroup

	mu        sync.Mutex
	listeners map[net.Listener]struct{}
	sessions  map[*session]struct{}
	own       []net.Addr // what the listeners listened on
	err       error      // why nobody more is taken; nil where the user wanted that
}

// track remembers a listener. It reports false where nobody more is taken.
func (r *roster) track(l net.Listener) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.draining.Load() {
		return false
	}
	if r.listeners == nil {
		r.listeners = map[net.Listener]struct{}{}
	}
	r.listeners[l] = struct{}{}
	r.own = append(r.own, l.Addr())
	return true
}

// addresses are where the proxy listens, or did.
func (r *roster) addresses() []net.Addr {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.own[:len(r.own):len(r.own)]
}

// takeSlot waits until a further session may begin, or stop is closed. full is called where there is none at once.
func (r *roster) takeSlot(stop <-chan struct{}, full func()) {
	if r.slots == nil {
		return
	}
	select {
	case r.slots <- struct{}{}:
		return
	default:
		full()
	}
	select {
	case r.slots <- struct{}{}:
	case <-stop:
	}
}

// giveSlot makes room for another session.
func (r *roster) giveSlot() {
	select {
	case <-r.slots:
	default: // there is no bound, or the proxy was stopped meanwhile
	}
}

// add adds a session. It reports false where nobody more is taken.
func (r *roster) add(s *session) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.draining.Load() {
		return false
	}
	if r.sessions == nil {
		r.sessions = map[*session]struct{}{}
	}
	r.sessions[s] = struct{}{}
	r.wg.Add(1)
	return true
}

// remove takes a session out that has ended, and gives its slot to another.
func (r *roster) remove(s *session) {
	r.giveSlot()
	r.mu.Lock()
	delete(r.sessions, s)
	r.mu.Unlock()
	r.wg.Done()
}

// all are the sessions that there are now.
func (r *roster) all() []*session {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]*session, 0, len(r.sessions))
	for s := range r.sessions {
		out = append(out, s)
	}
	return out
}

// drain takes nobody more, and closes the listeners. The first error is why.
func (r *roster) drain(why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = why
	}
	r.draining.Store(true)
	for l := range r.listeners {
		l.Close()
	}
}

// failure is why nobody more is taken; nil where the user wanted that.
func (r *roster) failure() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}
