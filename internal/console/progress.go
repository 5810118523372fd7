package console

import (
	"fmt"
	"time"
)

// Progress shows how far a long piece of work has come. It is used by one goroutine.
type Progress struct {
	console *Console
	what    string
	begun   time.Time
	last    time.Time
	wrote   bool
}

// TerminalEvery is how often a line that is rewritten in place on a terminal changes, at most.
const TerminalEvery = 100 * time.Millisecond

// plainEvery is how often a line of progress is written elsewhere, at most.
const plainEvery = 5 * time.Second

// Progress returns the progress of a piece of work, which the text names: "run 1 of 3". It shows nothing before there
// is something to show.
func (c *Console) Progress(what string) *Progress { return &Progress{console: c, what: what} }

// Rename has the piece of work named otherwise from now on: what of it is under way.
func (p *Progress) Rename(what string) { p.what = what }

// Update shows done of total; total 0 means that it is not known.
func (p *Progress) Update(done, total int) {
	now := time.Now()
	if p.begun.IsZero() {
		p.begun, p.last = now, now
	}
	every := plainEvery
	if p.console.Terminal() {
		every = TerminalEvery
	}
	if p.console.quiet() || now.Sub(p.last) < every {
		return
	}
	p.last, p.wrote = now, true
	line := p.line(done, total, now.Sub(p.begun))
	if p.console.Terminal() {
		fmt.Fprintf(p.console.Err, "\r%s\x1b[K", line)
		return
	}
	fmt.Fprintln(p.console.Err, line)
}

// line is the text of the progress after a time: count, rate, and the time left where the total is known.
func (p *Progress) line(done, total int, spent time.Duration) string {
	rate := float64(done) / max(spent.Seconds(), 1e-9)
	digits := 0
	if rate > 0 && rate < 10 {
		digits = 1
	}
	if total <= 0 || rate == 0 {
		return fmt.Sprintf("%s: %d (%.*f/s)", p.what, done, digits, rate)
	}
	left := time.Duration(float64(max(total-done, 0)) / rate * float64(time.Second)).Round(time.Second)
	return fmt.Sprintf("%s: %d of %d (%.*f/s, %s left)", p.what, done, total, digits, rate, left)
}

// Clear takes the line off a terminal, so that what follows stands alone.
func (p *Progress) Clear() {
	if p.wrote && p.console.Terminal() {
		fmt.Fprint(p.console.Err, "\r\x1b[K")
	}
	p.wrote = false
}
