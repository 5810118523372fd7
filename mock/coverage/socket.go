package coverage

import (
	"context"
	"errors"
	"fmt"
)

// socket is a Unix socket at which something listens that gives whoever connects the items, one a line, and closes.
type socket string

func openSocket(path string) (Source, error) {
	if path == "" {
		return nil, errors.New("unix: needs the path of a socket, as unix:/tmp/covered")
	}
	return socket(path), nil
}

func (s socket) Covered(ctx context.Context) (items []string, err error) {
	c, err := dial(ctx, "unix", string(s))
	if err != nil {
		return nil, fmt.Errorf("ask for the coverage: %w", err)
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	if items, err = lines(c); err != nil {
		return nil, fmt.Errorf("read the coverage of %s: %w", s, err)
	}
	return items, nil
}
