package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/contained"
	"github.com/flaketap/flaketap/internal/testbed/demoapi"
	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the expectations of the scripts")

// asContained has this program become the command that it is given, with the limits of a container.
const asContained = "FLAKETAP_TEST_AS_CONTAINED"

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "mock" && os.Args[2] == "stage" { // what leads an API that a benchmark starts
		os.Exit(run(context.Background(), os.Args, streams{os.Stdout, os.Stderr}))
	}
	if addr := os.Getenv("FLAKETAP_TEST_AS_API"); addr != "" {
		frailAPI(addr) // what --start runs
	}
	if os.Getenv("FLAKETAP_TEST_AS_DRIVER") != "" {
		playDriver(os.Args) // what waits record starts
	}
	if marks := os.Getenv("FLAKETAP_TEST_AS_PAGES"); marks != "" {
		playPages(marks) // what waits record runs
	}
	if addr := os.Getenv("FLAKETAP_TEST_AS_FROZEN"); addr != "" {
		frozenAPI(addr) // what --start runs
	}
	if addr := os.Getenv("FLAKETAP_TEST_AS_SHOP"); addr != "" {
		startedAPI(addr, usual(demoapi.FaultNone)) // what --start runs
	}
	if addr := os.Getenv("FLAKETAP_TEST_AS_LIBRARY"); addr != "" {
		libraryMain(addr, os.Args[1:]) // what --start runs
	}
	if addr := os.Getenv("FLAKETAP_TEST_AS_QUOTES"); addr != "" {
		quotesMain(addr) // what --start runs
	}
	if addr := os.Getenv("FLAKETAP_TEST_AS_NOTES"); addr != "" {
		notesMain(addr) // what --start runs
	}
	if node := os.Getenv("FLAKETAP_TEST_AS_NODE"); node != "" {
		nodeMain(node) // one of a cluster
	}
	if tests, err := strconv.Atoi(os.Getenv("FLAKETAP_TEST_AS_SUITE")); err == nil {
		notesTests(tests) // what verify runs
	}
	if url := os.Getenv("FLAKETAP_TEST_AS_READER"); url != "" {
		readerMain(url) // a client of the library
	}
	if walk := os.Getenv("FLAKETAP_TEST_AS_WALKER"); walk != "" {
		walkerMain(walk, os.Args[1:]) // a client of any API
	}
	if name := os.Getenv("FLAKETAP_TEST_AS_RIVAL"); name != "" {
		rivalMain(name, os.Args[1:]) // a process of a benchmark
	}
	if os.Getenv(asContained) != "" {
		_ = os.Unsetenv(asContained)
		fmt.Fprintln(os.Stderr, contained.Exec(os.Args[1:])) // a command within the limits of a container
		os.Exit(1)
	}
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-test.") {
		main() // a test runs a command in this process, and that starts the program that it is part of
	}
	if signal.Ignored(syscall.SIGHUP) {
		// Under nohup what the tests start would ignore hang-ups too. What is caught is not handed down.
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	if err := buildProgram(); err != nil {
		fmt.Fprintln(os.Stderr, "build flaketap:", err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// TestScripts runs testdata/script: the tool as its users use it. A script has, besides testscript's own commands,
// "api NAME [SEED]", which serves a truth API until the script ends and puts its URL into $NAME, "tlsapi NAME",
// which serves something over TLS with a certificate that nobody trusts, and "dead NAME", which puts a URL into $NAME at
// which nobody listens. "exec flaketap ARGS" starts the program; "flaketap ARGS" runs it in this process, and so do "refused
// ARGS" for wrong usage and "gated ARGS" for a gate that trips.
func TestScripts(t *testing.T) {
	needs.OnCI(t, "curl", "keytool", "openssl") // scripts leave out what is done with them
	dir, err := filepath.Abs(filepath.Join("testdata", "script"))
	if err != nil {
		t.Fatal(err)
	}
	here := &inProcess{}
	testscript.Run(t, testscript.Params{
		Dir:           dir,
		UpdateScripts: *update,
		Setup: func(e *testscript.Env) error {
			e.Setenv("PATH", onPath(t, e.WorkDir)+string(filepath.ListSeparator)+e.Getenv("PATH"))
			e.Setenv("FLAKETAP_CA_DIR", filepath.Join(e.WorkDir, ".ca"))
			e.Setenv("XDG_CONFIG_HOME", filepath.Join(e.WorkDir, ".config"))
			e.Setenv("XDG_CACHE_HOME", filepath.Join(e.WorkDir, ".cache"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"flaketap": here.flaketap,
			"refused":  here.refused,
			"gated":    here.gated,
			"api": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) < 1 || len(args) > 2 {
					ts.Fatalf("usage: api NAME [SEED]")
				}
				var dials demoapi.Dials
				if len(args) == 2 {
					seed, err := strconv.ParseUint(args[1], 10, 64)
					ts.Check(err)
					dials.Seed = seed
				}
				url, stop := serveTruth(ts, dials)
				ts.Defer(stop)
				ts.Setenv(args[0], url)
			},
			"tlsapi": func(ts *testscript.TestScript, _ bool, args []string) {
				s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					fmt.Fprintln(w, "hello")
				}))
				ts.Defer(s.Close)
				ts.Setenv(args[0], s.URL)
			},
			"dead": func(ts *testscript.TestScript, _ bool, args []string) {
				ln, err := net.Listen("tcp", "127.0.0.1:0")
				ts.Check(err)
				ts.Setenv(args[0], "http://"+ln.Addr().String())
				ts.Check(ln.Close())
			},
		},
	})
}

// failer is what a testing.T and a script have in common.
type failer interface {
	Fatalf(format string, args ...any)
}

// serveTruth serves a truth API on a free port and returns its URL and what stops it.
func serveTruth(t failer, d demoapi.Dials) (url string, stop func()) {
	url, stop, err := demoapi.Start(context.Background(), d)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return url, stop
}
