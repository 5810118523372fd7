package capture

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/flaketap/flaketap/capture/client"
	"github.com/flaketap/flaketap/capture/endpoint"
	"github.com/flaketap/flaketap/exchange/redact"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/interrupt"
	"github.com/flaketap/flaketap/internal/tcp"
	"github.com/flaketap/flaketap/proxy"
	"github.com/flaketap/flaketap/replay/service"
)

// silence is how long a session waits for a first exchange before it says what may be wrong.
const silence = 8 * time.Second

// drainTimeout is how long a stopping session waits for exchanges that are under way. An API that hangs may take its
// time elsewhere; what it has not answered by then is stored as a fault.
const drainTimeout = 3 * time.Second

// Session is one client behind one proxy on one API. [Open] makes it, [Session.Run] lets the client through once, and
// [Session.Close] ends it. It is used by one goroutine.
type Session struct {
	// Proxy is to be given what takes its exchanges, before Run.
	Proxy *proxy.Proxy

	o       Options
	console *console.Console
	ln      net.Listener
	second  net.Listener // nil where one is enough
	control *endpoint.Server
	api     *service.Instance // nil where others run it
	display *display          // nil where there is none
	apis    *apis             // nil where no client is started
}

// Open listens for clients. It serves none before Run.
func Open(o Options) (*Session, error) {
	p, err := o.NewProxy()
	if err != nil {
		return nil, err
	}
	s := &Session{Proxy: p, o: o, console: o.Console}
	if err := s.listen(); err != nil {
		return nil, err
	}
	return s, nil
}

// Addr is where the session listens.
func (s *Session) Addr() net.Addr { return s.ln.Addr() }

// Targets names the APIs of a reverse proxy, as passes have them; "" for a forward proxy.
func (s *Session) Targets() string { return targetsText(s.Proxy) }

// API is the API that is started here; nil where others run it.
func (s *Session) API() *service.Instance { return s.api }

// Close stops what Open and StartAPI have started. A nil Session is closed.
func (s *Session) Close() {
	if s == nil {
		return
	}
	s.stopAPI()
	s.control.Close()
	for _, ln := range []net.Listener{s.ln, s.second} {
		if ln != nil {
			ln.Close()
		}
	}
}

// APILog says where an API that is started here has its log.
type APILog struct {
	DB     string       // the recording beside which it goes
	Kind   string       // of what is executed: "pass", "run"
	Number int          // of that
	Key    []byte       // of the recording
	Rest   *redact.Rest // nil where the log may hold secrets
}

// StartAPI starts the API, if the session is to. What it logs is added to the faults that the Proxy's Recorder gets.
func (s *Session) StartAPI(ctx context.Context, log APILog) (err error) {
	if s.o.Service == nil {
		return nil
	}
	s.o.Service.LogBeside(log.DB, log.Kind, log.Number, log.Key, log.Rest)
	if s.api, err = s.o.Service.Start(ctx); err != nil {
		if ctx.Err() != nil {
			return errors.New("interrupted while the API was being started; nothing is recorded")
		}
		return err
	}
	if target := s.api.Target(); target != nil {
		s.Proxy.Target = target
	}
	s.Proxy.Recorder = logAnnotator{s.Proxy.Recorder, s.api}
	return nil
}

// ResetAPI puts the API back to its start, if the session is to.
func (s *Session) ResetAPI(ctx context.Context) error {
	err := s.api.Reset(s.o.Reset).Within(ctx, s.o.ResetTimeout)
	if err != nil && ctx.Err() != nil {
		return errors.New("interrupted while the API was being reset; nothing is recorded")
	}
	return err
}

// stopAPI stops the API.
func (s *Session) stopAPI() {
	if s.api == nil {
		return
	}
	slow := time.AfterFunc(2*time.Second, func() { s.console.Say("flaketap: waiting for the API to exit") })
	defer slow.Stop()
	if err := s.api.Stop(); err != nil {
		s.console.Say("flaketap: %s", console.OneLine(err.Error()))
	}
}

// Run lets the client through, until it or the user ends, and waits for what is under way. It returns the client's
// status; the error is the proxy's own, or that the client could not be started.
func (s *Session) Run(ctx context.Context) (status int, err error) {
	s.display.start()
	defer s.display.stop()
	if len(s.o.Command) > 0 {
		s.noteAPIs()
	}
	served := make(chan error, 2)
	go func() { served <- s.Proxy.Serve(s.ln) }()
	if s.second != nil {
		go func() { served <- s.Proxy.Serve(s.second) }()
	}
	status, err = s.drive(ctx, served)
	s.drain(ctx)
	return status, err
}

