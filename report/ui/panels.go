package ui

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"strconv"

	"github.com/flaketap/flaketap/report"
)

// panel is a part of the page. Its template is called as it is.
type panel struct {
	name string
	// show returns what the template shows.
	show func(s *Server, r *http.Request) (any, error)
	// act does what a form of the panel asks for, and returns what is to be shown then, by which template. nil where the
	// panel has nothing to do.
	act func(s *Server, r *http.Request) (view string, data any, err error)
}

// panels lists those of the page.
func panels() []panel {
	return []panel{
		{"exchange", showExchange, nil},
		{"raw", showRaw, nil},
		{"beside", showBeside, nil},
		{"why", showWhy, nil},
		{"depends", showDepends, nil},
		{"rules", showRules, tryRules},
		{"replays", showReplays, changeReplay},
		{"replaying", showReplaying, nil},
		{"exports", showExports, nil},
		{"judge", showJudgement, judgeAgain},
	}
}

// words are what templates say by.
func words() template.FuncMap {
	return template.FuncMap{
		"show":    func(s any) string { return report.ShowEnds(fmt.Sprint(s), maxShown) },
		"whole":   func(s string) string { return report.Show(s, maxValue) },
		"count":   report.Count,
		"percent": report.Percent,
		"says":    report.Says,
		"verdict": report.Verdict,
		"run":     runName,
		"tabs":    func(n uint64, on string) tabs { return tabs{n, on} },
	}
}

// The columns that a name and a value have on the page.
const (
	maxShown = 200
	maxValue = 4000
)

// tabs are the views of one exchange.
type tabs struct {
	N  uint64
	On string // the one that is shown
}

// runName names where an answer is from.
func runName(n int) string {
	if n == 0 {
		return "recorded"
	}
	return fmt.Sprintf("run %d", n)
}

// mistake is an error of whoever asked.
type mistake struct{ error }

func wrong(format string, args ...any) error { return mistake{fmt.Errorf(format, args...)} }

// errNothing says that there is nothing to show yet.
var errNothing = wrong("there is no recording yet: this page shows it as soon as something is recorded")

func (s *Server) show(w http.ResponseWriter, r *http.Request) {
	p, ok := s.panels[r.PathValue("name")]
	if !ok {
		http.NotFound(w, r)
		return
	}
	data, err := p.show(s, r)
	s.write(w, p.name, data, err)
}

func (s *Server) act(w http.ResponseWriter, r *http.Request) {
	p, ok := s.panels[r.PathValue("name")]
	if !ok || p.act == nil {
		http.NotFound(w, r)
		return
	}
	if err := r.ParseForm(); err != nil {
		s.write(w, p.name, nil, wrong("the form cannot be read, or is too large"))
		return
	}
	view, data, err := p.act(s, r)
	s.write(w, view, data, err)
}

// write answers with what a template makes of data, or with what went wrong.
func (s *Server) write(w http.ResponseWriter, view string, data any, err error) {
	var b bytes.Buffer
	if err == nil {
		err = s.views.ExecuteTemplate(&b, view+".tmpl", data)
	}
	code := http.StatusOK
	if err != nil {
		code = http.StatusInternalServerError
		if errors.As(err, &mistake{}) {
			code = http.StatusBadRequest
		}
		b.Reset()
		_ = s.views.ExecuteTemplate(&b, "wrong.tmpl", err.Error()) // to a buffer
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(code)
	w.Write(b.Bytes())
}

// number reads a number of a query or form; 0 where it is left out.
func number(values url.Values, name string) (uint64, error) {
	text := values.Get(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		return 0, wrong("%s must be a number, got %q", name, report.Show(text, maxShown))
	}
	return n, nil
}

// missing says in words that there is no exchange of a number.
func missing(n uint64, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return wrong("the recording has no exchange %d", n)
	}
	return err
}
