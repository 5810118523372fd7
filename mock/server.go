package mock

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock/grpc"
)

// Leafer mints certificates for the hosts that services are. host is a name or an IP address without a port.
type Leafer interface {
	Leaf(host string) (*tls.Certificate, error)
}

// Unknown is what becomes of a request that no stub is for.
type Unknown string

// What becomes of it.
const (
	NotFound Unknown = "404" // it is answered 404, with a text that says so
	Refuse   Unknown = "refuse"
)

// Answers are what requests get that no stub is for, as those of a recording. It may be asked by several goroutines.
type Answers interface {
	// Answer returns the answer, and what people call it; ok is false where there is none.
	Answer(*exchange.External) (name string, r Response, ok bool)
}

// Server answers for services by a book. The fields are set before Serve and not changed after.
type Server struct {
	Book   *Book
	Leaves Leafer
	Calls  *Calls
	// Distrusts counts who ended connections at the certificate; nil does not.
	Distrusts *Distrusts
	// Foreigners counts the connections of other protocols than HTTP, which are refused; nil does not.
	Foreigners *Foreigners
	Unknown    Unknown // "" is NotFound
	Answers    Answers // nil: none
	// GRPC are the services whose calls of gRPC are answered.
	GRPC grpc.Services
	// Delay is how much later than it is said all answers come.
	Delay time.Duration
	// Once ends each connection with its first answer, as the client is told: so that no call depends on what others left.
	Once bool
	// Recorder takes each call with its answer; nil for none.
	Recorder *Recorder
	// Journal notes the calls one by one; nil does not.
	Journal *Journal
	// Mark returns the body of an answer to a call as it is sent; nil leaves all as they are.
	Mark func(c Call, body []byte) []byte
	Log  *slog.Logger // nil discards it
}

// Lingers bounds how long the end of a service waits for answers that are under way.
const Lingers = 2 * time.Second

// maxBody bounds the body of a request that is kept; more is read over, and no stub with bodyPatterns is for it.
const maxBody = 16 << 20

// idle is how long a connection may be silent between two requests.
const idle = 2 * time.Minute

// Serve answers the connections to one service, until the listener is closed; then it returns nil.
func (s *Server) Serve(host string, port uint16, l net.Listener) error {
	log := cmp.Or(s.Log, slog.New(slog.DiscardHandler))
	handler := &handler{Server: s, host: strings.ToLower(host), port: int(port)}
	service := net.JoinHostPort(handler.host, strconv.Itoa(handler.port))
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	server := &http.Server{Handler: handler, Protocols: protocols, ReadHeaderTimeout: idle, IdleTimeout: idle,
		ConnContext: knowing, ConnState: s.follow(service),
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug)}
	defer end(server)
	config := s.config(host, int(port), log)
	d := &divider{shake: func(b *begun) *tls.Conn { return s.handshake(b, service, config, log) },
		refuse: func(c net.Conn, accepted time.Time, as Foreign) { s.refuse(c, service, accepted, as) }}
	err := server.Serve(d.begin(l))
	if !errors.Is(err, net.ErrClosed) && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve %s: %w", service, err)
	}
	return nil
}

// end closes a server once what is under way has ended: who records it wants all of it.
func end(server *http.Server) {
	ctx, cancel := context.WithTimeout(context.Background(), Lingers)
	defer cancel()
	if server.Shutdown(ctx) != nil {
		_ = server.Close() // of listeners, which are closed
	}
}

// config is how TLS is spoken: as the host that the client names, or that it connected to. Where each answer ends its
// connection, HTTP/1.1 goes before HTTP/2: it says so with the answer, and HTTP/2 by a GOAWAY before it, at which some
// clients give up the answer as well (java.net.http before Java 17.0.17: JDK-8335181).
func (s *Server) config(host string, port int, log *slog.Logger) *tls.Config {
	protocols := []string{"h2", "http/1.1"}
	if s.Once {
		slices.Reverse(protocols)
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: protocols,
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			if s.Book.untrusted(strings.ToLower(host), port) {
				return selfSigned(cmp.Or(hello.ServerName, host))
			}
			leaf, err := s.Leaves.Leaf(cmp.Or(hello.ServerName, host))
			if err != nil {
				log.Warn("no certificate for a service", "host", host, "err", err)
			}
			if b, ok := hello.Conn.(*begun); ok {
				b.trial.shown = err == nil
			}
			return leaf, err
		}}
}

