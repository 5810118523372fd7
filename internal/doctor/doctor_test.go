package doctor_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/certs"
	"github.com/flaketap/flaketap/internal/doctor"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/flaketap/flaketap/store"
)

// subject is one with nothing to look at but this machine.
func subject(t *testing.T) doctor.Subject {
	t.Setenv("PATH", t.TempDir()) // no runner is started
	return doctor.Subject{DB: filepath.Join(t.TempDir(), "flaketap.db"), CADir: t.TempDir(), Listen: "127.0.0.1:0"}
}

// findings are those of one check.
func findings(t *testing.T, s doctor.Subject, check string) (out []doctor.Finding) {
	t.Helper()
	r, err := doctor.Examine(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		if f.Check == check {
			out = append(out, f)
		}
		if (f.Status == doctor.Problem || f.Status == doctor.Skipped && f.Check != "clock") && f.Do == "" {
			t.Errorf("%+v leaves the user alone", f)
		}
	}
	return out
}

// has reports whether a finding of that status says something.
func has(all []doctor.Finding, status doctor.Status, says string) bool {
	for _, f := range all {
		if f.Status == status && strings.Contains(f.About+" "+f.Says+" "+f.Do, says) {
			return true
		}
	}
	return false
}

func at(t *testing.T, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestNothingGiven(t *testing.T) {
	r, err := doctor.Examine(t.Context(), subject(t))
	if err != nil || !r.OK {
		t.Fatalf("%+v, %v", r, err)
	}
	var text, data bytes.Buffer
	if err := errors.Join(r.Text(&text), r.JSON(&data)); err != nil {
		t.Fatal(err)
	}
	var back doctor.Report
	if err := json.Unmarshal(data.Bytes(), &back); err != nil || back.Flaketap != "doctor" || back.Version != 1 ||
		len(back.Findings) != len(r.Findings) {
		t.Errorf("%v: %s", err, data.String())
	}
	if !strings.Contains(text.String(), "do: say where it is: --target URL") || !strings.Contains(text.String(), "no problem found") {
		t.Error(text.String())
	}
}

// Who wants quiet is told of problems, and what to do about them; nothing else.
func TestProblems(t *testing.T) {
	r := doctor.Report{Findings: []doctor.Finding{
		{Check: "ports", About: "IPv4", Status: doctor.OK, Says: "can be listened on"},
		{Check: "ports", About: "127.0.0.1:80", Status: doctor.Problem, Says: "is taken", Do: "choose another"},
		{Check: "runners", About: "hurl", Status: doctor.Note, Says: "is not found", Do: "install it"},
	}}
	var text bytes.Buffer
	want := "ports problem 127.0.0.1:80 is taken do: choose another"
	if err := r.Problems(&text); err != nil || strings.Join(strings.Fields(text.String()), " ") != want {
		t.Errorf("%v: %q, want %q", err, &text, want)
	}
	text.Reset()
	r.Findings = r.Findings[:1]
	if err := r.Problems(&text); err != nil || text.Len() > 0 {
		t.Errorf("%v: %q without a problem", err, &text)
	}
}

func TestPorts(t *testing.T) {
	s := subject(t)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	s.Listen = ln.Addr().String()
	if got := findings(t, s, "ports"); !has(got, doctor.OK, "IPv4") || !has(got, doctor.Problem, "--listen 127.0.0.1:0") {
		t.Errorf("%+v", got)
	}
}

func TestAPI(t *testing.T) {
	answer := func(status int, header ...string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			for i := 0; i < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			w.WriteHeader(status)
		})
	}
	plain := func(h http.Handler) string {
		api := httptest.NewServer(h)
		t.Cleanup(api.Close)
		return api.URL
	}
	untrusted := httptest.NewUnstartedServer(answer(200))
	untrusted.Config.ErrorLog = log.New(io.Discard, "", 0)
	untrusted.StartTLS()
	defer untrusted.Close()
	nobody := httptest.NewServer(answer(200))
	nobody.Close()
	sound := plain(answer(200))
	for name, c := range map[string]struct {
		target, ready string
		status        doctor.Status
		says          string
	}{
		"sound":             {target: sound, status: doctor.OK, says: "answers"},
		"not found at root": {target: plain(answer(404)), status: doctor.OK, says: "answers"},
		"broken":            {target: plain(answer(500)), status: doctor.Problem, says: "answers 500"},
		"nobody there":      {target: nobody.URL, status: doctor.Problem, says: "start the API"},
		"untrusted":         {target: untrusted.URL, status: doctor.Problem, says: "--upstream-ca"},
		"no TLS":            {target: strings.Replace(sound, "http:", "https:", 1), status: doctor.Problem, says: "write http://"},
		"not ready":         {ready: plain(answer(404)), status: doctor.Problem, says: "--ready '404 URL'"},
		"ready":             {ready: sound, status: doctor.OK, says: "answers"},
		"ready by a status": {ready: "404 " + plain(answer(404)), status: doctor.OK, says: "answers"},
		"another status":    {ready: "401 " + plain(answer(404)), status: doctor.Problem, says: "answers 404, not 401"},
	} {
		t.Run(name, func(t *testing.T) {
			s := subject(t)
			if s.Ready = c.ready; c.target != "" {
				s.Target = at(t, c.target)
			}
			if got := findings(t, s, "api"); !has(got, c.status, c.says) {
				t.Errorf("%+v", got)
			}
		})
	}
	for name, c := range map[string]struct {
		off    time.Duration
		status doctor.Status
		says   string
	}{
		"agrees": {0, doctor.OK, "agrees"},
		"ahead":  {time.Hour, doctor.Problem, "1h0m0s ahead"},
		"behind": {-time.Hour, doctor.Problem, "1h0m0s behind"},
	} {
		t.Run(name, func(t *testing.T) {
			s := subject(t)
			s.Target = at(t, plain(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Date", time.Now().Add(c.off).UTC().Format(http.TimeFormat))
			})))
			if got := findings(t, s, "clock"); !has(got, c.status, c.says) {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestAuthority(t *testing.T) {
	other := filepath.Join(t.TempDir(), "other.pem")
	if err := os.WriteFile(other, []byte("none"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		spoil  func(cert, key string) error
		env    string
		status doctor.Status
		says   string
	}{
		"sound":          {status: doctor.OK, says: "valid until"},
		"no PEM":         {spoil: func(cert, _ string) error { return os.WriteFile(cert, []byte("x"), 0o600) }, status: doctor.Problem, says: "is not PEM"},
		"no file":        {spoil: func(cert, _ string) error { return errors.Join(os.Remove(cert), os.Mkdir(cert, 0o700)) }, status: doctor.Problem, says: "is no file"},
		"no key":         {spoil: func(_, key string) error { return os.Remove(key) }, status: doctor.Problem, says: "not there"},
		"a shown key":    {spoil: func(_, key string) error { return os.Chmod(key, 0o644) }, status: doctor.Problem, says: "mode 0644"},
		"named":          {env: "CERT", status: doctor.OK, says: "REQUESTS_CA_BUNDLE"},
		"another named":  {env: other, status: doctor.Note, says: "it is not in"},
		"nothing behind": {env: other + "x", status: doctor.Problem, says: "cannot read"},
	} {
		t.Run(name, func(t *testing.T) {
			s := subject(t)
			if _, err := certs.LoadOrCreate(s.CADir); err != nil {
				t.Fatal(err)
			}
			cert, key := certs.Files(s.CADir)
			if c.spoil != nil {
				if err := c.spoil(cert, key); err != nil {
					t.Fatal(err)
				}
			}
			if c.env != "" {
				s.Environ = []string{"REQUESTS_CA_BUNDLE=" + strings.Replace(c.env, "CERT", cert, 1)}
			}
			if got := findings(t, s, "authority"); !has(got, c.status, c.says) {
				t.Errorf("%+v", got)
			}
		})
	}
	// Nothing is made by looking.
	s := subject(t)
	findings(t, s, "authority")
	if left, err := os.ReadDir(s.CADir); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
}

func TestProxy(t *testing.T) {
	for env, c := range map[string]struct {
		status doctor.Status
		says   string
	}{
		"":                                    {doctor.OK, "none set"},
		"NO_PROXY=localhost,10.0.0.1":         {doctor.Note, "go past the recorder"},
		"no_proxy=*":                          {doctor.Note, "go past the recorder"},
		"NO_PROXY=10.0.0.1":                   {doctor.OK, "does not name the API"},
		"HTTP_PROXY=http://u:hunter2@proxy:1": {doctor.Note, "lower case only"},
		"JAVA_TOOL_OPTIONS=-Dhttp.proxyHost=": {doctor.Note, "which wins"},
	} {
		s := subject(t)
		s.Environ = []string{env}
		got := findings(t, s, "proxy")
		if !has(got, c.status, c.says) {
			t.Errorf("%s: %+v", env, got)
		}
		if has(got, doctor.Note, "hunter2") {
			t.Errorf("the password is shown: %+v", got)
		}
	}
}

func TestRecording(t *testing.T) {
	for name, c := range map[string]struct {
		make   func(path string) error
		status doctor.Status
		says   string
	}{
		"none":    {func(string) error { return nil }, doctor.OK, "not there yet"},
		"garbage": {func(path string) error { return os.WriteFile(path, []byte(strings.Repeat("x", 10000)), 0o600) }, doctor.Problem, "--db FILE"},
		"sound": {func(path string) error {
			s, err := store.Create(path, store.Options{})
			if err != nil {
				return err
			}
			return s.Close()
		}, doctor.OK, "0 exchanges"},
		"folder": {func(path string) error { return os.Mkdir(path, 0o700) }, doctor.Problem, "--db FILE"},
	} {
		s := subject(t)
		if err := c.make(s.DB); err != nil {
			t.Fatal(err)
		}
		if got := findings(t, s, "recording"); !has(got, c.status, c.says) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// Damage anywhere that keeps the exchanges or the runs from being read is told, as the commands that read them tell it.
func TestDamagedRecording(t *testing.T) {
	s := subject(t)
	r, err := store.Create(s.DB, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.BeginPass(exchange.Pass{})
	run, err2 := r.BeginRun(exchange.Run{})
	if err := errors.Join(err, err2, run.Finish(exchange.Run{}), r.Close()); err != nil {
		t.Fatal(err)
	}
	sound, err := os.ReadFile(s.DB)
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	for at := 2 * os.Getpagesize(); at < len(sound); at += os.Getpagesize() { // behind the two pages that lead to all others
		data := slices.Clone(sound)
		copy(data[at:], bytes.Repeat([]byte{0xff}, 64))
		if err := os.WriteFile(s.DB, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if r, err = store.OpenReadOnly(s.DB); err != nil {
			continue
		}
		for _, err = range r.Steps() {
			if err != nil {
				break
			}
		}
		r.Close()
		if got := findings(t, s, "recording"); err != nil && !has(got, doctor.Problem, "damaged") {
			t.Errorf("%v, but %+v", err, got)
		} else if err != nil {
			told++
		}
	}
	if told == 0 {
		t.Error("no damage did any harm")
	}
}

// A reset is tried once that is allowed, and only then.
func TestReset(t *testing.T) {
	resets := 0
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			resets++
		}
	}))
	defer api.Close()
	for name, c := range map[string]struct {
		allow  func(context.Context, string) (bool, error)
		resets int
		status doctor.Status
	}{
		"nobody to ask": {nil, 0, doctor.Skipped},
		"refused":       {func(context.Context, string) (bool, error) { return false, nil }, 0, doctor.Skipped},
		"allowed":       {func(context.Context, string) (bool, error) { return true, nil }, 3, doctor.Note},
	} {
		s := subject(t)
		resets = 0
		s.Target, s.Reset, s.Allow = at(t, api.URL), service.Reset(api.URL+"/reset"), c.allow
		if got := findings(t, s, "reset"); !has(got, c.status, "") || resets != c.resets {
			t.Errorf("%s: %d resets, %+v", name, resets, got)
		}
	}
	s := subject(t)
	s.Target, s.Reset = at(t, api.URL), "true"
	s.Allow = func(context.Context, string) (bool, error) { return false, errors.New("interrupted") }
	if _, err := doctor.Examine(t.Context(), s); err == nil {
		t.Error("it went on after an interrupt")
	}
}

// What runners write is bounded, and never hangs the check.
func TestRunners(t *testing.T) {
	s := subject(t)
	bin := os.Getenv("PATH")
	for name, text := range map[string]string{
		"node":    "echo v99",
		"hurl":    "exit 3",
		"newman":  "i=0; while [ $i -lt 2000 ]; do echo 'a\033[31mline that is much longer than versions are'; i=$((i+1)); done",
		"python3": "i=0; while [ $i -lt 5000 ]; do echo; i=$((i+1)); done; echo late",
		"java":    "echo 'Picked up JAVA_TOOL_OPTIONS: x' >&2; echo 'openjdk 99' >&2",
	} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	got := findings(t, s, "runners")
	if !has(got, doctor.OK, "v99") || !has(got, doctor.Note, "exit status 3") || !has(got, doctor.OK, "openjdk 99") ||
		!has(got, doctor.OK, "newman a?[31mline") || !has(got, doctor.Note, "go not found") ||
		has(got, doctor.OK, "late") {
		t.Errorf("%+v", got)
	}
}
