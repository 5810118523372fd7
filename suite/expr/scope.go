package expr

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/wire"
)

// ErrRaised is that the suite would raise an error: a missing key, an index beyond the end, a body that is no JSON.
// Within an assertion it is a failure like any other.
var ErrRaised = errors.New("an exception is raised")

// ErrUnknown is that an expression uses something that the evaluator does not know.
var ErrUnknown = errors.New("not understood")

// ErrUnread is an [ErrUnknown]: an answer cannot be read here, which says nothing of what is in it. It was not recorded
// whole, or is larger or deeper than is read.
var ErrUnread = fmt.Errorf("%w: the body cannot be read", ErrUnknown)

// Raised returns an error that is [ErrRaised], with a reason.
func Raised(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrRaised}, args...)...)
}

// NotKnown returns an error that is [ErrUnknown], with a reason.
func NotKnown(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrUnknown}, args...)...)
}

// IsRaised reports whether an error is [ErrRaised].
func IsRaised(err error) bool { return errors.Is(err, ErrRaised) }

// Scope has what the names of a test stand for in one execution: a *[Response] for the variable of a call, the values
// of what was taken from answers, a [Failure] for what could not be taken.
type Scope map[string]any

// Failure is the value of a variable whose assignment raises an error, or cannot be evaluated.
type Failure struct {
	Err  error
	Line int // of the assignment, from 1
}

// Take gives a variable the value of an expression, assigned in a line of the suite.
func (s Scope) Take(name string, x Expr, line int) {
	v, err := s.Eval(x)
	if err != nil {
		v = Failure{err, line}
	}
	s[name] = v
}

// Client says how the HTTP library of a suite shows an answer. The zero value shows it as Python's requests does.
type Client struct {
	// Text returns the body as text; an error that is [ErrRaised] where the library has none. nil decodes it by the
	// charset of the media type, text without one as Latin-1, all else as UTF-8.
	Text func(*exchange.Response) (string, error)
	// JSON returns the body as a value. An error that is [ErrUnknown] is that its value cannot be told; any other is
	// that it is no JSON. nil reads it whatever the media type is.
	JSON func(*exchange.Response) (any, error)
	// Rejects reports whether the call itself fails for the client, err being what JSON returned; nil for never.
	Rejects func(r *exchange.Response, err error) bool
}

// Response is what one call got in one execution.
type Response struct {
	message *exchange.Response
	client  *Client
	json    any
	jsonErr error
	parsed  bool
}

// NewResponse makes the value of a call's variable: its answer, nil where the call failed below HTTP, as a client shows
// it.
func NewResponse(r *exchange.Response, c *Client) *Response {
	if c == nil {
		c = &Client{}
	}
	return &Response{message: r, client: c}
}

// Message returns the answer itself; nil where the call failed below HTTP.
func (r *Response) Message() *exchange.Response { return r.message }

// failed reports whether the call failed for the client: below HTTP, or as the body is not what it was declared.
func (r *Response) failed() bool {
	if r.message == nil {
		return true
	}
	if r.client.Rejects == nil {
		return false
	}
	_, err := r.JSON()
	return !errors.Is(err, ErrUnknown) && r.client.Rejects(r.message, err)
}

// legible is nil where the body is there as the client read it; else an [ErrUnread].
func (r *Response) legible() error {
	if r.message.Cut > 0 {
		return fmt.Errorf("%w: %d bytes of it were recorded, %d more passed", ErrUnread, len(r.message.Body), r.message.Cut)
	}
	if _, err := r.message.Payload(); err != nil {
		return fmt.Errorf("%w: %w", ErrUnread, err)
	}
	return nil
}

// text is the body as the client shows it.
func (r *Response) text() (string, error) {
	if err := r.legible(); err != nil {
		return "", err
	}
	if r.client.Text != nil {
		return r.client.Text(r.message)
	}
	body, _ := r.message.Payload()
	contentType := strings.ToLower(r.message.Header.Get("Content-Type"))
	latin := strings.HasPrefix(contentType, "text/") && !strings.Contains(contentType, "charset") ||
		strings.Contains(contentType, "iso-8859-1")
	if latin || !utf8.Valid(body) {
		return wire.Latin1(string(body)), nil
	}
	return string(body), nil
}

// JSON returns the body as a value. The error is [ErrRaised] where it is none, and [ErrUnknown] where that cannot be
// told.
func (r *Response) JSON() (any, error) {
	if !r.parsed {
		switch r.jsonErr = r.legible(); {
		case r.jsonErr != nil:
		case r.client.JSON != nil:
			r.json, r.jsonErr = r.client.JSON(r.message)
		default:
			body, _ := r.message.Payload()
			r.json, r.jsonErr = ParseJSON(body)
		}
		r.parsed = true
	}
	if errors.Is(r.jsonErr, ErrUnknown) {
		return nil, r.jsonErr
	}
	if r.jsonErr != nil {
		return nil, Raised("the body is no JSON")
	}
	return r.json, nil
}

// UTF8 is a body as text in UTF-8; what is none of it becomes U+FFFD. It is a [Client.Text].
func UTF8(r *exchange.Response) (string, error) {
	body, _ := r.Payload()
	return string(bytes.ToValidUTF8(body, []byte("\ufffd"))), nil
}

// header returns the value of a header; several of one name are joined with commas.
func (h headers) header(name string) (string, bool) {
	if !h.of.message.Header.Has(name) {
		return "", false
	}
	return strings.Join(h.of.message.Header.Values(name), ", "), true
}
