package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/flaketap/flaketap/capture/ship"
)

// The headers of a block: what can be known of it without reading it.
const (
	headThrough = "Flaketap-Through"
	headPass    = "Flaketap-Pass"
	headState   = "Flaketap-State"
	headLast    = "Flaketap-Last"
	headVersion = "Flaketap-Version"
)

const (
	keyTerms    = "terms"
	keyRecorder = "recorder."
	prefix      = "flaketap-"
)

// clustered is in how many places a stream is kept where there is a cluster.
const clustered = 3

// knownMost bounds the memory for the names of pieces.
const knownMost = 16 << 10

func (l *Link) stream() string { return prefix + l.address.Name }

func (l *Link) blocks(recorder string) string {
	return "flaketap." + l.address.Name + ".blocks." + recorder
}

func (l *Link) piece(name string) string { return "flaketap." + l.address.Name + ".pieces." + name }

// Agree makes the stream and the bucket where there are none, and implements [ship.Hub].
func (l *Link) Agree(ctx context.Context, terms ship.Terms) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	js, err := l.jet()
	if err != nil {
		return err
	}
	l.forget() // what is there is asked for anew
	bucket, err := l.create(ctx, js)
	if err != nil {
		return l.explain(err)
	}
	data, err := json.Marshal(terms)
	if err != nil {
		return err
	}
	if _, err = bucket.Create(ctx, keyTerms, data); err == nil || !errors.Is(err, jetstream.ErrKeyExists) {
		return l.explain(err)
	}
	there, err := l.terms(ctx, bucket)
	if err != nil || there.Same(terms) {
		return err
	}
	return l.differ(there, terms)
}

// differ says in what way terms are others than those of the recorders that are there.
func (l *Link) differ(there, here ship.Terms) error {
	const refusal = "%w: the recorders of %s "
	switch {
	case there.Format > here.Format:
		return fmt.Errorf(refusal+"are newer: they speak format %d, this flaketap %d: update this one",
			ship.ErrRefused, l.address.Name, there.Format, here.Format)
	case there.Format < here.Format:
		return fmt.Errorf(refusal+"are older: they speak format %d, this flaketap %d: update them, and use another NAME",
			ship.ErrRefused, l.address.Name, there.Format, here.Format)
	case there.Secrets == ship.Revealed:
		return fmt.Errorf(refusal+"send secrets as they are: use another NAME for tokens",
			ship.ErrRefused, l.address.Name)
	case here.Secrets == ship.Revealed:
		return fmt.Errorf(refusal+"send tokens in the place of secrets: use another NAME with --reveal",
			ship.ErrRefused, l.address.Name)
	}
	return fmt.Errorf(refusal+"make their tokens with another key: give all of them the same --token-key",
		ship.ErrRefused, l.address.Name)
}

// create makes what belongs to a name, where it is not there.
func (l *Link) create(ctx context.Context, js patient) (jetstream.KeyValue, error) {
	_, err := made(ctx, js, jetstream.StreamConfig{Name: l.stream(),
		Subjects: []string{"flaketap." + l.address.Name + ".>"}, Description: "what flaketap's recorders send"})
	if err != nil {
		return nil, err
	}
	bucket, err := js.KeyValue(ctx, l.stream())
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		bucket, err = js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: l.stream(), Replicas: replicas(js)})
	}
	return bucket, err
}

// made returns a stream, which it makes where it is not there: on disk, and so that nothing in it gives way to what is
// new.
func made(ctx context.Context, js patient, c jetstream.StreamConfig) (jetstream.Stream, error) {
	s, err := js.Stream(ctx, c.Name)
	if !errors.Is(err, jetstream.ErrStreamNotFound) {
		return s, err
	}
	c.Replicas, c.Storage, c.Discard = replicas(js), jetstream.FileStorage, jetstream.DiscardNew
	if s, err = js.CreateStream(ctx, c); errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
		return js.Stream(ctx, c.Name)
	}
	return s, err
}

// replicas is in how many places a stream is kept.
func replicas(js patient) int {
	if js.Conn().ConnectedClusterName() != "" {
		return clustered
	}
	return 1
}

// terms reads what the recorders of a name have in common.
func (l *Link) terms(ctx context.Context, bucket jetstream.KeyValue) (terms ship.Terms, err error) {
	entry, err := bucket.Get(ctx, keyTerms)
	if err != nil {
		return terms, l.explain(err)
	}
	if err := json.Unmarshal(entry.Value(), &terms); err != nil {
		return terms, fmt.Errorf("%w: the terms of %s cannot be read: %w", ship.ErrRefused, l.address.Name, err)
	}
	return terms, nil
}

