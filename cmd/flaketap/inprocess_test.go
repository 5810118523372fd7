package main

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// inProcess runs flaketap for scripts in the process of the test, which saves the start of another. A command there has the
// script's folder and variables, of which a process has one each: so one runs at a time. What is about processes (signals,
// terminals, what stdout is, a client's end) scripts run by exec.
type inProcess struct{ mu sync.Mutex }

// flaketap is the command "flaketap ARGS…", which succeeds, or with ! before it fails: wrong usage is for refused.
func (p *inProcess) flaketap(ts *testscript.TestScript, neg bool, args []string) {
	want := exitDone
	if neg {
		want = exitFailed
	}
	if status, _, _ := p.run(ts, args); status != want {
		ts.Fatalf("exit status %d, want %d", status, want)
	}
}

// gated is the command "gated ARGS…": a gate that flaketap was asked for trips.
func (p *inProcess) gated(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: gated ARGS, without !")
	}
	if status, _, _ := p.run(ts, args); status != exitGate {
		ts.Fatalf("exit status %d, want %d", status, exitGate)
	}
}

// refused is the command "refused ARGS…": flaketap calls that a wrong usage in one line, and does nothing.
func (p *inProcess) refused(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: refused ARGS, without !")
	}
	before := entries(ts)
	status, out, said := p.run(ts, args)
	if status != exitUsage || out != "" {
		ts.Fatalf("exit status %d, want %d and nothing on stdout", status, exitUsage)
	}
	if !strings.HasPrefix(said, "flaketap: ") || strings.Index(said, "\n") != len(said)-1 {
		ts.Fatalf("that is not one line")
	}
	if after := entries(ts); !slices.Equal(before, after) {
		ts.Fatalf("there were %q, and now are %q", before, after)
	}
}

// entries are the names in a script's folder, but for hidden ones, as that of the authority, which is made at the first need.
func entries(ts *testscript.TestScript) (names []string) {
	list, err := os.ReadDir(ts.MkAbs("."))
	ts.Check(err)
	for _, e := range list {
		if !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	return names
}

// run runs a command, and leaves what it wrote to the script as well.
func (p *inProcess) run(ts *testscript.TestScript, args []string) (status int, out, said string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer enter(ts)()
	var stdout, stderr bytes.Buffer
	status = run(context.Background(), append([]string{"flaketap"}, args...), streams{&stdout, &stderr})
	_, _ = ts.Stdout().Write(stdout.Bytes())
	_, _ = ts.Stderr().Write(stderr.Bytes())
	return status, stdout.String(), stderr.String()
}

// enter takes the script's folder, and the variables of it that matter, for this process, and returns what undoes it.
func enter(ts *testscript.TestScript) (leave func()) {
	dir, err := os.Getwd()
	ts.Check(err)
	ts.Check(os.Chdir(ts.MkAbs(".")))
	undo := []func() error{func() error { return os.Chdir(dir) }}
	for _, name := range []string{"XDG_CONFIG_HOME", "XDG_CACHE_HOME", "GIT_CEILING_DIRECTORIES", "FLAKETAP_CA_DIR", "FLAKETAP_DB", "FLAKETAP_LOG_LEVEL", "FLAKETAP_PROXY_AUTH"} {
		if old, there := os.LookupEnv(name); there {
			undo = append(undo, func() error { return os.Setenv(name, old) })
		} else {
			undo = append(undo, func() error { return os.Unsetenv(name) })
		}
		if value := ts.Getenv(name); value != "" {
			ts.Check(os.Setenv(name, value))
		} else {
			ts.Check(os.Unsetenv(name))
		}
	}
	return func() {
		for _, f := range undo {
			ts.Check(f())
		}
	}
}
