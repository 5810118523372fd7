package console_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/console"
)

func TestDialog(t *testing.T) {
	even := func(s string) error {
		if len(s)%2 != 0 {
			return errors.New("an even number of letters\x1b")
		}
		return nil
	}
	for typed, want := range map[string]string{
		"word\n": "word", " word \r\n": "word", "\n": "usual!", "odd\nword\n": "word", "word": "word",
	} {
		var out bytes.Buffer
		got, err := console.NewDialog(strings.NewReader(typed), &out).Line(t.Context(), "which", "usual!", even)
		if err != nil || got != want || !strings.HasPrefix(out.String(), "which [usual!]: ") || strings.Contains(out.String(), "\x1b") {
			t.Errorf("%q: %q, %v, %q", typed, got, err, out.String())
		}
	}
	for typed, want := range map[string]bool{"y\n": true, "YES\n": true, "n\n": false, "\n": false, "what\ny\n": true} {
		got, err := console.NewDialog(strings.NewReader(typed), io.Discard).Yes(t.Context(), "sure?")
		if err != nil || got != want {
			t.Errorf("%q: %v, %v", typed, got, err)
		}
	}
}

// A dialog ends with its input, with an answer that is never right, with a line without end, and with an interrupt.
func TestDialogEnds(t *testing.T) {
	never := func(string) error { return errors.New("no") }
	for typed, says := range map[string]string{"": "the input ended", "a\n": "the input ended",
		strings.Repeat("a\n", 100): "after 10 tries", strings.Repeat("a", 1<<20): "too long"} {
		_, err := console.NewDialog(strings.NewReader(typed), io.Discard).Line(t.Context(), "which", "", never)
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%.10q: %v", typed, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, w := io.Pipe()
	defer w.Close()
	if _, err := console.NewDialog(r, io.Discard).Line(ctx, "which", "", nil); err == nil || err.Error() != "interrupted" {
		t.Errorf("%v", err)
	}
}
