package console

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
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
		{180, 150, time.Minute, "run 1 of 2: 180 of 150 (3.0/s, 0s left)"},
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
		"a\u202eb\u200bc\u0085d": "a?b?c?d", "ünï → 日": "ünï → 日", "\xff": "\ufffd",
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

// TestProgressElsewhere: where there is no terminal, a line is written every few seconds at most, and nothing takes it away.
func TestProgressElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := (&Console{Err: &out}).Progress("run 1 of 2")
		for done := range 12 { // one a second, the first at once
			p.Update(done, 100)
			time.Sleep(time.Second)
		}
		p.Clear()
		if got, want := out.String(), "run 1 of 2: 5 of 100 (1.0/s, 1m35s left)\nrun 1 of 2: 10 of 100 (1.0/s, 1m30s left)\n"; got != want {
			t.Errorf("it shows %q, want %q", got, want)
		}
	})
}

// A warning is read even where the user asked for quiet, unless there is nowhere to write it.
func TestWarn(t *testing.T) {
	var out bytes.Buffer
	for _, c := range []*Console{nil, {}, {Err: &out, Quiet: true}} {
		c.Warn("%d left out", 3)
	}
	if got := out.String(); got != "3 left out\n" {
		t.Errorf("it warns %q", got)
	}
	for _, c := range []*Console{nil, {Err: &out}} {
		if c.Terminal() {
			t.Error("a terminal is seen where none is")
		}
	}
}

// Of many things the first are named, and the rest counted.
func TestWarnOfEach(t *testing.T) {
	for n, want := range map[int]string{0: "", 20: "", 23: "flaketap: left out: 3 more\n"} {
		var out bytes.Buffer
		all := make([]string, n)
		for i := range all {
			all[i] = fmt.Sprintf("a\nb %d", i)
			if i < 20 {
				want = strings.Replace(want, "flaketap: left out: 3", fmt.Sprintf("flaketap: left out: a; b %d\nflaketap: left out: 3", i), 1)
			}
		}
		(&Console{Err: &out, Quiet: true}).WarnOfEach("left out", all)
		if got := out.String(); strings.Count(got, "\n") != min(n, 20)+min(1, max(0, n-20)) || want != "" && got != want {
			t.Errorf("of %d it says\n%s\nwant\n%s", n, got, want)
		}
	}
}

func TestAbout(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "less than a second", 999 * time.Millisecond: "less than a second", 1499 * time.Millisecond: "about 1s",
		200 * time.Second: "about 3m20s", 10*time.Minute + 29*time.Second: "about 10m0s", 90*time.Minute + 40*time.Second: "about 1h31m0s",
	} {
		if got := About(d); got != want {
			t.Errorf("About(%v) is %q, want %q", d, got, want)
		}
	}
}

func TestSuggest(t *testing.T) {
	known := []string{"record", "replay", "report", "map"}
	for word, near := range map[string]string{"recrod": "record", "replai": "replay", "reprot": "report", "mpa": "map", "mp": "map", "m": "",
		"": "", "verify": "", "ecord": "record", "rxpxrt": "report", "records": "record"} {
		got := Suggest(word, known, "nothing near")
		if near == "" && got != "nothing near" || near != "" && !strings.Contains(got, strconv.Quote(near)) {
			t.Errorf("for %q: %s, want %q", word, got, near)
		}
	}
	long := strings.Repeat("record", 1<<10) // of whatever length the word is, it takes no time
	if got := Suggest(long, []string{long + "s"}, "nothing near"); got != "nothing near" {
		t.Errorf("%.80s is suggested", got)
	}
}

func TestExitStatus(t *testing.T) {
	var status ExitStatus
	if err := fmt.Errorf("run: %w", ExitStatus(7)); !errors.As(err, &status) || status != 7 || err.Error() != "run: exit status 7" {
		t.Errorf("%v has the status %d", err, status)
	}
}
