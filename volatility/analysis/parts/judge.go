package parts

import (
	"context"
	"fmt"

	"github.com/flaketap/flaketap/replay/queue"
	"github.com/flaketap/flaketap/volatility"
)

// Judge judges one part: it is a queue.Judge. It reads one block at a time.
func Judge(ctx context.Context, judging []byte, part int, content func(number int) ([]byte, error)) ([]byte, error) {
	c, err := decodeCase(judging)
	if err != nil {
		return nil, queue.Unable(fmt.Errorf("read job: %w", err))
	}
	listed, err := content(part)
	if err != nil {
		return nil, err
	}
	var own list
	if err := decode(listed, &own); err != nil {
		return nil, fmt.Errorf("read part %d: %w", part, err)
	}
	pieces := func(yield func(volatility.Piece, error) bool) {
		for _, number := range own.Blocks {
			block, err := content(number)
			r := reader{rest: block}
			for err == nil && len(r.rest) > 0 {
				var p volatility.Piece
				if p, err = r.piece(); err == nil {
					err = ctx.Err()
				}
				if err == nil && !yield(p, nil) {
					return
				}
			}
			if err != nil {
				yield(volatility.Piece{}, err)
				return
			}
		}
	}
	found, err := volatility.JudgePart(c, pieces, func() volatility.Totals { return own.Totals })
	if err != nil {
		return nil, err
	}
	return encodeFound(found)
}
