package service

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/exchange/redact"
	"github.com/flaketap/flaketap/internal/console"
)

// Service is an API that is run here rather than found running: a command for sh -c, which has to stay in the
// foreground. Each [Service.Start] makes a process of its own.
//
// Where Command or Ready hold "{port}", the port is chosen here and put in its place; the process finds it in PORT and
// FLAKETAP_PORT too. Else the API keeps the port that it has by itself. "{clock}" in Command is how far the API's clock
// is to be off, as "86400s", for an API with a dial of its own; see [Environment].
type Service struct {
	// Command is what sh runs.
	Command string
	// From lends the instances, which run elsewhere, in the place of a command; nil where the command runs here.
	From Lender
	// Through is a program with its arguments that runs the shell, given behind them; nil runs it itself.
	Through []string
	// Env are variables that the process finds beside those of this process, or in their place.
	Env []string
	// Lead stands in the place of the external services that the processes ask; nil leaves their connections alone.
	Lead Leader
	// Asked takes what the processes ask of other services, where Lead has that come to light; several goroutines may call
	// it at once, until the process is stopped. nil discards it.
	Asked func(*exchange.External)
	// Ready is a URL that is asked with GET until it has answered 2xx twice in a row, or the status that stands before
	// it: "401 http://127.0.0.1:{port}/". "" waits until somebody accepts connections at the chosen port, or at Addr;
	// that may come before the API can answer.
	Ready string
	// Addr is the host and port of an API that keeps its own; it is looked at only where there is no Ready.
	Addr string
	// Port is the one to take where it is free and ours to choose, for an API's answers often hold it; 0 is any. Start
	// sets it to the one that was taken, so that the next process gets the same.
	Port int
	// Patience is how long the API may take to be ready; 0 means 60 s.
	Patience time.Duration
	// Grace is how long the API may take to end once it is asked to; then it is killed. 0 means 10 s.
	Grace time.Duration
	// Log is the file for what the API writes to stdout and stderr, 0600 and bounded; "" keeps only the last of it, in
	// memory. It is written anew by each Start.
	Log string
	// RedactLog returns what the file gets of lines that the API logged; nil leaves them as they are.
	RedactLog func(text string) string
	// Heard is given each line that the API logs, as it is, until the process is stopped; nil hears nothing.
	Heard func(line string)
	// Environment is what the process finds other than usual.
	Environment Environment
	// TLS is the configuration for a Ready URL of https.
	TLS *tls.Config
	// RedactMessage returns what the API logged as it may stand in messages, which hold no secrets; nil leaves it as it
	// is.
	RedactMessage func(text string) string
	// Waiting is told once of an answer at Ready that is not likely to change, as 401, while there is still time: what the
	// API answered. nil tells nobody.
	Waiting func(said string)
}

const (
	defaultPatience  = 60 * time.Second
	defaultStopGrace = 10 * time.Second
	// askEvery is how often an API that starts is asked whether it is ready.
	askEvery = 25 * time.Millisecond
	// maxStarts is how often an API is started where the port that was free is taken when the API wants it.
	maxStarts = 3
)

// Placeholders of a command: shell has ${port} for a variable of its own, which stays.
var (
	portPlace  = regexp.MustCompile(`(^|[^$])\{port\}`)
	clockPlace = regexp.MustCompile(`(^|[^$])\{clock\}`)
)

// ChoosesPort reports whether the API's port is chosen here: {port} stands in the command or in the URL.
func (s *Service) ChoosesPort() bool {
	return s.From != nil || portPlace.MatchString(s.Command) || portPlace.MatchString(s.Ready)
}

// Target is where the API will be found: a port is chosen, if none is yet. It is nil where the API keeps its own.
func (s *Service) Target() (*url.URL, error) {
	port, err := s.choosePort()
	if err != nil || port == 0 {
		return nil, err
	}
	s.Port = port
	return s.at(port), nil
}

// at is the base URL of an API whose port was chosen.
func (s *Service) at(port int) *url.URL {
	scheme := "http"
	if _, asked := s.Readiness(); strings.HasPrefix(asked, "https:") {
		scheme = "https"
	}
	return &url.URL{Scheme: scheme, Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(port))}
}

var namedStatus = regexp.MustCompile(`^([1-5][0-9][0-9]) +`)

// Readiness returns the URL of Ready, and the status that stands before it; 0 for any 2xx.
func (s *Service) Readiness() (status int, asked string) {
	m := namedStatus.FindStringSubmatch(s.Ready)
	if m == nil {
		return 0, s.Ready
	}
	status, _ = strconv.Atoi(m[1])
	return status, s.Ready[len(m[0]):]
}

// Check finds what is wrong with a service before it is started: no command, or a Ready that is no URL.
func (s *Service) Check() error {
	if s.From != nil {
		return nil
	}
	if strings.TrimSpace(s.Command) == "" {
		return errors.New("the command is empty")
	}
	if s.Ready == "" {
		return nil
	}
	_, asked := s.Readiness()
	u, err := url.Parse(fillPort(asked, 80))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("it must be a URL such as http://127.0.0.1:{port}/health, got %q", s.Ready)
	}
	return nil
}

