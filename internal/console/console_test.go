package console

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"time"
)

func TestProgressLine(t *testing.T) {
	p := Progress{what: "run 1 of 2"}
	for _, test := range []struct {
		done, total int
		spent       time.Duration
		want        string
	}{
		{50, 200, time.Second, "run 1 of 2: 50 of 200 (50/s, 3s left)"},
		{50, 0, 2 * time.Second, "run 1 of 2: 50 (25/s)"},
		{0, 200, time.Second, "run 1 of 2: 0 (0/s)"},
	} {
		if got := p.line(test.done, test.total, test.spent); got != test.want {
			t.Errorf("line(%d, %d, %v) = %q, want %q", test.done, test.total, test.spent, got, test.want)
		}
	}
}

func TestQuietSaysNothing(t *testing.T) {
	var out bytes.Buffer
	for _, c := range []*Console{nil, {}, {Err: &out, Quiet: true}} {
		c.Say("said")
		c.Progress("work").Update(1, 2)
	}
	if out.Len() > 0 {
		t.Errorf("a quiet console wrote %q", out.String())
	}
	(&Console{Err: &out}).Say("%d runs", 2)
	if got := out.String(); got != "2 runs\n" {
		t.Errorf("Say wrote %q", got)
	}
}

func TestErrorsAreToldApartWhenWrapped(t *testing.T) {
	cause := errors.New("cause")
	err := fmt.Errorf("open: %w", Usage(Advise(cause, "do this")))
	if !IsUsage(err) || Advice(err) != "do this" || !errors.Is(err, cause) {
		t.Errorf("of %v: usage %t, advice %q, is cause %t", err, IsUsage(err), Advice(err), errors.Is(err, cause))
	}
	if IsUsage(cause) || Advice(cause) != "" {
		t.Error("a plain error is taken for a mistake in the command line, or for one with advice")
	}
	if err.Error() != "open: cause" {
		t.Errorf("the text of the error is %q", err)
	}
}

func TestOneLine(t *testing.T) {
	for text, want := range map[string]string{
		"one": "one", "": "", "first\r\n  second\n\nthird\n": "first; second; third", "a\x1b[2Jb\tc": "a?[2Jb?c",
	} {
		if got := OneLine(text); got != want {
			t.Errorf("OneLine(%q) is %q, want %q", text, got, want)
		}
	}
}

func TestCountAndSize(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{Count(1, "run"), "1 run"}, {Count(0, "run"), "0 runs"}, {Size(532), "532 B"}, {Size(1_250_000), "1.2 MB"},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}
