package capture

import (
	"context"

	"github.com/flaketap/flaketap/capture/endpoint"
)

// metrics are the numbers of the present pass, and of sending it.
func (r *recorder) metrics(context.Context) ([]endpoint.Metric, error) {
	s, queued := r.session.Proxy.Stats(), r.db.Backlog()
	all := []endpoint.Metric{
		endpoint.CounterOf("exchanges_total", "Requests with their outcome, including faults.", s.Exchanges),
		endpoint.CounterOf("faults_total", "Exchanges without an HTTP answer.", s.Faults),
		endpoint.GaugeOf("pending_exchanges", "Requests without a complete answer yet.", s.Pending),
		endpoint.CounterOf("sent_bytes_total", "Bytes sent to APIs.", s.Sent),
		endpoint.CounterOf("received_bytes_total", "Bytes received from APIs.", s.Received),
		endpoint.CounterOf("connections_total", "Connections that clients opened.", s.Connections),
		endpoint.GaugeOf("open_connections", "Connections that clients have open.", s.Open),
		endpoint.CounterOf("denied_requests_total",
			"Requests refused because of a missing password or of the machine they came from.", s.Denied),
		endpoint.CounterOf("blind_tunnels_total", "CONNECT tunnels passed through unrecorded.", s.Blind),
		endpoint.GaugeOf("queue_bytes", "Bytes waiting to be stored.", int64(queued.Bytes)),
		endpoint.CounterOf("dropped_exchanges_total",
			"Exchanges passed through but not stored because the queue was full.", int64(queued.Dropped)),
		endpoint.CounterOf("store_errors_total", "Failed writes to the recording.", r.keep.failures.Load()),
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
		endpoint.GaugeOf("ship_exchanges", "Exchanges of the recording that the hub has.", int64(sent)),
		endpoint.GaugeOf("ship_lag_exchanges", "Exchanges of the recording that the hub does not have yet.",
			int64(rec.Count-min(sent, rec.Count))),
		endpoint.CounterOf("ship_sent_bytes_total", "Bytes sent to the hub that it acknowledged.",
			s.shipper.Bytes()),
		endpoint.CounterOf("ship_failures_total", "Tries to send to the hub that came to nothing.",
			s.shipper.Failures()),
		endpoint.GaugeOf("ship_refused", "1 where the hub refuses the recording for good, else 0.", refused),
	}, nil
}
