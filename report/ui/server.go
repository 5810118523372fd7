package ui

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/flaketap/flaketap/report/page"
	"github.com/flaketap/flaketap/volatility/analysis"
)

// Options says what a server shows. The zero value of all but DB is useful.
type Options struct {
	DB       string           // the file of the recording; it may come to be later
	Analysis analysis.Options // what is secret, and the user's rules
	// Working is the path of a recording that is being made for the one in DB, as stabilize makes one of each run of a
	// suite: it is shown while DB is not there yet. "" is none; nil is always none.
	Working func() string
	Version string // of the program, for exports
	// Replay plays runs of the recording, and writes what it has to say, until they are over or the context ends. nil
	// plays none.
	Replay     func(ctx context.Context, r Request, out io.Writer) error
	Conditions []string // under which Replay can play runs
	Log        *slog.Logger
}

// Request is the runs that somebody asked for on the page.
type Request struct {
	Runs       int
	Conditions []string // of Options.Conditions
}

// Server shows a recording. Serve ends it.
type Server struct {
	options Options
	live    *live
	judge   judge
	replay  replayer
	guard   *guard
	views   *template.Template
	panels  map[string]panel
	log     *slog.Logger
}

//go:embed page.html page.css page.js *.tmpl
var files embed.FS

// New returns a server for an address that a listener has, such as 127.0.0.1:41873. It must be one of this machine
// alone.
func New(address net.Addr, o Options) (*Server, error) {
	g, err := newGuard(address)
	if err != nil {
		return nil, err
	}
	s := &Server{options: o, live: newLive(o.DB, o.Analysis, o.Working), guard: g, panels: map[string]panel{}, log: o.Log}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	for _, p := range panels() {
		s.panels[p.name] = p
	}
	if s.views, err = template.New("").Funcs(words()).ParseFS(files, "*.tmpl"); err != nil {
		return nil, fmt.Errorf("read the templates of the page: %w", err)
	}
	s.replay.live, s.replay.play = s.live, o.Replay
	s.judge.live, s.judge.options = s.live, o.Analysis
	return s, nil
}

// Address is where a browser finds the page. What stands behind its # lets in whoever has it.
func (s *Server) Address() string { return s.guard.address() }

// Serve answers on a listener until the context ends. It then ends a replay that runs, and what is still being shown.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var work sync.WaitGroup
	defer work.Wait()
	s.judge.begin(ctx, &work)
	s.replay.begin(ctx, &work)
	work.Go(func() { s.live.follow(ctx) })
	server := &http.Server{Handler: s.Handler(), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute,
		MaxHeaderBytes: 64 << 10, ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
		BaseContext: func(net.Listener) context.Context { return ctx }}
	work.Go(func() {
		<-ctx.Done()
		server.Close()
	})
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve page: %w", err)
	}
	return nil
}

// Handler answers requests for the page. It needs [Server.Serve] for what changes while it is shown.
func (s *Server) Handler() http.Handler {
	open := http.NewServeMux() // these show nothing of the recording
	for path, kind := range map[string]string{"page.html": "text/html", "page.css": "text/css", "page.js": "text/javascript"} {
		at := "GET /" + path
		if path == "page.html" {
			at = "GET /{$}"
		}
		data, _ := files.ReadFile(path) // it is embedded
		if kind == "text/css" {
			data = append([]byte(page.Palette()), data...)
		}
		open.HandleFunc(at, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind+"; charset=utf-8")
			w.Write(data)
		})
	}
	open.HandleFunc("POST /session", s.guard.session)

	closed := http.NewServeMux()
	closed.HandleFunc("GET /events", s.events)
	closed.HandleFunc("GET /rows", s.rows)
	closed.HandleFunc("GET /find", s.find)
	closed.HandleFunc("GET /panel/{name}", s.show)
	closed.HandleFunc("POST /panel/{name}", s.act)
	closed.HandleFunc("POST /export", s.export)
	open.Handle("/", s.guard.known(closed))
	return s.guard.check(open)
}
