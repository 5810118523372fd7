package parts

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/ahead"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay/queue"
	"github.com/flaketap/flaketap/volatility"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/verdict"
)

const (
	// count is in how many parts a recording is judged, by however many workers: a worker that dies costs one.
	count = 8
	// blockBytes is from which size on a block is put on the board.
	blockBytes = 4 << 20
	// clearTime is how long it may take to take away what is on the board.
	clearTime = 10 * time.Second
)

// Lead has workers judge. It implements analysis.Elsewhere.
type Lead struct {
	Board   queue.Board
	Key     *queue.Key
	Console *console.Console
}

// Judge makes the map of a case, of what workers find about its parts. What cannot be judged in parts it judges itself.
func (l *Lead) Judge(ctx context.Context, c *volatility.Case,
	steps iter.Seq2[exchange.Step, error]) (*mapfile.Map, error) {
	d, err := volatility.NewDivider(c, count)
	if errors.Is(err, volatility.ErrWhole) {
		l.Console.Warn("flaketap: judged here, and not by workers: %v", err)
		return c.Judge(steps)
	}
	if err != nil {
		return nil, err
	}
	begin, err := encodeCase(c)
	if err != nil {
		return nil, fmt.Errorf("write job: %w", err)
	}
	round, err := queue.Begin(ctx, l.Board, l.Key, strings.ToLower(rand.Text()), &queue.Job{Judging: begin}, l.Console)
	if err != nil {
		return nil, err
	}
	m, err := l.judge(ctx, d, round, steps)
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), clearTime)
	defer cancel()
	if gone := round.End(ending); gone != nil && !errors.Is(gone, queue.ErrAway) {
		err = errors.Join(err, gone)
	}
	return m, err
}

// judge divides, waits, and merges.
func (l *Lead) judge(ctx context.Context, d *volatility.Divider, round *queue.Round,
	steps iter.Seq2[exchange.Step, error]) (*mapfile.Map, error) {
	w := &writer{ctx: ctx, round: round}
	for step, err := range ahead.Of(steps, exchange.Step.Size) {
		if err == nil {
			err = d.Take(step, w.add)
		}
		if err != nil {
			return nil, fmt.Errorf("judge recording: %w", err)
		}
	}
	if err := w.end(d.Totals()); err != nil {
		return nil, err
	}
	l.Console.Say("flaketap: waiting for flaketap workers at that hub to judge %s", console.Count(w.offered, "part"))
	var all []*verdict.Operation
	for range w.offered {
		part, result, err := round.Next(ctx, 1)
		if err != nil {
			return nil, err
		}
		if result.Failed != "" {
			return nil, fmt.Errorf("part %d of the map was given up: %s; map without --workers judges it here", part, result.Failed)
		}
		found, err := decodeFound(result.Found)
		if err != nil {
			return nil, fmt.Errorf("part %d of the map: %w", part, err)
		}
		all = append(all, found...)
	}
	return d.Map(all), nil
}

// writer puts parts on the board: their blocks, and then their lists.
type writer struct {
	ctx     context.Context
	round   *queue.Round
	filling [count][]byte
	lists   [count]list
	blocks  int
	offered int
}

// add adds a piece to the block of its part.
func (w *writer) add(part int, p volatility.Piece) error {
	b := &w.filling[part]
	if *b = appendPiece(*b, p); len(*b) < blockBytes {
		return nil
	}
	return w.put(part)
}

func (w *writer) put(part int) error {
	number := count + w.blocks
	w.blocks++
	w.lists[part].Blocks = append(w.lists[part].Blocks, number)
	err := w.round.KeepContent(w.ctx, number, w.filling[part])
	w.filling[part] = w.filling[part][:0]
	return err
}

// end puts what is left, and has the parts judged that have steps.
func (w *writer) end(totals volatility.Totals) error {
	for part := range count {
		if len(w.filling[part]) > 0 {
			if err := w.put(part); err != nil {
				return err
			}
		}
		w.lists[part].Totals = totals
		content, err := encode(w.lists[part])
		if err == nil {
			err = w.round.KeepContent(w.ctx, part, content)
		}
		if err != nil {
			return err
		}
	}
	for part := range count {
		if len(w.lists[part].Blocks) == 0 {
			continue
		}
		if err := w.round.Offer(w.ctx, 1, part); err != nil {
			return err
		}
		w.offered++
	}
	return nil
}
