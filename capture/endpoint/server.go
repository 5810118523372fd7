package endpoint

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/tcp"
)

// Server answers at an address.
type Server struct {
	ln     net.Listener
	mux    *http.ServeMux
	server *http.Server
	done   chan struct{}
}

// Control listens at a loopback address. It serves nothing before Handle and Serve are called.
func Control(addr string) (*Server, error) {
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen for control: %w", err)
	}
	if !tcp.Loopback(ln.Addr()) {
		ln.Close()
		return nil, console.Usage(fmt.Errorf(
			"--control %s can be reached from other machines; 127.0.0.1:0 uses any free port on this one", addr))
	}
	return New(ln), nil
}

// New answers at a listener, once it has something to answer with. On loopback it keeps web pages out.
func New(ln net.Listener) *Server {
	s := &Server{ln: ln, mux: http.NewServeMux(), done: make(chan struct{})}
	s.server = &http.Server{Handler: s.mux, ReadHeaderTimeout: 10 * time.Second}
	if tcp.Loopback(ln.Addr()) {
		s.server.Handler = s.guard(s.mux)
	}
	return s
}

// Addr is where it answers.
func (s *Server) Addr() net.Addr { return s.ln.Addr() }

// Handle adds an endpoint. It is for use before Serve.
func (s *Server) Handle(pattern string, h http.HandlerFunc) { s.mux.HandleFunc(pattern, h) }

// Serve answers until Close.
func (s *Server) Serve() {
	go func() {
		defer close(s.done)
		_ = s.server.Serve(s.ln) // it ends with the listener
	}()
}

// Close ends it: at once, but for an answer that is being given. A nil one is closed.
func (s *Server) Close() {
	if s == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if s.server.Shutdown(ctx) != nil {
		s.server.Close()
	}
	<-s.done
}

// guard keeps web pages out, which a browser on this machine may have open: they can send requests here, under a name
// that resolves to this machine too, but not without saying where they are from.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, port, err := net.SplitHostPort(r.Host)
		_, own, _ := net.SplitHostPort(s.ln.Addr().String())
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
