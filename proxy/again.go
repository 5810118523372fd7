package proxy

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/wire"
)

// againTimeout bounds how long one answer of [Proxy.Again] is waited for.
const againTimeout = 30 * time.Second

// Again sends a whole HTTP/1 request to where an exchange went, on a connection of its own, and returns the answer.
// It is for a [Rewriter] that wants to know what a read is answered later; nothing of it is recorded. The answer is
// whole, and tells where it ends: one that ends with its connection is an error, as is one of more than 16 MiB. It
// ends with ctx, and with the proxy.
func (p *Proxy) Again(ctx context.Context, e *exchange.Exchange, request []byte) (*exchange.Response, error) {
	p.once.Do(p.prepare)
	up, fault := p.dial(destination{scheme: e.Scheme, addr: e.Addr, name: e.Target}, "http/1.1")
	if fault != nil {
		return nil, fmt.Errorf("send request again: %s", fault)
	}
	defer up.Close()
	_ = up.SetDeadline(time.Now().Add(againTimeout)) // what has no deadline ends with ctx all the same
	for _, over := range []context.Context{ctx, p.ctx} {
		defer context.AfterFunc(over, func() { up.Close() })()
	}
	if _, err := up.Write(request); err != nil {
		return nil, fmt.Errorf("send request again: %w", err)
	}
	r, err := answerOf(up, e.Request.Method)
	if err != nil {
		return nil, fmt.Errorf("send request again: %w", err)
	}
	return r, nil
}

// answerOf reads the answer to a request of a method.
func answerOf(up *end, method string) (*exchange.Response, error) {
	framer := wire.NewResponseFramer(method)
	var held, interim []byte
	for buf := make([]byte, smallBuffer); ; {
		n, err := up.Read(buf)
		for b := buf[:n]; len(b) > 0; {
			taken, state := framer.Feed(b)
			held, b = append(held, b[:taken]...), b[taken:]
			switch {
			case state == wire.UntilClose || state == wire.Opaque || framer.Err() != nil || len(held) > maxHeld:
				return nil, errors.New("the answer cannot be had whole")
			case state == wire.Done && framer.Interim():
				if len(interim) < maxInterim {
					interim = append(interim, held...)
				}
				held = nil
				framer.Reset(method)
			case state == wire.Done:
				size := framer.HeadSize()
				r := exchange.ParseResponse(exchange.Message{Head: held[:size:size], Body: held[size:]})
				r.Interim = interim
				return r, nil
			}
		}
		if err != nil {
			return nil, fmt.Errorf("read answer: %w", err)
		}
	}
}

// Context is done once connections are to be cut: who holds an answer back gives it then.
func (p *Proxy) Context() context.Context {
	p.once.Do(p.prepare)
	return p.ctx
}
