package service

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// maxLog is how much of a log goes to its file from the beginning, in bytes. After a mark follows the end of it.
	maxLog = 32 << 20
	// maxTail is how much of the end of a log is known, in bytes.
	maxTail = 64 << 10
	// settleTime is how long the last words of an API may be on their way.
	settleTime = 100 * time.Millisecond
)

// serviceLog takes what an API writes to its stdout and stderr. It may be used by several goroutines.
type serviceLog struct {
	r      *os.File
	file   *os.File                 // nil where there is none
	redact func(text string) string // what the file gets of whole lines; nil leaves them as they are
	heard  heard                    // of the goroutine that reads
	done   chan struct{}

	mu     sync.Mutex
	part   []byte        // where there is redact: a line that is not whole yet
	total  int64         // bytes read
	tail   []byte        // the last of them
	grown  chan struct{} // closed when there is more
	err    error         // of writing the file
	closed bool
}

// openServiceLog reads r into a file, if path names one, until close. The folder of the file is made where there is
// none. The file gets what redact makes of the lines, if there is a redact, and tell each as it is, if there is a tell.
func openServiceLog(path string, redact func(string) string, tell func(string), r *os.File) (*serviceLog, error) {
	l := &serviceLog{r: r, redact: redact, heard: heard{tell: tell}, done: make(chan struct{}), grown: make(chan struct{})}
	if path != "" {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, fmt.Errorf("make the API's log: %w", err)
		}
		f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
		if err != nil {
			return nil, fmt.Errorf("make the API's log: %w", err)
		}
		l.file = f
	}
	go l.read()
	return l, nil
}

// emptyLog is the log of an API that logs elsewhere.
func emptyLog() *serviceLog {
	l := &serviceLog{done: make(chan struct{}), grown: make(chan struct{}), closed: true}
	close(l.done)
	return l
}

func (l *serviceLog) read() {
	defer close(l.done)
	defer l.heard.end()
	buf := make([]byte, 32<<10)
	for {
		n, err := l.r.Read(buf)
		if n > 0 {
			l.take(buf[:n])
			l.heard.take(buf[:n])
		}
		if err != nil {
			return
		}
	}
}

func (l *serviceLog) take(p []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if room := maxLog - l.total; room > 0 && l.file != nil {
		l.write(p[:min(int64(len(p)), room)])
	}
	l.total += int64(len(p))
	l.tail = append(l.tail, p...)
	if over := len(l.tail) - maxTail; over > maxTail { // now and then, not each time
		l.tail = append(l.tail[:0], l.tail[over:]...)
	}
	close(l.grown)
	l.grown = make(chan struct{})
}

// write adds to the file. What is redacted waits until its line is whole, or too long; flush writes the last.
func (l *serviceLog) write(p []byte) {
	if l.redact == nil {
		l.put(p)
		return
	}
	l.part = append(l.part, p...)
	whole := bytes.LastIndexByte(l.part, '\n') + 1
	if whole == 0 && len(l.part) >= maxTail {
		whole = len(l.part)
	}
	l.put([]byte(l.redact(string(l.part[:whole]))))
	l.part = append(l.part[:0], l.part[whole:]...)
}

// flush writes what waits.
func (l *serviceLog) flush() {
	if len(l.part) > 0 {
		l.put([]byte(l.redact(string(l.part))))
		l.part = l.part[:0]
	}
}

// put adds to the file as it is.
func (l *serviceLog) put(p []byte) {
	if len(p) > 0 && l.err == nil {
		_, l.err = l.file.Write(p)
	}
}

func (l *serviceLog) size() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.total
}

// since returns what came after the first n bytes, or the end of that.
func (l *serviceLog) since(n int64) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	from := max(n-(l.total-int64(len(l.tail))), int64(len(l.tail)-maxTail), 0)
	return string(l.tail[min(from, int64(len(l.tail))):])
}

// settle waits a moment for more than the first n bytes, for the end of the log, or where there is more already, for no
// further growth.
func (l *serviceLog) settle(n int64) {
	l.await(func(total int64) time.Duration {
		if total > n {
			return settleTime / 10
		}
		return settleTime
	})
}

// quieten waits until the log did not grow for a moment.
func (l *serviceLog) quieten() {
	l.await(func(int64) time.Duration { return settleTime / 20 })
}

// await waits a moment for the end of the log, or for it not to grow for as long as its size has to be waited for.
func (l *serviceLog) await(quiet func(size int64) time.Duration) {
	late := time.NewTimer(settleTime)
	defer late.Stop()
	for {
		l.mu.Lock()
		total, grown := l.total, l.grown
		l.mu.Unlock()
		select {
		case <-l.done:
			return
		case <-late.C:
			return
		case <-grown:
		case <-time.After(quiet(total)):
			return
		}
	}
}

func (l *serviceLog) isClosed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closed
}

// close ends the reading: at the end of what there is to read, or after a while where a process that went its own way
// holds it open. The file gets the end of the log where it could not get all.
func (l *serviceLog) close(wait time.Duration) error {
	late := time.NewTimer(wait)
	defer late.Stop()
	select {
	case <-l.done:
	case <-late.C:
	}
	err := l.r.Close() // ends a Read
	<-l.done
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	if l.file == nil {
		return err
	}
	l.flush()
	if l.total > maxLog {
		rest := l.tail[max(0, len(l.tail)-int(min(l.total-maxLog, maxTail))):]
		if l.redact != nil { // half a line may begin within a secret
			rest = rest[bytes.IndexByte(rest, '\n')+1:]
		}
		l.write(fmt.Appendf(nil, "\n… %d bytes are left out here …\n%s", l.total-maxLog-int64(len(rest)), rest))
		l.flush()
	}
	return errors.Join(err, l.err, l.file.Close())
}

// telling is what the line of a log looks like that says what went wrong, in most languages.
var telling = regexp.MustCompile(`(?i)panic|fatal|error|exception|abort|segmentation|killed|out of memory|in use`)

// lastWords returns what of a log says most of its end, in one line: the last line that speaks of a mistake, and the
// very last.
func lastWords(log string) string {
	const maxLine = 200
	var said, last string
	for line := range bytes.Lines([]byte(log)) {
		s := strings.TrimSpace(printable(string(bytes.TrimSpace(colors.ReplaceAll(line, nil))), maxLine))
		if s == "" {
			continue
		}
		last = s
		if telling.Match(line) {
			said = s
		}
	}
	if said == "" || said == last {
		return last
	}
	return said + " … " + last
}

// colors are what steers a terminal in the output of many servers: how text looks.
var colors = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// printable returns the first n bytes of a text in ASCII that steers no terminal.
func printable(s string, n int) string {
	q := strconv.QuoteToASCII(s[:min(n, len(s))])
	return q[1 : len(q)-1]
}
