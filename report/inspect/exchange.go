package inspect

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/exchange/redact"
	"github.com/flaketap/flaketap/internal/wire"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/volatility/compare"
)

// Exchange shows the exchange at a position in full, with what the runs answered.
func (in *Inspector) Exchange(seq uint64) error {
	if err := in.learnSecrets(); err != nil {
		return err
	}
	step, err := in.db.Step(seq)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("unknown exchange %d: the recording has exchanges 1 to %d", seq, in.recording.Count)
	}
	if err != nil {
		return err
	}
	in.learnStep(step)      // what the runs answered has secrets of its own
	runs, _ := in.db.Runs() // the step has been read from them
	d := in.mask.detail(step, runs)
	if in.Form == report.FormText {
		return d.Text(in.Out)
	}
	return in.document(d)
}

// Detail is the exchange of a step in full, with what it answered in the runs, as [Inspector.Exchange] shows it.
func Detail(step exchange.Step, runs []exchange.Run, r exchange.Redactor) *report.Detail {
	return masker{r}.detail(step, runs)
}

func (m masker) detail(step exchange.Step, runs []exchange.Run) *report.Detail {
	e := step.Exchange
	d := &report.Detail{Entry: m.entry(e), Observations: []report.Observation{}}
	d.Fingerprint = exchange.Exact(e).String()
	r := &e.Request
	body, err := r.Payload()
	line := r.Method + " " + redact.Target(m.redactor, r.Target) + " " + r.Proto
	d.Request = m.message(line, r.Header, r.Malformed, &r.Message, body, err)
	if e.Response != nil {
		d.Response = m.response(e.Response)
	}
	if e.Fault != nil {
		d.Cause = m.text("", e.Fault.Text)
		if len(e.Fault.Seen.Head)+len(e.Fault.Seen.Body) > 0 {
			d.Seen = m.response(exchange.ParseResponse(e.Fault.Seen))
		}
	}
	recorded := compare.Read(e.Response, e.Fault)
	for _, o := range step.Observations {
		seen := report.Observation{Run: o.Run, Start: o.Start, Latency: inMilliseconds(o.Latency),
			Differences: []report.Difference{}}
		for _, run := range runs {
			if run.Number == o.Run {
				seen.Kind, seen.Conditions = run.Kind, run.Conditions
			}
		}
		if o.Fault != nil {
			seen.Fault, seen.Cause = string(o.Fault.Kind), m.text("", o.Fault.Text)
		} else {
			seen.Status, seen.Bytes = o.Response.Status, int64(len(o.Response.Body))+o.Response.Cut
		}
		if s := o.Settling; s != nil {
			seen.Settling = &report.Settling{Settled: s.Settled, Early: s.Early, After: inMilliseconds(s.After), Looks: s.Looks}
		}
		for _, x := range recorded.Differences(compare.Read(o.Response, o.Fault)) {
			seen.Differences = append(seen.Differences, Difference(x, m.redactor))
		}
		d.Observations = append(d.Observations, seen)
	}
	return d
}

// Difference is a place at which two answers differ, as it may be shown.
func Difference(d compare.Difference, r exchange.Redactor) report.Difference {
	m := masker{r}
	return report.Difference{Place: r.ShowPlace(d.Place), Kind: string(d.Kind), Before: m.token(d.Place, d.Before),
		After: m.token(d.Place, d.After)}
}

// Answer is a response as it may be shown.
func Answer(r *exchange.Response, redactor exchange.Redactor) *report.Message {
	return masker{redactor}.response(r)
}

func (m masker) response(r *exchange.Response) *report.Message {
	body, err := r.Payload()
	line := r.Proto
	if r.Status != 0 {
		line += " " + strconv.Itoa(r.Status)
	}
	out := m.message(strings.TrimSpace(line+" "+m.text("", r.Reason)), r.Header, r.Malformed,
		&r.Message, body, err)
	out.Interim = len(r.Interim)
	return &out
}

// message is a message as it may be shown. Of a head that could not be read in full only the fields are shown that
// could: nothing tells where the secrets are in the rest.
func (m masker) message(line string, fields wire.Fields, malformed bool, sent *exchange.Message, body []byte,
	decode error) report.Message {
	out := report.Message{Line: strings.TrimSpace(line), Headers: []report.Header{}, Malformed: malformed}
	for _, f := range fields {
		out.Headers = append(out.Headers, report.Header{Name: f.Name, Value: redact.Header(m.redactor, f.Name, f.Value)})
	}
	shown := redact.Body(m.redactor, fields.Get("Content-Type"), body)
	sum := sha256.Sum256(shown)
	out.Body = report.Body{Size: len(body), Cut: sent.Cut, Digest: hex.EncodeToString(sum[:])}
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
