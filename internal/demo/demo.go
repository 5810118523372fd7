package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/testbed/demoapi"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/build"
	"github.com/flaketap/flaketap/volatility/analysis"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// mark is the file by which the demo knows a folder of its own.
const mark = ".flaketap-demo"

// suiteRuns is how often the demo runs the suite that it wrote.
const suiteRuns = 3

// Demo is one showing of the whole job. Each step is a command of flaketap, printed as a user would type it.
type Demo struct {
	// Dir is the folder of the results. What an earlier demo left there is replaced; one that has other files is refused.
	Dir string
	// Python is the interpreter that should have Schemathesis and pytest, a name or a path. Without them the built-in
	// client replaces the fuzzer, and the suite is written but not run.
	Python string
	// Runs is how often the recording is replayed, at least once.
	Runs int
	// Command runs a command of flaketap, without its name, and returns its exit status.
	Command func(ctx context.Context, args ...string) int
	// Source is what suites are written from, of a recording.
	Source func(db string) (suite.Source, error)
	// Out gets what is shown, Err the commands as they are typed.
	Out, Err io.Writer
}

// demonstration is a demo under way.
type demonstration struct {
	Demo
	url     string // the truth API's
	pycache string // where Python keeps what it compiled: pytest takes longer to read a large suite than to run it
}

// Run shows it. Where a command fails, the error is its exit status, as the command has said why.
func (o Demo) Run(ctx context.Context) error {
	o.Python = findPython(o.Python)
	if err := clearFolder(o.Dir); err != nil {
		return err
	}
	url, stop, err := demoapi.Start(ctx, demoapi.Dials{})
	if err != nil {
		return err
	}
	defer stop()
	d := &demonstration{Demo: o, url: url}
	for _, step := range []func(context.Context) error{d.record, d.judge, d.score, d.proveSuite, d.outside} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// record has a client use the truth API through the recorder: Schemathesis where it is installed, and the built-in
// client, which logs in and goes all the ways that a fuzzer seldom finds.
func (d *demonstration) record(ctx context.Context) error {
	self, err := executable()
	if err != nil {
		return err
	}
	db := d.path("recording.db")
	if d.Python == "" {
		d.heading("No Python with Schemathesis and pytest found: the built-in client replaces the fuzzer, and the suite is written but not run.")
	} else {
		d.heading("Schemathesis fuzzes the truth API through the recorder.")
		fuzz := []string{filepath.Join(filepath.Dir(d.Python), "schemathesis"), "run", d.url + "/openapi.json", "--seed", "1",
			"--max-examples", "3",
			"--phases", "examples,coverage,fuzzing,stateful", "--checks", "not_a_server_error", "--no-color",
			"--header", "Authorization: Bearer " + demoapi.PersonalToken}
		// It works in the demo's folder, where it leaves files, and what it prints goes to one of them: it reports the
		// truth API's faults, so that its status says little.
		quiet := append([]string{"sh", "-c", `cd "$0" && exec "$@" >fuzzer.log 2>&1`, d.Dir}, fuzz...)
		args := append([]string{"record", "--target", d.url, "--listen", "127.0.0.1:0", "--db", db, "--label", "schemathesis",
			"--"}, quiet...)
		d.show("record --target " + d.url + " --db " + db + " -- schemathesis run " + d.url + "/openapi.json")
		if status := d.Command(ctx, args...); status > 1 {
			return fmt.Errorf("record the fuzzer: exit status %d; see its output in %s", status, d.path("fuzzer.log"))
		}
	}
	d.heading("A client that logs in, orders and waits adds a second pass to the recording.")
	return d.flaketap(ctx, "record", "--target", d.url, "--listen", "127.0.0.1:0", "--db", db, "--label", "client",
		"--append", "--",
		self, "demo", "client")
}

// judge replays, and writes the map, the report and the suites.
func (d *demonstration) judge(ctx context.Context) error {
	db := d.path("recording.db")
	d.heading("The recorded requests are replayed %d times, each time after a reset; then each GET operation is observed 299 times.", d.Runs)
	if err := d.flaketap(ctx, "replay", "--runs", fmt.Sprint(d.Runs), "--bound", "0.01", "--reset", d.url+
		"/admin/reset", "--db", db); err != nil {
		return err
	}
	d.heading("What moved, why, and how sure that is.")
	for _, args := range [][]string{
		{"map", "--out", d.path("volatile.json"), "--db", db},
		{"report", "--out", d.path("report.html"), "--db", db},
		{"suite", "--format", "pytest", "--target", d.url, "--reset", d.url + "/admin/reset", "--out", d.path("suite"),
			"--db", db},
	} {
		if err := d.flaketap(ctx, args...); err != nil {
			return err
		}
	}
	m, err := analysis.ReadMap(d.path("volatile.json"))
	if err != nil {
		return err
	}
	return report.Text(d.Out, report.Input{Map: m})
}

// score prints how the map holds against the truth, whatever comes out.
func (d *demonstration) score(ctx context.Context) error {
	m, err := d.mapOf(ctx, d.path("recording.db"), ".all.json")
	if err != nil {
		return err
	}
	labels, err := demoapi.LoadTruth()
	if err != nil {
		return err
	}
	d.heading("The truth API labels every one of its fields. The map compared with the labels:")
	printScore(d.Out, Score(m, labels))
	return nil
}

// mapOf has the map of a recording made, in a file of the demo's folder: with the stable places, so that what no answer
// had is told from what was missed.
func (d *demonstration) mapOf(ctx context.Context, db, name string) (*mapfile.Map, error) {
	file := d.path(name)
	if status := d.Command(ctx, "map", "--all", "--quiet", "--out", file, "--db", db); status != 0 {
		return nil, console.ExitStatus(status)
	}
	return analysis.ReadMap(file)
}

// proveSuite runs the suite against the API, against an API with a planted regression, and beside it the same suite
// with nothing weakened.
func (d *demonstration) proveSuite(ctx context.Context) error {
	src, err := d.Source(d.path("recording.db"))
	if err != nil {
		return err
	}
	plan, err := build.Plan(src, build.Options{})
	if err != nil {
		return err
	}
	kept, weakened := build.Count(src, plan)
	d.heading("The suite asserts %d recorded values exactly, and weakens the %d volatile ones to what always holds.",
		kept, weakened)
	if d.Python == "" {
		fmt.Fprintln(d.Out, "To run it, install Python and pytest: python3 -m pytest "+d.path("suite"))
		return nil
	}
	if d.pycache, err = os.MkdirTemp("", "flaketap-pycache-*"); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	defer os.RemoveAll(d.pycache)
	for i := range suiteRuns {
		fmt.Fprintf(d.Out, "run %d of the suite:               %s\n", i+1, d.pytest(ctx, d.path("suite"), d.url))
	}
	exact, err := os.MkdirTemp("", "flaketap-exact-*")
	if err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	defer os.RemoveAll(exact)
	if status := d.Command(ctx, "suite", "--quiet", "--mode", "exact", "--out", exact, "--db", d.path("recording.db")); status != 0 {
		return console.ExitStatus(status)
	}
	fmt.Fprintf(d.Out, "the same with nothing weakened:   %s\n", d.pytest(ctx, exact, d.url))
	for _, fault := range demoapi.Faults() {
		url, stop, err := demoapi.Start(ctx, demoapi.Dials{Fault: fault})
		if err != nil {
			return err
		}
		fmt.Fprintf(d.Out, "with a regression planted: %-7s%s\n", fault, d.pytest(ctx, d.path("suite"), url))
		stop()
	}
	return nil
}

// pytest runs a suite and returns the last line that pytest prints: how many passed and failed.
func (d *demonstration) pytest(ctx context.Context, dir, url string) string {
	cmd := exec.CommandContext(ctx, d.Python, "-m", "pytest", "-q", "--tb=no", "--assert=plain", "-p",
		"no:cacheprovider", dir)
	cmd.Env = append(os.Environ(), "FLAKETAP_URL="+url, "FLAKETAP_RESET="+url+"/admin/reset", "PYTHONDONTWRITEBYTECODE=",
		"PYTHONPYCACHEPREFIX="+d.pycache)
	raw, err := cmd.CombinedOutput()
	lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return last
	}
	return fmt.Sprint(err)
}

