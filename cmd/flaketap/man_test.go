package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/flaketap/flaketap/internal/cmdline"
	"github.com/flaketap/flaketap/internal/testbed/needs"
)

// Each command that users are told of has a page, with all its flags; and none has a page that is hidden.
func TestManPages(t *testing.T) {
	app := (&tool{}).app()
	pages := cmdline.ManPages(app)
	var look func(name string, c *cli.Command)
	look = func(name string, c *cli.Command) {
		page := string(pages[name+".1"])
		if c.Hidden != (page == "") {
			t.Errorf("%s: hidden %v, page %q", name, c.Hidden, page)
		}
		for _, f := range c.Flags {
			if flag := strings.ReplaceAll("--"+f.Names()[0], "-", `\-`); !c.Hidden && !strings.Contains(page, `\fB`+flag+`\fR`) {
				t.Errorf("%s lacks %s", name, flag)
			}
		}
		for _, sub := range c.Subcommands {
			look(name+"-"+sub.Name, sub)
		}
	}
	for _, c := range app.Commands {
		look("flaketap-"+c.Name, c)
	}
	if page := string(pages["flaketap.1"]); !strings.Contains(page, `.BR flaketap\-record (1)`) {
		t.Errorf("flaketap.1 does not refer to its commands: %s", page)
	}
}

func TestManCommand(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man")
	if status, _, talk := said(t.Context(), "man", "--out", dir); status != exitDone || !strings.Contains(talk, "pages written to") {
		t.Errorf("%d, %q", status, talk)
	}
	written, err := os.ReadFile(filepath.Join(dir, "flaketap-demo-api.1"))
	if _, shown, _ := said(t.Context(), "man", "demo", "api"); err != nil || shown != string(written) || shown == "" {
		t.Errorf("%v, %q", err, shown)
	}
	if status, _, talk := said(t.Context(), "man", "--out", dir); status != exitFailed || !strings.Contains(talk, "--force") {
		t.Errorf("written over: %d, %q", status, talk)
	}
	nowhere := filepath.Join(t.TempDir(), "nodir")
	if status, _, talk := said(t.Context(), "man", "--out", filepath.Join(nowhere, "man")); status != exitFailed || !strings.Contains(talk, "make it first") {
		t.Errorf("in no folder: %d, %q", status, talk)
	}
	if _, err := os.Stat(nowhere); err == nil {
		t.Error("man made the folder above its own")
	}
	if status, _, talk := said(t.Context(), "man", "recrod"); status != exitUsage || !strings.Contains(talk, `did you mean "record"`) {
		t.Errorf("%d, %q", status, talk)
	}
}

// What formats manual pages takes them without a warning.
func TestManPagesAreSound(t *testing.T) {
	_, err := exec.LookPath("groff")
	needs.Optional(t, "groff", err == nil)
	for name, page := range cmdline.ManPages((&tool{}).app()) {
		cmd := exec.Command("groff", "-man", "-Tutf8", "-ww")
		cmd.Stdin = strings.NewReader(string(page))
		var wrong strings.Builder
		cmd.Stderr = &wrong
		if out, err := cmd.Output(); err != nil || wrong.Len() > 0 || !strings.Contains(string(out), "(1)") {
			t.Errorf("%s: %v, %s", name, err, wrong.String())
		}
	}
}
