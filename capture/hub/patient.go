package hub

import (
	"context"
	"crypto/rand"
	"errors"
	"maps"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A cluster that has no leader yet, as after a start or the loss of a node, does not answer, or says that it is not
// available for now, and nobody keeps what it was asked. So all that is asked of JetStream goes through patient, which
// asks again, within the time that the asker has. What is asked may come twice then, and is such that this makes no
// difference:
//
//   - What reads, or looks something up, changes nothing.
//   - What makes a stream, a bucket or a consumer finds that which is there already, and is content.
//   - What is published has an id, by which the server stores it once; what it is to stand behind is checked after
//     that. A message that is the first of its subject is refused the second time, which who publishes it expects.
//   - What removes something removes nothing the second time. That it is not there any more is no error then.

// The intervals at which something is asked again double from the first to the longest.
const (
	askAgain     = 200 * time.Millisecond
	longestAgain = 800 * time.Millisecond
)

// The codes of what may be answered otherwise if it is asked again: a cluster has no leader, or not all of its nodes
// are there, or the same message is being stored.
const (
	codeNoPeers     = 10005
	codeUnavailable = 10008
	codeNoLeader    = 10009
	codeInProcess   = 10158
)

var errLeaderless error = &jetstream.APIError{
	Code: 503, ErrorCode: codeNoLeader, Description: "the stream has no leader",
}

// answered asks until there is an answer, for so long as ctx lets it; where ctx has no end, for [requestTimeout].
// Earlier requests are still listened to: a server that takes its time is not asked in vain. Before it asks again it
// waits until all that was sent either way has arrived, as heard tells: a slow network does not become slower by it.
func answered[T any](
	ctx context.Context, heard func(context.Context) error, ask func(context.Context) (T, error),
) (answer T, err error) {
	if _, ends := ctx.Deadline(); !ends {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, requestTimeout)
		defer cancel()
	}
	asking, end := context.WithCancel(ctx)
	defer end()
	type said struct {
		answer T
		err    error
	}
	all := make(chan said)
	for wait := askAgain; ; wait = min(2*wait, longestAgain) {
		go func() {
			answer, err := ask(asking)
			select {
			case all <- said{answer, err}:
			case <-asking.Done():
			}
		}()
		again := make(chan struct{})
		go func() {
			select {
			case <-time.After(wait):
				_ = heard(asking) // where the connection is lost, asking again says so
				close(again)
			case <-asking.Done(): // and nothing more is sent
			}
		}()
		for waits := true; waits; {
			select {
			case s := <-all:
				if !coded(s.err, codeNoPeers, codeUnavailable, codeNoLeader, codeInProcess) {
					return s.answer, s.err
				}
				err = s.err
			case <-ctx.Done():
				if err == nil {
					err = ctx.Err()
				}
				return answer, err
			case <-again:
				waits = false
			}
		}
	}
}

// done is [answered] for what has no answer but whether it works.
func done(ctx context.Context, heard, ask func(context.Context) error) error {
	_, err := answered(ctx, heard, func(ctx context.Context) (struct{}, error) { return struct{}{}, ask(ctx) })
	return err
}

// lister is what JetStream lists in many answers.
type lister[T any] interface {
	Info() <-chan T
	Err() error
}

// listed is [answered] for all that is listed.
func listed[T any](ctx context.Context, js patient, list func(context.Context) lister[T]) ([]T, error) {
	return answered(ctx, js.heard, func(ctx context.Context) (all []T, err error) {
		l := list(ctx)
		for one := range l.Info() {
			all = append(all, one)
		}
		return all, l.Err()
	})
}

// patient is JetStream, asked until it answers.
type patient struct{ jetstream.JetStream }

// heard waits until the server has all that was sent to it, and what it sent before it knew that is here.
func (p patient) heard(ctx context.Context) error { return p.Conn().FlushWithContext(ctx) }

func (p patient) AccountInfo(ctx context.Context) (*jetstream.AccountInfo, error) {
	return answered(ctx, p.heard, p.JetStream.AccountInfo)
}

func (p patient) Stream(ctx context.Context, name string) (jetstream.Stream, error) {
	s, err := answered(ctx, p.heard, func(ctx context.Context) (jetstream.Stream, error) {
		return p.JetStream.Stream(ctx, name)
	})
	return patientStream{s, p}, err
}

func (p patient) CreateStream(ctx context.Context, c jetstream.StreamConfig) (jetstream.Stream, error) {
	s, err := answered(ctx, p.heard, func(ctx context.Context) (jetstream.Stream, error) {
		return p.JetStream.CreateStream(ctx, c)
	})
	return patientStream{s, p}, err
}

// DeleteStream asks whether a stream is there before it asks to delete it: that it is not tells nothing afterwards.
func (p patient) DeleteStream(ctx context.Context, name string) error {
	if _, err := p.Stream(ctx, name); err != nil {
		return err
	}
	err := done(ctx, p.heard, func(ctx context.Context) error { return p.JetStream.DeleteStream(ctx, name) })
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil
	}
	return err
}

func (p patient) KeyValue(ctx context.Context, name string) (jetstream.KeyValue, error) {
	b, err := answered(ctx, p.heard, func(ctx context.Context) (jetstream.KeyValue, error) {
		return p.JetStream.KeyValue(ctx, name)
	})
	return patientBucket{b, p}, err
}

