package trial

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
	"github.com/flaketap/flaketap/suite/write/play"
)

// answerTimeout bounds one answer.
const answerTimeout = 30 * time.Second

// maxAnswer bounds, in bytes, what is read of one answer.
const maxAnswer = 16 << 20

// send sends one request and reads its answer.
func send(ctx context.Context, transport *http.Transport, target *url.URL,
	r play.Request) (*exchange.Response, error) {
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
func request(r play.Request, base *url.URL) *http.Request {
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
