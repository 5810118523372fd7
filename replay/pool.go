package replay

import (
	"slices"
	"sync"
)

// maxIdle bounds the connections that wait to be used again; beyond, those that have waited longest are closed.
const maxIdle = 64

// line says which connections may carry a request: those to its endpoint that carried others of the same recorded
// connection before.
type line struct {
	to   endpoint
	pass int
	conn uint64 // 0: whichever is there
}

// pool keeps connections that can be used again. It may be used by several goroutines at once.
type pool struct {
	mu   sync.Mutex
	idle []idle // those that have waited longest come first
}

type idle struct {
	line line
	link *link
}

// take returns the connection of a line that was used last; where there is none, one that has carried nothing yet; nil
// where there is none either.
func (p *pool) take(want line) *link {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, x := range slices.Backward(p.idle) {
		if x.line == want {
			return p.remove(i)
		}
	}
	return p.unused(want)
}

// takeUnused returns a connection that leads where a line does and has carried nothing yet, nil where there is none.
func (p *pool) takeUnused(want line) *link {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.unused(want)
}

func (p *pool) unused(want line) *link {
	for i, x := range p.idle {
		if x.line.to == want.to && !x.link.used {
			return p.remove(i)
		}
	}
	return nil
}

func (p *pool) remove(at int) *link {
	l := p.idle[at].link
	p.idle = slices.Delete(p.idle, at, at+1)
	return l
}

// put gives a connection back.
func (p *pool) put(of line, l *link) {
	p.mu.Lock()
	p.idle = append(p.idle, idle{of, l})
	var oldest *link
	if len(p.idle) > maxIdle {
		oldest = p.idle[0].link
		p.idle = slices.Delete(p.idle, 0, 1)
	}
	p.mu.Unlock()
	oldest.close()
}

// close closes all that wait.
func (p *pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, x := range p.idle {
		x.link.close()
	}
	p.idle = nil
}