// Start starts the API and waits until it is ready. The error says why it is not, with the last words of its log. When
// ctx ends before it is ready, it is stopped.
func (s *Service) Start(ctx context.Context) (*Instance, error) {
	if err := s.Check(); err != nil {
		return nil, fmt.Errorf("start the API: %w", err)
	}
	for try := 1; ; try++ {
		port, err := s.choosePort()
		if err != nil {
			return nil, fmt.Errorf("start the API: %w", err)
		}
		i, err := s.startAt(ctx, port)
		if err == nil {
			s.Port = port
			return i, nil
		}
		var taken portTaken
		if try == maxStarts || !errors.As(err, &taken) {
			return nil, err
		}
		s.Port = 0 // somebody was faster, or what is left of an earlier connection holds it
	}
}

// portTaken is why an API ended that could not have the port that was chosen for it.
type portTaken struct{ error }

// choosePort returns a free port of the loopback interface, s.Port where that is free; 0 where the API has its own.
func (s *Service) choosePort() (int, error) {
	if !s.ChoosesPort() {
		return 0, nil
	}
	ln, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(s.Port)))
	if err != nil && s.Port != 0 {
		ln, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		return 0, fmt.Errorf("choose a port: %w", err)
	}
	defer ln.Close()
	return ln.Addr().(*net.TCPAddr).Port, nil
}

func (s *Service) startAt(ctx context.Context, port int) (*Instance, error) {
	if s.From != nil {
		return s.borrow(ctx, port)
	}
	i := &Instance{service: s, port: port, ended: make(chan struct{})}
	if err := i.locate(); err != nil {
		return nil, fmt.Errorf("start the API: %w", err)
	}
	if by := i.answering(ctx); by != "" && port == 0 {
		return nil, fmt.Errorf("start the API: another program already listens at %s: stop it, or use {port} to give the API a free port", by)
	}
	if err := i.launch(); err != nil {
		return nil, fmt.Errorf("start the API: %w", err)
	}
	err := i.awaitReady(ctx)
	if err == nil {
		err = s.Environment.reached(i)
	}
	if err == nil {
		return i, nil
	}
	waits := !i.hasEnded()
	stopped := i.Stop()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if waits && port != 0 && !portPlace.MatchString(s.Command) {
		err = fmt.Errorf("%w; --start has no {port}, so the API must listen at the port that the environment variable PORT has, %d", err, port)
	}
	said := i.words(0)
	if said != "" {
		err = fmt.Errorf("%w; its last output: %s", err, said)
	}
	if s.Log != "" {
		err = fmt.Errorf("%w; see its log, %s", err, s.Log)
	}
	err = errors.Join(fmt.Errorf("%w: %w", ErrStart, err), stopped)
	if port != 0 && addressInUse.MatchString(i.log.since(0)) {
		return nil, portTaken{err}
	}
	return nil, err
}

// ErrStart is wrapped by the error of an API that did not start, or was not ready in time.
var ErrStart = errors.New("start the API")

// addressInUse is how programs of all languages say so: it is what strerror has for EADDRINUSE, or its name.
var addressInUse = regexp.MustCompile(`(?i)address (is )?already in use|EADDRINUSE`)

// locate works out where the API will be found.
func (i *Instance) locate() error {
	if i.port != 0 {
		i.target = i.service.at(i.port)
	}
	if i.service.Ready == "" {
		return nil
	}
	var err error
	_, asked := i.service.Readiness()
	i.ready, err = url.Parse(fillPort(asked, i.port))
	return err
}

// address is where connections are accepted once the API is there; "" where that is not known.
func (i *Instance) address() string {
	switch {
	case i.ready != nil:
		return HostPort(i.ready)
	case i.target != nil:
		return i.target.Host
	}
	return i.service.Addr
}

// answering returns the address of the API if somebody accepts connections there, else "".
func (i *Instance) answering(ctx context.Context) string {
	addr := i.address()
	if addr == "" {
		return ""
	}
	d := net.Dialer{Timeout: time.Second}
	c, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return ""
	}
	_ = c.Close()
	return addr
}

// awaitReady waits until the API is ready, has ended, or has taken too long.
func (i *Instance) awaitReady(ctx context.Context) error {
	patience := cmp.Or(i.service.Patience, defaultPatience)
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	client := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true, TLSClientConfig: i.service.TLS},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Timeout:       5 * time.Second,
	}
	tick := time.NewTicker(askEvery)
	defer tick.Stop()
	last := "no connections are accepted"
	answers := 0 // that say it is ready, in a row
	begun, told := time.Now(), i.service.Waiting == nil
	for {
		select {
		case <-i.ended:
			return fmt.Errorf("it ended with %s before it was ready", i.how())
		case <-limited.Done():
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return fmt.Errorf("it is not ready after %s: %s", patience, last)
		case <-tick.C:
		}
		ready := true
		if i.ready != nil {
			said := ""
			if ready, said = i.ask(limited, client); limited.Err() == nil {
				last = said
			}
		} else if i.address() != "" {
			ready = i.answering(limited) != ""
		}
		if answers++; !ready {
			answers = 0
		}
		if i.strange && !told && time.Since(begun) > patience/12 {
			told = true
			i.service.Waiting(last)
		}
		if answers >= i.enoughAnswers() && !i.hasEnded() {
			return nil
		}
	}
}

