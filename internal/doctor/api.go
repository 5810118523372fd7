package doctor

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/flaketap/flaketap/replay/service"
)

// answersWanted is how often the API has to answer in a row: once, a server may that is about to be replaced.
const answersWanted = 2

// api looks whether the API answers, which is started if it has to be.
func (v *visit) api(ctx context.Context) ([]Finding, error) {
	if v.Target == nil && v.Ready == "" && v.Service == nil {
		return one(Skipped, "", "no address given", "say where it is: --target URL, or how it is started: --start CMD --ready URL")
	}
	if v.Service != nil {
		return v.started(ctx)
	}
	if v.Target == nil {
		return v.ready(ctx)
	}
	out, err := v.answering(ctx, v.Target.String(), served)
	if err != nil || v.Ready == "" {
		return out, err
	}
	more, err := v.ready(ctx)
	return append(out, more...), err
}

// ready asks the URL that says whether the API is ready.
func (v *visit) ready(ctx context.Context) ([]Finding, error) {
	status, asked := (&service.Service{Ready: v.Ready}).Readiness()
	return v.answering(ctx, asked, func(got int) (wrong, do string) {
		switch {
		case status != 0 && got != status:
			return fmt.Sprintf("answers %d, not %d", got, status), "say what it answers when it is ready: --ready 'STATUS URL'"
		case status == 0 && got/100 != 2:
			return fmt.Sprintf("answers %d, which is no 2xx", got),
				fmt.Sprintf("name another URL with --ready; or, if that is how it answers, --ready '%d URL'", got)
		}
		return "", ""
	})
}

// served takes any answer of an API at a URL that need not have one, but for a failure.
func served(got int) (wrong, do string) {
	if got >= 500 {
		return fmt.Sprintf("answers %d", got), "look into the API's log"
	}
	return "", ""
}

// answering asks a URL; judge says what is wrong with a status, and what to do.
func (v *visit) answering(ctx context.Context, asked string, judge func(int) (wrong, do string)) ([]Finding, error) {
	about := shownURL(asked)
	for range answersWanted {
		got, err := v.ask(ctx, asked)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			return one(Problem, about, "does not answer: "+cause(err), adviceOn(err))
		}
		if wrong, do := judge(got); wrong != "" {
			return one(Problem, about, wrong, do)
		}
	}
	return one(OK, about, "answers", "")
}

// ask sends a GET and returns the status; the answer's Date is kept.
func (v *visit) ask(ctx context.Context, asked string) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, asked, http.NoBody)
	if err != nil {
		return 0, err
	}
	sent := time.Now()
	resp, err := v.client().Do(req)
	if err != nil {
		var inner *url.Error
		if errors.As(err, &inner) {
			err = inner.Err
		}
		return 0, err
	}
	defer resp.Body.Close()
	took := time.Since(sent)
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10))
	if at, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
		// The header has whole seconds: on average the clock is half of one further.
		v.dated, v.isDated = at.Add(time.Second/2).Sub(sent.Add(took/2)), true
	}
	return resp.StatusCode, nil
}

func adviceOn(err error) string {
	var untrusted *tls.CertificateVerificationError
	switch {
	case errors.As(err, &untrusted):
		return "--upstream-ca FILE trusts its authority; --insecure-upstream accepts any certificate, for test environments"
	case strings.Contains(err.Error(), "server gave HTTP response"), errors.As(err, new(tls.RecordHeaderError)):
		return "it does not speak TLS: write http:// in the place of https://"
	}
	return "start the API, or correct the address; --start CMD --ready URL has flaketap start it"
}

// started starts the API and looks whether it becomes ready.
func (v *visit) started(ctx context.Context) ([]Finding, error) {
	ok, err := v.allow(ctx, fmt.Sprintf("start the API with %q?", v.Service.Command))
	if err != nil {
		return nil, err
	}
	if !ok {
		v.refused = true
		return one(Skipped, "--start", "not started: it may change data", "--yes starts it without asking")
	}
	began := time.Now()
	if v.running, err = v.Service.Start(ctx); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return one(Problem, "--start", err.Error(), "try the command by itself in a shell; --ready must name a URL that answers 2xx")
	}
	base := v.base()
	out := []Finding{{About: "--start", Status: OK, Says: "ready after " + time.Since(began).Round(10*time.Millisecond).String()}}
	if base == nil {
		return out, nil
	}
	if v.Target == nil {
		v.Target = base
	}
	more, err := v.answering(ctx, base.String(), served)
	return append(out, more...), err
}

// base is where the API is that was started; nil where nobody knows.
func (v *visit) base() *url.URL {
	if at := v.running.Target(); at != nil {
		return at
	}
	if v.Target != nil {
		return v.Target
	}
	_, asked := v.Service.Readiness()
	u, err := url.Parse(asked)
	if err != nil || u.Host == "" {
		return nil
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host}
}
