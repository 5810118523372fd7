package hub

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/flaketap/flaketap/capture/ship"
)

// Status is what stands at a hub.
type Status struct {
	Server   string       `json:"server"`
	Bytes    uint64       `json:"bytes"` // on its disk
	Most     int64        `json:"most"`  // that it may take there; -1: not bounded
	Names    []Name       `json:"names"`
	Work     []WorkStatus `json:"work"`     // of workers, by name
	Findings []string     `json:"findings"` // what is stuck, and what to do
}

// Name is what recorders sent under one name.
type Name struct {
	Name      string     `json:"name"`
	Secrets   string     `json:"secrets"`
	Bytes     uint64     `json:"bytes"`
	Replicas  int        `json:"replicas"`
	Recorders []Recorder `json:"recorders"`
}

// Recorder is one of them.
type Recorder struct {
	ID      string    `json:"id"`
	Machine string    `json:"machine"`
	Label   string    `json:"label,omitempty"`
	File    string    `json:"file"`
	Version string    `json:"version,omitempty"` // of its flaketap
	Shipped uint64    `json:"shipped"`           // exchanges that are here
	Lag     uint64    `json:"lag"`               // exchanges that it had besides, when it said so last
	Heard   time.Time `json:"heard,omitzero"`
	Done    bool      `json:"done"` // it ended, and sent all
	Trouble string    `json:"trouble,omitempty"`
}

// silent is how long a recorder that has not ended may say nothing before something is wrong with it.
const silent = 30 * time.Second

// fullShare is which part of a hub's room is taken when it is time to do something about it.
const fullShare = 0.9