// ask asks once whether an API is ready, and says what came of it.
func (i *Instance) ask(ctx context.Context, client *http.Client) (bool, string) {
	u := i.ready
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return false, err.Error()
	}
	resp, err := client.Do(req)
	if err != nil {
		var inner *url.Error
		if errors.As(err, &inner) {
			err = inner.Err
		}
		return false, fmt.Sprintf("GET %s: %v", u.Redacted(), err)
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10))
	i.dated, _ = http.ParseTime(resp.Header.Get("Date"))
	said := fmt.Sprintf("GET %s answered %s", u.Redacted(), resp.Status)
	wanted, _ := i.service.Readiness()
	if wanted == 0 && resp.StatusCode >= 300 && resp.StatusCode < 500 {
		i.strange = true
		said += fmt.Sprintf(", which is no 2xx; if that is how it answers, say --ready '%d URL'", resp.StatusCode)
	}
	return resp.StatusCode == wanted || wanted == 0 && resp.StatusCode/100 == 2, said
}

// enoughAnswers is how many answers in a row say that an API is ready: a 2xx may come from a server that is about to be
// replaced by the API's own, a status that was named is sure.
func (i *Instance) enoughAnswers() int {
	if status, _ := i.service.Readiness(); i.ready == nil || status != 0 {
		return 1
	}
	return 2
}

// BaseURL reads the base URL of an API: http or https, a host, and nothing else but a port. "" gives nil. Its errors
// are mistakes in the command line (console.Usage), and tell no password.
func BaseURL(s string) (*url.URL, error) {
	if s == "" {
		return nil, nil
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, console.Usage(fmt.Errorf("target must be a URL such as http://127.0.0.1:8080, got %q", s))
	}
	if strings.Trim(u.Path, "/") != "" || u.RawQuery != "" {
		return nil, console.Usage(fmt.Errorf("target %s: give only scheme, host and port; paths are passed through unchanged",
			u.Redacted()))
	}
	if u.User != nil {
		return nil, console.Usage(fmt.Errorf("target %s: remove the credentials; they belong in the client's requests", u.Redacted()))
	}
	return u, nil
}

// RecordedTarget is the URL of the API that was recorded, "" where a recording has no one target.
func RecordedTarget(recording exchange.Recording) string {
	for _, pass := range recording.Passes {
		if u, err := BaseURL(pass.Target); err == nil && u != nil {
			return pass.Target
		}
	}
	return ""
}

// Locate says where the API will be found: at its own port if that is chosen here, else where it was asked for. The
// port is that of asked, or of the recorded target, if it is free. Without a Ready URL the API is taken for ready once
// somebody accepts connections there. "" means that nobody knows.
func (s *Service) Locate(asked, recorded string) (string, error) {
	at, err := BaseURL(cmp.Or(asked, recorded))
	if err != nil {
		return "", err
	}
	if !s.ChoosesPort() {
		if at == nil && s.Ready == "" {
			return "", console.Usage(errors.New(
				"--start needs --ready URL, or {port} in its command, to know when the API is ready"))
		}
		if at != nil {
			s.Addr = HostPort(at)
		}
		return asked, nil
	}
	if at != nil {
		s.Port, _ = strconv.Atoi(at.Port())
	}
	target, err := s.Target()
	if err != nil {
		return "", err
	}
	return target.String(), nil
}

// Located is the base URL of the API that is asked for, or else of the recorded one, where the service that starts it,
// nil for none, has it; nil where nobody knows it.
func Located(s *Service, asked, recorded string) (*url.URL, error) {
	at := asked
	if s != nil {
		var err error
		if at, err = s.Locate(asked, recorded); err != nil {
			return nil, err
		}
	}
	return BaseURL(cmp.Or(at, recorded))
}

// LogBeside has the API's log go beside a recording, into the file kind-number.log of its folder of logs. Messages hold
// no secrets; nor does the log where rest is not nil, for then the recording holds none. key is the recording's.
func (s *Service) LogBeside(db, kind string, number int, key []byte, rest *redact.Rest) {
	if rest != nil {
		s.RedactLog = rest.Text
	}
	s.Log = filepath.Join(db+".logs", fmt.Sprintf("%s-%d.log", kind, number))
	redactor := exchange.Redactor{Key: key}
	s.RedactMessage = func(text string) string { return redactor.Show("", text) }
}

// HostPort is the address that a URL of http or https is dialed at.
func HostPort(u *url.URL) string {
	if u.Port() != "" {
		return u.Host
	}
	return net.JoinHostPort(u.Hostname(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
}

// fillPort puts a port where {port} stands.
func fillPort(text string, port int) string {
	return portPlace.ReplaceAllString(text, "${1}"+strconv.Itoa(port))
}
