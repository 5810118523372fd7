package doctor

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/flaketap/flaketap/replay/service"
)

// Status says how things are.
type Status string

// The statuses of a finding. Only a problem makes a check fail.
const (
	OK      Status = "ok"
	Problem Status = "problem"
	Note    Status = "note"    // not wrong in itself, but it may matter
	Skipped Status = "skipped" // not looked at: what to give is said
)

// Finding is what a check says of one thing.
type Finding struct {
	Check  string `json:"check"`
	About  string `json:"about"`
	Status Status `json:"status"`
	Says   string `json:"says"`
	Do     string `json:"do"` // what to do next; "" where there is nothing to do
}

// Report is the JSON of doctor; docs/first-minutes.md describes it.
type Report struct {
	Flaketap string    `json:"flaketap"`
	Version  int       `json:"version"`
	OK       bool      `json:"ok"` // there is no problem
	Findings []Finding `json:"findings"`
}

// Subject is what is looked at.
type Subject struct {
	Target       *url.URL         // where the API is; nil where nobody said
	Ready        string           // as of a service.Service; ""
	Service      *service.Service // starts the API; nil
	Reset        service.Reset
	ResetTimeout time.Duration // 0 for that of a service.Reset
	TLS          *tls.Config   // for an API that speaks TLS; nil for the system's roots
	DB           string        // the recording, which need not be there
	CADir        string        // of the authority; "" for that in the user's configuration
	Listen       string        // where record listens
	Environ      []string      // as of os.Environ
	// Allow asks whether something may be done that changes what the API holds, or starts it. nil allows nothing.
	Allow func(ctx context.Context, what string) (bool, error)
}

// check looks at one thing. The error ends all: the user interrupted it.
type check struct {
	name string
	look func(*visit, context.Context) ([]Finding, error)
}

func checks() []check {
	return []check{
		{"ports", (*visit).ports},
		{"authority", (*visit).authority},
		{"proxy", (*visit).proxy},
		{"api", (*visit).api},
		{"clock", (*visit).clock},
		{"reset", (*visit).reset},
		{"faketime", (*visit).faketime},
		{"runners", (*visit).runners},
		{"recording", (*visit).recording},
	}
}

// visit is one look at a subject.
type visit struct {
	Subject
	running *service.Instance // the API, where it was started; nil
	refused bool              // the user does not want it started
	dated   time.Duration     // how far the API's clock is ahead of this one; see api
	isDated bool
}

// Examine makes the checks of these names; with none, all.
func Examine(ctx context.Context, s Subject, only ...string) (r Report, err error) {
	v := &visit{Subject: s}
	defer func() {
		if serr := v.running.Stop(); err == nil {
			err = serr
		}
	}()
	r = Report{Flaketap: "doctor", Version: 1, Findings: []Finding{}}
	for _, c := range checks() {
		if len(only) > 0 && !slices.Contains(only, c.name) {
			continue
		}
		found, err := c.look(v, ctx)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return r, err
		}
		for _, f := range found {
			f.Check = c.name
			r.Findings = append(r.Findings, f)
		}
	}
	r.OK = len(r.problems()) == 0
	return r, nil
}

// JSON writes the report for programs.
func (r Report) JSON(w io.Writer) error {
	return outfile.JSON(w, r)
}

// Text writes the report for people: a line for each finding, and below it what to do.
func (r Report) Text(w io.Writer) error {
	if err := writeFindings(w, r.Findings); err != nil {
		return err
	}
	said := "no problem found"
	if n := len(r.problems()); n > 0 {
		said = console.Count(n, "problem") + " found"
	}
	_, err := fmt.Fprintln(w, "\n"+said)
	return err
}

// Problems writes the problems alone, as [Report.Text] does; nothing where there are none.
func (r Report) Problems(w io.Writer) error { return writeFindings(w, r.problems()) }

func (r Report) problems() (out []Finding) {
	for _, f := range r.Findings {
		if f.Status == Problem {
			out = append(out, f)
		}
	}
	return out
}

func writeFindings(w io.Writer, all []Finding) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	checked := ""
	for _, f := range all {
		name := f.Check
		if name == checked {
			name = "" // said once
		}
		checked = f.Check
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", name, f.Status, console.OneLine(f.About), console.OneLine(f.Says))
		if f.Do != "" {
			fmt.Fprintf(table, "\t\t\tdo: %s\n", console.OneLine(f.Do))
		}
	}
	return table.Flush()
}

// client speaks to the API as flaketap does: by no proxy, and following no redirect.
func (v *visit) client() *http.Client {
	return &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true, TLSClientConfig: v.TLS},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Timeout:       patience,
	}
}

// patience is how long an answer may take.
const patience = 10 * time.Second

// allow asks the user.
func (v *visit) allow(ctx context.Context, what string) (bool, error) {
	if v.Allow == nil {
		return false, nil
	}
	return v.Allow(ctx, what)
}

func one(status Status, about, says, do string) ([]Finding, error) {
	return []Finding{{About: about, Status: status, Says: says, Do: do}}, nil
}
