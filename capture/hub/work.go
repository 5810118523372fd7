package hub

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/flaketap/flaketap/capture/ship"
	"github.com/flaketap/flaketap/replay/queue"
)

// Work is where the workers of a name meet those who have them play: it implements [queue.Board]. Tickets stand in a
// stream of their own, a queue of which each message is gone once it is acknowledged; all else stands in another. It is
// used by one goroutine.
type Work struct {
	link    *Link
	kind    string        // what stands before the names of its streams, and of what is in them
	leasing time.Duration // how long a ticket is leased, and how long results may be silent until it is asked why

	// what was found at the hub; nil where that is to be looked for
	tickets, kept jetstream.Stream
	workers       jetstream.Consumer
}

// Work returns the replays of the link's name.
func (l *Link) Work() *Work { return &Work{link: l, leasing: leaseTime} }

// Judging returns the maps of the link's name, and Mocking the trials of searches of mocks. Who does the one is not
// asked for the other.
func (l *Link) Judging() *Work { return &Work{link: l, kind: mapsKind, leasing: leaseTime} }

// Mocking is described beside [Link.Judging].
func (l *Link) Mocking() *Work { return &Work{link: l, kind: mocksKind, leasing: leaseTime} }

// boards are all of the name.
func (l *Link) boards() []*Work { return []*Work{l.Work(), l.Judging(), l.Mocking()} }

// role is that of the workers who do what stands there.
func (w *Work) role() queue.Role {
	switch w.kind {
	case mapsKind:
		return queue.Judges
	case mocksKind:
		return queue.Tries
	}
	return queue.Plays
}

const (
	// leaseTime is how long a ticket is leased; whoever works extends that leaseSteps times meanwhile.
	leaseTime  = 10 * time.Second
	leaseSteps = 4
	// waitTime is how long one question for a ticket waits for an answer.
	waitTime = 20 * time.Second
	// pulse is how often a hub that has nothing to say shows that it knows of somebody who waits. Where it is silent
	// for twice that, the question is lost.
	pulse = time.Second
	// keptTime is how long what a replay leaves that was killed is kept.
	keptTime = 7 * 24 * time.Hour

	headPieces = "Flaketap-Pieces"
	// wholeBytes is from which size on content is divided: servers take messages of 1 MiB.
	wholeBytes = 512 << 10
	// piecesMost bounds in how many pieces it stands.
	piecesMost = 2048

	consumerName = "workers"
)

// The names of the streams do not begin as those of recordings do.
func (w *Work) ticketStream() string { return "tickets-" + w.kind + w.link.stream() }
func (w *Work) keptStream() string   { return keptPrefix + w.kind + w.link.stream() }

const (
	keptPrefix = "kept-"
	mapsKind   = "maps"
	mocksKind  = "mocks"
)

func (w *Work) subject(parts ...string) string {
	if w.kind != "" {
		parts = append([]string{w.kind}, parts...)
	}
	return "flaketap-work." + w.link.address.Name + "." + strings.Join(parts, ".")
}

func (w *Work) ticket(t queue.Ticket) string {
	return w.subject("tickets", t.Plan, strconv.Itoa(t.Run), strconv.Itoa(t.Item))
}

// away says of an error whether it may pass. What is known of the hub is looked for again.
func (w *Work) away(err error) error {
	if err == nil {
		return nil
	}
	w.tickets, w.kept, w.workers = nil, nil, nil
	if errors.Is(err, ship.ErrRefused) || errors.Is(err, queue.ErrAway) { // it was said before
		return err
	}
	if err = w.link.explain(err); errors.Is(err, ship.ErrRefused) || errors.Is(err, context.Canceled) {
		return err
	}
	return passing{err}
}

// jet returns the connection.
func (w *Work) jet() (patient, error) {
	js, err := w.link.jet()
	if err != nil && !errors.Is(err, ship.ErrRefused) {
		err = passing{err}
	}
	return js, err
}

// passing is an error that may be over when the same is tried again.
type passing struct{ error }

func (p passing) Unwrap() []error { return []error{p.error, queue.ErrAway} }

// open finds the streams, and makes them where there are none.
func (w *Work) open(ctx context.Context) error {
	if w.kept != nil {
		return nil
	}
	js, err := w.jet()
	if err != nil {
		return err
	}
	w.tickets, err = made(ctx, js, jetstream.StreamConfig{Name: w.ticketStream(),
		Subjects: []string{w.subject("tickets", ">")}, Description: "what flaketap's workers are to play",
		Retention: jetstream.WorkQueuePolicy, MaxAge: keptTime})
	if err != nil {
		return err
	}
	kept, err := made(ctx, js, jetstream.StreamConfig{Name: w.keptStream(), MaxAge: keptTime,
		Subjects: []string{w.subject("kept", ">")}, Description: "what flaketap's workers play, and what was answered"})
	if err == nil {
		w.kept = kept
	}
	return err
}

