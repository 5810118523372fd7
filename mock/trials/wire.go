package trials

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock/grpc"
	"github.com/flaketap/flaketap/mock/search"
	"github.com/flaketap/flaketap/store"
)

// format is the version of what this file writes. What a later one says besides is passed over.
const format = 1

// setting is what the trials of a search have in common.
type setting struct {
	Format   int               `json:"format"`
	Patience time.Duration     `json:"patience"`
	Hooks    bool              `json:"hooks,omitempty"`
	GRPC     map[string][]byte `json:"grpc,omitempty"` // descriptor sets, by service
}

// encodeSetting writes what trials have in common.
func encodeSetting(o *Options) ([]byte, error) {
	s := setting{Format: format, Patience: o.Search.Patience, Hooks: o.Hooks, GRPC: map[string][]byte{}}
	for name, d := range o.Serve.GRPC {
		set, err := d.Set()
		if err != nil {
			return nil, fmt.Errorf("write the description of %s: %w", name, err)
		}
		s.GRPC[name] = set
	}
	return json.Marshal(s)
}

// decodeSetting reads it into options.
func decodeSetting(text []byte, o *Options) error {
	var s setting
	if err := json.Unmarshal(text, &s); err != nil {
		return fmt.Errorf("read what trials have in common: %w", err)
	}
	if s.Format > format {
		return fmt.Errorf("the search speaks format %d of trials, this flaketap %d: update this one", s.Format, format)
	}
	if s.Patience <= 0 {
		return errors.New("read what trials have in common: there is no bound of answers")
	}
	o.Search.Patience, o.Hooks, o.Serve.GRPC = s.Patience, s.Hooks, grpc.Services{}
	for name, set := range s.GRPC {
		d, err := grpc.ParseSet(set)
		if err != nil {
			return fmt.Errorf("read the description of %s: %w", name, err)
		}
		o.Serve.GRPC[name] = d
	}
	return nil
}

// sent is a trial as it goes to a worker.
type sent struct {
	Trial   search.Trial `json:"trial"`
	Watched bool         `json:"watched,omitempty"`
}

func encodeTrial(t search.Trial) ([]byte, error) {
	text, err := json.Marshal(sent{t, t.Watched})
	if err != nil {
		return nil, fmt.Errorf("write trial: %w", err)
	}
	return text, nil
}

func decodeTrial(text []byte) (search.Trial, error) {
	var s sent
	if err := json.Unmarshal(text, &s); err != nil {
		return search.Trial{}, fmt.Errorf("read trial: %w", err)
	}
	s.Trial.Watched = s.Watched
	return s.Trial, nil
}

// came is what comes back of one.
type came struct {
	Outcome search.Outcome `json:"outcome"`
	Record  [][]byte       `json:"record"`
}

func encodeOutcome(out search.Outcome) ([]byte, error) {
	c := came{Outcome: out}
	for _, e := range out.Record {
		c.Record = append(c.Record, store.AppendExchange(nil, e))
	}
	return json.Marshal(c)
}

func decodeOutcome(text []byte) (search.Outcome, error) {
	var c came
	if err := json.Unmarshal(text, &c); err != nil {
		return search.Outcome{}, fmt.Errorf("read outcome: %w", err)
	}
	for _, record := range c.Record {
		e, err := store.DecodeExchange(record)
		if err == nil && divided(e) {
			err = errors.New("a body is not there as a whole")
		}
		if err != nil {
			return search.Outcome{}, fmt.Errorf("read the record of a trial: %w", err)
		}
		c.Outcome.Record = append(c.Outcome.Record, e)
	}
	return c.Outcome, nil
}

// divided reports whether a body stands in pieces elsewhere.
func divided(e *exchange.Exchange) bool {
	return len(e.Request.Parts) > 0 || e.Response != nil && len(e.Response.Parts) > 0
}
