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
	"os/exec"
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
)

// Options say which suite runs, and by which driver.
type Options struct {
	Args    []string // the suite's command, at least one word
	Driver  string   // a chromedriver; "" finds it in PATH
	Own     string   // this program, which stands in for chromedriver where a suite starts it by itself
	Console *console.Console
	Stdout  io.Writer // what the suite writes
	Stderr  io.Writer
}

// preloads are what Node and Python load before a suite.
//
//go:embed preload.cjs python/*.py
var preloads embed.FS

// bench is where a suite runs: a driver of its own, with the tap before it, and the files that its command finds.
type bench struct {
	Options
	driver *service.Instance
	proxy  *proxy.Proxy
	ln     net.Listener
	served chan error
	dir    string
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
	status, err := client.Command{Args: o.Args, Env: b.environment(os.Environ()), Stdout: o.Stdout, Stderr: o.Stderr,
		Console: o.Console}.Run(ctx)
	run := b.tap.end()
	b.settle()
	died := b.driver.Died("after " + console.Count(len(run.Commands), "command"))
	err = errors.Join(err, ctx.Err(), b.close())
	if died != nil && err == nil {
		o.Console.Warn("flaketap: the driver ended while the suite ran, and what it was asked then failed: %s",
			strings.Replace(died.Error(), "the API", "chromedriver", 1))
	}
	run.Status = status
	return run, err
}

// settle waits, where the driver did not answer, until it is known to have ended, if that is why.
func (b *bench) settle() {
	if b.proxy.Stats().Faults == 0 {
		return
	}
	select {
	case <-b.driver.Ended():
	case <-time.After(time.Second):
	}
}

// open starts a driver, and what stands before it.
func (o Options) open(ctx context.Context, p patience) (*bench, error) {
	path, err := o.driverPath()
	if err != nil {
		return nil, err
	}
	s := &service.Service{Command: "exec " + client.ShellQuoted(path) + " --port={port}", Ready: "http://127.0.0.1:{port}/status",
		Patience: 30 * time.Second, Grace: time.Second}
	b := &bench{Options: o, served: make(chan error, 1)}
	if b.driver, err = s.Start(ctx); err != nil {
		return nil, fmt.Errorf("start chromedriver: %w", err)
	}
	b.proxy, b.tap = tapped(b.driver.Target(), p, o.Console.Warn)
	if err := b.serve(path); err != nil {
		return nil, errors.Join(err, b.close())
	}
	return b, nil
}

// tapped is a proxy before a driver, with a tap.
func tapped(driver *url.URL, p patience, say func(string, ...any)) (*proxy.Proxy, *tap) {
	x := &proxy.Proxy{Target: driver, ReverseOnly: true, Recorder: discard{}}
	t := &tap{again: x.Again, over: x.Context(), began: time.Now(), patience: p, say: say, browsers: map[string]*browser{}}
	x.Rewriter = t
	return x, t
}

// driverPath finds the driver.
func (o Options) driverPath() (string, error) {
	name := o.Driver
	if name == "" {
		name = "chromedriver"
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", console.Advise(fmt.Errorf("find chromedriver: %w", err),
			"install it (Debian: apt-get install chromium-driver), or name it with --driver PATH; flaketap downloads none")
	}
	return filepath.Abs(path)
}

// serve listens for the suite, and writes the files that it finds.
func (b *bench) serve(driver string) error {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	b.ln = ln
	go func() { b.served <- b.proxy.Serve(ln) }()
	if b.dir, err = os.MkdirTemp("", "flaketap-waits-"); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	for _, name := range []string{"preload.cjs", "python/flaketap_source.py", "python/sitecustomize.py"} {
		data, err := preloads.ReadFile(name)
		if err == nil {
			err = os.WriteFile(filepath.Join(b.dir, filepath.Base(name)), data, 0o600)
		}
		if err != nil {
			return fmt.Errorf("write what a suite loads: %w", err)
		}
	}
	shim := "#!/bin/sh\ncase \" $* \" in *\" --version \"*) exec " + client.ShellQuoted(driver) + " --version ;; esac\n" +
		"exec " + client.ShellQuoted(b.Own) + " waits driver " + ln.Addr().String() + " -- \"$@\"\n"
	if err := os.Mkdir(filepath.Join(b.dir, "bin"), 0o700); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	if err := os.WriteFile(filepath.Join(b.dir, "bin", "chromedriver"), []byte(shim), 0o700); err != nil {
		return fmt.Errorf("write stand-in of chromedriver: %w", err)
	}
	return nil
}

// environment is what the suite's command finds: flaketap in the place of its driver, and no manager of drivers that
// downloads one.
func (b *bench) environment(env []string) []string {
	bin, preload := filepath.Join(b.dir, "bin"), environ.NodeQuoted(filepath.Join(b.dir, "preload.cjs"))
	set := map[string]string{
		"SELENIUM_REMOTE_URL": "http://" + b.ln.Addr().String(),
		"SE_CHROMEDRIVER":     filepath.Join(bin, "chromedriver"),
		"SE_OFFLINE":          "true",
		"NODE_OPTIONS":        client.WithOptions(env, "NODE_OPTIONS", "--require "+preload),
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
	if b.ln != nil {
		_ = b.proxy.Close()
		errs = append(errs, <-b.served)
	}
	errs = append(errs, b.driver.Stop())
	if b.dir != "" {
		errs = append(errs, os.RemoveAll(b.dir))
	}
	return errors.Join(errs...)
}
