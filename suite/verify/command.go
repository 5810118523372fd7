package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/flaketap/flaketap/capture"
	"github.com/flaketap/flaketap/capture/client"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/proxy"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/flaketap/flaketap/suite/results"
)

// Command is the [Runner] that starts a suite's command behind a proxy of its own, on an API that begins anew where the
// user said how. It runs one execution at a time.
type Command struct {
	// Options say how the command, the proxy and the API stand to each other. {} in the command stands for the suite,
	// {results} for the file of its results. All runs find the proxy at the same address: a suite may have it written
	// in.
	capture.Options
	// files and folders where the command leaves results, {} standing for the suite; none: see [Command.Run]
	Results []string
	Dir     string // where each run gets a folder for what it leaves
	LogDir  string // where each API that is started has its log; "": nowhere

	addr string // where the runs so far listened; "" before the first
}

// drainTimeout is how long a proxy waits, once its suite has ended, for exchanges that are under way.
const drainTimeout = 3 * time.Second

// Run runs a suite once: the API is started or reset, the command runs behind a proxy, and what it leaves is read: in
// the file that {results} stands for, else in Results, or where pytest, Maven and Gradle leave it, and else on stdout.
func (c *Command) Run(ctx context.Context, x Execution) (o Outcome, err error) {
	p, err := c.NewProxy()
	if err != nil {
		return o, err
	}
	p.Recorder, p.Rewriter, p.MaxBody = x.Recorder, x.Rewriter, cmp.Or(x.MaxBody, maxBody)
	ln, err := c.listen(p)
	if err != nil {
		return o, err
	}
	defer ln.Close()
	api, err := c.startAPI(ctx, p, x)
	if err != nil {
		return o, err
	}
	defer func() {
		if serr := api.Stop(); serr != nil {
			c.Console.Say("flaketap: %s", console.OneLine(serr.Error()))
		}
	}()
	served := make(chan error, 1)
	go func() { served <- p.Serve(ln) }()
	o, err = c.runSuite(ctx, x, p, ln)
	if target := api.Target(); target != nil && target.Port() != "" {
		o.API = target.Host
	}
	drain, cancel := context.WithTimeout(context.Background(), drainTimeout)
	defer cancel()
	if p.Shutdown(drain) != nil {
		_ = p.Close() // it has no error
	}
	if serr := <-served; serr != nil && err == nil {
		err = serr
	}
	if ctx.Err() != nil {
		return o, err
	}
	if lost := api.Lost(); lost != nil {
		c.Console.Say("flaketap: %s: %v; it is done again", console.OneLine(x.Title), lost)
		return o, lost
	}
	if err == nil && o.Status != 0 {
		err = api.Died("while the suite ran")
	}
	return o, err
}

// startAPI starts the API, or puts it back to its start.
func (c *Command) startAPI(ctx context.Context, p *proxy.Proxy, x Execution) (api *service.Instance, err error) {
	started := cmp.Or(x.API, c.Service)
	if started != nil {
		started.RedactMessage, started.Asked = x.Show, x.Asked
		if c.LogDir != "" {
			if err := os.MkdirAll(c.LogDir, 0o755); err != nil {
				return nil, fmt.Errorf("make a folder for logs: %w", err)
			}
			started.Log = filepath.Join(c.LogDir, x.Name+".api.log")
		}
		if api, err = started.Start(ctx); err != nil {
			return nil, err
		}
		if target := api.Target(); target != nil {
			p.Target = target
		}
	}
	if c.Reset != "" {
		if err := api.Reset(c.Reset).Within(ctx, c.ResetTimeout); err != nil {
			return nil, errors.Join(err, api.Stop())
		}
	}
	return api, nil
}

// anyPort is an address of this machine alone, with any free port.
const anyPort = "127.0.0.1:0"

// listen opens the address of the proxy.
func (c *Command) listen(p *proxy.Proxy) (net.Listener, error) {
	addr := cmp.Or(c.addr, c.Listen, c.Preferred, anyPort)
	ln, err := capture.Listen(addr, p)
	if errors.Is(err, syscall.EADDRINUSE) && c.addr == "" && c.Listen == "" {
		c.Console.Say("flaketap: %s, the recorded address, is in use; listening on another port, which a suite with a hard-coded address does not find", addr)
		ln, err = capture.Listen(anyPort, p)
	}
	if errors.Is(err, syscall.EADDRINUSE) {
		err = console.Advise(err, "flaketap stands there in the API's place: stop what runs there, perhaps the API itself "+
			"(--start brings one of its own), or run it on another port")
	}
	if err != nil {
		return nil, err
	}
	c.addr = ln.Addr().String()
	return ln, nil
}

// Addr is where the runs so far found the proxy; "" before the first. What records a run may ask for it.
func (c *Command) Addr() string { return c.addr }

// runSuite runs the suite's command and reads its results.
func (c *Command) runSuite(ctx context.Context, x Execution, p *proxy.Proxy, ln net.Listener) (o Outcome, err error) {
	left, err := newArtifacts(filepath.Join(c.Dir, x.Name), x.Suite.Arg, c.Command, c.Results)
	if err != nil {
		return o, err
	}
	env, err := client.Environment(os.Environ(), client.Recorder{Addr: ln.Addr(), CA: c.CA, Auth: p.Auth,
		Control: p.Control})
	if err != nil {
		return o, err
	}
	stdout, err := createPrivate(left.stdout)
	if err != nil {
		return o, err
	}
	defer stdout.Close()
	stderr, err := createPrivate(left.stderr)
	if err != nil {
		return o, err
	}
	defer stderr.Close()
	limited, cancel := ctx, context.CancelFunc(func() {})
	if x.Timeout > 0 {
		limited, cancel = context.WithTimeout(ctx, x.Timeout)
	}
	defer cancel()
	if env = left.env(env); x.Env != nil {
		env = x.Env(env)
	}
	command := client.Command{Args: left.command(c.Command), Env: env, Stdout: stdout, Stderr: stderr}
	begun := time.Now()
	status, err := command.Run(limited)
	o = Outcome{Status: status, Took: time.Since(begun), TimedOut: limited.Err() != nil &&
		ctx.Err() == nil, Addr: ln.Addr().String()}
	if err != nil || ctx.Err() != nil {
		return o, err
	}
	if o.Results, err = left.read(); err != nil {
		c.Console.Say("flaketap: %s", console.OneLine(err.Error())) // what could be read counts
	}
	if len(o.Results) == 0 {
		c.countStatus(&o, left)
	}
	return o, nil
}

// countStatus makes the exit status the result of a run that left none.
func (c *Command) countStatus(o *Outcome, left *artifacts) {
	o.Silent, o.LastWords = true, cmp.Or(lastLine(left.stderr), lastLine(left.stdout))
	r := results.FromStatus(filepath.Base(c.Command[0]), o.Status, o.Took)
	if r.Failed() && o.LastWords != "" {
		r.Message += ": " + o.LastWords
	}
	o.Results = []results.Result{r}
}
