package portapi

import (
	"context"
	"net/http"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/service"
)

// SequenceHeader is the request header that names the scenario a request of [Drive] belongs to.
const SequenceHeader = service.SequenceHeader

// Drive uses every operation of the API at baseURL the way a terminal would, in scenarios that carry ids, tags and
// tokens from one answer to the next request. Each round does the same again; it sends some 100 requests and takes
// a good second, most of it spent waiting for a crane. An error says which request found nobody, or which answer
// lacked what the next request needed; an unexpected status is the caller's to judge.
func Drive(ctx context.Context, baseURL string, rounds int) error {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	defer transport.CloseIdleConnections()
	return DriveBy(ctx, baseURL, rounds, transport, service.Pause)
}

// DriveBy is [Drive] over a transport of the caller's, and with the caller's way of waiting for a while or for the
// context's end: what has a clock of its own need not wait in earnest.
func DriveBy(ctx context.Context, baseURL string, rounds int, transport http.RoundTripper,
	pause func(context.Context, time.Duration) error) error {
	return client(ctx, baseURL, transport, pause).Play(rounds, scenarios())
}

func client(ctx context.Context, baseURL string, transport http.RoundTripper, pause service.Pauser) *service.Client {
	c := service.NewClient(ctx, baseURL, transport, pause)
	c.Agent, c.Language = "flaketap-demo-port", "en-US"
	return c
}
