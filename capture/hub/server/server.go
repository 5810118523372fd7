package server

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/flaketap/flaketap/internal/tcp"
	"github.com/flaketap/flaketap/store"
)

// CredentialFile is the name of the credential in the folder of a hub.
const CredentialFile = "credential"

// startTime is how long a hub may take to read its streams.
const startTime = 60 * time.Second

// startStep is how often it is looked at whether it gave up.
const startStep = 200 * time.Millisecond

// Options say how a hub is run.
type Options struct {
	Dir             string // of the streams and the credential; it is made
	Listen          string // the address that clients come to; port 0 takes any free one
	TLSCert, TLSKey string // files; both or none, and not none where other machines can reach Listen
	Log             *slog.Logger
	MaxBytes        int64 // of all streams together; 0: three quarters of what is free on the disk
}

// Server is a hub that runs.
type Server struct {
	server *server.Server
	dir    string
	lock   io.Closer // of the folder
	log    *log

	closing sync.Once
	closed  chan struct{}
	watched sync.WaitGroup
}

// Start starts a hub, and returns when clients can come.
func Start(o Options) (*Server, error) {
	options, err := o.options()
	if err != nil {
		return nil, err
	}
	lock, err := store.Lock(filepath.Join(o.Dir, "lock")) // two servers would ruin one folder
	if err != nil {
		return nil, fmt.Errorf("start the hub in %s: %w", o.Dir, err)
	}
	s, err := server.NewServer(options)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start the hub: %w", err), lock.Close())
	}
	h := &Server{server: s, dir: o.Dir, lock: lock, log: &log{to: o.Log}, closed: make(chan struct{})}
	s.SetLoggerV2(h.log, false, false, false)
	go s.Start()
	for began := time.Now(); time.Since(began) < startTime && !h.log.ended(); {
		if s.ReadyForConnections(startStep) && s.JetStreamEnabled() {
			if err := h.bound(); err != nil {
				h.Close()
				return nil, fmt.Errorf("start the hub: %w", err)
			}
			h.watched.Go(h.watch)
			return h, nil
		}
	}
	h.Close()
	return nil, fmt.Errorf("start the hub at %s, in %s: %w", o.Listen, o.Dir, h.log.why())
}

// options makes the folder and the credential, and puts all in the terms of the server.
func (o *Options) options() (*server.Options, error) {
	host, text, err := net.SplitHostPort(o.Listen)
	port, perr := strconv.Atoi(text)
	if err = errors.Join(err, perr); err != nil || host == "" {
		return nil, console.Usage(fmt.Errorf("--listen must be an address such as 127.0.0.1:4222, got %q", o.Listen))
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	addr, err := net.ResolveTCPAddr("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	out := &server.Options{ServerName: "flaketap", Host: host, Port: port, JetStream: true, StoreDir: o.Dir,
		JetStreamMaxStore: o.MaxBytes, NoSigs: true, DisableShortFirstPing: true,
		SyncAlways: true, // what is acknowledged is on the disk
	}
	switch {
	case (o.TLSCert == "") != (o.TLSKey == ""):
		return nil, console.Usage(errors.New("--tls-cert and --tls-key need each other"))
	case o.TLSCert != "":
		pair, err := tls.LoadX509KeyPair(o.TLSCert, o.TLSKey)
		if err != nil {
			return nil, fmt.Errorf("read certificate: %w", err)
		}
		out.TLS, out.TLSTimeout = true, 5
		out.TLSConfig = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	case !tcp.Loopback(addr):
		return nil, console.Usage(fmt.Errorf("other machines can reach %s: --tls-cert and --tls-key are needed, "+
			"or listen on 127.0.0.1", o.Listen))
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the hub's folder: %w", err)
	}
	public, err := Credential(filepath.Join(o.Dir, CredentialFile))
	if err != nil {
		return nil, err
	}
	out.Nkeys = []*server.NkeyUser{{Nkey: public}}
	return out, nil
}

// Credential returns the public half of the credential in a file, which it makes where there is none: whoever can
// read the file can do all that the hub lets clients do.
func Credential(path string) (public string, err error) {
	seed, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		seed, err = makeCredential(path)
	}
	if err != nil {
		return "", fmt.Errorf("credential of the hub: %w", err)
	}
	pair, err := nkeys.FromSeed(bytes.TrimSpace(seed))
	if err != nil {
		return "", fmt.Errorf("credential of the hub: %s is no nkey seed: remove it, and the hub makes another", path)
	}
	return pair.PublicKey()
}

