package verify

import (
	"context"
	"errors"

	"github.com/flaketap/flaketap/replay/service"
)

// Beside returns so many commands that may run beside each other: each starts an API of its own, and its suite finds it
// at an address of its own. The API has to be one that is started at a free port, and the suite must have no address
// written in.
func (c *Command) Beside(count int) ([]*Command, error) {
	services, err := c.Service.Apart(count)
	if err != nil {
		return nil, err
	}
	out := make([]*Command, count)
	for i, api := range services {
		one := *c
		one.Service, one.addr = api, ""
		out[i] = &one
	}
	return out, nil
}

// Runners are so many runners like this one, to be used beside each other.
func (c *Command) Runners(count int) ([]Runner, error) {
	if count < 2 {
		return []Runner{c}, nil
	}
	own := *c
	own.Preferred = "" // which is one address
	all, err := own.Beside(count)
	var out []Runner
	for _, one := range all {
		out = append(out, one)
	}
	return out, err
}

// beside does so many jobs, side by side by as many runners as there are, and takes what came of each in their order.
// They begin in that order, too. It ends with the first that fails, once those under way have ended.
func beside[T any](runners []Runner, count int, do func(by Runner, i int) (T, error),
	take func(i int, done T) error) error {
	type ended struct {
		i    int
		by   Runner
		done T
		err  error
	}
	ends, over, free := make(chan ended), map[int]ended{}, append([]Runner(nil), runners...)
	var failed error
	for begun, taken, stopped := 0, 0, false; ; {
		for !stopped && begun < count && len(free) > 0 {
			by, i := free[0], begun
			free, begun = free[1:], begun+1
			go func() {
				done, err := do(by, i)
				ends <- ended{i, by, done, err}
			}()
		}
		if len(free) == len(runners) {
			return failed
		}
		x := <-ends
		over[x.i], free = x, append(free, x.by)
		stopped = stopped || x.err != nil
		for next, there := over[taken]; there && failed == nil; next, there = over[taken] {
			if failed = next.err; failed == nil {
				failed = take(taken, next.done)
			}
			delete(over, taken)
			taken++
		}
		stopped = stopped || failed != nil
	}
}

// execute has a runner do an execution, which is made anew where the API was lost on the way.
func execute(ctx context.Context, by Runner, anew func() Execution) (o Outcome, err error) {
	err = service.Again(func() error {
		if o, err = by.Run(ctx, anew()); ctx.Err() != nil && !errors.Is(err, service.ErrNotLent) {
			return ctx.Err()
		}
		return err
	})
	return o, err
}
