package capture

import (
	"context"

	"github.com/flaketap/flaketap/capture/endpoint"
)

// metrics are the numbers of the present pass, and of sending it.
func (r *recorder) metrics(context.Context) ([]endpoint.Metric, error) {
	s, queued := r.session.Proxy.Stats(), r.db.Backlog()
	all := []endpoint.Metric{
		{Name: "exchanges_total", Kind: endpoint.Counter, Help: "Requests with their outcome, including faults.",
			Values: endpoint.One(s.Exchanges)},
		{Name: "faults_total", Kind: endpoint.Counter, Help: "Exchanges without an HTTP answer.",
			Values: endpoint.One(s.Faults)},
		{Name: "pending_exchanges", Kind: endpoint.Gauge, Help: "Requests without a complete answer yet.",
			Values: endpoint.One(s.Pending)},
		{Name: "sent_bytes_total", Kind: endpoint.Counter, Help: "Bytes sent to APIs.",
			Values: endpoint.One(s.Sent)},
		{Name: "received_bytes_total", Kind: endpoint.Counter, Help: "Bytes received from APIs.",
			Values: endpoint.One(s.Received)},
		{Name: "connections_total", Kind: endpoint.Counter, Help: "Connections that clients opened.",
			Values: endpoint.One(s.Connections)},
		{Name: "open_connections", Kind: endpoint.Gauge, Help: "Connections that clients have open.",
			Values: endpoint.One(s.Open)},
		{Name: "denied_requests_total", Kind: endpoint.Counter, Help: "Requests refused because of a missing password or of the machine they came from.",
			Values: endpoint.One(s.Denied)},
		{Name: "blind_tunnels_total", Kind: endpoint.Counter, Help: "CONNECT tunnels passed through unrecorded.",
			Values: endpoint.One(s.Blind)},
		{Name: "queue_bytes", Kind: endpoint.Gauge, Help: "Bytes waiting to be stored.",
			Values: endpoint.One(int64(queued.Bytes))},
		{Name: "dropped_exchanges_total", Kind: endpoint.Counter, Help: "Exchanges passed through but not stored because the queue was full.",
			Values: endpoint.One(int64(queued.Dropped))},
		{Name: "store_errors_total", Kind: endpoint.Counter, Help: "Failed writes to the recording.",
			Values: endpoint.One(r.keep.failures.Load())},
	}
	if r.shipping == nil {
		return all, nil
	}
	sending, err := r.shipping.metrics()
	return append(all, sending...), err
}

// metrics are the numbers of a recording on its way.
func (s *shipping) metrics() ([]endpoint.Metric, error) {
	rec, err := s.db.Recording()
	if err != nil {
		return nil, err
	}
	sent, refused := s.shipper.Sent(), int64(0)
	if s.shipper.Refused() {
		refused = 1
	}
	return []endpoint.Metric{
		{Name: "ship_exchanges", Kind: endpoint.Gauge, Help: "Exchanges of the recording that the hub has.",
			Values: endpoint.One(int64(sent))},
		{Name: "ship_lag_exchanges", Kind: endpoint.Gauge, Help: "Exchanges of the recording that the hub does not have yet.",
			Values: endpoint.One(int64(rec.Count - min(sent, rec.Count)))},
		{Name: "ship_sent_bytes_total", Kind: endpoint.Counter, Help: "Bytes sent to the hub that it acknowledged.",
			Values: endpoint.One(s.shipper.Bytes())},
		{Name: "ship_failures_total", Kind: endpoint.Counter, Help: "Tries to send to the hub that came to nothing.",
			Values: endpoint.One(s.shipper.Failures())},
		{Name: "ship_refused", Kind: endpoint.Gauge, Help: "1 where the hub refuses the recording for good, else 0.",
			Values: endpoint.One(refused)},
	}, nil
}
