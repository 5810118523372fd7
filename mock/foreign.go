package mock

import (
	"maps"
	"net"
	"sync"
	"time"

	"github.com/flaketap/flaketap/exchange"
)

// Foreign counts connections to a service that were ended as they do not speak HTTP.
type Foreign struct {
	Spoke  int `json:"spoke"`  // that began with something else
	Silent int `json:"silent"` // on which the client waited for the service to begin
}

// Plus is what both counted together.
func (f Foreign) Plus(more Foreign) Foreign {
	return Foreign{f.Spoke + more.Spoke, f.Silent + more.Silent}
}

// Foreigners count such connections by service. The zero value has none; its methods may be called from several
// goroutines.
type Foreigners struct {
	mu  sync.Mutex
	all map[string]Foreign // by host:port
}

// Add counts some; a nil receiver counts nothing.
func (f *Foreigners) Add(service string, more Foreign) {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.all == nil {
		f.all = map[string]Foreign{}
	}
	f.all[service] = f.all[service].Plus(more)
}

// List is what was counted, by service.
func (f *Foreigners) List() map[string]Foreign {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.all)
}

// speechless is how long a client may wait before it says anything: in HTTP, and in TLS, it is the client that begins,
// and one that opens a connection for later opens another when that is closed.
const speechless = 5 * time.Second

// longestMethod bounds the method of a request in what is looked at.
const longestMethod = 24

// mayBeHTTP reports whether a connection that begins with some bytes may be of HTTP: they begin with a method and a
// blank, or with the letters of one (RFC 9112 §3; that of HTTP/2 is PRI, RFC 9113 §3.4).
func mayBeHTTP(first []byte) bool {
	for i, c := range first {
		switch {
		case c == ' ':
			return i > 0
		case c == '-' && i > 0, 'A' <= c && c <= 'Z', 'a' <= c && c <= 'z':
		default:
			return false
		}
	}
	return len(first) < longestMethod
}

// refuse ends a connection that is not of HTTP. Before the client is told, who may end with that, it is counted, and
// recorded that the service was connected to.
func (s *Server) refuse(c net.Conn, service string, accepted time.Time, as Foreign) {
	s.Foreigners.Add(service, as)
	if s.Recorder != nil {
		why := "it speaks another protocol than HTTP: that is refused"
		if as.Silent > 0 {
			why = "the client waits for the service to begin, so that it speaks another protocol than HTTP: that is refused"
		}
		s.Recorder.Record(&exchange.External{Exchange: exchange.Exchange{Scheme: "tcp", Addr: service, Start: accepted,
			Latency: time.Since(accepted), Fault: &exchange.Fault{Kind: exchange.FaultDial, Text: why}}})
	}
	if reset, ok := c.(interface{ SetLinger(int) error }); ok {
		_ = reset.SetLinger(0) // so that the client is told of it at once, and does not take it for an end in order
	}
	c.Close()
}
