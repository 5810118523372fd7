package hub

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"

	"github.com/flaketap/flaketap/replay/queue"
)

// Wire is what those of a name say to each other who are there at the time: no stream keeps it. It implements
// [queue.Wire].
type Wire struct{ link *Link }

// Wire returns the wire of the link's name.
func (l *Link) Wire() *Wire { return &Wire{link: l} }

func (w *Wire) subject(name string) string {
	return "flaketap-work." + w.link.address.Name + ".wire." + name
}

// Say implements [queue.Wire].
func (w *Wire) Say(name, from string, content []byte) error {
	conn, err := w.connection()
	if err != nil {
		return err
	}
	return w.away(conn.PublishRequest(w.subject(name), w.subject(from), content))
}

// Listen implements [queue.Wire].
func (w *Wire) Listen(name string) (queue.Ear, error) {
	conn, err := w.connection()
	if err != nil {
		return nil, err
	}
	s, err := conn.SubscribeSync(w.subject(name))
	if err != nil {
		return nil, w.away(err)
	}
	return ear{w, s}, nil
}

func (w *Wire) connection() (*nats.Conn, error) {
	js, err := (&Work{link: w.link}).jet()
	if err != nil {
		return nil, err
	}
	return js.Conn(), nil
}

func (w *Wire) away(err error) error { return (&Work{link: w.link}).away(err) }

// ear hears one name.
type ear struct {
	wire *Wire
	own  *nats.Subscription
}

// Hear implements [queue.Ear]. What was left out, for want of room here, is an error.
func (e ear) Hear(ctx context.Context) ([]byte, error) {
	m, err := e.own.NextMsgWithContext(ctx)
	if err == nil { // though ctx may have ended meanwhile: what is heard does not come again
		return m.Data, nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if errors.Is(err, nats.ErrNoResponders) {
		err = queue.ErrNobody
	} else {
		err = e.wire.away(err)
	}
	return nil, fmt.Errorf("hear %s: %w", e.own.Subject, err)
}

func (e ear) Close() { _ = e.own.Unsubscribe() } // which fails where the connection is gone
