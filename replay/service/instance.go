package service

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/guard"
)

// Instance is a process of a [Service], with all that it started, or one that somebody lends. The nil Instance is an
// API that others run. It may be used by several goroutines.
type Instance struct {
	service *Service
	port    int       // 0 where the API keeps its own
	target  *url.URL  // nil where that is not known here
	ready   *url.URL  // nil where there is none
	dated   time.Time // the Date of its last answer there; zero where there was none
	strange bool      // it has answered there as an API that only warms up seldom does

	cmd     *exec.Cmd
	log     *serviceLog
	guard   *guard.Guard
	ended   chan struct{} // closed when the command has ended
	cleanup []func()
	led     func() error // ends what Lead has begun
	lent    Lent         // what is here in the place of a process; nil where that runs here

	mu     sync.Mutex
	mark   int64 // how much was logged when Annotate was last asked
	faults int   // the faults that Annotate was asked about
}

// Target is the API's base URL; nil where its port is its own affair, and where none was started.
func (i *Instance) Target() *url.URL {
	if i == nil {
		return nil
	}
	return i.target
}

// Base is where clients find the API: its [Instance.Target], or else the scheme and host of its Ready URL; nil where
// neither says it.
func (i *Instance) Base() *url.URL {
	if i == nil || i.target != nil || i.ready == nil {
		return i.Target()
	}
	return &url.URL{Scheme: i.ready.Scheme, Host: i.ready.Host}
}

// Ended is closed when the command has ended, by itself or not.
func (i *Instance) Ended() <-chan struct{} {
	if i == nil {
		return nil
	}
	return i.ended
}

// Died says how the API came to its end, and when, as in "during exchange 7", with its last output; nil while it runs.
// It is not for an instance that was stopped.
func (i *Instance) Died(when string) error {
	if i == nil || !i.hasEnded() {
		return nil
	}
	if i.lent != nil {
		return fmt.Errorf("%w, %s", i.lent.Why(), when)
	}
	i.log.settle(i.log.size()) // the last words may still be on their way
	err := fmt.Errorf("the API ended with %s %s", i.how(), when)
	if said := i.words(0); said != "" {
		err = fmt.Errorf("%w; its last output: %s", err, said)
	}
	if i.service.Log != "" {
		err = fmt.Errorf("%w; see its log, %s", err, i.service.Log)
	}
	return err
}

// Reset returns a reset with the API's port in the place of {port}.
func (i *Instance) Reset(r Reset) Reset {
	if i == nil || i.port == 0 {
		return r
	}
	return Reset(fillPort(string(r), i.port))
}

// launch starts the process, and what reads its log.
func (i *Instance) launch() error {
	s := i.service
	if s.Lead != nil {
		own, err := *s, error(nil)
		if i.led, err = s.Lead.Lead(&own); err != nil {
			return err
		}
		s = &own
	}
	text := clockPlace.ReplaceAllString(s.Command, "${1}"+s.Environment.dial())
	if i.port != 0 {
		text = fillPort(text, i.port)
	}
	cmd := exec.Command("sh", "-c", text)
	cmd.Env = append(os.Environ(), s.Env...)
	if i.port != 0 {
		port := strconv.Itoa(i.port)
		cmd.Env = append(cmd.Env, "PORT="+port, "FLAKETAP_PORT="+port)
	}
	newGroup(cmd)
	if err := s.Environment.apply(i, cmd); err != nil {
		return errors.Join(err, i.clean())
	}
	if len(s.Through) > 0 {
		through := exec.Command(s.Through[0], append(slices.Clone(s.Through[1:]), cmd.Args...)...)
		cmd.Path, cmd.Args, cmd.Err = through.Path, through.Args, through.Err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return errors.Join(err, i.clean())
	}
	log, err := openServiceLog(s.Log, s.RedactLog, s.Heard, r)
	if err != nil {
		return errors.Join(err, w.Close(), r.Close(), i.clean())
	}
	cmd.Stdout, cmd.Stderr = w, w
	i.cmd, i.log = cmd, log
	err = cmd.Start()
	_ = w.Close() // the child has its own
	if err != nil {
		return errors.Join(err, log.close(0), i.clean())
	}
	i.guard = guard.OfGroup(cmd.Process.Pid)
	go func() {
		defer close(i.ended)
		_ = cmd.Wait() // what it says is in ProcessState too
	}()
	return nil
}

