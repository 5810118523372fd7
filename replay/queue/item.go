package queue

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/store"
)

// Format is the version of what passes a board.
const Format = 1

// Job is what all items of a plan have in common.
type Job struct {
	Lends       bool             `json:"lends,omitempty"` // a ticket has no item: it asks for the worker's API
	Recorded    string           `json:"recorded"`        // see replay.Player, as what follows
	Recorders   []string         `json:"recorders,omitempty"`
	Restarts    []int            `json:"restarts,omitempty"` // the passes
	Credentials flow.Credentials `json:"credentials,omitempty"`
	Lapsed      []string         `json:"lapsed,omitempty"`
	Pace        string           `json:"pace"`
	Timeout     time.Duration    `json:"timeout"`
	Settle      time.Duration    `json:"settle"`
	SettleAll   bool             `json:"settleAll,omitempty"` // in every run, and not in the first alone

	// Judging is what a judgement, or the trials of a search (Tries), begin with, where that is what workers are to do;
	// see [Judge]. nil of a replay.
	Judging []byte `json:"judging,omitempty"`
	Tries   bool   `json:"tries,omitempty"`
}

func (j *Job) role() Role {
	switch {
	case j.Tries:
		return Tries
	case j.Judging != nil:
		return Judges
	}
	return Plays
}

// envelope is a job as it is kept: what a worker with another key, or of another version, can read of it.
type envelope struct {
	Format int    `json:"format"`
	Key    string `json:"key"`
	Job    []byte `json:"job"` // sealed
}

// Item is exchanges to be played in order, from a known start, and the values that go from one to another.
type Item struct {
	List     []*exchange.Exchange
	Bindings []exchange.Binding
}

// Result is what came of a ticket. A result that says why it Failed has nothing else.
type Result struct {
	Machine      exchange.Machine
	Attempt      int
	Observations []*exchange.Observation
	Unresolved   []string // see replay.Summary
	Found        []byte   // what was judged
	Failed       string
}

// encode returns an item as it is sealed.
func (i *Item) encode() ([]byte, error) {
	return encoded(i.Bindings, func(yield func([]byte) bool) {
		for _, e := range i.List {
			if !yield(store.AppendExchange(nil, e)) {
				return
			}
		}
	})
}

func decodeItem(content []byte) (*Item, error) {
	i := &Item{}
	err := decoded(content, &i.Bindings, func(record []byte) error {
		e, err := store.DecodeExchange(record)
		if err != nil {
			return err
		}
		if len(e.Request.Parts) > 0 || e.Response != nil && len(e.Response.Parts) > 0 {
			return errDivided
		}
		i.List = append(i.List, e)
		return nil
	})
	if err == nil && len(i.List) == 0 {
		err = errors.New("it is empty")
	}
	if err != nil {
		return nil, fmt.Errorf("read item: %w", err)
	}
	return i, nil
}

// about is what stands before the observations of a result.
type about struct {
	Machine    exchange.Machine `json:"machine"`
	Attempt    int              `json:"attempt"`
	Unresolved []string         `json:"unresolved,omitempty"`
	Failed     string           `json:"failed,omitempty"`
	Found      []byte           `json:"found,omitempty"`
}

// encode returns a result as it is sealed.
func (r *Result) encode() ([]byte, error) {
	return encoded(about{r.Machine, r.Attempt, r.Unresolved, r.Failed, r.Found}, func(yield func([]byte) bool) {
		for _, o := range r.Observations {
			if !yield(store.AppendObservation(nil, o)) {
				return
			}
		}
	})
}

func decodeResult(content []byte) (*Result, error) {
	var a about
	r := &Result{}
	err := decoded(content, &a, func(record []byte) error {
		o, err := store.DecodeObservation(record, 0)
		if err != nil {
			return err
		}
		if len(o.Sent.Parts) > 0 || o.Response != nil && len(o.Response.Parts) > 0 {
			return errDivided
		}
		r.Observations = append(r.Observations, o)
		return nil
	})
	if err == nil && a.Failed != "" && len(r.Observations) > 0 {
		err = errors.New("it failed, and has observations")
	}
	if err != nil {
		return nil, fmt.Errorf("read result: %w", err)
	}
	r.Machine, r.Attempt, r.Unresolved, r.Failed, r.Found = a.Machine, a.Attempt, a.Unresolved, a.Failed, a.Found
	return r, nil
}

var (
	errCut     = errors.New("it ends early")
	errDivided = errors.New("a body is not there as a whole")
)

// encoded puts JSON and records together, each with its length before it.
func encoded(head any, records iter.Seq[[]byte]) ([]byte, error) {
	text, err := json.Marshal(head)
	if err != nil {
		return nil, err
	}
	out := append(binary.AppendUvarint(nil, uint64(len(text))), text...)
	for record := range records {
		out = append(binary.AppendUvarint(out, uint64(len(record))), record...)
		if len(out) > contentMost {
			return nil, fmt.Errorf("more than %d bytes", contentMost)
		}
	}
	return out, nil
}

// decoded takes apart what encoded put together.
func decoded(content []byte, head any, take func(record []byte) error) error {
	text, rest, err := cut(content)
	if err == nil {
		err = json.Unmarshal(text, head)
	}
	for err == nil && len(rest) > 0 {
		var record []byte
		if record, rest, err = cut(rest); err == nil {
			err = take(record)
		}
	}
	return err
}

func cut(content []byte) (part, rest []byte, err error) {
	n, size := binary.Uvarint(content)
	if size <= 0 || n > uint64(len(content)-size) {
		return nil, nil, errCut
	}
	end := size + int(n)
	return content[size:end:end], content[end:], nil
}
