package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write"
	"github.com/urfave/cli/v2"
)

// suiteTrials is how often the tests of a plan are tried: in order, then backwards on what they left, then, where the API
// can be reset, backwards on a fresh one. Thus each test comes after each other one once, as it may in a runner that shuffles.
const suiteTrials = 3

// maxTried bounds, in bytes, what is read of one answer in a trial.
const maxTried = 16 << 20

// tryPlan plays the tests of a plan against the API, and plans them again with what that showed: a test that leans on
// what others leave, in a way that the recording does not tell, is weakened before it is written.
func tryPlan(src suite.Source, o write.Options, s *trySender, reset service.Reset) (write.Plan, error) {
	plan, err := write.Build(src, o)
	if err != nil || o.Mode == suite.Exact {
		return plan, err
	}
	defer s.transport.CloseIdleConnections()
	for n := range suiteTrials {
		if n != 1 && reset != "" {
			if err := reset.Run(s.ctx); err != nil {
				return plan, err
			}
		}
		if err := o.Answers.Try(plan, n > 0, s.send); err != nil && n == 0 {
			return plan, err
		}
		if err := s.ctx.Err(); err != nil {
			return plan, err
		}
	}
	return write.Build(src, o)
}

// trySender sends the requests of trials.
type trySender struct {
	ctx       context.Context
	target    *url.URL
	transport *http.Transport
}

// newTrySender speaks to the API as the flags want it.
func newTrySender(c *cli.Context, target *url.URL) (*trySender, error) {
	config, dial, err := upstreamOptions(c).Open()
	if err != nil {
		return nil, err
	}
	return &trySender{ctx: c.Context, target: target, transport: &http.Transport{
		DisableCompression: true, TLSClientConfig: config, DialContext: dial,
	}}, nil
}

func (s *trySender) send(r write.Request) (*exchange.Response, error) {
	base := s.target
	if r.Base != "" {
		u, err := url.Parse(r.Base)
		if err != nil {
			return nil, fmt.Errorf("read base URL: %w", err)
		}
		base = u
	}
	ctx, cancel := context.WithTimeout(s.ctx, 30*time.Second)
	defer cancel()
	req := (&http.Request{
		Method: r.Method, Host: base.Host, Header: http.Header{"User-Agent": nil},
		URL: &url.URL{Scheme: base.Scheme, Host: base.Host, Opaque: strings.TrimSuffix(base.Path, "/") + r.Target},
	}).WithContext(ctx)
	if r.Body != nil {
		req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(r.Body)), int64(len(r.Body))
		if len(r.Body) == 0 {
			req.Body = http.NoBody
		}
		if r.Chunked {
			req.ContentLength, req.TransferEncoding = -1, []string{"chunked"}
		}
	}
	for _, h := range r.Headers {
		req.Header[h[0]] = append(req.Header[h[0]], latin1Bytes(h[1]))
	}
	res, err := s.transport.RoundTrip(req)
	if err != nil {
		return nil, fmt.Errorf("send request: %w", err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxTried))
	if err != nil {
		return nil, fmt.Errorf("read answer: %w", err)
	}
	var head bytes.Buffer
	fmt.Fprintf(&head, "HTTP/1.1 %s\r\n", res.Status)
	if err := res.Header.Write(&head); err != nil {
		return nil, fmt.Errorf("read answer: %w", err)
	}
	head.WriteString("\r\n")
	return exchange.ParseResponse(exchange.Message{Head: head.Bytes(), Body: body}), nil
}

// latin1Bytes writes a text that has a character for each byte as these bytes.
func latin1Bytes(s string) string {
	out := make([]byte, 0, len(s))
	for _, r := range s {
		if r > 0xff {
			return s
		}
		out = append(out, byte(r))
	}
	return string(out)
}
