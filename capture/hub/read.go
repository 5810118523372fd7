package hub

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"sort"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/flaketap/flaketap/capture/ship"
)

// Terms implements the Hub of package collect.
func (l *Link) Terms(ctx context.Context) (ship.Terms, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	js, err := l.jet()
	if err != nil {
		return ship.Terms{}, err
	}
	bucket, err := js.KeyValue(ctx, l.stream())
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		return ship.Terms{}, fmt.Errorf("nothing was sent to %s yet: flaketap hub status lists the names that are there",
			l.address.Name)
	}
	if err != nil {
		return ship.Terms{}, l.explain(err)
	}
	return l.terms(ctx, bucket)
}

// Recorders implements the Hub of package collect.
func (l *Link) Recorders(ctx context.Context) (map[string]ship.Mark, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	stream, err := l.open(ctx)
	if err != nil {
		return nil, err
	}
	return l.marks(ctx, stream)
}

func (l *Link) marks(ctx context.Context, stream jetstream.Stream) (map[string]ship.Mark, error) {
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter(l.blocks("*")))
	if err != nil {
		return nil, l.explain(err)
	}
	out := map[string]ship.Mark{}
	for subject := range info.State.Subjects {
		recorder := strings.TrimPrefix(subject, l.blocks(""))
		if out[recorder], err = l.last(ctx, stream, recorder); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// patience is how long a block may take to come, and resets is how often it is asked for anew within about that time.
const (
	patience = 30 * time.Second
	resets   = 3
)

// Blocks implements the Hub of package collect.
func (l *Link) Blocks(ctx context.Context, recorder string, after uint64, last ship.Mark) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		if err := l.each(ctx, recorder, after, last, yield); err != nil {
			yield(nil, err)
		}
	}
}

func (l *Link) each(ctx context.Context, recorder string, after uint64, last ship.Mark,
	yield func([]byte, error) bool) error {
	stream, err := l.open(ctx)
	if err != nil {
		return err
	}
	first, err := l.position(ctx, stream, recorder, after, last)
	if err != nil {
		return err
	}
	consumer, err := stream.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{
		FilterSubjects: []string{l.blocks(recorder)},
		DeliverPolicy:  jetstream.DeliverByStartSequencePolicy, OptStartSeq: first, MaxResetAttempts: resets,
	})
	if err != nil {
		return l.explain(err)
	}
	messages, err := consumer.Messages(jetstream.PullHeartbeat(pulse))
	if err != nil {
		return l.explain(err)
	}
	defer stop(messages)
	for {
		m, err := next(ctx, messages, patience)
		if err != nil {
			return l.explain(err)
		}
		about, err := m.Metadata()
		if err != nil {
			return err
		}
		if !yield(m.Data(), ctx.Err()) || ctx.Err() != nil || about.Sequence.Stream >= last.Position {
			return nil
		}
	}
}

// next waits for a message, for most at most. It ends with ctx also while messages makes its consumer anew, which heeds
// no context.
func next(ctx context.Context, messages jetstream.MessagesContext, most time.Duration) (jetstream.Msg, error) {
	waiting, cancel := context.WithTimeout(ctx, most)
	type come struct {
		message jetstream.Msg
		err     error
	}
	came := make(chan come, 1)
	go func() {
		defer cancel()
		m, err := messages.Next(jetstream.NextContext(waiting))
		came <- come{m, err}
	}()
	select {
	case c := <-came:
		return c.message, c.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// stop ends messages. It does not wait until a consumer that is made anew is.
func stop(messages jetstream.MessagesContext) { go messages.Stop() }

// position returns where to begin reading: at the first block that goes as far as after, since others behind it may
// go no further, and tell how a pass ended. It halves the stream: no block of a recorder goes less far than one
// before it.
func (l *Link) position(ctx context.Context, stream jetstream.Stream, recorder string, after uint64,
	last ship.Mark) (uint64, error) {
	if after == 0 {
		return 1, nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var failure error
	damaged := last.Damaged
	at := sort.Search(int(last.Position), func(i int) bool {
		if failure != nil {
			return true
		}
		m, err := stream.GetMsg(ctx, uint64(i)+1, jetstream.WithGetMsgSubject(l.blocks(recorder)))
		if err != nil {
			failure = l.explain(err)
			return true
		}
		mark := markOf(m.Sequence, m.Header)
		damaged = damaged || mark.Damaged
		return damaged || mark.Through >= after
	})
	if damaged {
		at = 0
	}
	return uint64(at) + 1, failure
}

// Piece implements the Hub of package collect.
func (l *Link) Piece(ctx context.Context, name string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	stream, err := l.open(ctx)
	if err != nil {
		return nil, err
	}
	m, err := stream.GetLastMsgForSubject(ctx, l.piece(name))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, fmt.Errorf("piece %s of a body is not at the hub any more: %w", name, fs.ErrNotExist)
	}
	if err != nil {
		return nil, l.explain(err)
	}
	return m.Data, nil
}
