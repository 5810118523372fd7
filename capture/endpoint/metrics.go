package endpoint

import (
	"context"
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

// ListenForMetrics opens the address of the metrics, or returns nil where none is wanted. As with --listen, an address
// that other machines can reach must be named in full.
func ListenForMetrics(addr string) (net.Listener, error) {
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

// Metric is a number that Prometheus is told, or several of one kind.
type Metric struct {
	Name   string // without "flaketap_"
	Kind   Kind
	Help   string
	Values []Value
}

// Kind says how a metric moves.
type Kind string

// The kinds of metrics.
const (
	Counter Kind = "counter" // it only grows
	Gauge   Kind = "gauge"
)

// Value is one number of a metric.
type Value struct {
	Of string // whose it is, the value of the label "name"; "" where there is one number
	N  int64
}

// CounterOf is a metric of one number that only grows.
func CounterOf(name, help string, n int64) Metric {
	return Metric{name, Counter, help, []Value{{N: n}}}
}

// GaugeOf is a metric of one number.
func GaugeOf(name, help string, n int64) Metric { return Metric{name, Gauge, help, []Value{{N: n}}} }

// Reader reads the numbers as they are now.
type Reader func(ctx context.Context) ([]Metric, error)

// ServeMetrics answers scrapes at a listener until what it returns is closed, and says where. No listener gives nil.
func ServeMetrics(ln net.Listener, c *console.Console, read Reader) *Server {
	if ln == nil {
		return nil
	}
	s := New(ln)
	s.Handle("GET "+metricsPath, func(w http.ResponseWriter, r *http.Request) {
		all, err := read(r.Context())
		if err != nil {
			http.Error(w, "flaketap: "+console.OneLine(err.Error()), http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		write(w, all)
	})
	s.Serve()
	c.Say("flaketap: metrics are at http://%s%s", ln.Addr(), metricsPath)
	if !tcp.Loopback(ln.Addr()) {
		c.Say("flaketap: anyone who can connect to %s can read these metrics: counts only, no recorded data", ln.Addr())
	}
	return s
}

// write writes metrics in the text format of Prometheus
// (https://prometheus.io/docs/instrumenting/exposition_formats/).
func write(w io.Writer, all []Metric) {
	for _, m := range all {
		fmt.Fprintf(w, "# HELP flaketap_%[1]s %[2]s\n# TYPE flaketap_%[1]s %[3]s\n", m.Name, m.Help, m.Kind)
		for _, v := range m.Values {
			label := ""
			if v.Of != "" {
				label = fmt.Sprintf("{name=%q}", v.Of)
			}
			fmt.Fprintf(w, "flaketap_%s%s %d\n", m.Name, label, v.N)
		}
	}
}