func (p patient) CreateOrUpdateKeyValue(
	ctx context.Context, c jetstream.KeyValueConfig,
) (jetstream.KeyValue, error) {
	b, err := answered(ctx, p.heard, func(ctx context.Context) (jetstream.KeyValue, error) {
		return p.JetStream.CreateOrUpdateKeyValue(ctx, c)
	})
	return patientBucket{b, p}, err
}

func (p patient) DeleteKeyValue(ctx context.Context, name string) error {
	return done(ctx, p.heard, func(ctx context.Context) error { return p.JetStream.DeleteKeyValue(ctx, name) })
}

// PublishMsg gives the message an id, unless an option does.
func (p patient) PublishMsg(
	ctx context.Context, m *nats.Msg, o ...jetstream.PublishOpt,
) (*jetstream.PubAck, error) {
	o = append([]jetstream.PublishOpt{jetstream.WithMsgID(rand.Text())}, o...)
	return answered(ctx, p.heard, func(ctx context.Context) (*jetstream.PubAck, error) {
		own := &nats.Msg{Subject: m.Subject, Header: maps.Clone(m.Header), Data: m.Data} // which options change
		return p.JetStream.PublishMsg(ctx, own, o...)
	})
}

func (p patient) Publish(
	ctx context.Context, subject string, content []byte, o ...jetstream.PublishOpt,
) (*jetstream.PubAck, error) {
	return p.PublishMsg(ctx, &nats.Msg{Subject: subject, Data: content}, o...)
}

// patientStream is a stream, asked until it answers.
type patientStream struct {
	jetstream.Stream
	js patient
}

// Info is asked again where the stream has no leader: any of its nodes answers then, by what it has itself, which may
// lack what was stored.
func (s patientStream) Info(ctx context.Context, o ...jetstream.StreamInfoOpt) (*jetstream.StreamInfo, error) {
	return answered(ctx, s.js.heard, func(ctx context.Context) (*jetstream.StreamInfo, error) {
		info, err := s.Stream.Info(ctx, o...)
		if err == nil && info.Cluster != nil && info.Cluster.Leader == "" {
			return nil, errLeaderless
		}
		return info, err
	})
}

func (s patientStream) GetMsg(
	ctx context.Context, position uint64, o ...jetstream.GetMsgOpt,
) (*jetstream.RawStreamMsg, error) {
	return answered(ctx, s.js.heard, func(ctx context.Context) (*jetstream.RawStreamMsg, error) {
		return s.Stream.GetMsg(ctx, position, o...)
	})
}

func (s patientStream) GetLastMsgForSubject(ctx context.Context, subject string) (*jetstream.RawStreamMsg, error) {
	return answered(ctx, s.js.heard, func(ctx context.Context) (*jetstream.RawStreamMsg, error) {
		return s.Stream.GetLastMsgForSubject(ctx, subject)
	})
}

func (s patientStream) Purge(ctx context.Context, o ...jetstream.StreamPurgeOpt) error {
	return done(ctx, s.js.heard, func(ctx context.Context) error { return s.Stream.Purge(ctx, o...) })
}

func (s patientStream) CreateOrUpdateConsumer(
	ctx context.Context, c jetstream.ConsumerConfig,
) (jetstream.Consumer, error) {
	return answered(ctx, s.js.heard, func(ctx context.Context) (jetstream.Consumer, error) {
		return s.Stream.CreateOrUpdateConsumer(ctx, c)
	})
}

// OrderedConsumer may leave consumers that nobody asks: the server forgets those by itself.
func (s patientStream) OrderedConsumer(
	ctx context.Context, c jetstream.OrderedConsumerConfig,
) (jetstream.Consumer, error) {
	return answered(ctx, s.js.heard, func(ctx context.Context) (jetstream.Consumer, error) {
		return s.Stream.OrderedConsumer(ctx, c)
	})
}

// patientBucket is a bucket, asked until it answers.
type patientBucket struct {
	jetstream.KeyValue
	js patient
}

func (b patientBucket) Get(ctx context.Context, key string) (jetstream.KeyValueEntry, error) {
	return answered(ctx, b.js.heard, func(ctx context.Context) (jetstream.KeyValueEntry, error) {
		return b.KeyValue.Get(ctx, key)
	})
}

// Create may find what it has put there itself, as a key that exists.
func (b patientBucket) Create(
	ctx context.Context, key string, value []byte, o ...jetstream.KVCreateOpt,
) (uint64, error) {
	return answered(ctx, b.js.heard, func(ctx context.Context) (uint64, error) {
		return b.KeyValue.Create(ctx, key, value, o...)
	})
}

// Put is published under the subject of the key, which is all that a bucket does of it: so it has an id.
func (b patientBucket) Put(ctx context.Context, key string, value []byte) (uint64, error) {
	ack, err := b.js.Publish(ctx, "$KV."+b.Bucket()+"."+key, value)
	if err != nil {
		return 0, err
	}
	return ack.Sequence, nil
}

func (b patientBucket) Keys(ctx context.Context, o ...jetstream.WatchOpt) ([]string, error) {
	return answered(ctx, b.js.heard, func(ctx context.Context) ([]string, error) { return b.KeyValue.Keys(ctx, o...) })
}