// Known implements [ship.Hub].
func (l *Link) Known(ctx context.Context, recorder string) (ship.Mark, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	stream, err := l.open(ctx)
	if err != nil {
		return ship.Mark{}, err
	}
	return l.last(ctx, stream, recorder)
}

func (l *Link) open(ctx context.Context) (jetstream.Stream, error) {
	js, err := l.jet()
	if err != nil {
		return nil, err
	}
	stream, err := js.Stream(ctx, l.stream())
	return stream, l.explain(err)
}

// last returns what stands in the last block of a recorder.
func (l *Link) last(ctx context.Context, stream jetstream.Stream, recorder string) (ship.Mark, error) {
	m, err := stream.GetLastMsgForSubject(ctx, l.blocks(recorder))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return ship.Mark{}, nil
	}
	if err != nil {
		return ship.Mark{}, l.explain(err)
	}
	return markOf(m.Sequence, m.Header), nil
}

// markOf reads what the headers of a block say.
func markOf(position uint64, h nats.Header) ship.Mark {
	through, err := strconv.ParseUint(h.Get(headThrough), 10, 64)
	pass, perr := strconv.Atoi(h.Get(headPass))
	if err != nil || perr != nil {
		return ship.Mark{Position: position, Version: h.Get(headVersion), Damaged: true}
	}
	return ship.Mark{Position: position, Through: through, Pass: pass, State: h.Get(headState), Last: h.Get(headLast),
		Version: h.Get(headVersion)}
}

// Append implements [ship.Hub].
func (l *Link) Append(ctx context.Context, recorder string, last, next ship.Mark, data []byte) (ship.Mark, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	m := nats.NewMsg(l.blocks(recorder))
	m.Data = data
	m.Header.Set(headThrough, strconv.FormatUint(next.Through, 10))
	m.Header.Set(headPass, strconv.Itoa(next.Pass))
	m.Header.Set(headState, next.State)
	m.Header.Set(headLast, next.Last)
	m.Header.Set(headVersion, next.Version)
	id := fmt.Sprintf("%s-%d-%d-%s", recorder, last.Through, next.Through, next.State)
	position, err := l.publish(ctx, m, id, last.Position)
	next.Position = position
	return next, err
}

// publish puts a message behind the last one of its subject, and returns its position.
func (l *Link) publish(ctx context.Context, m *nats.Msg, id string, last uint64) (uint64, error) {
	js, err := l.jet()
	if err != nil {
		return 0, err
	}
	ack, err := js.PublishMsg(ctx, m, jetstream.WithMsgID(id), jetstream.WithExpectLastSequencePerSubject(last))
	switch {
	case moved(err), errors.Is(err, jetstream.ErrNoStreamResponse): // which was removed, or the hub was set up anew
		return 0, ship.ErrMoved
	case err != nil:
		return 0, l.explain(err)
	}
	return ack.Sequence, nil
}

// moved reports whether the last message of a subject is another than a message was to stand behind.
func moved(err error) bool {
	return coded(err, jetstream.JSErrCodeStreamWrongLastSequence, jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// Keep implements [ship.Hub].
func (l *Link) Keep(ctx context.Context, name string, piece []byte) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	if l.has(name) {
		return nil
	}
	stream, err := l.open(ctx)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return ship.ErrMoved
	}
	if err != nil {
		return err
	}
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter(l.piece(name)))
	if err != nil {
		return l.explain(err)
	}
	if len(info.State.Subjects) == 0 {
		m := nats.NewMsg(l.piece(name))
		m.Data = piece
		if _, err = l.publish(ctx, m, name, 0); err != nil && !errors.Is(err, ship.ErrMoved) { // it came meanwhile
			return err
		}
	}
	l.remember(name)
	return nil
}

func (l *Link) has(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.known[name]
}

// forget is for a hub that may be another than before.
func (l *Link) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.known)
	l.forbidden.Store(nil)
}

func (l *Link) remember(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.known) >= knownMost {
		clear(l.known)
	}
	l.known[name] = true
}

// Report implements [ship.Hub].
func (l *Link) Report(ctx context.Context, r ship.Report) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	js, err := l.jet()
	if err != nil {
		return err
	}
	bucket, err := js.KeyValue(ctx, l.stream())
	if err != nil {
		return l.explain(err)
	}
	data, err := json.Marshal(r)
	if err == nil {
		_, err = bucket.Put(ctx, keyRecorder+r.Recorder, data)
	}
	return l.explain(err)
}
