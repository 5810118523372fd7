package ui

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"

	"github.com/flaketap/flaketap/formats"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/report/findings"
	"github.com/flaketap/flaketap/report/form"
	"github.com/flaketap/flaketap/report/inspect"
	"github.com/flaketap/flaketap/store"
)

// exported is something that a recording can be saved as.
type exported struct {
	Name  string // "map json"
	File  string
	Title string
	write func(ctx context.Context, s *Server, w io.Writer) error
}

// exportGroup is a heading, and what stands under it.
type exportGroup struct {
	Title string
	All   []exported
}

// exportGroups lists what a recording can be saved as.
func exportGroups() []exportGroup {
	recording := exportGroup{"The recording", []exported{{"har", "recording.har", "har", writeHAR}}}
	maps, reports := exportGroup{Title: "The map"}, exportGroup{Title: "The report"}
	for _, name := range report.MapForms() {
		maps.All = append(maps.All, exported{"map " + name, fileName("map", name), name,
			func(ctx context.Context, s *Server, w io.Writer) error { return writeMap(ctx, s, name, w) }})
	}
	for _, f := range form.Forms() {
		reports.All = append(reports.All, exported{"report " + f.Name, fileName("report", f.Name), f.Name,
			func(ctx context.Context, s *Server, w io.Writer) error { return writeReport(ctx, s, f, w) }})
	}
	return []exportGroup{recording, maps, reports}
}

// fileName names a file that something is saved to: it ends in the name of its form, where that is an ending.
func fileName(what, name string) string {
	if slices.Contains([]string{"json", "yaml", "csv", "html", "sarif", "lock"}, name) {
		return what + "." + name
	}
	return what + "-" + name + ".txt"
}

func writeHAR(_ context.Context, s *Server, w io.Writer) error {
	at, done := s.live.take()
	defer done()
	if at == nil {
		return errNothing
	}
	return formats.WriteHAR(w, at.exchanges(0), formats.WriteOptions{Redactor: at.redactor, Version: s.options.Version})
}

func writeMap(ctx context.Context, s *Server, name string, w io.Writer) error {
	j, err := s.judge.get(ctx)
	if err != nil {
		return err
	}
	o := report.FormOptions{}
	at, done := s.live.take()
	defer done()
	if at != nil && name == report.PactForm {
		if o.Asked, err = inspect.AskedStored(at.db, j.result); err != nil {
			return err
		}
	}
	return report.WriteMap(w, name, j.result.Map, o)
}

func writeReport(ctx context.Context, s *Server, f form.Form, w io.Writer) error {
	db, err := store.OpenCopy(s.options.DB)
	if err != nil {
		return err
	}
	defer db.Close()
	o := s.options.Analysis
	o.Context = ctx
	found, err := findings.GatherStored(db, o)
	if err != nil {
		return err
	}
	return f.Write(w, found)
}

func showExports(*Server, *http.Request) (any, error) { return exportGroups(), nil }

// export answers with a file to save. It is a form that a browser sends by itself, so that it writes the file as it
// comes.
func (s *Server) export(w http.ResponseWriter, r *http.Request) {
	name := r.PostFormValue("name")
	for _, g := range exportGroups() {
		i := slices.IndexFunc(g.All, func(x exported) bool { return x.Name == name })
		if i < 0 {
			continue
		}
		out := &saved{w: w, file: g.All[i].File}
		if err := g.All[i].write(r.Context(), s, out); err != nil {
			s.log.Error("export", "form", name, "error", err)
			if out.begun {
				panic(http.ErrAbortHandler) // so that a part is not taken for the whole
			}
			s.write(w, "wrong", nil, err)
		}
		return
	}
	http.NotFound(w, r)
}

// saved is a file that a browser saves. Its head is sent with its first bytes.
type saved struct {
	w     http.ResponseWriter
	file  string
	begun bool
}

func (f *saved) Write(p []byte) (int, error) {
	if !f.begun {
		f.begun = true
		f.w.Header().Set("Content-Type", "application/octet-stream")
		f.w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", f.file))
	}
	return f.w.Write(p)
}
