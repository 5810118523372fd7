package capture

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"syscall"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/tcp"
)

// metricsPath is where Prometheus looks for metrics unless it is told otherwise.
const metricsPath = "/metrics"

// openMetrics opens the address of the metrics, or returns nil where none is wanted. As with --listen, an address that
// other machines can reach must be named in full.
func openMetrics(addr string) (net.Listener, error) {
	if addr == "" {
		return nil, nil
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, console.Usage(fmt.Errorf("--metrics must be an address such as 127.0.0.1:9090, got %q", addr))
	}
	if host == "" {
		return nil, console.Usage(fmt.Errorf(
			"--metrics %s has no host: use 127.0.0.1:%s for this machine only, or 0.0.0.0:%s for every network it is on",
			addr, port, port))
	}
	ln, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, console.Advise(fmt.Errorf("listen for metrics: %w", err),
			"the port is in use; --metrics 127.0.0.1:0 uses any free port")
	}
	if err != nil {
		return nil, fmt.Errorf("listen for metrics: %w", err)
	}
	return ln, nil
}

// serveMetrics answers scrapes at a listener until what it returns is closed, and says where. No listener gives nil.
func (r *recorder) serveMetrics(ln net.Listener) *controlServer {
	if ln == nil {
		return nil
	}
	m := newControl(ln)
	m.handle("GET "+metricsPath, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		r.writeMetrics(w)
	})
	m.serve()
	r.session.console.Say("flaketap: metrics are at http://%s%s", ln.Addr(), metricsPath)
	if !tcp.Loopback(ln.Addr()) {
		r.session.console.Say("flaketap: anyone who can connect to %s can read these metrics: counts only, no recorded data", ln.Addr())
	}
	return m
}

// writeMetrics writes the numbers of the present pass in the text format of Prometheus
// (https://prometheus.io/docs/instrumenting/exposition_formats/).
func (r *recorder) writeMetrics(w io.Writer) {
	s, queued := r.session.Proxy.Stats(), r.db.Backlog()
	for _, m := range []struct {
		name, kind, help string
		value            int64
	}{
		{"exchanges_total", "counter", "Requests with their outcome, including faults.",
			s.Exchanges},
		{"faults_total", "counter", "Exchanges without an HTTP answer.", s.Faults},
		{"pending_exchanges", "gauge", "Requests without a complete answer yet.", s.Pending},
		{"sent_bytes_total", "counter", "Bytes sent to APIs.", s.Sent},
		{"received_bytes_total", "counter", "Bytes received from APIs.", s.Received},
		{"connections_total", "counter", "Connections that clients opened.", s.Connections},
		{"open_connections", "gauge", "Connections that clients have open.", s.Open},
		{"denied_requests_total", "counter",
			"Requests refused because of a missing password or of the machine they came from.", s.Denied},
		{"blind_tunnels_total", "counter", "CONNECT tunnels passed through unrecorded.", s.Blind},
		{"queue_bytes", "gauge", "Bytes waiting to be stored.", int64(queued.Bytes)},
		{"dropped_exchanges_total", "counter", "Exchanges passed through but not stored because the queue was full.",
			int64(queued.Dropped)},
		{"store_errors_total", "counter", "Failed writes to the recording.", r.keep.failures.Load()},
	} {
		fmt.Fprintf(w, "# HELP flaketap_%[1]s %[2]s\n# TYPE flaketap_%[1]s %[3]s\nflaketap_%[1]s %[4]d\n", m.name, m.help,
			m.kind, m.value)
	}
}
