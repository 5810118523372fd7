package hub

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Leasing changes how long tickets are leased.
func (w *Work) Leasing(d time.Duration) *Work {
	w.leasing = d
	return w
}

// Answered is answered.
func Answered(ctx context.Context, heard func(context.Context) error, ask func(context.Context) (string, error)) (string, error) {
	return answered(ctx, heard, ask)
}

// InfoOf asks a stream for what it holds.
func (l *Link) InfoOf(ctx context.Context, s jetstream.Stream) (*jetstream.StreamInfo, error) {
	js, err := l.jet()
	if err != nil {
		return nil, err
	}
	return patientStream{s, js}.Info(ctx)
}

// Losing has the link lose the answer to what it publishes first, after heard was called.
func (l *Link) Losing(heard func()) error {
	js, err := l.jet()
	if err == nil {
		l.js = patient{&losing{JetStream: js.JetStream, heard: heard, over: make(chan struct{})}}
	}
	return err
}

type losing struct {
	jetstream.JetStream
	lost  atomic.Bool
	heard func()
	over  chan struct{}
}

func (l *losing) PublishMsg(ctx context.Context, m *nats.Msg, o ...jetstream.PublishOpt) (*jetstream.PubAck, error) {
	if l.lost.Swap(true) {
		<-l.over // what is asked again comes behind that
		return l.JetStream.PublishMsg(ctx, m, o...)
	}
	if _, err := l.JetStream.PublishMsg(ctx, m, o...); err != nil {
		return nil, err
	}
	l.heard()
	close(l.over)
	<-ctx.Done()
	return nil, ctx.Err()
}

// Next is next.
func Next(ctx context.Context, messages jetstream.MessagesContext) (jetstream.Msg, error) {
	return next(ctx, messages, time.Hour)
}
