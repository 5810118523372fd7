package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/wire"
	"github.com/flaketap/flaketap/mock"
	"github.com/flaketap/flaketap/mock/search"
	"github.com/flaketap/flaketap/replay"
)

// maxAnswer bounds what of an answer is looked at.
const maxAnswer = 1 << 20

// ask sends the API a request, and records what comes of it. That there is no answer is an exchange, too.
func ask(ctx context.Context, api *url.URL, r search.Request, patience time.Duration) (*exchange.Exchange, error) {
	e := &exchange.Exchange{Scheme: api.Scheme, Addr: api.Host, Start: time.Now(), Request: request(r, api.Host)}
	p := replay.Player{Target: api, Timeout: patience}
	_, err := p.Play(ctx, one{e}, one{e})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if e.Response == nil && e.Fault == nil {
		if err == nil {
			return nil, fmt.Errorf("the request cannot be sent: %s", e.Unsendable())
		}
		e.Fault = &exchange.Fault{Kind: exchange.FaultDial, Text: err.Error()} // the API has gone
	}
	return e, nil
}

// one is an exchange that is played: it gives itself, and takes what comes.
type one struct{ *exchange.Exchange }

func (o one) Exchanges() iter.Seq2[*exchange.Exchange, error] {
	return func(yield func(*exchange.Exchange, error) bool) { yield(o.Exchange, nil) }
}

func (o one) Observe(seen *exchange.Observation) error {
	o.Start, o.Latency, o.Request, o.Response, o.Fault = seen.Start, seen.Latency, seen.Sent, seen.Response, seen.Fault
	return nil
}

// request is a request as it is sent to a host.
func request(r search.Request, host string) exchange.Request {
	fields := wire.Fields{{Name: "Host", Value: host}}
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		fields = append(fields, wire.Field{Name: name, Value: r.Header[name]})
	}
	if len(r.Body) > 0 || r.Method != "GET" && r.Method != "HEAD" {
		fields = append(fields, wire.Field{Name: "Content-Length", Value: strconv.Itoa(len(r.Body))})
	}
	line := fmt.Sprintf("%s %s HTTP/1.1\r\n", r.Method, r.Target)
	return exchange.ParseRequest(exchange.Message{Head: append([]byte(line), wire.FieldLines(fields)...), Body: r.Body})
}

// outcome is what an exchange shows to a search.
func outcome(e *exchange.Exchange) (out search.Outcome) {
	switch {
	case e.Response != nil:
		body, _ := e.Response.Payload() // one that cannot be unpacked is seen as it is
		return search.Outcome{Status: e.Response.Status, Body: body[:min(len(body), maxAnswer)]}
	case e.Fault.Kind == exchange.FaultTimeout:
		return search.Outcome{End: search.Hung}
	}
	return search.Outcome{End: search.Broke}
}

// journaled is the exchange that tells what external services were asked meanwhile, as it would be asked for.
func journaled(e *exchange.Exchange, noted mock.Noted) *exchange.Exchange {
	const host = "mocks"
	journal, _ := json.Marshal(noted) // bodies are JSON by construction
	answer := wire.FieldLines(wire.Fields{{Name: "Content-Type", Value: "application/json"}, {Name: "Content-Length", Value: strconv.Itoa(len(journal))}})
	return &exchange.Exchange{Scheme: "http", Addr: host, Start: e.Start.Add(e.Latency),
		Request:  request(search.Request{Method: "GET", Target: search.Journal}, host),
		Response: exchange.ParseResponse(exchange.Message{Head: append([]byte("HTTP/1.1 200 OK\r\n"), answer...), Body: journal})}
}
