package hub

import (
	"context"
	"time"

	"github.com/flaketap/flaketap/capture/endpoint"
)

// Metrics returns what reads the numbers of a hub for Prometheus. refused is how often clients, and what they asked
// for, were refused.
func Metrics(l *Link, refused func() (clients, requests int64)) endpoint.Reader {
	return func(ctx context.Context) ([]endpoint.Metric, error) {
		s, err := l.Status(ctx, time.Now())
		if err != nil {
			return nil, err
		}
		clients, requests := refused()
		return append(s.metrics(),
			endpoint.CounterOf("hub_refused_clients_total", "Connections of clients without the credential.",
				clients),
			endpoint.CounterOf("hub_refused_requests_total",
				"Requests to JetStream that were answered with an error.", requests)), nil
	}
}

func (s *Status) metrics() []endpoint.Metric {
	each := func(count func(Name) int64) (out []endpoint.Value) {
		for _, n := range s.Names {
			out = append(out, endpoint.Value{Of: printable(n.Name), N: count(n)})
		}
		return out
	}
	sum := func(count func(Recorder) uint64) []endpoint.Value {
		return each(func(n Name) (total int64) {
			for _, r := range n.Recorders {
				total += int64(count(r))
			}
			return total
		})
	}
	all := []endpoint.Metric{
		endpoint.GaugeOf("hub_streams", "Names that recorders send under.", int64(len(s.Names))),
		endpoint.GaugeOf("hub_bytes", "Bytes on the disk of the hub.", int64(s.Bytes)),
		endpoint.GaugeOf("hub_stuck", "What is stuck, as flaketap hub status lists it.",
			int64(len(s.Findings))),
		{Name: "hub_name_bytes", Kind: endpoint.Gauge, Help: "Bytes that stand under a name.",
			Values: each(func(n Name) int64 { return int64(n.Bytes) })},
		{Name: "hub_recorders", Kind: endpoint.Gauge, Help: "Recorders that sent something under a name.",
			Values: each(func(n Name) int64 { return int64(len(n.Recorders)) })},
		{Name: "hub_exchanges", Kind: endpoint.Gauge, Help: "Exchanges that stand under a name.",
			Values: sum(func(r Recorder) uint64 { return r.Shipped })},
		{Name: "hub_lag_exchanges", Kind: endpoint.Gauge,
			Help:   "Exchanges that recorders had besides when they were last heard.",
			Values: sum(func(r Recorder) uint64 { return r.Lag })},
	}
	work := func(count func(WorkStatus) int) (out []endpoint.Value) {
		for _, w := range s.Work {
			out = append(out, endpoint.Value{Of: printable(w.Name), N: int64(count(w))})
		}
		return out
	}
	all = append(all,
		endpoint.Metric{Name: "hub_workers", Kind: endpoint.Gauge, Help: "Workers that are there.",
			Values: work(func(w WorkStatus) (n int) {
				for _, there := range presence(w.Workers) {
					n += there
				}
				return n
			})},
		endpoint.Metric{Name: "hub_open_items", Kind: endpoint.Gauge, Help: "Items that wait for workers, or are played.",
			Values: work(func(w WorkStatus) (n int) {
				for _, p := range w.Plans {
					n += p.Open
				}
				return n
			})})
	if s.Most > 0 {
		all = append(all, endpoint.GaugeOf("hub_limit_bytes", "Bytes that the hub may take on its disk.",
			s.Most))
	}
	return all
}
