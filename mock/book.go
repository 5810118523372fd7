package mock

import (
	"cmp"
	"slices"
	"sync"
)

// Book holds stubs, and the state of each scenario. Its methods may be called from several goroutines.
type Book struct {
	mu     sync.Mutex
	stubs  []Stub            // in the order in which they are tried
	states map[string]string // by scenario; one that is not there has Started
}

// NewBook returns a book of stubs.
func NewBook(stubs []Stub) *Book {
	b := &Book{}
	b.Replace(stubs)
	return b
}

// Replace puts other stubs in the place of all there are, and takes scenarios back to where they begin.
func (b *Book) Replace(stubs []Stub) {
	stubs = slices.Clone(stubs)
	slices.Reverse(stubs)
	slices.SortStableFunc(stubs, func(x, y Stub) int { return cmp.Compare(x.Priority, y.Priority) })
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stubs, b.states = stubs, map[string]string{}
}

// Restart takes all scenarios back to where they begin.
func (b *Book) Restart() {
	b.mu.Lock()
	defer b.mu.Unlock()
	clear(b.states)
}

// find returns the stub that answers a request, nil where there is none, and then why the one that came nearest does
// not: the first part of the request that is not what that is for.
func (b *Book) find(a asked) (found *Stub, nearest *Stub, misses string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	far := 0
	for i := range b.stubs {
		s := &b.stubs[i]
		part := s.Request.misses(a)
		if part == "" && s.When != "" && s.When != cmp.Or(b.states[s.Scenario], Started) {
			part = "state of scenario " + s.Scenario
		}
		if part == "" {
			if s.Then != "" {
				b.states[s.Scenario] = s.Then
			}
			return s, nil, ""
		}
		if n := s.Request.nearness(a, part); n > far {
			far, nearest, misses = n, s, part
		}
	}
	return nil, nearest, misses
}

// untrusted reports whether a service is to show a certificate that nobody trusts.
func (b *Book) untrusted(host string, port int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	a := asked{host: host, port: port}
	return slices.ContainsFunc(b.stubs, func(s Stub) bool {
		return s.Response.Fault == Untrusted && s.Request.ofService(a)
	})
}
