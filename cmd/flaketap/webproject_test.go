package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/demoapi"
	"github.com/flaketap/flaketap/internal/testbed/needs"
)

// webForm is a form of suite that a runner of Node's, or Hurl, executes.
type webForm struct {
	format string
	runner string
	setUp  string // what is done once in the folder of a project; MODULES is that of the Node packages
	run    string // one command, in that folder
}

// TestRealNodeProjects writes a suite from a recording of the truth API in each form that is run by Node or Hurl, and runs it with
// its own runner, each time against a new instance: not one failure, where the same suite without weakening fails.
func TestRealNodeProjects(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	url, stop := serveTruth(t, usual(demoapi.FaultNone))
	defer stop()
	b.must("flaketap record --target " + url + " --listen 127.0.0.1:0 -- flaketap demo client --rounds 2")
	b.must("flaketap replay --runs 6 --bound 0.05 --reset " + url + "/admin/reset")
	for _, form := range webForms() {
		t.Run(form.format, func(t *testing.T) {
			form.needed(t)
			own := *b
			own.t = t
			form.project(&own, form.format+"/suite", "relax")
			form.project(&own, form.format+"/exact", "exact")
			for range suiteRuns() {
				form.fresh(&own, form.format+"/suite", true)
			}
			form.fresh(&own, form.format+"/exact", false)
		})
	}
}

// fresh runs a project against a new instance of the truth API.
func (f webForm) fresh(b *bench, dir string, passes bool) {
	b.t.Helper()
	url, stop := serveTruth(b.t, usual(demoapi.FaultNone))
	defer stop()
	f.passes(b, dir, url, passes)
}

// passes runs a project against an API and holds what comes of it against what is expected.
func (f webForm) passes(b *bench, dir, url string, passes bool) {
	b.t.Helper()
	out, status := b.sh("cd "+dir+" && "+f.run, "FLAKETAP_URL="+url)
	switch {
	case passes && status != 0:
		b.t.Errorf("%s: exit status %d\n%s", f.run, status, tail(out))
	case !passes && status == 0:
		b.t.Errorf("%s passes without weakening\n%s", f.run, tail(out))
	}
}

// project writes a suite from the bench's recording.
func (f webForm) project(b *bench, dir, mode string) {
	b.t.Helper()
	b.must("flaketap suite --format " + f.format + " --mode " + mode + " --out " + dir)
	modules, _ := toolsDir(b.t, "node")
	b.must("cd " + dir + " && " + strings.ReplaceAll(f.setUp, "MODULES", modules+"/node_modules"))
}

// needHurl skips a test where there is no Hurl 8. No package manager of the others has it, so that machines which have all
// else may lack it: the grammar of its files is checked everywhere.
func needHurl(t *testing.T) {
	t.Helper()
	needs.Optional(t, "Hurl 8", found("hurl"))
}

// needed skips a test whose runner is not here.
func (f webForm) needed(t *testing.T) {
	t.Helper()
	if f.runner == "hurl" {
		needHurl(t)
		return
	}
	modules, _ := toolsDir(t, "node")
	_, err := os.Stat(filepath.Join(modules, "node_modules", ".bin", f.runner))
	needs.That(t, f.runner+" (make tools installs it)", err == nil)
}

func webForms() []webForm {
	const formatted = "ln -s MODULES node_modules && node_modules/.bin/prettier --check ."
	return []webForm{
		{"jest", "jest", formatted, "npm test"},
		{"postman", "newman", formatted, "npm test"},
		{"hurl", "hurl", "sh -n run.sh", "./run.sh"},
	}
}
