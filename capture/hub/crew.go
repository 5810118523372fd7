package hub

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/flaketap/flaketap/replay/queue"
)

// Crew is where the workers of a name say that they are there. The last that each said stands in a stream. It
// implements [queue.Crew].
type Crew struct{ link *Link }

// Crew returns the crew of the link's name.
func (l *Link) Crew() *Crew { return &Crew{l} }

// rememberedTime is how long a worker that was killed is remembered.
const rememberedTime = 24 * time.Hour

func (l *Link) crewStream() string { return "workers-" + l.stream() }

func (c *Crew) subject(id string) string {
	return "flaketap-work." + c.link.address.Name + ".workers." + id
}

// Tell implements [queue.Crew].
func (c *Crew) Tell(ctx context.Context, p queue.Presence) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	js, err := c.link.jet()
	if err != nil {
		return err
	}
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	_, err = js.Publish(ctx, c.subject(p.ID), text)
	if errors.Is(err, jetstream.ErrNoStreamResponse) {
		_, err = made(ctx, js, jetstream.StreamConfig{Name: c.link.crewStream(), Subjects: []string{c.subject("*")},
			Description: "what flaketap's workers are doing", MaxMsgsPerSubject: 1, MaxAge: rememberedTime})
		if err == nil {
			_, err = js.Publish(ctx, c.subject(p.ID), text)
		}
	}
	return c.link.explain(err)
}

// Leave implements [queue.Crew].
func (c *Crew) Leave(ctx context.Context, id string) error {
	js, err := c.link.jet()
	if err != nil {
		return err
	}
	stream, err := js.Stream(ctx, c.link.crewStream())
	if err == nil {
		err = stream.Purge(ctx, jetstream.WithPurgeSubject(c.subject(id)))
	}
	return c.link.explain(err)
}

// Worker is what stands at a hub of a worker.
type Worker struct {
	queue.Presence
	Heard  time.Time `json:"heard"`  // by the hub's clock
	Silent bool      `json:"silent"` // that is long ago, and it did not say that it ends
}

// workers lists the workers of the name, by host. What cannot be read of one is none. now is the time by which silence
// is measured. Its errors are not explained yet.
func (l *Link) workers(ctx context.Context, now time.Time) ([]Worker, error) {
	out := []Worker{}
	stream, err := l.js.Stream(ctx, l.crewStream())
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return out, nil
	}
	if err != nil {
		return out, err
	}
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter(">"))
	if err != nil {
		return out, err
	}
	for subject := range info.State.Subjects {
		m, err := stream.GetLastMsgForSubject(ctx, subject)
		if errors.Is(err, jetstream.ErrMsgNotFound) { // it left
			continue
		}
		if err != nil {
			return out, err
		}
		var one Worker
		if json.Unmarshal(m.Data, &one.Presence) == nil {
			one.Heard, one.Silent = m.Time.UTC(), now.Sub(m.Time) > silent
			out = append(out, one)
		}
	}
	slices.SortFunc(out, func(a, b Worker) int {
		return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.PID, b.PID), cmp.Compare(a.ID, b.ID))
	})
	return out, nil
}

// presence counts the workers that are there, by what they do.
func presence(all []Worker) map[queue.Role]int {
	out := map[queue.Role]int{}
	for _, w := range all {
		if !w.Silent {
			out[w.Role()]++
		}
	}
	return out
}

// Keys implements [queue.Board].
func (w *Work) Keys(ctx context.Context) (keys []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if _, err := w.jet(); err != nil {
		return nil, w.away(err)
	}
	all, err := w.link.workers(ctx, time.Now())
	for _, one := range all {
		if !one.Silent && one.Role() == w.role() {
			keys = append(keys, one.Key)
		}
	}
	return keys, w.away(err)
}

// Present counts the workers of the name that are there, by what they do. now is the time by which silence is measured.
func (c *Crew) Present(ctx context.Context, now time.Time) (map[queue.Role]int, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if _, err := c.link.jet(); err != nil {
		return nil, err
	}
	all, err := c.link.workers(ctx, now)
	return presence(all), c.link.explain(err)
}
