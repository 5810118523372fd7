package webdriver

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/capture/client"
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/environ"
	"github.com/flaketap/flaketap/proxy"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/flaketap/flaketap/waits/oracle"
	"github.com/flaketap/flaketap/waits/outcome"
	"github.com/flaketap/flaketap/waits/playwright"
)

// Options say which suite runs, and by which driver.
type Options struct {
	Args    []string      // the suite's command, at least one word
	Driver  string        // a driver, by its name or path; "" finds one in PATH
	Timeout time.Duration // of a run, which then has failed; 0: none
	// Results are the files, or folders with files, in which the suite's runner leaves its results. Without them it is
	// not known which tests passed in a run that failed.
	Results []string
	Own     string // this program, which stands in for the driver where a suite starts it by itself
	Console *console.Console
	Stdout  io.Writer // what the suite writes
	Stderr  io.Writer
}

// preloads are what Node and Python load before a suite.
//
//go:embed preload.cjs python/*.py
var preloads embed.FS

// bench is where a suite runs: a driver of its own, with the tap before it, and the files that its command finds. What
// speaks to browsers by itself speaks to the tap besides.
type bench struct {
	Options
	driver  *driver           // nil where there is none
	running *service.Instance // the driver's; nil where there is none
	proxy   *proxy.Proxy
	ln      net.Listener // before the driver
	besides net.Listener // for Playwright
	served  chan error   // by each of the two
	dir     string
	*tap
}

// discard takes exchanges that nobody keeps.
type discard struct{}

func (discard) Record(*exchange.Exchange) error { return nil }

// run runs the suite once, and returns what was seen.
func (o Options) run(ctx context.Context, p patience) (oracle.Run, error) {
	b, err := o.open(ctx, p)
	if err != nil {
		return oracle.Run{}, err
	}
	limited, cancel := ctx, context.CancelFunc(func() {})
	if o.Timeout > 0 {
		limited, cancel = context.WithTimeout(ctx, o.Timeout)
	}
	defer cancel()
	status, err := client.Command{Args: o.Args, Env: b.environment(os.Environ()), Stdout: o.Stdout, Stderr: o.Stderr,
		Console: o.Console}.Run(limited)
	run := b.tap.end()
	if limited.Err() != nil && ctx.Err() == nil {
		o.Console.Warn("flaketap: the run was ended after %s (--timeout)", o.Timeout)
		status = max(status, 1)
	}
	var died error
	if b.running != nil {
		b.settle()
		died = b.running.Died("after " + console.Count(len(run.Commands), "command"))
	}
	err = errors.Join(err, ctx.Err(), b.close())
	if died != nil && err == nil {
		o.Console.Warn("flaketap: the driver ended while the suite ran, and what it was asked then failed: %s",
			strings.Replace(died.Error(), "the API", b.driver.name, 1))
	}
	if err == nil && len(run.Commands) == 0 && b.tap.unanswered() {
		err = silent(b.driver)
	}
	run.Status = status
	if status != 0 && len(o.Results) > 0 && err == nil {
		var unknown error
		if run.Failed, unknown = outcome.Failed(o.Results, b.tap.began, time.Now()); unknown != nil {
			o.Console.Warn("flaketap: no test counts as passed in this run: %s", console.OneLine(unknown.Error()))
		}
	}
	return run, err
}

// settle waits, where the driver did not answer, until it is known to have ended, if that is why.
func (b *bench) settle() {
	if b.proxy.Stats().Faults == 0 {
		return
	}
	select {
	case <-b.running.Ended():
	case <-time.After(time.Second):
	}
}

// open starts a driver, and what stands before it.
func (o Options) open(ctx context.Context, p patience) (*bench, error) {
	d, err := findDriver(o.Driver)
	if err != nil {
		return nil, err
	}
	b := &bench{Options: o, driver: d, served: make(chan error, 2)}
	target := &url.URL{Scheme: "http", Host: "driver.invalid"}
	if d != nil {
		s := &service.Service{Command: d.command(), Ready: "http://127.0.0.1:{port}/status", Patience: 30 * time.Second, Grace: time.Second}
		if b.running, err = s.Start(ctx); err != nil {
			return nil, fmt.Errorf("start %s: %w", d.name, err)
		}
		target = b.running.Target()
	}
	b.proxy, b.tap = tapped(target, p, o.Console.Warn)
	b.proxy.RewriteHost = d != nil && d.strict
	if err := b.serve(); err != nil {
		return nil, errors.Join(err, b.close())
	}
	return b, nil
}

