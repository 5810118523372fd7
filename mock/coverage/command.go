package coverage

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// command is one that prints items, one a line.
type command string

func (c command) Covered(ctx context.Context) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", string(c))
	cmd.WaitDelay = time.Second
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		if text := strings.TrimSpace(said.String()); text != "" {
			err = fmt.Errorf("%w: %.200s", err, text)
		}
		return nil, fmt.Errorf("run the command of the coverage: %w", err)
	}
	items, err := lines(bytes.NewReader(out))
	if err != nil {
		return nil, fmt.Errorf("read what the command of the coverage prints: %w", err)
	}
	return items, nil
}