func makeCredential(path string) ([]byte, error) {
	pair, err := nkeys.CreateUser()
	if err != nil {
		return nil, err
	}
	seed, err := pair.Seed()
	if err != nil {
		return nil, err
	}
	staged, err := outfile.Stage(path, 0o600, func(w io.Writer) error {
		_, err := w.Write(append(seed, '\n'))
		return err
	})
	if err != nil {
		return nil, err
	}
	return seed, staged.Put()
}

// Address is where clients find the hub.
func (s *Server) Address() string {
	return "nats://" + tcp.Reachable(s.server.Addr()).String()
}

// InProcessConn returns a connection of this process to the hub.
func (s *Server) InProcessConn() (net.Conn, error) { return s.server.InProcessConn() }

// Refused returns how often a client was sent away, as one that has not the credential, and how often something that
// was asked of JetStream was not done.
func (s *Server) Refused() (clients, requests int64) {
	if info, err := s.server.Jsz(nil); err == nil {
		requests = int64(info.API.Errors)
	}
	return s.log.denied.Load(), requests
}

// Run lets clients come until the context ends, or the hub fails, and then stops it.
func (s *Server) Run(ctx context.Context) error {
	ended := make(chan struct{})
	go func() {
		s.server.WaitForShutdown()
		close(ended)
	}()
	select {
	case <-ctx.Done():
		s.Close()
		<-ended
		return nil
	case <-ended:
		return fmt.Errorf("the hub ended: %w", s.log.why())
	}
}

// Close stops the hub. All that it acknowledged is in its folder.
func (s *Server) Close() {
	s.closing.Do(func() { close(s.closed) })
	s.watched.Wait()
	s.server.Shutdown()
	s.server.WaitForShutdown()
	_ = s.lock.Close() // which may be closed already
}

// log takes what the server logs: warnings and errors go on, and the last of these says why it does not run.
type log struct {
	to   *slog.Logger
	mu   sync.Mutex
	last string
	over bool // it cannot run

	denied atomic.Int64 // clients without the credential
}

// ended reports whether the server said that it cannot run.
func (l *log) ended() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.over
}

func (l *log) why() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last == "" {
		return errors.New("it does not answer")
	}
	return errors.New(l.last)
}

func (l *log) failed(format string, v []any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := fmt.Sprintf(format, v...)
	if !l.over { // why it ends, not what comes of that
		l.last = text
	}
	if l.to != nil {
		l.to.Error(text)
	}
}

// Noticef implements the server's Logger, as do those that follow.
func (l *log) Noticef(format string, v ...any) { l.say(slog.LevelInfo, format, v) }

// Warnf takes what may become a failure.
func (l *log) Warnf(format string, v ...any) { l.say(slog.LevelWarn, format, v) }

// Fatalf takes why the server ends.
func (l *log) Fatalf(format string, v ...any) {
	l.failed(format, v)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
}

// Errorf takes what failed.
func (l *log) Errorf(format string, v ...any) {
	if text := fmt.Sprintf(format, v...); strings.Contains(text, server.ErrAuthentication.Error()) {
		l.denied.Add(1)
	}
	l.failed(format, v)
}

// Debugf takes what nobody asked for.
func (l *log) Debugf(string, ...any) {}

// Tracef takes what nobody asked for.
func (l *log) Tracef(string, ...any) {}

func (l *log) say(level slog.Level, format string, v []any) {
	if l.to != nil {
		l.to.Log(context.Background(), level, fmt.Sprintf(format, v...))
	}
}