// Status asks a hub what stands there. now is the time by which silence is measured.
func (l *Link) Status(ctx context.Context, now time.Time) (Status, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	js, err := l.jet()
	if err != nil {
		return Status{}, err
	}
	account, err := js.AccountInfo(ctx)
	if err != nil {
		return Status{}, l.explain(err)
	}
	s := Status{Server: l.address.Server, Bytes: account.Store, Most: account.Limits.MaxStore, Names: []Name{},
		Work: []WorkStatus{}, Findings: []string{}}
	streams, err := listed(ctx, js, func(ctx context.Context) lister[*jetstream.StreamInfo] { return js.ListStreams(ctx) })
	if err != nil {
		return s, l.explain(err)
	}
	for _, info := range streams {
		kind, name, ours := strings.Cut(info.Config.Name, prefix)
		if !ours || l.address.Name != "" && l.address.Name != name {
			continue
		}
		one := &Link{address: Address{Server: l.address.Server, Name: name}, conn: js.Conn(), js: js}
		if kind == "" {
			n, err := one.name(ctx, info)
			if err != nil {
				return s, err
			}
			s.Names = append(s.Names, n)
		}
		for _, w := range one.boards() {
			if kind != keptPrefix+w.kind {
				continue
			}
			if err := s.addWork(ctx, w, now); err != nil {
				return s, err
			}
		}
	}
	slices.SortFunc(s.Names, func(a, b Name) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(s.Work, func(a, b WorkStatus) int { return cmp.Compare(a.Name, b.Name) })
	s.find(now)
	for _, w := range s.Work {
		s.Findings = append(s.Findings, w.find(now)...)
	}
	return s, nil
}

// name reads what stands under one name.
func (l *Link) name(ctx context.Context, info *jetstream.StreamInfo) (Name, error) {
	n := Name{Name: l.address.Name, Bytes: info.State.Bytes, Replicas: info.Config.Replicas, Recorders: []Recorder{}}
	bucket, err := l.js.KeyValue(ctx, l.stream())
	if err != nil {
		return n, l.explain(err)
	}
	terms, err := l.terms(ctx, bucket)
	if err != nil {
		return n, err
	}
	n.Secrets = terms.Secrets
	stream, err := l.open(ctx)
	if err != nil {
		return n, err
	}
	marks, err := l.marks(ctx, stream)
	if err != nil {
		return n, err
	}
	keys, err := bucket.Keys(ctx)
	if err != nil && !errors.Is(err, jetstream.ErrNoKeysFound) {
		return n, l.explain(err)
	}
	for _, key := range keys {
		if id, ok := strings.CutPrefix(key, keyRecorder); ok && marks[id] == (ship.Mark{}) {
			marks[id] = ship.Mark{} // it has reported, and sent nothing yet
		}
	}
	for id, mark := range marks {
		n.Recorders = append(n.Recorders, l.recorder(ctx, bucket, id, mark))
	}
	slices.SortFunc(n.Recorders, func(a, b Recorder) int {
		return cmp.Or(cmp.Compare(a.Machine, b.Machine), cmp.Compare(a.ID, b.ID))
	})
	return n, nil
}

// recorder puts together what a recorder sent and what it reported. A report that cannot be read is none.
func (l *Link) recorder(ctx context.Context, bucket jetstream.KeyValue, id string, mark ship.Mark) Recorder {
	var r ship.Report
	if entry, err := bucket.Get(ctx, keyRecorder+id); err == nil && json.Unmarshal(entry.Value(), &r) == nil {
		r.At = entry.Created() // by the hub's clock: that of another machine may be wrong
	}
	out := Recorder{ID: id, Machine: r.Machine, Label: r.Label, File: r.File, Version: cmp.Or(r.Version, mark.Version),
		Shipped: mark.Through, Heard: r.At.UTC(), Trouble: r.Trouble}
	if mark.Damaged {
		out.Trouble = "what the hub has of it is damaged: send its file under another NAME"
	}
	if r.Recorded > max(mark.Through, r.Shipped) {
		out.Lag = r.Recorded - max(mark.Through, r.Shipped)
	}
	out.Done = r.Done && out.Lag == 0
	return out
}

// find says what is stuck, and what to do.
func (s *Status) find(now time.Time) {
	if s.Most > 0 && float64(s.Bytes) > fullShare*float64(s.Most) {
		s.Findings = append(s.Findings, fmt.Sprintf("%d of the %d bytes that the hub may take are taken: collect what is "+
			"there, and then remove names that are done (flaketap hub remove), or give it a larger disk", s.Bytes, s.Most))
	}
	for _, n := range s.Names {
		for _, r := range n.Recorders {
			who := fmt.Sprintf("%s: recorder %s (%s on %s)", n.Name, printable(r.ID), printable(r.File), printable(r.Machine))
			switch age := now.Sub(r.Heard); {
			case r.Trouble != "":
				s.Findings = append(s.Findings, who+" says: "+printable(r.Trouble))
			case r.Heard.IsZero():
				s.Findings = append(s.Findings, fmt.Sprintf("%s: recorder %s sent something and never said how it is doing: "+
					"it may have more in its file; flaketap ship sends that", n.Name, printable(r.ID)))
			case !r.Done && r.Lag > 0 && age > silent:
				s.Findings = append(s.Findings, fmt.Sprintf("%s was last heard %s ago and has %d exchanges that are not here: "+
					"if it is gone, send its file with flaketap ship", who, age.Round(time.Second), r.Lag))
			case !r.Done && age > silent:
				s.Findings = append(s.Findings, fmt.Sprintf("%s was last heard %s ago and did not say that it ended: "+
					"it may have more in its file; flaketap ship sends that", who, age.Round(time.Second)))
			}
		}
	}
}

// Remove removes all that stands under a name.
func (l *Link) Remove(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	js, err := l.jet()
	if err != nil {
		return err
	}
	work, err := l.removeWork(ctx, js)
	if err != nil {
		return err
	}
	if err := js.DeleteStream(ctx, l.stream()); errors.Is(err, jetstream.ErrStreamNotFound) && work {
		return nil
	} else if errors.Is(err, jetstream.ErrStreamNotFound) {
		return fmt.Errorf("nothing stands under %s", l.address.Name)
	} else if err != nil {
		return l.explain(err)
	}
	if err := js.DeleteKeyValue(ctx, l.stream()); err != nil && !errors.Is(err, jetstream.ErrBucketNotFound) {
		return l.explain(err)
	}
	return nil
}
