package capture

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/proxy"
	"golang.org/x/term"
)

// statusLine is a terminal whose last line is written anew and anew, below all else that is said there.
type statusLine struct {
	terminal *os.File

	mu   sync.Mutex
	text string // what stands in the line
}

const clearLine = "\r\x1b[K"

// Write writes whole lines above the status line.
func (l *statusLine) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.text == "" {
		return l.terminal.Write(b)
	}
	if _, err := l.terminal.WriteString(clearLine); err != nil {
		return 0, err
	}
	n, err := l.terminal.Write(b)
	if err == nil && bytes.HasSuffix(b, []byte("\n")) {
		_, err = l.terminal.WriteString(l.text)
	}
	return n, err
}

// set puts a text into the line, as far as it fits; "" takes the line away.
func (l *statusLine) set(text string) {
	width, _, err := term.GetSize(int(l.terminal.Fd()))
	if err != nil || width <= 1 {
		width = 80
	}
	text = text[:min(len(text), width-1)] // one less: some terminals wrap when the last column is written to
	l.mu.Lock()
	defer l.mu.Unlock()
	if text == l.text {
		return
	}
	l.text = text
	_, _ = l.terminal.WriteString(clearLine + text) // a terminal that has gone misses nothing
}

// display keeps a status line while a session runs. The nil display shows nothing. It is used by one goroutine.
type display struct {
	line   *statusLine
	text   status
	stats  func() proxy.Stats
	last   func() *lastExchange
	ticker *time.Ticker // while it runs
}

func (d *display) start() {
	if d != nil {
		d.ticker = time.NewTicker(console.TerminalEvery)
	}
}

// tick says when the line is to be written again.
func (d *display) tick() <-chan time.Time {
	if d == nil {
		return nil
	}
	return d.ticker.C
}

func (d *display) show() { d.line.set(d.text.text(time.Now(), d.stats(), d.last())) }

// stop takes the line away.
func (d *display) stop() {
	if d != nil {
		d.ticker.Stop()
		d.line.set("")
	}
}

// status makes the text of the line, in ASCII.
type status struct {
	redactor exchange.Redactor
	counted  int64 // exchanges when the rate was last taken
	at       time.Time
	rate     float64 // exchanges per second
}

// rateEvery is the time that a rate is taken over.
const rateEvery = time.Second

// text says how a recording goes at a time.
func (s *status) text(now time.Time, p proxy.Stats, last *lastExchange) string {
	if spent := now.Sub(s.at); s.at.IsZero() || spent >= rateEvery {
		if !s.at.IsZero() {
			s.rate = float64(p.Exchanges-s.counted) / spent.Seconds()
		}
		s.counted, s.at = p.Exchanges, now
	}
	text := fmt.Sprintf("%s (%.0f/s), %s, %s, %s", console.Count(p.Exchanges, "exchange"), s.rate,
		console.Size(p.Sent+p.Received),
		console.Count(p.Open, "connection"), console.Count(p.Faults, "fault"))
	if p.Pending > 0 {
		text += fmt.Sprintf(", %d in progress", p.Pending)
	}
	if last == nil {
		return text
	}
	outcome := "fault"
	if last.status > 0 {
		outcome = fmt.Sprint(last.status)
	}
	return fmt.Sprintf("%s | %s %s %s", text, printable(last.method, 16), outcome,
		printable(s.redactor.Show("", last.target), 200))
}

// printable returns the beginning of what a client sent as a terminal may be shown it: a fuzzer sends control
// characters.
func printable(s string, most int) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, s[:min(len(s), most)])
}
