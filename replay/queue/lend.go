package queue

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net"
	"time"

	"github.com/flaketap/flaketap/replay/line"
	"github.com/flaketap/flaketap/replay/service"
)

// call is what a worker says that has an API to lend for a ticket: how it is answered.
type call struct {
	Session string `json:"session"`
}

const (
	// callTime is how long somebody may take to answer, and callAgain how long until the call is said again.
	callTime  = 3 * time.Second
	callAgain = 250 * time.Millisecond
)

// errLent is how an attempt ends that has no result: the API was lent, or nobody took it.
var errLent = errors.New("the API was lent")

// lend has whoever offered a ticket use the API of this worker, from its start, until it is given back.
func (w *Worker) lend(ctx context.Context, t Ticket) error {
	session := rand.Text()
	ear, err := w.Wire.Listen(lenderName(session))
	if err != nil {
		return err
	}
	defer ear.Close()
	heard := &talk{wire: w.Wire, key: w.Key, ear: ear, in: lenderName(session), out: borrowerName(session)}
	if err := w.call(ctx, t, session, heard); err != nil {
		return err
	}
	far := line.NewFar(ctx, heard)
	if err := w.anew(ctx); err != nil {
		far.Close()
		return unable{err}
	}
	api := w.api
	target := w.Player.Target
	if at := api.Target(); at != nil {
		target = at
	}
	w.Console.Say("flaketap: lent the API for trial %d", t.Run)
	err = far.Serve(target.Scheme, func(ctx context.Context) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "tcp", service.HostPort(target))
	}, api.Ended(), func() error { return api.Died("while it was lent") })
	if w.Player.Reset == "" || err != nil {
		if serr := w.stop(); serr != nil {
			return unable{serr}
		}
	}
	if errors.Is(err, ErrNobody) {
		err = errors.New("whoever used the API is gone")
	}
	if err != nil && ctx.Err() == nil { // whoever had it finds that out too, and does the trial again
		w.Console.Say("flaketap: trial %d: %v", t.Run, err)
	}
	return nil
}

// call says that there is an API for a ticket, until the one who wants it answers.
func (w *Worker) call(ctx context.Context, t Ticket, session string, heard *talk) error {
	text, err := json.Marshal(call{session})
	if err != nil {
		return err
	}
	for begun := time.Now(); time.Since(begun) < callTime; {
		if err := w.Wire.Say(t.callName(), heard.in, w.Key.seal(t.callName(), text)); err != nil {
			return err
		}
		waiting, cancel := context.WithTimeout(ctx, callAgain)
		_, err := heard.Hear(waiting)
		if errors.Is(err, ErrNobody) { // it may not be known everywhere yet that somebody listens
			<-waiting.Done()
			err = waiting.Err()
		}
		cancel()
		if err == nil || ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
			return errors.Join(err, ctx.Err())
		}
	}
	return ErrNobody
}

// anew puts the API back to its start, or starts it.
func (w *Worker) anew(ctx context.Context) error {
	p := w.Player
	if p.Reset == "" { // it has served nobody where it is there
		return w.ready(ctx)
	}
	for {
		fresh := w.api == nil
		if err := w.ready(ctx); err != nil {
			return err
		}
		err := w.api.Reset(p.Reset).Within(ctx, p.ResetTimeout)
		if err == nil || fresh || ctx.Err() != nil {
			return err
		}
		if err := w.stop(); err != nil {
			return err
		}
	}
}
