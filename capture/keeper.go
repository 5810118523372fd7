package capture

import (
	"sync"
	"sync/atomic"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/exchange/redact"
	"github.com/flaketap/flaketap/proxy"
	"github.com/flaketap/flaketap/replay/service"
)

// keeper is the Recorder of a pass. It hands exchanges to the store, and decides what becomes of the recording once
// that fails.
type keeper struct {
	store interface {
		proxy.Recorder
		proxy.Keeper
		RecordExternal(x *exchange.External) error
	}
	rest           *redact.Rest // nil where secrets are stored as they are
	passUnrecorded bool         // what cannot be stored passes all the same
	remembersLast  bool         // somebody looks at last
	onFirstFailure func(error)

	last     atomic.Pointer[lastExchange]
	failures atomic.Int64 // of storing

	mu  sync.Mutex
	err error // the first of the store's
}

// lastExchange is what the status line shows of an exchange.
type lastExchange struct {
	method, target string
	status         int // 0 for a fault
}

// Record stores an exchange. Its error stops the proxy.
func (k *keeper) Record(e *exchange.Exchange) error {
	if k.remembersLast {
		g := &lastExchange{method: e.Request.Method, target: e.Request.Target}
		if e.Response != nil {
			g.status = e.Response.Status
		}
		k.last.Store(g)
	}
	err := k.record(e)
	if err == nil {
		return nil
	}
	k.failed(err)
	if k.passUnrecorded {
		return nil
	}
	return err
}

// record stores an exchange, redacted where that is wanted.
func (k *keeper) record(e *exchange.Exchange) error {
	if k.rest == nil {
		return k.store.Record(e)
	}
	shown := k.rest.Exchange(e)
	err := k.store.Record(shown)
	e.Seq, e.Pass = shown.Seq, shown.Pass
	return err
}

// external stores what the API asked of another service. What cannot be stored of it the next exchange fails with, too.
func (k *keeper) external(x *exchange.External) {
	if k.rest != nil {
		x = k.rest.External(x)
	}
	if err := k.store.RecordExternal(x); err != nil {
		k.failed(err)
	}
}

// Keep stores a piece of a body that is under way. Its error stops the proxy.
func (k *keeper) Keep(piece []byte) (exchange.Part, error) {
	part, err := k.store.Keep(piece)
	if err == nil {
		return part, nil
	}
	k.failed(err)
	if k.passUnrecorded {
		return exchange.Part{}, nil
	}
	return exchange.Part{}, err
}

// failed remembers that something could not be stored.
func (k *keeper) failed(err error) {
	k.failures.Add(1)
	k.mu.Lock()
	first := k.err == nil
	if first {
		k.err = err
	}
	k.mu.Unlock()
	if first {
		k.onFirstFailure(err)
	}
}

// failure returns why something could not be stored, or nil.
func (k *keeper) failure() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.err
}

// logAnnotator adds to each fault that is recorded what the API logged meanwhile.
type logAnnotator struct {
	proxy.Recorder
	api *service.Instance
}

func (a logAnnotator) Record(e *exchange.Exchange) error {
	e.Fault = a.api.Annotate(e.Fault)
	return a.Recorder.Record(e)
}
