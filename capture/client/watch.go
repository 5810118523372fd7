package client

import (
	"cmp"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// Watch sees to which addresses the processes of a client connect by themselves, while [Command.Run] runs it: what they
// send there does not come through the recorder, however they were told of it.
//
// It looks at the system's connections again and again. One that is over within a few milliseconds may go unseen, so
// that it counts what it saw, not what there was. Where the system does not tell whose a connection is, which Linux
// alone does, it sees nothing.
type Watch struct {
	// Own are ports of this process, to which the client is meant to connect.
	Own []uint16

	mu   sync.Mutex
	seen map[netip.AddrPort]int
}

// maxSeen bounds how many addresses are remembered.
const maxSeen = 1024

// Sighting is an address, and how many connections to it were seen.
type Sighting struct {
	Addr        netip.AddrPort
	Connections int
}

// Seen returns what was seen so far, the most connections first.
func (w *Watch) Seen() []Sighting {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []Sighting
	for addr, n := range w.seen {
		out = append(out, Sighting{addr, n})
	}
	slices.SortFunc(out, func(a, b Sighting) int {
		return cmp.Or(cmp.Compare(b.Connections, a.Connections), a.Addr.Compare(b.Addr))
	})
	return out
}

// note counts a connection.
func (w *Watch) note(to netip.AddrPort) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.seen == nil {
		w.seen = map[netip.AddrPort]int{}
	}
	if _, known := w.seen[to]; known || len(w.seen) < maxSeen {
		w.seen[to]++
	}
}

// A look takes about a fiftieth of the time: there are no more than 200 in a second, and no fewer than 4 where looking
// takes long because the machine is busy.
const (
	lookShare    = 50
	lookPause    = 5 * time.Millisecond
	longestPause = 250 * time.Millisecond
)

// start looks until the function that it returns is called. A nil Watch does nothing.
func (w *Watch) start(f *family) (stop func()) {
	if w == nil {
		return func() {}
	}
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		known := map[uint64]bool{} // the sockets that have been looked at
		pause := time.NewTimer(0)
		defer pause.Stop()
		for {
			select {
			case <-end:
				return
			case <-pause.C:
			}
			begun := time.Now()
			known = w.look(f, known)
			pause.Reset(min(max(lookPause, lookShare*time.Since(begun)), longestPause))
		}
	}()
	return sync.OnceFunc(func() {
		close(end)
		<-ended
	})
}

// look looks once, and returns the sockets that there are.
func (w *Watch) look(f *family, known map[uint64]bool) map[uint64]bool {
	now, fresh := map[uint64]bool{}, map[uint64]netip.AddrPort{}
	for socket, to := range connections() {
		now[socket] = true
		if !known[socket] && !slices.Contains(w.Own, to.Port()) {
			fresh[socket] = to
		}
	}
	if len(fresh) > 0 {
		for socket := range f.sockets() {
			if to, ok := fresh[socket]; ok {
				delete(fresh, socket) // processes share it
				w.note(to)
			}
		}
	}
	return now
}
