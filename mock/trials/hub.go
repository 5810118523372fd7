package trials

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/flaketap/flaketap/capture/hub"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/mock/search"
	"github.com/flaketap/flaketap/replay/queue"
)

// Hub are the workers of a hub. Close leaves it.
type Hub struct {
	*Ahead
	console *console.Console
	link    *hub.Link
	asking  *queue.Asking
}

// perWorker is how many trials are at a hub for each worker: one that it runs, and one that waits for it.
const perWorker = 2

// most is the most workers that are counted on.
const most = 64

// OpenHub has workers run trials. Workers that play, and lead no API, are refused where no others are there; where none
// is there, one is waited for. Close closes the link, too.
func OpenHub(ctx context.Context, o Options, link *hub.Link, key *queue.Key) (*Hub, error) {
	h := &Hub{console: o.Serve.Console, link: link}
	n, err := h.workers(ctx)
	if err != nil {
		return nil, err
	}
	common, err := encodeSetting(&o)
	if err != nil {
		return nil, err
	}
	h.asking, err = queue.Ask(ctx, link.Mocking(), link.Mocking(), key, strings.ToLower(rand.Text()),
		&queue.Job{Judging: common, Tries: true}, o.Serve.Console)
	if err != nil {
		return nil, err
	}
	h.Ahead = NewAhead(h.run, perWorker*n)
	return h, nil
}

// workers counts those that are there.
func (h *Hub) workers(ctx context.Context) (int, error) {
	there, err := h.link.Crew().Present(ctx, time.Now())
	n := there[queue.Tries]
	switch {
	case err != nil:
		return 0, err
	case n == 0 && len(there) > 0:
		return 0, fmt.Errorf("no worker at that hub answers for the external services of its API: start flaketap worker "+
			"nats://HOST:PORT/NAME %s and the same --token-key", queue.Tries.Start())
	case n > 0:
		h.console.Say("flaketap: %s with --external at that hub", console.Count(n, "worker"))
	}
	return min(max(n, 1), most), nil
}

func (h *Hub) run(ctx context.Context, t search.Trial) (search.Outcome, error) {
	item, err := encodeTrial(t)
	if err != nil {
		return search.Outcome{}, err
	}
	found, err := h.asking.Item(ctx, item)
	if err != nil {
		return search.Outcome{}, err
	}
	return decodeOutcome(found)
}

// partingTime is how long a hub may take to clear what is done.
const partingTime = 10 * time.Second

// Close takes back what was asked of the workers, and leaves the hub.
func (h *Hub) Close() error {
	defer h.link.Close()
	tellVain(h.console, h.Ahead.Close())
	ctx, cancel := context.WithTimeout(context.Background(), partingTime)
	defer cancel()
	if err := h.asking.Close(ctx); !errors.Is(err, queue.ErrAway) { // then it goes by itself
		return err
	}
	return nil
}
