package coverage

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

// Source tells what code has run.
type Source interface {
	// Covered are items of the code, any texts. A running API is asked, between two requests.
	Covered(ctx context.Context) ([]string, error)
}

// sources are what a text may name by its beginning; any other is a command.
var sources = []struct {
	prefix string
	open   func(rest string) (Source, error)
}{
	{"jacoco:", openJaCoCo},
	{"unix:", openSocket},
}

// Open is the source that a text names: jacoco:HOST:PORT, unix:PATH, or a command.
func Open(text string) (Source, error) {
	for _, s := range sources {
		if rest, is := strings.CutPrefix(text, s.prefix); is {
			return s.open(rest)
		}
	}
	return command(text), nil
}

// Bounds of what tells the coverage.
const (
	within   = 30 * time.Second
	maxBytes = 64 << 20
)

// errTooMuch is that of what says more than maxBytes.
var errTooMuch = fmt.Errorf("it says more than %d MiB", maxBytes>>20)

// bounded reads what r has, up to maxBytes.
type bounded struct {
	r    io.Reader
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if b.left -= n; b.left < 0 {
		return 0, errTooMuch
	}
	return n, err
}

// lines are the items of a text, one a line, each once.
func lines(r io.Reader) (out []string, err error) {
	s := bufio.NewScanner(&bounded{r, maxBytes})
	s.Buffer(nil, 1<<20)
	seen := map[string]bool{}
	for s.Scan() {
		if line := strings.TrimSpace(s.Text()); line != "" && !seen[line] {
			seen[line] = true
			out = append(out, line)
		}
	}
	return out, s.Err()
}

// dial connects to what tells the coverage, for as long as it may take in all.
func dial(ctx context.Context, network, addr string) (net.Conn, error) {
	c, err := (&net.Dialer{Timeout: within}).DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	if err := c.SetDeadline(time.Now().Add(within)); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}
