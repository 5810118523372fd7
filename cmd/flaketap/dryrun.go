package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/exchange/redact"
	"github.com/flaketap/flaketap/replay"
	"github.com/flaketap/flaketap/report"
	"github.com/urfave/cli/v2"
)

// intent is what a run would do with the requests of one operation: the JSON of --dry-run.
type intent struct {
	Host      string `json:"host"` // scheme and address that they would go to
	Method    string `json:"method"`
	Operation string `json:"operation"` // path template
	Requests  int    `json:"requests"`  // in each run
	Unsafe    bool   `json:"unsafe"`    // they may change something
	Skipped   string `json:"skipped"`   // why they would not be sent; "" where they would
	Signed    string `json:"signed"`    // the scheme of their signature, for which they cannot be replayed as meant; "" without
	First     uint64 `json:"first"`     // the first of them in the recording
}

// dryRun lists what a run would send.
func (t *tool) dryRun(c *cli.Context, p *replay.Player, survey *survey, chosen *selection) error {
	recording, err := survey.db.Recording()
	if err != nil {
		return err
	}
	operations, err := survey.operations()
	if err != nil {
		return err
	}
	all := map[intent]*intent{}
	secrets := exchange.Secrets{Stored: recording.Redacted()}
	for e := range survey.exchanges() {
		secrets.Exchange(e)
		i := intent{Method: e.Request.Method, Operation: operations[e.Seq].Template, Unsafe: !e.Request.Safe()}
		i.Host, i.Skipped = p.Destination(e)
		if g, signed := chosen.signature(e); signed {
			i.Signed = g.Scheme
		}
		if all[i] == nil {
			one := i
			one.First = e.Seq
			all[i] = &one
		}
		all[i].Requests++
	}
	redactor := exchange.Redactor{Key: recording.Key, Known: secrets.Known()}
	rows := make([]*intent, 0, len(all))
	for _, i := range all {
		i.Operation = redact.Target(redactor, i.Operation)
		rows = append(rows, i)
	}
	slices.SortFunc(rows, func(a, b *intent) int {
		return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.Skipped, b.Skipped), cmp.Compare(a.Operation, b.Operation),
			cmp.Compare(a.Method, b.Method), cmp.Compare(a.First, b.First))
	})
	l := report.NewListing(t.out, report.Form(c.String("format")), report.Column{Name: "HOST", Max: 44}, report.Column{Name: "METHOD", Max: 10},
		report.Column{Name: "OPERATION", Max: 60}, report.Column{Name: "REQUESTS", Right: true}, report.Column{Name: "", Max: 6}, report.Column{Name: "NOTE"})
	for _, i := range rows {
		unsafe, note := "", ""
		if i.Unsafe {
			unsafe = "unsafe"
		}
		switch {
		case i.Skipped != "":
			note = "not sent: " + i.Skipped
		case i.Signed != "":
			note = "cannot be replayed as meant: " + i.Signed
		}
		if err := l.Add(i, i.Host, i.Method, i.Operation, fmt.Sprint(i.Requests), unsafe, note); err != nil {
			return errors.Join(err, l.Close())
		}
	}
	return l.Close()
}
