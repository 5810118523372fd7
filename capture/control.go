package capture

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/tcp"
	"github.com/flaketap/flaketap/proxy"
)

// controlServer is the recorder's own address, on a loopback listener apart from the one that it records at: whatever
// path a client asks the API for goes to the API.
type controlServer struct {
	ln     net.Listener
	mux    *http.ServeMux
	server *http.Server
	done   chan struct{}
}

// markPath is where marks are set: GET or POST, ?name=NAME, an empty one ends the mark before.
const markPath = "/.flaketap/mark"

// maxMark bounds the name of a mark, in bytes.
const maxMark = 256

// openControl has a proxy name its sequences, as the session wants it, and lets clients mark them at an address of its
// own where one is wanted. It comes before a recording is made, which would be left behind where it fails.
func (s *Session) openControl() (*proxy.Sequencer, error) {
	sequences := &proxy.Sequencer{Gap: s.o.Sequences.Gap, PerConnection: s.o.Sequences.PerConnection}
	if s.o.Sequences.Control == "" {
		return sequences, nil
	}
	c, err := listenForControl(s.o.Sequences.Control)
	if err != nil {
		return nil, err
	}
	c.handleMarks(sequences)
	c.serve()
	s.control, s.Proxy.Control = c, c.ln.Addr().String()
	return sequences, nil
}

// announceControl says where sequences are marked: not where only the client that is started here, which has it in its
// environment, can want to know.
func (s *Session) announceControl() {
	if s.Proxy.Control != "" && (len(s.o.Command) == 0 || s.o.Sequences.SayControl) {
		s.console.Say("flaketap: mark sequences at http://%s%s?name=NAME", s.Proxy.Control, markPath)
	}
}

// listenForControl listens at a loopback address. It serves nothing before handle and serve are called.
func listenForControl(addr string) (*controlServer, error) {
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen for control: %w", err)
	}
	if !tcp.Loopback(ln.Addr()) {
		ln.Close()
		return nil, console.Usage(fmt.Errorf(
			"--control %s can be reached from other machines; 127.0.0.1:0 uses any free port on this one", addr))
	}
	return newControl(ln), nil
}

// newControl answers at a listener, once it has something to answer with. On loopback it keeps web pages out.
func newControl(ln net.Listener) *controlServer {
	c := &controlServer{ln: ln, mux: http.NewServeMux(), done: make(chan struct{})}
	c.server = &http.Server{Handler: c.mux, ReadHeaderTimeout: 10 * time.Second}
	if tcp.Loopback(ln.Addr()) {
		c.server.Handler = c.guard(c.mux)
	}
	return c
}

// handle adds an endpoint. It is for use before serve.
func (c *controlServer) handle(pattern string, h http.HandlerFunc) { c.mux.HandleFunc(pattern, h) }

// serve answers until close.
func (c *controlServer) serve() {
	go func() {
		defer close(c.done)
		_ = c.server.Serve(c.ln) // it ends with the listener
	}()
}

// close ends it: at once, but for an answer that is being given. A nil one is closed.
func (c *controlServer) close() {
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
func (c *controlServer) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, port, err := net.SplitHostPort(r.Host)
		_, own, _ := net.SplitHostPort(c.ln.Addr().String())
		ip := net.ParseIP(host)
		switch site := r.Header.Get("Sec-Fetch-Site"); {
		case err != nil, port != own, host != "localhost" && (ip == nil || !ip.IsLoopback()):
			http.Error(w, "flaketap: use this address by its IP number, or as localhost", http.StatusForbidden)
		case r.Header.Get("Origin") != "", site != "" && site != "none":
			http.Error(w, "flaketap: requests from web pages are refused here", http.StatusForbidden)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// handleMarks lets clients mark where sequences begin.
func (c *controlServer) handleMarks(s *proxy.Sequencer) {
	c.handle(markPath, func(w http.ResponseWriter, r *http.Request) {
		at := time.Now()
		names, there := r.URL.Query()["name"]
		switch {
		case r.Method != http.MethodGet && r.Method != http.MethodPost:
			w.Header().Set("Allow", "GET, POST")
			http.Error(w, "flaketap: use GET or POST to set a mark", http.StatusMethodNotAllowed)
		case !there || len(names) > 1:
			http.Error(w, "flaketap: "+markPath+"?name=NAME begins a sequence, ?name= ends it", http.StatusBadRequest)
		case len(names[0]) > maxMark:
			http.Error(w, fmt.Sprintf("flaketap: a name may have at most %d bytes", maxMark), http.StatusBadRequest)
		default:
			s.Mark(names[0], at)
			w.WriteHeader(http.StatusNoContent)
		}
	})
}