// first publishes a message, unless there is one of its subject.
func (w *Work) first(ctx context.Context, m *nats.Msg) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	if err := w.open(ctx); err != nil {
		return w.away(err)
	}
	js, err := w.jet()
	if err != nil {
		return w.away(err)
	}
	if _, err = js.PublishMsg(ctx, m, jetstream.WithExpectLastSequencePerSubject(0)); moved(err) {
		return nil
	}
	return w.away(err)
}

// last returns the message of a subject.
func (w *Work) last(ctx context.Context, subject string) (*jetstream.RawStreamMsg, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	if err := w.open(ctx); err != nil {
		return nil, w.away(err)
	}
	m, err := w.kept.GetLastMsgForSubject(ctx, subject)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, fmt.Errorf("%s: %w", subject, queue.ErrMissing)
	}
	return m, w.away(err)
}

// Put implements [queue.Board]. What is large is put in pieces first, under a name that nobody else takes.
func (w *Work) Put(ctx context.Context, name string, content []byte) error {
	m := nats.NewMsg(w.subject("kept", name))
	if len(content) <= wholeBytes {
		m.Data = content
		return w.first(ctx, m)
	}
	own, n := rand.Text(), 0
	for ; len(content) > 0; n++ {
		piece := nats.NewMsg(w.piece(name, own, n))
		piece.Data = content[:min(len(content), wholeBytes)]
		if err := w.first(ctx, piece); err != nil {
			return err
		}
		content = content[len(piece.Data):]
	}
	m.Header.Set(headPieces, fmt.Sprintf("%s %d", own, n))
	return w.first(ctx, m)
}

func (w *Work) piece(name, own string, n int) string {
	return w.subject("kept", name, "piece", own, strconv.Itoa(n))
}

// Get implements [queue.Board].
func (w *Work) Get(ctx context.Context, name string) ([]byte, error) {
	m, err := w.last(ctx, w.subject("kept", name))
	if err != nil {
		return nil, err
	}
	pieces := m.Header.Get(headPieces)
	if pieces == "" {
		return m.Data, nil
	}
	own, count, _ := strings.Cut(pieces, " ")
	n, err := strconv.Atoi(count)
	if err != nil || n < 1 || n > piecesMost {
		return nil, fmt.Errorf("the pieces of %s cannot be read: %q", name, pieces)
	}
	var content []byte
	for i := range n {
		if m, err = w.last(ctx, w.piece(name, own, i)); err != nil {
			return nil, err
		}
		content = append(content, m.Data...)
	}
	return content, nil
}

// Plans implements [queue.Board].
func (w *Work) Plans(ctx context.Context) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := w.open(ctx); err != nil {
		return nil, w.away(err)
	}
	info, err := w.kept.Info(ctx, jetstream.WithSubjectFilter(w.subject("kept", "*", "job")))
	if err != nil {
		return nil, w.away(err)
	}
	var plans []string
	for subject := range info.State.Subjects {
		plan, _, _ := strings.Cut(strings.TrimPrefix(subject, w.subject("kept", "")), ".")
		plans = append(plans, plan)
	}
	return plans, nil
}

// Offer implements [queue.Board].
func (w *Work) Offer(ctx context.Context, t queue.Ticket) error {
	return w.first(ctx, nats.NewMsg(w.ticket(t)))
}

// Lease implements [queue.Board].
func (w *Work) Lease(ctx context.Context) (queue.Lease, error) {
	if err := w.consume(ctx); err != nil {
		return nil, w.away(err)
	}
	for ctx.Err() == nil {
		asked, cancel := context.WithTimeout(ctx, waitTime)
		batch, err := w.workers.Fetch(1, jetstream.FetchContext(asked), jetstream.FetchHeartbeat(pulse))
		if err != nil {
			cancel()
			return nil, w.away(err)
		}
		m := <-batch.Messages()
		cancel()
		if m != nil {
			return w.leased(m)
		}
		if err := batch.Error(); err != nil && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, nats.ErrTimeout) {
			return nil, w.away(err)
		}
	}
	return nil, ctx.Err()
}

// consume finds what hands out tickets, and makes it where there is none.
func (w *Work) consume(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	if err = w.open(ctx); err == nil && w.workers == nil {
		w.workers, err = w.tickets.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{Durable: consumerName,
			AckPolicy: jetstream.AckExplicitPolicy, AckWait: w.leasing, MaxDeliver: -1, MaxAckPending: -1})
	}
	return err
}

func (w *Work) leased(m jetstream.Msg) (queue.Lease, error) {
	about, err := m.Metadata()
	if err != nil {
		return nil, err
	}
	t, err := ticketOf(strings.TrimPrefix(m.Subject(), w.subject("tickets", "")))
	if err != nil {
		return nil, errors.Join(err, m.Term())
	}
	return &lease{w, m, t, int(about.NumDelivered)}, nil
}

// ticketOf reads PLAN.RUN.ITEM.
func ticketOf(text string) (t queue.Ticket, err error) {
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		return t, fmt.Errorf("%q is no ticket", text)
	}
	run, err := strconv.Atoi(parts[1])
	item, ierr := strconv.Atoi(parts[2])
	return queue.Ticket{Plan: parts[0], Run: run, Item: item}, errors.Join(err, ierr)
}

