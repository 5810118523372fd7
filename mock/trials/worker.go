package trials

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/flaketap/flaketap/capture/hub"
	"github.com/flaketap/flaketap/mock/search"
	"github.com/flaketap/flaketap/mock/serve"
	"github.com/flaketap/flaketap/replay/queue"
	"github.com/flaketap/flaketap/replay/service"
)

// Worker runs trials of searches elsewhere, one at a time, by an API of its own.
type Worker struct {
	Serve serve.Options

	trials *serve.Trials
	common []byte // what they were opened with
}

// Run has a worker run what stands at a hub, until ctx ends.
func (w *Worker) Run(ctx context.Context, l *hub.Link, by *queue.Worker) (err error) {
	defer func() { err = errors.Join(err, w.Close()) }()
	if err := w.begin(ctx); err != nil {
		return err
	}
	by.Board, by.Role, by.Judge = l.Mocking(), queue.Tries, w.try
	return by.Run(ctx)
}

// begin starts the API, to find out what is in the way.
func (w *Worker) begin(ctx context.Context) error {
	common, err := encodeSetting(&Options{Search: search.Options{Patience: time.Second}})
	if err != nil {
		return err
	}
	return w.open(ctx, common)
}

// open has the API be led as a search has it.
func (w *Worker) open(ctx context.Context, common []byte) (err error) {
	if w.trials == nil || !bytes.Equal(common, w.common) {
		if err := w.Close(); err != nil {
			return err
		}
		o := Options{Serve: w.Serve}
		if err := decodeSetting(common, &o); err != nil {
			return err
		}
		if w.trials, err = o.open(ctx); err != nil {
			return err
		}
		w.common = bytes.Clone(common)
	}
	return w.trials.Ready(ctx)
}

// try runs a trial: it is a queue.Judge.
func (w *Worker) try(
	ctx context.Context, common []byte, number int, content func(int) ([]byte, error),
) ([]byte, error) {
	if err := w.open(ctx, common); err != nil {
		return nil, queue.Unable(err)
	}
	text, err := content(number)
	if err != nil {
		return nil, err
	}
	t, err := decodeTrial(text)
	if err != nil {
		return nil, err
	}
	out, err := w.trials.Try(ctx, t)
	if errors.Is(err, service.ErrReset) { // it may be the fault of the trial before
		if err = w.trials.Anew(); err == nil {
			out, err = w.trials.Try(ctx, t)
		}
		if errors.Is(err, service.ErrReset) {
			err = queue.Unable(err)
		}
	}
	if err != nil {
		return nil, err
	}
	return encodeOutcome(out)
}

// Close ends the API.
func (w *Worker) Close() error {
	if w.trials == nil {
		return nil
	}
	t := w.trials
	w.trials = nil
	return t.Close()
}
