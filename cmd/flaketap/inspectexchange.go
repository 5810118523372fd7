package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/exchange/redact"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/wire"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/volatility/compare"
)

// exchange shows one exchange in full, with what it answered in the runs.
func (in *inspection) exchange(args []string) error {
	if len(args) == 0 {
		return console.Usage(errors.New("inspect exchange needs the N of an exchange"))
	}
	seq, err := strconv.ParseUint(args[0], 10, 64)
	if err != nil || seq == 0 {
		return console.Usage(fmt.Errorf("%q is no position of an exchange; they count from 1", args[0]))
	}
	step, err := in.db.Step(seq)
	if err != nil {
		return in.noExchange(seq, err)
	}
	if !in.redactor.Reveal {
		in.secrets.Step(step) // what the runs answered has secrets of its own
		in.redactor.Known = in.secrets.Known()
	}
	d := in.detail(step)
	if in.form == report.FormText {
		return d.Text(in.out)
	}
	return in.document(d)
}

func (in *inspection) detail(step exchange.Step) *report.Detail {
	e := step.Exchange
	d := &report.Detail{Entry: in.entry(e, true), Observations: []report.Observation{}}
	r := &e.Request
	body, err := r.Payload()
	line := r.Method + " " + redact.Target(in.redactor, r.Target) + " " + r.Proto
	d.Request = in.message(line, r.Header, r.Malformed, &r.Message, body, err)
	if e.Response != nil {
		d.Response = in.response(e.Response)
	}
	if e.Fault != nil {
		d.Cause = in.text("", e.Fault.Text)
		if len(e.Fault.Seen.Head)+len(e.Fault.Seen.Body) > 0 {
			d.Seen = in.response(exchange.ParseResponse(e.Fault.Seen))
		}
	}
	runs, _ := in.db.Runs() // the step has been read from them
	recorded := compare.Read(e.Response, e.Fault)
	for _, o := range step.Observations {
		seen := report.Observation{Run: o.Run, Start: o.Start, Latency: inMilliseconds(o.Latency), Differences: []report.Difference{}}
		for _, run := range runs {
			if run.Number == o.Run {
				seen.Kind, seen.Conditions = run.Kind, run.Conditions
			}
		}
		if o.Fault != nil {
			seen.Fault, seen.Cause = string(o.Fault.Kind), in.text("", o.Fault.Text)
		} else {
			seen.Status, seen.Bytes = o.Response.Status, int64(len(o.Response.Body))+o.Response.Cut
		}
		if s := o.Settling; s != nil {
			seen.Settling = &report.Settling{Settled: s.Settled, Early: s.Early, After: inMilliseconds(s.After), Looks: s.Looks}
		}
		for _, x := range recorded.Differences(compare.Read(o.Response, o.Fault)) {
			seen.Differences = append(seen.Differences, report.Difference{
				Place: in.redactor.ShowPlace(x.Place), Kind: string(x.Kind), Before: in.token(x.Place, x.Before), After: in.token(x.Place, x.After),
			})
		}
		d.Observations = append(d.Observations, seen)
	}
	return d
}

func (in *inspection) response(r *exchange.Response) *report.Message {
	body, err := r.Payload()
	line := r.Proto
	if r.Status != 0 {
		line += " " + strconv.Itoa(r.Status)
	}
	m := in.message(strings.TrimSpace(line+" "+in.text("", r.Reason)), r.Header, r.Malformed, &r.Message, body, err)
	m.Interim = len(r.Interim)
	return &m
}

// message is a message as it may be shown. Of a head that could not be read in full only the fields are shown that
// could: nothing tells where the secrets are in the rest.
func (in *inspection) message(line string, fields wire.Fields, malformed bool, m *exchange.Message, body []byte, decode error) report.Message {
	out := report.Message{Line: strings.TrimSpace(line), Headers: []report.Header{}, Malformed: malformed}
	for _, f := range fields {
		out.Headers = append(out.Headers, report.Header{Name: f.Name, Value: redact.Header(in.redactor, f.Name, f.Value)})
	}
	shown := redact.Body(in.redactor, fields.Get("Content-Type"), body)
	sum := sha256.Sum256(shown)
	out.Body = report.Body{Size: len(body), Cut: m.Cut, Digest: hex.EncodeToString(sum[:])}
	switch {
	case len(body) == 0:
		out.Body.Digest = ""
	case report.Readable(shown):
		out.Body.Text = string(shown)
	default:
		out.Body.Base64 = shown
	}
	if decode != nil {
		out.Body.Note = decode.Error()
	}
	return out
}

// token is a raw JSON token as it may be shown: whole where its place is that of a secret, else without the secrets
// that it holds.
func (in *inspection) token(place exchange.Place, raw string) string {
	if raw == "" || in.redactor.Reveal {
		return raw
	}
	switch {
	case raw == "null", raw == "true", raw == "false":
		return raw
	case in.redactor.Secret(place):
		return strconv.Quote(in.redactor.Token(plainText(raw)))
	case raw[0] == '{', raw[0] == '[':
		return string(redact.Body(in.redactor, "application/json", []byte(raw)))
	}
	return in.text("", raw)
}

// plainText is the text of a JSON string, and any other token as it is: tokens for secrets are made of the text, so that
// a secret has the same one in a header, a query and a body.
func plainText(raw string) string {
	if s, err := strconv.Unquote(raw); err == nil {
		return s
	}
	return raw
}