// tapped is a proxy before a driver, with a tap.
func tapped(driver *url.URL, p patience, say func(string, ...any)) (*proxy.Proxy, *tap) {
	x := &proxy.Proxy{Target: driver, ReverseOnly: true, Recorder: discard{}}
	t := &tap{driver: driver, again: x.Again, over: x.Context(), began: time.Now(), patience: p, say: say,
		browsers: map[string]*browser{}}
	x.Rewriter = t
	return x, t
}

// serve listens for the suite, and writes the files that it finds.
func (b *bench) serve() (err error) {
	if b.ln, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	go func() { b.served <- b.proxy.Serve(b.ln) }()
	if b.besides, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	go func() { b.served <- playwright.Serve(b.over, b.besides, conversed{b.tap}) }()
	if b.dir, err = os.MkdirTemp("", "flaketap-waits-"); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	files := map[string][]byte{"playwright.cjs": playwright.Preload, "look.js": []byte(look)}
	for _, name := range []string{"preload.cjs", "python/flaketap_source.py", "python/sitecustomize.py"} {
		if files[filepath.Base(name)], err = preloads.ReadFile(name); err != nil {
			return fmt.Errorf("read what a suite loads: %w", err)
		}
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(b.dir, name), data, 0o600); err != nil {
			return fmt.Errorf("write what a suite loads: %w", err)
		}
	}
	if b.driver == nil {
		return nil
	}
	if err := os.Mkdir(filepath.Join(b.dir, "bin"), 0o700); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	if err := os.WriteFile(filepath.Join(b.dir, "bin", b.driver.name), b.driver.standIn(b.Own, b.ln.Addr().String()), 0o700); err != nil {
		return fmt.Errorf("write stand-in of %s: %w", b.driver.name, err)
	}
	return nil
}

// environment is what the suite's command finds: flaketap in the place of its driver, and no manager of drivers that
// downloads one.
func (b *bench) environment(env []string) []string {
	preload := func(name string) string { return " --require " + environ.NodeQuoted(filepath.Join(b.dir, name)) }
	loads := preload("playwright.cjs")
	if b.driver != nil {
		loads = preload("preload.cjs") + loads
	}
	set := map[string]string{
		playwright.Variable: b.besides.Addr().String(),
		"SE_OFFLINE":        "true",
		"NODE_OPTIONS":      client.WithOptions(env, "NODE_OPTIONS", strings.TrimSpace(loads)),
	}
	bin := filepath.Join(b.dir, "bin")
	if b.driver != nil {
		set["SELENIUM_REMOTE_URL"] = "http://" + b.ln.Addr().String()
		for _, name := range b.driver.variables {
			set[name] = filepath.Join(bin, b.driver.name)
		}
	}
	out := slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		_, ours := set[name]
		return ours
	})
	for name, value := range set {
		out = append(out, name+"="+value)
	}
	slices.Sort(out)
	out = environ.Prepend(out, "PATH", bin, string(filepath.ListSeparator))
	return environ.Prepend(out, "PYTHONPATH", b.dir, string(filepath.ListSeparator))
}

// close ends the driver with all browsers that it started, and takes the files away.
func (b *bench) close() error {
	var errs []error
	_ = b.proxy.Close() // ends what listens, too
	for _, ln := range []net.Listener{b.ln, b.besides} {
		if ln != nil {
			errs = append(errs, <-b.served)
		}
	}
	if b.running != nil {
		errs = append(errs, b.running.Stop())
	}
	if b.dir != "" {
		errs = append(errs, os.RemoveAll(b.dir))
	}
	return errors.Join(errs...)
}
