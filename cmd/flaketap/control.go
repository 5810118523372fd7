package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/tcp"
	"github.com/flaketap/flaketap/proxy"
	"github.com/urfave/cli/v2"
)

// control is the recorder's own address, on a loopback listener apart from the one that it records at: whatever path a
// client asks the API for goes to the API.
type control struct {
	ln     net.Listener
	mux    *http.ServeMux
	server *http.Server
	done   chan struct{}
}

// markPath is where marks are set: GET or POST, ?name=NAME, an empty one ends the mark before.
const markPath = "/.flaketap/mark"

// maxMark bounds the name of a mark, in bytes.
const maxMark = 256

func controlFlag() cli.Flag {
	return &cli.StringFlag{Name: "control", Value: "127.0.0.1:0", Usage: "loopback `ADDR`ess at which clients mark sequences (FLAKETAP_CONTROL); off for none"}
}

// openControl listens at a loopback address. It serves nothing before handle and serve are called.
func openControl(addr string) (*control, error) {
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen for control: %w", err)
	}
	if !tcp.Loopback(ln.Addr()) {
		ln.Close()
		return nil, console.Usage(fmt.Errorf("--control %s can be reached from other machines; 127.0.0.1:0 takes any free port of this one", addr))
	}
	return newControl(ln), nil
}

// newControl answers at a listener, once it has something to answer with. On loopback it keeps web pages out.
func newControl(ln net.Listener) *control {
	c := &control{ln: ln, mux: http.NewServeMux(), done: make(chan struct{})}
	c.server = &http.Server{Handler: c.mux, ReadHeaderTimeout: 10 * time.Second}
	if tcp.Loopback(ln.Addr()) {
		c.server.Handler = c.guard(c.mux)
	}
	return c
}

// handle adds an endpoint. It is for use before serve.
func (c *control) handle(pattern string, h http.HandlerFunc) { c.mux.HandleFunc(pattern, h) }

// serve answers until close.
func (c *control) serve() {
	go func() {
		defer close(c.done)
		_ = c.server.Serve(c.ln) // it ends with the listener
	}()
}

// announceControl says where sequences are marked: to people, and not where only the client that is started here, which
// has it in its environment, can want to know.
func (t *tool) announceControl(c *cli.Context, p *proxy.Proxy) {
	if p.Control != "" && (len(t.client) == 0 || c.IsSet("control")) {
		t.say(c, "flaketap: sequences are marked at http://%s%s?name=NAME", p.Control, markPath)
	}
}

// close ends it: at once, but for an answer that is being given. A nil control is closed.
func (c *control) close() {
	if c == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if c.server.Shutdown(ctx) != nil {
		c.server.Close()
	}
	<-c.done
}

// guard keeps web pages out, which a browser on this machine may have open: they can send requests here, under a name
// that resolves to this machine too, but not without saying where they are from.
func (c *control) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, port, err := net.SplitHostPort(r.Host)
		_, own, _ := net.SplitHostPort(c.ln.Addr().String())
		ip := net.ParseIP(host)
		switch site := r.Header.Get("Sec-Fetch-Site"); {
		case err != nil, port != own, host != "localhost" && (ip == nil || !ip.IsLoopback()):
			http.Error(w, "flaketap: this address is asked by its number, or as localhost", http.StatusForbidden)
		case r.Header.Get("Origin") != "", site != "" && site != "none":
			http.Error(w, "flaketap: this address is not for web pages", http.StatusForbidden)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// handleMarks lets clients mark where sequences begin.
func (c *control) handleMarks(s *proxy.Sequencer) {
	c.handle(markPath, func(w http.ResponseWriter, r *http.Request) {
		at := time.Now()
		names, there := r.URL.Query()["name"]
		switch {
		case r.Method != http.MethodGet && r.Method != http.MethodPost:
			w.Header().Set("Allow", "GET, POST")
			http.Error(w, "flaketap: a mark is set with GET or POST", http.StatusMethodNotAllowed)
		case !there || len(names) > 1:
			http.Error(w, "flaketap: "+markPath+"?name=NAME begins a sequence, ?name= ends it", http.StatusBadRequest)
		case len(names[0]) > maxMark:
			http.Error(w, fmt.Sprintf("flaketap: a name has %d bytes at most", maxMark), http.StatusBadRequest)
		default:
			s.Mark(names[0], at)
			w.WriteHeader(http.StatusNoContent)
		}
	})
}

// sequenceFlags are the flags that say where sequences begin.
func sequenceFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "sequence-header", Usage: "a request header that `NAME`s the test case a request belongs to"},
		&cli.DurationFlag{Name: "gap", Usage: "begin a new sequence after so much `TIME` of silence"},
		&cli.BoolFlag{Name: "per-connection", Usage: "make each connection of the client a sequence"},
		controlFlag(),
	}
}

// sequencer names the sequences of what is recorded, as the flags say. Its Recorder is not set yet.
func sequencer(c *cli.Context) *proxy.Sequencer {
	return &proxy.Sequencer{Gap: c.Duration("gap"), PerConnection: c.Bool("per-connection")}
}

// checkSequences refuses flags that cannot both be followed.
func checkSequences(c *cli.Context) error {
	switch {
	case c.Duration("gap") < 0 || c.IsSet("gap") && c.Duration("gap") == 0:
		return console.Usage(fmt.Errorf("--gap %s is no time of silence such as 2s", c.Duration("gap")))
	case c.Duration("gap") > 0 && c.Bool("per-connection"):
		return console.Usage(errors.New("--gap and --per-connection: sequences are told by the one or by the other"))
	}
	return nil
}

// startControl opens the control address for a proxy and serves it, or returns nil where none is wanted. It comes before
// the recording is made, which would be left behind where it fails.
func startControl(c *cli.Context, p *proxy.Proxy, s *proxy.Sequencer) (*control, error) {
	if c.String("control") == "off" {
		return nil, nil
	}
	ctl, err := openControl(c.String("control"))
	if err != nil {
		return nil, err
	}
	ctl.handleMarks(s)
	p.Control = ctl.ln.Addr().String()
	ctl.serve()
	return ctl, nil
}
