// Package trial plays the tests of a planned suite against an API before they are written, and plans them again by what
// that showed: a test that depends on what others leave behind, in a way that the recording does not tell, is weakened
// before anybody runs it.
//
// The tests are played in order, then backwards on what they left, then, where the API can be reset, backwards on a
// fresh one. Thus each test comes after each other one once, as it may in a runner that shuffles. A suite of exact
// values is not tried: nothing in it is weakened. Where the API refuses a credential that the tests send, its answers
// are no evidence, and nothing is planned ([RefusedError]).
//
// The plan says how its tests are played ([build.Answers.Try]), so that a trial does what the written tests do; what is
// here sends the requests, byte for byte as the tests send them, and reads the answers.
package trial

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/build"
	"github.com/flaketap/flaketap/suite/write/plan"
)

// API is the API that tests are tried against.
type API struct {
	Target *url.URL
	// how it is spoken to; nil trusts the system's roots
	TLS  *tls.Config
	Dial func(ctx context.Context, network, addr string) (net.Conn, error) // nil: net.Dialer's
	// puts it back to its start; "" where nothing does
	Reset service.Reset
}

// RefusedError says that the API does not take credentials that tests send. What it answers then is no evidence.
type RefusedError struct {
	Credentials []plan.Credential
	Values      []string // of these, in the same order; secrets
}

// Error names the credentials, without their values.
func (e *RefusedError) Error() string {
	names := make([]string, len(e.Credentials))
	for i, c := range e.Credentials {
		names[i] = c.Where()
	}
	return "the API refused the credential in " + strings.Join(names, " and in ")
}

// refusal is a RefusedError where trials of a plan say so.
func refusal(answers *build.Answers, p plan.Plan) error {
	all := answers.Refused(p)
	if len(all) == 0 {
		return nil
	}
	e := &RefusedError{Credentials: all}
	for _, c := range all {
		e.Values = append(e.Values, p.Secrets[c.Variable])
	}
	return e
}

// trials is how often the tests of a plan are played; the doc of the package says how.
const trials = 3

// answerTimeout bounds one answer.
const answerTimeout = 30 * time.Second

// maxAnswer bounds, in bytes, what is read of one answer.
const maxAnswer = 16 << 20

// Plan plans the tests of a recording, plays them against an API, and plans them again with what that showed. An error
// is that of the first playing in order, of the reset, of ctx, or a [RefusedError].
func Plan(ctx context.Context, src suite.Source, o build.Options, api API) (plan.Plan, error) {
	planned, err := build.Plan(src, o)
	if err != nil || o.Mode == suite.Exact {
		return planned, err
	}
	transport := &http.Transport{DisableCompression: true, TLSClientConfig: api.TLS, DialContext: api.Dial}
	defer transport.CloseIdleConnections()
	play := func(r build.Request) (*exchange.Response, error) { return send(ctx, transport, api.Target, r) }
	o.Answers.Host = api.Target.Host
	for n := range trials {
		if n != 1 && api.Reset != "" {
			if err := api.Reset.Run(ctx); err != nil {
				return planned, err
			}
		}
		way := build.Forwards
		if n > 0 {
			way = build.Backwards
		}
		if err := o.Answers.Try(planned, way, play); err != nil && n == 0 {
			return planned, err
		}
		if err := ctx.Err(); err != nil {
			return planned, err
		}
	}
	if err := refusal(&o.Answers, planned); err != nil {
		return planned, err
	}
	return build.Plan(src, o)
}

// send sends one request and reads its answer.
func send(ctx context.Context, transport *http.Transport, target *url.URL,
	r build.Request) (*exchange.Response, error) {
	base := target
	if r.Base != "" {
		u, err := url.Parse(r.Base)
		if err != nil {
			return nil, fmt.Errorf("read base URL: %w", err)
		}
		base = u
	}
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	res, err := transport.RoundTrip(request(r, base).WithContext(ctx))
	if err != nil {
		return nil, fmt.Errorf("send request: %w", err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
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

// request is a request of a plan as net/http sends it: its target as it stands, and no header of net/http's own.
func request(r build.Request, base *url.URL) *http.Request {
	req := &http.Request{
		Method: r.Method, Host: base.Host, Header: http.Header{"User-Agent": nil},
		URL: &url.URL{Scheme: base.Scheme, Host: base.Host, Opaque: strings.TrimSuffix(base.Path, "/") + r.Target},
	}
	if r.Body != nil {
		req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(r.Body)), int64(len(r.Body))
		if len(r.Body) == 0 {
			// net/http leaves "Content-Length: 0" out of a DELETE and of others otherwise, and a GET or HEAD always
			req.Body, req.TransferEncoding = http.NoBody, []string{"identity"}
		}
		if r.Chunked {
			req.ContentLength, req.TransferEncoding = -1, []string{"chunked"}
		}
	}
	for _, h := range r.Headers {
		req.Header[h[0]] = append(req.Header[h[0]], latin1Bytes(h[1]))
	}
	return req
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