// Stop ends the API and all that it started, unless they have left its process group: they are asked to, and killed
// where that is not enough. It returns once they have gone and the log is written. Only the first call does anything.
func (i *Instance) Stop() error {
	if i != nil && i.lent != nil {
		return i.lent.Return()
	}
	if i == nil || i.cmd == nil || i.log.isClosed() {
		return nil
	}
	grace := cmp.Or(i.service.Grace, defaultStopGrace)
	askGroup(i.cmd)
	if !i.gone(grace) {
		killGroup(i.cmd)
		if !i.gone(grace) {
			return errors.Join(fmt.Errorf("stop the API: process %d does not exit", i.cmd.Process.Pid), i.clean())
		}
	}
	i.guard.Dismiss()
	err := i.log.close(time.Second)
	if err != nil {
		err = fmt.Errorf("write the API's log: %w", err)
	}
	return errors.Join(err, i.clean())
}

// maxAwaited is how many faults wait a moment for what the API has to say of them. What comes late for more than that
// is missed.
const maxAwaited = 50

// Annotate is told how each exchange went, in their order. It returns a fault with what the API logged since the
// exchange before it, and nil where there was none. The nil Instance returns the fault as it is.
func (i *Instance) Annotate(f *exchange.Fault) *exchange.Fault {
	if i == nil {
		return f
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	since := i.mark
	if f == nil {
		i.mark = i.log.size()
		return nil
	}
	if i.faults++; i.faults <= maxAwaited {
		i.settle(since)
	}
	told := *f
	if said := i.words(since); said != "" {
		told.Text = strings.TrimPrefix(told.Text+"; the API logged: "+said, "; ")
	}
	i.mark = i.log.size()
	return &told
}

// LogSize is how many bytes the API has logged until now.
func (i *Instance) LogSize() int64 { return i.log.size() }

// LogSince is what the API logged behind the first n bytes, or the end of that. It waits for a moment, for lines that
// are under way.
func (i *Instance) LogSince(n int64) string {
	i.log.quieten()
	return i.log.since(n)
}

// Settle waits a moment for the last words of an API that may be about to end. It is for before Died, where something
// failed that may have failed because of that.
func (i *Instance) Settle() { i.settle(i.log.size()) }

// settle waits a moment for what the API has to say beyond the first n bytes of its log, or for its end. The end of the
// log tells that the end of the API may be near.
func (i *Instance) settle(n int64) {
	i.log.settle(n)
	select {
	case <-i.log.done:
	default:
		return
	}
	select {
	case <-i.ended:
	case <-time.After(settleTime):
	}
}

// gone waits until no process of the API is left, and reports whether that was in time.
func (i *Instance) gone(within time.Duration) bool {
	late := time.NewTimer(within)
	defer late.Stop()
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for {
		if i.hasEnded() && !groupAlive(i.cmd) {
			return true
		}
		select { // nobody tells when the last process of a group has gone
		case <-late.C:
			return false
		case <-look.C:
		}
	}
}

// clean ends what was there for the process.
func (i *Instance) clean() (err error) {
	if i.led != nil {
		err = i.led()
		i.led = nil
	}
	for _, f := range slices.Backward(i.cleanup) {
		f()
	}
	i.cleanup = nil
	return err
}

func (i *Instance) hasEnded() bool {
	select {
	case <-i.ended:
		return true
	default:
		return false
	}
}

// how says how the command ended. A shell turns a signal to what it ran into a status above 128.
func (i *Instance) how() string {
	state := i.cmd.ProcessState
	if n := state.ExitCode() - 128; n > 0 && n < 65 {
		return fmt.Sprintf("%s (signal %d: %s)", state, n, signalName(n))
	}
	return state.String()
}

// words are the last words of what the API logged since then, for people.
func (i *Instance) words(since int64) string {
	said := lastWords(i.log.since(since))
	if i.service.RedactMessage != nil {
		said = i.service.RedactMessage(said)
	}
	return strings.TrimSpace(said)
}
