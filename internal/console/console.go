package console

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/term"
)

// Console is where a command talks to a person. A nil *Console, and one whose Err is nil, say nothing.
type Console struct {
	Err   io.Writer // for talk and progress; a terminal is recognized where it is an *os.File
	Quiet bool      // no talk and no progress
}

// Say writes a line of talk, in the manner of fmt.Printf; the line feed is added.
func (c *Console) Say(format string, args ...any) {
	if !c.quiet() {
		fmt.Fprintf(c.Err, format+"\n", args...)
	}
}

// Warn writes a line that is to be read even where the user asked for quiet, in the manner of [Console.Say].
func (c *Console) Warn(format string, args ...any) {
	if c != nil && c.Err != nil {
		fmt.Fprintf(c.Err, format+"\n", args...)
	}
}

// maxWarned bounds the lines of [Console.WarnOfEach].
const maxWarned = 20

// WarnOfEach warns of several things that one word is said of, a line each, and of many of how many more there are.
func (c *Console) WarnOfEach(what string, all []string) {
	for _, one := range all[:min(maxWarned, len(all))] {
		c.Warn("flaketap: %s: %s", what, OneLine(one))
	}
	if more := len(all) - maxWarned; more > 0 {
		c.Warn("flaketap: %s: %d more", what, more)
	}
}

// Terminal reports whether talk goes to a terminal, where a line may be rewritten in place.
func (c *Console) Terminal() bool {
	if c == nil {
		return false
	}
	f, ok := c.Err.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func (c *Console) quiet() bool { return c == nil || c.Err == nil || c.Quiet }

// Count says a number of things: "1 run", "2 runs". The noun is one that takes an s.
func Count[N int | int64 | uint64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// About says a time as far as an estimate goes: "about 3m20s".
func About(d time.Duration) string {
	switch {
	case d < time.Second:
		return "less than a second"
	case d < 10*time.Minute:
		return "about " + d.Round(time.Second).String()
	}
	return "about " + d.Round(time.Minute).String()
}

// Size says a number of bytes as people read it, in decimal units: "532 B", "1.2 MB".
func Size(n int64) string {
	value, units := float64(n), []string{"B", "kB", "MB", "GB", "TB"}
	for value >= 1000 && len(units) > 1 {
		value, units = value/1000, units[1:]
	}
	if units[0] == "B" {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", value, units[0])
}

// OneLine joins the lines of a text that programs wrote with "; ", and replaces with "?" what would steer a terminal:
// control characters, and those that nobody sees, as they turn the direction of the text or end its line.
func OneLine(text string) string {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	for i, l := range lines {
		lines[i] = strings.TrimSpace(l)
	}
	lines = slices.DeleteFunc(lines, func(l string) bool { return l == "" })
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			return '?'
		}
		return r
	}, strings.Join(lines, "; "))
}