// handler answers the requests to one service.
type handler struct {
	*Server
	host string
	port int
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	form := h.formOf(r)
	body, more, err := form.read(r)
	a := asked{host: h.host, port: h.port, method: r.Method, url: r.URL, query: r.URL.Query(), header: r.Header,
		body: body}
	call := Call{Service: a.service(), Scheme: "http", Method: r.Method, Target: a.target()}
	if r.TLS != nil {
		call.Scheme = "https"
	}
	if err != nil { // the client has gone
		h.record(r, call, body, more, began, Response{Fault: gaveUp})
		return
	}
	if more > 0 {
		a.body = nil
	}
	resp := h.choose(form, a, &call, func() *exchange.External { return h.asked(r, call, body, more, maxBody) })
	h.Calls.Add(call)
	answered := h.Journal.begin(call, body, openingOf(r), began)
	defer func() { // though a fault ends the handler by a panic
		if r.Context().Err() != nil && resp.Fault == "" {
			resp = Response{Fault: gaveUp}
		}
		h.record(r, call, body, more, began, resp)
	}()
	if resp.Interim != 0 && r.ProtoAtLeast(1, 1) { // HTTP/1.0 has none
		w.WriteHeader(resp.Interim)
	}
	if !held(r, max(resp.Delay+h.Delay, h.Journal.holds())) {
		return
	}
	if h.Mark != nil {
		resp.Body = h.Mark(call, resp.Body)
	}
	if h.Once {
		w.Header().Set("Connection", "close") // in HTTP/2 that is sent as GOAWAY
		resp.Header = resp.Header.Clone()     // which is the book's
		resp.Header.Del("Connection")
	}
	answered() // before the API knows, which may call again at once
	if resp.Fault != "" {
		fail(w, resp)
		return
	}
	form.write(w, resp)
}

// choose finds the answer, and notes in the call what it is.
func (h *handler) choose(f form, a asked, call *Call, external func() *exchange.External) Response {
	if call.Why = f.why(); call.Why != "" {
		return h.unknown(f, a, call)
	}
	stub, nearest, misses := h.Book.find(a)
	if stub != nil {
		return call.answered(f, stub.Name, stub.Response)
	}
	if h.Answers != nil {
		if name, resp, ok := h.Answers.Answer(external()); ok {
			return call.answered(f, name, resp)
		}
	}
	if nearest != nil {
		call.Nearest, call.Misses = nearest.Name, misses
	}
	return h.unknown(f, a, call)
}

// unknown is the answer to a request that no stub is for.
func (h *handler) unknown(f form, a asked, call *Call) Response {
	if h.Unknown == Refuse {
		return Response{Fault: Reset}
	}
	call.Status = http.StatusNotFound
	text := fmt.Sprintf("no stub for %s %s://%s%s", a.method, call.Scheme, call.Service, call.Target)
	if call.Why != "" {
		text += ": " + call.Why
	}
	return f.unknown(Response{Status: http.StatusNotFound, Body: []byte(text + "\n"),
		Header: http.Header{"Content-Type": {"text/plain; charset=utf-8"}}})
}

// answered notes who answered, and what status the API sees.
func (c *Call) answered(f form, by string, r Response) Response {
	c.Stub = by
	if r.Fault == Untrusted && c.Scheme == "https" { // who asks has taken the certificate
		r.Fault = ""
	}
	if r.Fault == "" {
		r, c.Why = f.fit(r)
	}
	switch r.Fault {
	case "":
		c.Status = r.Status
	case Malformed:
		c.Status = http.StatusOK
	}
	return r
}

// held waits for as long as an answer is held back, and reports whether the client waited, too.
func held(r *http.Request, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
		return false
	}
}

// fail ends a connection, or a stream of HTTP/2, in the way of a fault.
func fail(w http.ResponseWriter, resp Response) {
	conn, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // a stream of HTTP/2 is reset so, whatever the fault
	}
	defer conn.Close()
	switch resp.Fault {
	case Reset:
		if tcp, ok := plain(conn).(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // what is not sent is discarded, and the other side told by a reset
			_ = tcp.Close()
		}
	case Malformed:
		_, _ = rw.WriteString("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nlskdu018973t09sylgasjkfg1][]'./.sdlv")
		_ = rw.Flush()
	case Garbage:
		_, _ = rw.WriteString("\x16lskdu018973t09sylgasjkfg1][]'./.sdlv\x00\xff")
		_ = rw.Flush()
	}
}

// plain is the connection below TLS, and below what was read ahead.
func plain(c net.Conn) net.Conn {
	for {
		below, ok := c.(interface{ NetConn() net.Conn })
		if !ok {
			return c
		}
		c = below.NetConn()
	}
}
