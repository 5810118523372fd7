package service

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/flaketap/flaketap/internal/console"
)

// Reset puts the API back to its known start. One that begins with http:// or https:// is sent a POST with an empty
// body, and has to answer 2xx; redirects are not followed. Anything else is a command for sh -c, and has to exit with
// 0. The empty Reset does nothing.
type Reset string

// ErrReset is wrapped by the error of a reset that failed, or was answered otherwise than with 2xx.
var ErrReset = errors.New("reset")

// resetTimeout bounds a reset for which nothing else is said.
const resetTimeout = 60 * time.Second

// Run executes the reset. It takes 60 s at most; a command that takes longer is killed with its children. The error
// bears the last line of what the command, or the API, had to say.
func (r Reset) Run(ctx context.Context) error { return r.Within(ctx, 0) }

// Within is Run with another time that the reset may take; 0 means 60 s.
func (r Reset) Within(ctx context.Context, timeout time.Duration) error {
	if r == "" {
		return nil
	}
	timeout = cmp.Or(timeout, resetTimeout)
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	do := r.command
	if r.isURL() {
		do = r.post
	}
	err := do(limited)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		return console.Advise(fmt.Errorf("reset %s: not finished after %s", r.shown(), timeout),
			"--reset-timeout gives it more time")
	}
	if err != nil {
		// a command that was ended with all else says only that it was killed
		if ctx.Err() != nil {
			return fmt.Errorf("reset %s: %w", r.shown(), ctx.Err())
		}
		return fmt.Errorf("%w %s: %w", ErrReset, r.shown(), err)
	}
	return nil
}

func (r Reset) isURL() bool {
	return strings.HasPrefix(string(r), "http://") || strings.HasPrefix(string(r), "https://")
}

// shown returns the reset for messages: no password of a URL.
func (r Reset) shown() string {
	if u, err := url.Parse(string(r)); err == nil && r.isURL() {
		return u.Redacted()
	}
	return fmt.Sprintf("%q", string(r))
}

func (r Reset) post(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, string(r), http.NoBody)
	if err != nil {
		return err
	}
	transport := &http.Transport{DisableKeepAlives: true}
	defer transport.CloseIdleConnections()
	client := http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	resp, err := client.Do(req)
	if err != nil {
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err // it would say the URL again
		}
		return err
	}
	defer resp.Body.Close()
	said := lastLine(io.LimitReader(resp.Body, 64<<10))
	if resp.StatusCode/100 != 2 {
		return withOutput(fmt.Errorf("answered %s", resp.Status), said)
	}
	return nil
}

// command runs the reset under sh. Its output goes to a file rather than to a pipe: a reset may leave an API behind
// that still writes to it.
func (r Reset) command(ctx context.Context) error {
	out, err := os.CreateTemp("", "flaketap-reset-*")
	if err != nil {
		return err
	}
	defer os.Remove(out.Name())
	defer out.Close()
	cmd := exec.CommandContext(ctx, "sh", "-c", string(r))
	cmd.Stdout, cmd.Stderr = out, out
	ownGroup(cmd)
	if err := cmd.Run(); err != nil {
		tail := int64(4 << 10)
		if size, serr := out.Seek(0, io.SeekEnd); serr == nil {
			_, _ = out.Seek(max(0, size-tail), io.SeekStart)
		}
		return withOutput(err, lastLine(out))
	}
	return nil
}

// lastLine returns the last line that is not blank, shortened.
func lastLine(r io.Reader) string {
	last := ""
	scan := bufio.NewScanner(r)
	scan.Buffer(nil, 128<<10)
	for scan.Scan() {
		if s := strings.TrimSpace(scan.Text()); s != "" {
			last = s
		}
	}
	return fmt.Sprintf("%.200s", last)
}

func withOutput(err error, said string) error {
	if said == "" {
		return err
	}
	return fmt.Errorf("%w: %s", err, said)
}
