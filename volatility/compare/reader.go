package compare

import (
	"sync"

	"github.com/flaketap/flaketap/exchange"
)

// Reader reads answers as [Read] does, into the memory of those that are released: of many answers that are compared
// and forgotten, none needs any of its own. The zero value is ready; several goroutines may use it.
type Reader struct{ spare sync.Pool }

// Read reads an answer: one of r and f is set, or none.
func (rd *Reader) Read(r *exchange.Response, f *exchange.Fault) *Answer {
	a := Read(r, f)
	a.body.reader = rd
	return a
}

// Release gives back the memory of an answer, which must not be used any more. What it was asked for stays as it is:
// places, tokens, differences.
func (rd *Reader) Release(a *Answer) {
	if t := a.body.tape; t != nil {
		a.body.tape, a.body.parsed = nil, false
		rd.spare.Put(t)
	}
}

// parse reads a JSON text into the memory of one that was released.
func (rd *Reader) parse(src string) (*tape, bool) {
	if rd == nil {
		return parse(src)
	}
	t, _ := rd.spare.Get().(*tape)
	if t == nil {
		t = new(tape)
	}
	return t, t.read(src)
}
