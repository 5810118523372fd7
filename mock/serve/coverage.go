package serve

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// Bounds of what tells the coverage.
const (
	coverTime = 30 * time.Second
	maxCover  = 8 << 20 // bytes
)

// covered runs a command that prints what code has run, one item a line.
func covered(ctx context.Context, command string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, coverTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.WaitDelay = time.Second
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	switch {
	case err != nil:
		return nil, fmt.Errorf("--coverage: %w: %.200s", err, strings.TrimSpace(said.String()))
	case len(out) > maxCover:
		return nil, fmt.Errorf("--coverage: it prints more than %d MiB", maxCover>>20)
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == '\n' || r == '\r' }), nil
}
