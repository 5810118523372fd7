package wardapi

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// SequenceHeader is the request header that names the scenario a request of [Drive] belongs to.
const SequenceHeader = "X-Flaketap-Sequence"

// Drive uses every operation of the API at baseURL the way a ward would, in scenarios that carry ids, tags and tokens
// from one answer to the next request. Each round does the same again; it sends some 130 requests and takes a third of
// a second, most of it spent waiting for the laboratory. An error says which request found nobody, or which answer
// lacked what the next request needed; an unexpected status is the caller's to judge.
func Drive(ctx context.Context, baseURL string, rounds int) error {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	defer transport.CloseIdleConnections()
	return drive(ctx, baseURL, rounds, transport, wait)
}

// DriveBy is [Drive] over a transport of the caller's, and with the caller's way of waiting for a while or for the
// context's end: what has a clock of its own need not wait in earnest.
func DriveBy(ctx context.Context, baseURL string, rounds int, transport http.RoundTripper,
	pause func(context.Context, time.Duration) error) error {
	return drive(ctx, baseURL, rounds, transport, pause)
}

// pauser waits for a while, or for the context's end.
type pauser func(context.Context, time.Duration) error

// wait waits for d, or for the context's end.
func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// drive is Drive with its way to the API and its way of waiting given.
func drive(ctx context.Context, baseURL string, rounds int, transport http.RoundTripper, pause pauser) error {
	d := &driver{ctx: ctx, base: strings.TrimSuffix(baseURL, "/"), pause: pause, client: &http.Client{
		Transport:     transport,
		Timeout:       30 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	for d.round = 1; d.round <= rounds; d.round++ {
		for _, s := range scenarios() {
			d.sequence, d.headers = fmt.Sprintf("%s-%d", s.name, d.round), nil
			if s.play(d); d.err != nil {
				return fmt.Errorf("drive %s: %w", d.sequence, d.err)
			}
		}
	}
	return nil
}

// driver is a client at work. After the first error it sends nothing more, and err keeps it.
type driver struct {
	ctx      context.Context
	base     string
	client   *http.Client
	pause    pauser
	round    int
	sequence string
	headers  []string // what every request of the scenario bears from now on: names and values by turns
	err      error
}

// got is an answer as the scenarios read it.
type got struct {
	d      *driver
	what   string
	header http.Header
	body   []byte
}

// sleep lets the API's work go on for a while.
func (d *driver) sleep(t time.Duration) {
	if d.err == nil {
		d.err = d.pause(d.ctx, t)
	}
}

func (d *driver) get(path string, headers ...string) *got { return d.send("GET", path, "", headers...) }

// post sends a JSON body.
func (d *driver) post(path, body string, headers ...string) *got {
	return d.send("POST", path, body, headers...)
}

// send sends one request. headers are names and values by turns; they win over what every request bears.
func (d *driver) send(method, path, body string, headers ...string) *got {
	g := &got{d: d, what: method + " " + path}
	if d.err != nil {
		return g
	}
	req, err := http.NewRequestWithContext(d.ctx, method, d.base+path, strings.NewReader(body))
	if err != nil {
		d.err = fmt.Errorf("make request: %w", err)
		return g
	}
	req.Header.Set(SequenceHeader, d.sequence)
	req.Header.Set("User-Agent", "flaketap-demo-ward")
	req.Header.Set("Accept-Language", "de")
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	all := append(append([]string{}, d.headers...), headers...)
	for i := 0; i+1 < len(all); i += 2 {
		req.Header.Set(all[i], all[i+1])
	}
	res, err := d.client.Do(req)
	if err != nil {
		d.err = fmt.Errorf("send request: %w", err)
		return g
	}
	defer res.Body.Close()
	g.header = res.Header
	if g.body, err = io.ReadAll(io.LimitReader(res.Body, 1<<20)); err != nil {
		d.err = fmt.Errorf("read answer to %s: %w", g.what, err)
	}
	return g
}

// value returns a member of the answer's JSON body as text; a missing one ends the drive.
func (g *got) value(name string) string {
	if g.d.err != nil {
		return ""
	}
	var members map[string]any
	if err := json.Unmarshal(g.body, &members); err == nil {
		if v, ok := members[name]; ok {
			return fmt.Sprint(v)
		}
	}
	g.d.err = fmt.Errorf("read answer to %s: no member %q", g.what, name)
	return ""
}

// cookie returns the answer's first cookie as a request sends it; a missing one ends the drive.
func (g *got) cookie() string {
	pair, _, _ := strings.Cut(g.header.Get("Set-Cookie"), ";")
	if pair == "" && g.d.err == nil {
		g.d.err = fmt.Errorf("read answer to %s: no cookie", g.what)
	}
	return pair
}

// etag returns the answer's validator, "" where it has none.
func (g *got) etag() string { return g.header.Get("Etag") }