// lease is a ticket as it was leased.
type lease struct {
	work    *Work
	message jetstream.Msg
	ticket  queue.Ticket
	attempt int
}

func (l *lease) Ticket() queue.Ticket { return l.ticket }

func (l *lease) Attempt() int { return l.attempt }

// Keep extends the lease. A hub that does not hear it leases the ticket again, which costs time alone.
func (l *lease) Keep(ctx context.Context) {
	tick := time.NewTicker(l.work.leasing / leaseSteps)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			_ = l.message.InProgress()
		}
	}
}

func (l *lease) Done(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	js, err := l.work.jet()
	if err != nil {
		return err
	}
	err = done(ctx, js.heard, l.message.DoubleAck)
	if errors.Is(err, jetstream.ErrMsgAlreadyAckd) { // by a request before that was answered just now
		return nil
	}
	return l.work.away(err)
}

func (l *lease) Return(context.Context) error { return l.work.away(l.message.Nak()) }

// Results implements [queue.Board].
func (w *Work) Results(ctx context.Context, plan string) iter.Seq2[queue.Ticket, error] {
	return func(yield func(queue.Ticket, error) bool) {
		if err := w.results(ctx, plan, yield); err != nil {
			yield(queue.Ticket{}, err)
		}
	}
}

func (w *Work) results(ctx context.Context, plan string, yield func(queue.Ticket, error) bool) error {
	if err := w.open(ctx); err != nil {
		return w.away(err)
	}
	prefix := w.subject("kept", plan, "result", "")
	consumer, err := w.kept.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{FilterSubjects: []string{prefix + "*.*"},
		DeliverPolicy: jetstream.DeliverAllPolicy, HeadersOnly: true, MaxResetAttempts: 1}) // then who called asks again
	if err != nil {
		return w.away(err)
	}
	messages, err := consumer.Messages(jetstream.PullHeartbeat(pulse))
	if err != nil {
		return w.away(err)
	}
	defer stop(messages)
	for {
		m, err := w.await(ctx, plan, messages)
		if errors.Is(err, queue.ErrQuiet) {
			if !yield(queue.Ticket{}, err) {
				return nil
			}
			continue
		}
		if err != nil {
			return err
		}
		t, err := ticketOf(plan + "." + strings.TrimPrefix(m.Subject(), prefix))
		if !yield(t, err) || err != nil {
			return nil
		}
	}
}

// await returns the next message of a plan. Where nothing comes for a while it looks whether the plan is still there,
// and is [queue.ErrQuiet]: in the place of a stream that was removed a worker may have made another, from which nothing
// of it will come.
func (w *Work) await(ctx context.Context, plan string, messages jetstream.MessagesContext) (jetstream.Msg, error) {
	m, err := next(ctx, messages, w.leasing)
	if ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
		return m, w.away(err)
	}
	if _, err := w.last(ctx, w.subject("kept", plan, "job")); err != nil {
		return nil, err
	}
	return nil, queue.ErrQuiet
}

// Drop implements [queue.Board]. The pieces of what is large go with the plan.
func (w *Work) Drop(ctx context.Context, t queue.Ticket) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	err := w.open(ctx)
	for _, name := range []string{t.ItemName(), t.ResultName()} {
		if err == nil {
			err = w.kept.Purge(ctx, jetstream.WithPurgeSubject(w.subject("kept", name)))
		}
	}
	return w.away(err)
}

// Clear implements [queue.Board].
func (w *Work) Clear(ctx context.Context, plan string) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	err := w.open(ctx)
	if err == nil {
		err = w.tickets.Purge(ctx, jetstream.WithPurgeSubject(w.subject("tickets", plan, ">")))
	}
	if err == nil {
		err = w.kept.Purge(ctx, jetstream.WithPurgeSubject(w.subject("kept", plan, ">")))
	}
	return w.away(err)
}

// RemovePlan removes what one replay, one map, or one command that has trials, put under the name.
func (l *Link) RemovePlan(ctx context.Context, plan string) error {
	js, err := l.jet()
	if err != nil {
		return err
	}
	for _, w := range l.boards() {
		if _, err := js.Stream(ctx, w.keptStream()); errors.Is(err, jetstream.ErrStreamNotFound) {
			continue
		}
		plans, err := w.Plans(ctx)
		if err != nil {
			return err
		}
		if slices.Contains(plans, plan) {
			return w.Clear(ctx, plan)
		}
	}
	return fmt.Errorf("no plan %s stands under %s: flaketap hub status lists those that do", plan, l.address.Name)
}

// removeWork removes all work of the name, and reports whether there was any.
func (l *Link) removeWork(ctx context.Context, js patient) (found bool, err error) {
	streams := []string{l.crewStream()}
	for _, w := range l.boards() {
		streams = append(streams, w.ticketStream(), w.keptStream())
	}
	for _, name := range streams {
		switch err := js.DeleteStream(ctx, name); {
		case err == nil:
			found = true
		case !errors.Is(err, jetstream.ErrStreamNotFound):
			return found, l.explain(err)
		}
	}
	return found, nil
}