// flaketap runs one command of the tool and shows it as typed.
func (d *demonstration) flaketap(ctx context.Context, args ...string) error {
	d.show(strings.Join(args, " "))
	if status := d.Command(ctx, args...); status != 0 {
		return console.ExitStatus(status)
	}
	return nil
}

func (d *demonstration) show(command string) { fmt.Fprintf(d.Err, "$ flaketap %s\n", command) }

func (d *demonstration) heading(format string, args ...any) {
	fmt.Fprintf(d.Out, "\n"+format+"\n", args...)
}

func (d *demonstration) path(name string) string { return filepath.Join(d.Dir, name) }

// executable is the program that this is: commands of the demo run it anew.
func executable() (string, error) {
	path, err := exec.LookPath(os.Args[0])
	if err != nil {
		return "", fmt.Errorf("find the flaketap executable: %w", err)
	}
	return path, nil
}

// findPython returns the interpreter if it has what the demo needs, else "".
func findPython(name string) string {
	path, err := exec.LookPath(name)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return ""
	}
	if exec.Command(path, "-c", "import schemathesis, pytest").Run() != nil {
		return ""
	}
	return path
}

// clearFolder empties a folder that an earlier demo filled, and refuses any other that is not empty.
func clearFolder(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("read folder %s: %w", dir, err)
	}
	own := filepath.Join(dir, mark)
	if _, err := os.Stat(own); err != nil && len(entries) > 0 {
		return fmt.Errorf("folder %s is not empty and not from an earlier demo; name another with --out", dir)
	}
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o755)); err != nil {
		return fmt.Errorf("empty %s: %w", dir, err)
	}
	if err := os.WriteFile(own, nil, 0o644); err != nil {
		return fmt.Errorf("write %s: %w", own, err)
	}
	return nil
}
