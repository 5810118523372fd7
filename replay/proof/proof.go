package proof

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/replay"
	"github.com/flaketap/flaketap/volatility/compare"
)

// Trial is what it takes to try a reset. It destroys what the API holds.
type Trial struct {
	// Restore puts the API back to its start, and says where it is.
	Restore func(context.Context) (*url.URL, error)
	Reads   []Request // that show what the API holds
	Writes  []Request // that change it
	Client  *http.Client
}

// Request is a request as it is sent in a trial.
type Request struct {
	Method, Target string
	Header         http.Header
	Body           []byte
}

// String names the request, without its query, which may hold secrets.
func (r Request) String() string {
	path, _ := exchange.SplitTarget(r.Target)
	return r.Method + " " + path
}

// Verdict is what a trial showed. Places are named with their requests: "GET /orders /body".
type Verdict struct {
	Sent    int      // writes that the API answered
	Changed []string // places that writes changed, and that moved in no other way
	Left    []string // those among them that are, after the reset, as the writes left them
	Grown   []string // lists that are longer after each reset
}

// Resets reports whether nothing speaks against the reset.
func (v Verdict) Resets() bool { return len(v.Left) == 0 && len(v.Grown) == 0 }

// Proven reports whether something was changed, and reset.
func (v Verdict) Proven() bool { return v.Resets() && len(v.Changed) > 0 }

const (
	maxBody = 4 << 20 // of an answer that is compared
	patient = 30 * time.Second
	tick    = 1100 * time.Millisecond // in which a clock of whole seconds goes on
)

// Run tries the reset. The error says which reset failed, or that the API does not answer.
func (t Trial) Run(ctx context.Context) (v Verdict, err error) {
	first, err := t.restored(ctx)
	if err != nil {
		return v, err
	}
	again, err := t.read(ctx, first.at)
	if err != nil {
		return v, err
	}
	second, err := t.restored(ctx)
	if err != nil {
		return v, err
	}
	for _, w := range t.Writes {
		if _, err := t.send(ctx, second.at, w); err == nil {
			v.Sent++
		} else if ctx.Err() != nil {
			return v, err
		}
	}
	changed, err := t.read(ctx, second.at)
	if err != nil {
		return v, err
	}
	last, err := t.restored(ctx)
	if err != nil {
		return v, err
	}
	for i, r := range t.Reads {
		v.judge(r, start{first.answers[i], again[i], second.answers[i]}, changed[i], last.answers[i])
	}
	if len(v.Left) > 0 {
		err = t.confirm(ctx, &v, last)
	}
	return v, err
}

// confirm takes out what goes on by itself: a time in whole seconds may have stood still in all reads but for one step,
// just as the writes were sent, and looks as if these had left it so.
func (t Trial) confirm(ctx context.Context, v *Verdict, last state) error {
	if err := replay.Pause(ctx, tick); err != nil {
		return err
	}
	later, err := t.read(ctx, last.at)
	if err != nil {
		return err
	}
	for i, r := range t.Reads {
		for _, p := range moved(last.answers[i], later[i]) {
			is := func(said string) bool { return said == name(r, p) }
			v.Left, v.Changed = slices.DeleteFunc(v.Left, is), slices.DeleteFunc(v.Changed, is)
		}
	}
	return nil
}

// state is what was read of an API after a reset.
type state struct {
	at      *url.URL
	answers []*exchange.Response
}

func (t Trial) restored(ctx context.Context) (s state, err error) {
	if s.at, err = t.Restore(ctx); err != nil {
		return s, err
	}
	s.answers, err = t.read(ctx, s.at)
	return s, err
}

func (t Trial) read(ctx context.Context, at *url.URL) (out []*exchange.Response, err error) {
	for _, r := range t.Reads {
		answer, err := t.send(ctx, at, r)
		if err != nil {
			return nil, fmt.Errorf("read what the API holds: %w", err)
		}
		out = append(out, answer)
	}
	return out, nil
}

// send sends a request, and returns the answer as it is compared: status and body.
func (t Trial) send(ctx context.Context, at *url.URL, r Request) (*exchange.Response, error) {
	limited, cancel := context.WithTimeout(ctx, patient)
	defer cancel()
	req, err := http.NewRequestWithContext(limited, r.Method, strings.TrimSuffix(at.String(), "/")+r.Target,
		bytes.NewReader(r.Body))
	if err != nil {
		return nil, err
	}
	if r.Header != nil {
		req.Header = r.Header.Clone()
	}
	resp, err := t.Client.Do(req)
	if err != nil {
		var inner *url.Error
		if errors.As(err, &inner) {
			err = inner.Err // it would say the whole URL
		}
		return nil, fmt.Errorf("%s: %w", r, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r, err)
	}
	head := fmt.Sprintf("HTTP/1.1 %03d %s\r\nContent-Type: %s\r\n\r\n", resp.StatusCode, http.StatusText(resp.StatusCode),
		resp.Header.Get("Content-Type"))
	return exchange.ParseResponse(exchange.Message{Head: []byte(head), Body: body, Plain: true}), nil
}

// start is what one request read after a reset, again, and after another reset with nothing sent in between.
type start struct{ first, again, second *exchange.Response }

// judge adds what one read request shows of the reset.
func (v *Verdict) judge(r Request, s start, written, last *exchange.Response) {
	noise := moved(s.first, s.again)
	bySelf := len(noise)
	resets := compare.Responses(s.first, s.second)
	for _, d := range resets {
		noise = append(noise, d.General)
	}
	quiet := func(p exchange.Place) bool { return !slices.Contains(noise, p) }
	for _, d := range compare.Responses(s.second, last) {
		grew := d.Kind == compare.Resized && d.Sizes[1] > d.Sizes[0]
		before := slices.ContainsFunc(resets, func(e compare.Difference) bool {
			return e.Kind == compare.Resized && e.General == d.General && e.Sizes[1] > e.Sizes[0]
		})
		if grew && before && !slices.Contains(noise[:bySelf], d.General) {
			v.Grown = add(v.Grown, r, d.General)
		}
	}
	after, since := moved(s.second, last), moved(written, last)
	for _, p := range moved(s.second, written) {
		if !quiet(p) {
			continue
		}
		v.Changed = add(v.Changed, r, p)
		if slices.Contains(after, p) && !slices.Contains(since, p) {
			v.Left = add(v.Left, r, p)
		}
	}
}

func add(to []string, r Request, p exchange.Place) []string {
	if said := name(r, p); !slices.Contains(to, said) {
		return append(to, said)
	}
	return to
}

func name(r Request, p exchange.Place) string { return r.String() + " " + string(p) }

// moved lists the places in which two answers differ, with wildcards for indexes.
func moved(a, b *exchange.Response) (out []exchange.Place) {
	for _, d := range compare.Responses(a, b) {
		out = append(out, d.General)
	}
	return out
}
