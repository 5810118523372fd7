package trial

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/flaketap/flaketap/exchange"
)

// wire is the way between the client and the API, and the recorder on it.
type wire struct {
	subject   *Subject
	exchanges []*exchange.Exchange
}

// RoundTrip implements http.RoundTripper.
func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, fmt.Errorf("read request: %w", err)
		}
	}
	e := &exchange.Exchange{
		Seq: uint64(len(w.exchanges) + 1), Pass: 1, Target: exchange.DefaultTarget, Scheme: "http",
		Addr: w.subject.addr(), Start: w.subject.Clock.now, Request: request(r, body),
	}
	if w.subject.SequenceHeader != "" {
		e.Sequence = r.Header.Get(w.subject.SequenceHeader)
	}
	var err error
	if e.Response, err = w.subject.send(&e.Request); err != nil {
		return nil, err
	}
	e.Latency = w.subject.Clock.now.Sub(e.Start)
	w.exchanges = append(w.exchanges, e)
	out := &http.Response{
		StatusCode: e.Response.Status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{},
		Body: io.NopCloser(bytes.NewReader(e.Response.Body)), Request: r,
	}
	for _, f := range e.Response.Header {
		out.Header.Add(f.Name, f.Value)
	}
	return out, nil
}

// request writes what net/http sends.
func request(r *http.Request, body []byte) exchange.Request {
	head := fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: %s\r\n", r.Method, r.URL.RequestURI(), r.URL.Host)
	header := r.Header.Clone()
	if len(body) > 0 || r.Method == http.MethodPost || r.Method == http.MethodPut || r.Method == http.MethodPatch {
		header.Set("Content-Length", strconv.Itoa(len(body)))
	}
	return exchange.ParseRequest(exchange.Message{Head: fields(head, header), Body: body})
}

// fields appends the fields of a header, sorted, and the blank line.
func fields(head []byte, header http.Header) []byte {
	for _, name := range slices.Sorted(maps.Keys(header)) {
		for _, value := range header[name] {
			head = fmt.Appendf(head, "%s: %s\r\n", name, value)
		}
	}
	return append(head, "\r\n"...)
}

func (s *Subject) addr() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.Port)) }

// send has the API answer a request.
func (s *Subject) send(sent *exchange.Request) (*exchange.Response, error) {
	target, err := url.ParseRequestURI(sent.Target)
	if err != nil {
		return nil, fmt.Errorf("send request: %w", err)
	}
	r := &http.Request{
		Method: sent.Method, URL: target, RequestURI: sent.Target, Host: sent.Header.Get("Host"), Proto: "HTTP/1.1",
		ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(sent.Body)), ContentLength: int64(len(sent.Body)),
		RemoteAddr: "127.0.0.1:50412",
	}
	for _, f := range sent.Header {
		if f.Name != "Host" {
			r.Header.Add(f.Name, f.Value)
		}
	}
	at := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: s.Port}
	r = r.WithContext(context.WithValue(context.Background(), http.LocalAddrContextKey, net.Addr(at)))
	s.Clock.Advance(s.Clock.between(100*time.Microsecond, 400*time.Microsecond))
	w := httptest.NewRecorder()
	s.Handler.ServeHTTP(w, r)
	s.Clock.Advance(s.Clock.between(100*time.Microsecond, 400*time.Microsecond+s.Latency))
	return s.response(w, sent.Method), nil
}

// response writes what net/http's server sends to a request of a method.
func (s *Subject) response(w *httptest.ResponseRecorder, method string) *exchange.Response {
	header := w.Result().Header
	header.Set("Date", s.Clock.now.UTC().Format(http.TimeFormat))
	body := w.Body.Bytes()
	if header.Get("Content-Length") == "" && w.Code != http.StatusNoContent && w.Code != http.StatusNotModified {
		header.Set("Content-Length", strconv.Itoa(len(body)))
	}
	if method == http.MethodHead {
		body = nil
	}
	head := fmt.Appendf(nil, "HTTP/1.1 %d %s\r\n", w.Code, http.StatusText(w.Code))
	return exchange.ParseResponse(exchange.Message{Head: fields(head, header), Body: body})
}

// reset resets the API.
func (s *Subject) reset() error {
	w := httptest.NewRecorder()
	s.Handler.ServeHTTP(w, httptest.NewRequest(http.MethodPost, s.Reset, nil))
	if w.Code/100 != 2 {
		return fmt.Errorf("reset: %d %s", w.Code, w.Body)
	}
	return nil
}
