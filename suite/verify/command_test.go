package verify

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/capture"
	"github.com/flaketap/flaketap/internal/certs"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/suite/mutant"
)

// asSuite is the variable by which this test binary is a suite's command: it says which.
const asSuite = "FLAKETAP_TEST_AS_SUITE"

func TestMain(m *testing.M) {
	switch os.Getenv(asSuite) {
	case "":
		os.Exit(m.Run())
	case "asking":
		os.Exit(ask(strings.TrimPrefix(os.Args[2], "--out=")))
	case "silent":
		fmt.Println("one\nlast")
		os.Exit(3)
	}
}

// ask is a suite of one test that asks the API for one answer, prints it, and leaves its results in a file.
func ask(out string) int {
	res, err := http.Get(os.Getenv("FLAKETAP_URL") + "/a/1")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer res.Body.Close()
	if _, err := io.Copy(os.Stdout, res.Body); err != nil {
		fmt.Println(err)
		return 1
	}
	if err := os.WriteFile(out, []byte("TAP version 13\nok 1 - "+os.Args[1]+"\n"), 0o600); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// newCommand returns a Command that runs this test binary as a suite, before an API.
func newCommand(t *testing.T, suite string) *Command {
	t.Helper()
	t.Setenv(asSuite, suite)
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"n":1}`)
	}))
	t.Cleanup(api.Close)
	target, err := url.Parse(api.URL)
	if err != nil {
		t.Fatal(err)
	}
	ca, err := certs.LoadOrCreate(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &Command{Options: capture.Options{Target: target, CA: ca, Command: []string{os.Args[0], "{}", "--out={results}"}}, Dir: t.TempDir()}
}

// execution is one of the suite "a/b".
func execution(name string) Execution {
	return Execution{Suite: Suite{Name: "a/b", Arg: "a/b"}, Name: name}
}

// A command runs behind a proxy of its own: what it asks is recorded, answers are changed, its results are read, and all
// runs have the same address.
func TestCommand(t *testing.T) {
	c := newCommand(t, "asking")
	plain := execution("1-run-01")
	seen := &transcript{}
	plain.Recorder = seen
	first, err := c.Run(context.Background(), plain)
	if err != nil {
		t.Fatal(err)
	}
	if len(first.Results) != 1 || first.Results[0].Name != "a/b" || first.Silent || first.Status != 0 || len(seen.exchanges) != 1 {
		t.Fatalf("%+v, %d exchanges", first, len(seen.exchanges))
	}
	ops := operationsOf(seen.exchanges, nil)
	faulty := execution("1-mutant-001")
	faulty.Rewriter = &planter{Mutant: mutant.Mutant{Operation: ops.of[1], Status: 200, Place: "/body/n", Kind: mutant.Drop}, paths: ops.paths}
	second, err := c.Run(context.Background(), faulty)
	if err != nil {
		t.Fatal(err)
	}
	if first.Addr != second.Addr {
		t.Errorf("the proxy was at %s, then at %s", first.Addr, second.Addr)
	}
	for name, want := range map[string]string{"1-run-01": `{"n":1}`, "1-mutant-001": `{}`} {
		if got, err := os.ReadFile(filepath.Join(c.Dir, name, "stdout.txt")); err != nil || string(got) != want {
			t.Errorf("%s was answered %s, want %s; %v", name, got, want, err)
		}
	}
}

// The exit status of a command that leaves no results is its result, with the last line that it printed.
func TestCommandWithoutResults(t *testing.T) {
	c := newCommand(t, "silent")
	o, err := c.Run(context.Background(), execution("1-run-01"))
	if err != nil {
		t.Fatal(err)
	}
	if !o.Silent || o.LastWords != "last" || o.Status != 3 || len(o.Results) != 1 || !o.Results[0].Failed() || o.Results[0].Name != filepath.Base(os.Args[0]) {
		t.Errorf("%+v", o)
	}
}

// An address that is taken is left for another, unless the user named it.
func TestCommandAddressTaken(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	c := newCommand(t, "silent")
	c.Preferred = taken.Addr().String()
	if o, err := c.Run(context.Background(), execution("1-run-01")); err != nil || o.Addr == c.Preferred {
		t.Errorf("%v, at %s", err, o.Addr)
	}
	c = newCommand(t, "silent")
	c.Listen = taken.Addr().String()
	_, err = c.Run(context.Background(), execution("1-run-01"))
	if err == nil {
		t.Error("another address was taken for one that was named")
	}
	// A suite that has the address written in would not find any other.
	if advice := console.Advice(err); !strings.Contains(advice, "stop what runs there") {
		t.Errorf("%v: the advice is %q", err, advice)
	}
}
