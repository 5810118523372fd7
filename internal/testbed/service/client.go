package service

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// SequenceHeader is the request header that names the scenario that a request of a [Client] belongs to.
const SequenceHeader = "X-Flaketap-Sequence"

// Client is a client of an API at work. After the first error it sends nothing more, and Err keeps it.
type Client struct {
	// Agent and Language are what each request says of who sends it.
	Agent, Language string
	// Follower follows the values that the client takes from answers; nil where nobody does.
	Follower Follower

	Round   int      // from 1
	Headers []string // what each request of the scenario bears from now on: names and values by turns
	Err     error

	ctx      context.Context
	base     string
	client   *http.Client
	pause    Pauser
	sequence string
}

// Pauser waits for a while, or for the context's end.
type Pauser func(context.Context, time.Duration) error

// Follower follows the values that a client takes from answers. What Take returns stands for a value in the client's
// hands, and Fill puts the values back.
type Follower interface {
	Take(request int, value string) string
	Fill(text string) string
	// Sends is told of a request before it is filled, and numbers it.
	Sends(path, body string, header http.Header) (request int)
}

// Scenario is one thing that people come to do.
type Scenario struct {
	Name string
	Play func(*Client)
}

// NewClient returns a client of the API at baseURL.
func NewClient(ctx context.Context, baseURL string, transport http.RoundTripper, pause Pauser) *Client {
	return &Client{ctx: ctx, base: strings.TrimSuffix(baseURL, "/"), pause: pause, client: &http.Client{
		Transport:     transport,
		Timeout:       30 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Play plays scenarios in order, so many times over. An error says which request found nobody, or which answer lacked
// what the next request needed.
func (c *Client) Play(rounds int, scenarios []Scenario) error {
	for c.Round = 1; c.Round <= rounds; c.Round++ {
		for _, s := range scenarios {
			c.sequence, c.Headers = fmt.Sprintf("%s-%d", s.Name, c.Round), nil
			if s.Play(c); c.Err != nil {
				return fmt.Errorf("drive %s: %w", c.sequence, c.Err)
			}
		}
	}
	return nil
}

// Pause is a [Pauser] that waits in earnest.
func Pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Sleep lets the API's work go on for a while.
func (c *Client) Sleep(d time.Duration) {
	if c.Err == nil {
		c.Err = c.pause(c.ctx, d)
	}
}

// Get sends a GET; headers are as for [Client.Send].
func (c *Client) Get(path string, headers ...string) *Received {
	return c.Send(http.MethodGet, path, "", headers...)
}

// Post sends a JSON body; headers are as for [Client.Send].
func (c *Client) Post(path, body string, headers ...string) *Received {
	return c.Send(http.MethodPost, path, body, headers...)
}

// Send sends one request. headers are names and values by turns; they win over what every request bears.
func (c *Client) Send(method, path, body string, headers ...string) *Received {
	g := &Received{client: c, what: method + " " + path}
	if c.Err != nil {
		return g
	}
	req, err := http.NewRequestWithContext(c.ctx, method, c.base+c.fill(path), strings.NewReader(c.fill(body)))
	if err != nil {
		c.Err = fmt.Errorf("make request: %w", err)
		return g
	}
	req.Header.Set(SequenceHeader, c.sequence)
	req.Header.Set("User-Agent", c.Agent)
	req.Header.Set("Accept-Language", c.Language)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, list := range [][]string{c.Headers, headers} {
		for i := 0; i+1 < len(list); i += 2 {
			req.Header.Set(list[i], list[i+1])
		}
	}
	if c.Follower != nil {
		g.request = c.Follower.Sends(path, body, req.Header)
	}
	for _, values := range req.Header {
		for i := range values {
			values[i] = c.fill(values[i])
		}
	}
	res, err := c.client.Do(req)
	if err != nil {
		c.Err = fmt.Errorf("send request: %w", err)
		return g
	}
	defer res.Body.Close()
	g.header = res.Header
	if g.body, err = io.ReadAll(io.LimitReader(res.Body, 1<<20)); err != nil {
		c.Err = fmt.Errorf("read answer to %s: %w", g.what, err)
	}
	return g
}

func (c *Client) fill(text string) string {
	if c.Follower == nil {
		return text
	}
	return c.Follower.Fill(text)
}

// Received is an answer as scenarios read it.
type Received struct {
	client  *Client
	what    string
	request int // its number, where the values are followed
	header  http.Header
	body    []byte
}

func (g *Received) take(value string) string {
	if g.client.Follower == nil {
		return value
	}
	return g.client.Follower.Take(g.request, value)
}

// Value returns a member of the answer's JSON body as text; a missing one ends the client's work.
func (g *Received) Value(name string) string {
	if g.client.Err != nil {
		return ""
	}
	var members map[string]any
	dec := json.NewDecoder(bytes.NewReader(g.body))
	dec.UseNumber()
	err := dec.Decode(&members)
	if v, ok := members[name]; err == nil && ok {
		return g.take(fmt.Sprint(v))
	}
	g.client.Err = fmt.Errorf("read answer to %s: no member %q", g.what, name)
	return ""
}

// Cookie returns the answer's first cookie as a request sends it; a missing one ends the client's work.
func (g *Received) Cookie() string {
	pair, _, _ := strings.Cut(g.header.Get("Set-Cookie"), ";")
	if pair == "" && g.client.Err == nil {
		g.client.Err = fmt.Errorf("read answer to %s: no cookie", g.what)
	}
	name, value, found := strings.Cut(pair, "=")
	if !found {
		return pair
	}
	return name + "=" + g.take(value)
}

// ETag returns the answer's validator, "" where it has none.
func (g *Received) ETag() string { return g.Header("Etag") }

// Header returns a header of the answer, "" where it has none.
func (g *Received) Header(name string) string { return g.take(g.header.Get(name)) }

// Count returns how long a list of the answer's JSON body is.
func (g *Received) Count(list string) int {
	var members map[string]json.RawMessage
	var all []json.RawMessage
	if json.Unmarshal(g.body, &members) != nil || json.Unmarshal(members[list], &all) != nil {
		return 0
	}
	return len(all)
}

// At returns a member of one element of a list of the answer's JSON body.
func (g *Received) At(list string, i int, name string) string {
	var members map[string]json.RawMessage
	var all []map[string]any
	if json.Unmarshal(g.body, &members) != nil || json.Unmarshal(members[list], &all) != nil || i >= len(all) {
		return ""
	}
	return g.take(fmt.Sprint(all[i][name]))
}
