package main

import (
	"fmt"
	"time"
)

// progress shows how far a long piece of work has come: one line rewritten in place on a terminal, a plain line every
// few seconds elsewhere. The zero value with a tool shows nothing until there is something to show.
type progress struct {
	tool  *tool
	quiet bool
	what  string
	begun time.Time
	last  time.Time
	wrote bool
}

const (
	terminalEvery = 100 * time.Millisecond
	plainEvery    = 5 * time.Second
)

// update shows done of total; total 0 means that it is not known.
func (p *progress) update(done, total int) {
	now := time.Now()
	if p.begun.IsZero() {
		p.begun, p.last = now, now
	}
	every := plainEvery
	if p.tool.terminal() {
		every = terminalEvery
	}
	if p.quiet || now.Sub(p.last) < every {
		return
	}
	p.last, p.wrote = now, true
	line := p.line(done, total, now.Sub(p.begun))
	if p.tool.terminal() {
		fmt.Fprintf(p.tool.err, "\r%s\x1b[K", line)
		return
	}
	fmt.Fprintln(p.tool.err, line)
}

// line is the text of the progress after a time: count, rate, and the time left where the total is known.
func (p *progress) line(done, total int, spent time.Duration) string {
	rate := float64(done) / max(spent.Seconds(), 1e-9)
	if total <= 0 || rate == 0 {
		return fmt.Sprintf("%s: %d (%.0f/s)", p.what, done, rate)
	}
	left := time.Duration(float64(total-done) / rate * float64(time.Second)).Round(time.Second)
	return fmt.Sprintf("%s: %d of %d (%.0f/s, %s left)", p.what, done, total, rate, left)
}

// clear takes the line off a terminal, so that what follows stands alone.
func (p *progress) clear() {
	if p.wrote && p.tool.terminal() {
		fmt.Fprint(p.tool.err, "\r\x1b[K")
	}
	p.wrote = false
}