// result is how the client ended.
type result struct {
	status int
	err    error
}

// drive lets the client run, or waits for the user to stop the session.
func (s *Session) drive(ctx context.Context, served <-chan error) (int, error) {
	clientCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended, stop := (<-chan result)(nil), ctx.Done()
	if len(s.o.Command) > 0 {
		watch := s.watch()
		var err error
		if ended, err = s.startClient(clientCtx, watch); err != nil {
			return 0, err
		}
		defer func() { s.sayPast(ctx, watch.Seen()) }()
		stop = nil // the client is told of it, and ends
	}
	quiet := time.NewTimer(silence)
	defer quiet.Stop()
	died := s.api.Ended()
	for {
		select {
		case <-died:
			died = nil
			s.console.Say("flaketap: %s", console.OneLine(s.api.Died("before the recording ended").Error()))
		case err := <-served:
			cancel()
			if ended != nil {
				<-ended
			}
			return 0, err
		case r := <-ended:
			return r.status, r.err
		case <-quiet.C:
			if st := s.Proxy.Stats(); st.Exchanges+st.Excluded+st.Blind == 0 {
				s.console.Say("flaketap: no requests have arrived yet. %s", s.WhyNothing())
			}
		case <-s.display.tick():
			s.display.show()
		case <-stop:
			return 0, nil
		}
	}
}

// startClient runs the client's command. The channel gets how it ended.
func (s *Session) startClient(ctx context.Context, watch *client.Watch) (<-chan result, error) {
	env, err := client.Environment(os.Environ(), client.Recorder{Addr: s.Addr(), CA: s.o.CA, Auth: s.Proxy.Auth,
		Control: s.Proxy.Control})
	if err != nil {
		return nil, err
	}
	cmd := client.Command{Args: s.o.Command, Env: env, Stdout: s.o.Stdout, Console: s.console, Watch: watch}
	if s.console != nil {
		cmd.Stderr = s.console.Err
	}
	ended := make(chan result, 1)
	go func() {
		status, err := cmd.Run(ctx)
		ended <- result{status, err}
	}()
	return ended, nil
}

// drain waits a short while for the exchanges that are under way, and cuts the others off: the proxy hands them on as
// faults. A signal ends the waiting.
func (s *Session) drain(ctx context.Context) {
	limited, cancel := context.WithTimeout(context.Background(), drainTimeout)
	defer cancel()
	if n := s.Proxy.Stats().Pending; n > 0 {
		once := "again "
		if ctx.Err() == nil {
			once = ""
		}
		s.console.Say("flaketap: waiting for %s in progress; press Ctrl-C %sto stop at once", console.Count(n, "exchange"), once)
	}
	done := make(chan error, 1)
	go func() { done <- s.Proxy.Shutdown(limited) }()
	for next := interrupt.Next(ctx); ; {
		select {
		case err := <-done:
			if err != nil {
				_ = s.Proxy.Close() // it has no error
			}
			return
		case <-next:
			cancel()
			next = nil
		case <-s.display.tick():
			s.display.show()
		}
	}
}

// announce says where the recorder listens, and what follows from that. Scripts wait for the first line, so it comes
// even when quiet; all that must be known then stands in it.
func (s *Session) announce() {
	line := fmt.Sprintf("flaketap: recording %s -> %s", s.Addr(), cmp.Or(s.Targets(), "any"))
	if text := s.opens(); text != "" && s.console != nil && s.console.Quiet {
		s.console.Warn("%s (%s)", line, text)
		return
	}
	s.console.Warn("%s", line)
	s.WarnOpen()
	s.announceControl()
	if s.o.Transparent {
		text := redirectRulesFor(s.Addr().(*net.TCPAddr), os.Getuid())
		if tcp.MayMark() {
			text = redirectRules(s.Addr().(*net.TCPAddr))
		}
		s.console.Say("%s", text)
	}
}

// sayDenied tells of clients that were turned away.
func (s *Session) sayDenied() {
	if n := s.Proxy.Stats().Denied; n > 0 {
		s.console.Say("flaketap: %s refused and not recorded: the proxy password was missing (407, or a SOCKS client that sends none),\n"+
			"flaketap: or another machine asked for a host other than the target (403)",
			console.Count(n, "request"))
	}
}
