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

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/proxy"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/flaketap/flaketap/suite/results"
)

// Command is the [Runner] that starts a suite's command behind a proxy of its own, on an API that begins anew where the user
// said how. It runs one execution at a time.
type Command struct {
	Args    []string // the command line; {} in it stands for the suite, {results} for the file of its results
	Results []string // files and folders where it leaves results, {} standing for the suite; none: see [Command.Run]
	Dir     string   // where each run gets a folder for what it leaves
	Addr    string   // where the proxy listens; "": any port of this machine. All runs use the same: a suite may have it written in
	Fixed   bool     // another port is no choice where Addr is taken
	API     API
	Client  Client
	Console *console.Console

	addr string // where the runs so far listened
}

// API says how the API is reached, and how it is put back to its start before each run.
type API struct {
	Proxy        func() (*proxy.Proxy, error) // makes the proxy of one run, which knows where the API is
	Service      *service.Service             // starts the API; nil where others run it
	LogDir       string                       // where each API that is started has its log; "": nowhere
	Reset        service.Reset                // "" for none
	ResetTimeout time.Duration
}

// Client says how the suite's command is started, which finds the proxy as any recorded client does.
type Client struct {
	// Listen opens the address of the proxy.
	Listen func(addr string, p *proxy.Proxy) (net.Listener, error)
	// Env returns the environment in which a command finds the proxy.
	Env func(ln net.Listener, p *proxy.Proxy) ([]string, error)
	// Start runs a command line to its end, or until ctx ends, and returns its exit status.
	Start func(ctx context.Context, args, env []string, stdout, stderr *os.File) (status int, err error)
}

// drainTimeout is how long a proxy waits, once its suite has ended, for exchanges that are under way.
const drainTimeout = 3 * time.Second

// Run runs a suite once: the API is started or reset, the command runs behind a proxy, and what it leaves is read: in the
// file that {results} stands for, else in Results, or where pytest, Maven and Gradle leave it, and else on stdout.
func (c *Command) Run(ctx context.Context, x Execution) (o Outcome, err error) {
	p, err := c.API.Proxy()
	if err != nil {
		return o, err
	}
	p.Recorder, p.Rewriter, p.MaxBody = x.Recorder, x.Rewriter, maxBody
	ln, err := c.listen(p)
	if err != nil {
		return o, err
	}
	defer ln.Close()
	api, err := c.API.ready(ctx, p, x)
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
	drain, cancel := context.WithTimeout(context.Background(), drainTimeout)
	defer cancel()
	if p.Shutdown(drain) != nil {
		_ = p.Close() // it has no error
	}
	if serr := <-served; serr != nil && err == nil {
		err = serr
	}
	if err == nil && ctx.Err() == nil && o.Status != 0 {
		err = api.Died("while the suite ran")
	}
	return o, err
}

// ready puts the API back to its start, or starts it.
func (a *API) ready(ctx context.Context, p *proxy.Proxy, x Execution) (api *service.Instance, err error) {
	if a.Service != nil {
		a.Service.Show = x.Show
		if a.LogDir != "" {
			if err := os.MkdirAll(a.LogDir, 0o755); err != nil {
				return nil, fmt.Errorf("make a folder for logs: %w", err)
			}
			a.Service.Log = filepath.Join(a.LogDir, x.Name+".api.log")
		}
		if api, err = a.Service.Start(ctx); err != nil {
			return nil, err
		}
		if target := api.Target(); target != nil {
			p.Target = target
		}
	}
	if a.Reset != "" {
		if err := api.Reset(a.Reset).Within(ctx, a.ResetTimeout); err != nil {
			return nil, errors.Join(err, api.Stop())
		}
	}
	return api, nil
}

// listen opens the address of the proxy.
func (c *Command) listen(p *proxy.Proxy) (net.Listener, error) {
	const anyPort = "127.0.0.1:0"
	addr := cmp.Or(c.addr, c.Addr, anyPort)
	ln, err := c.Client.Listen(addr, p)
	if errors.Is(err, syscall.EADDRINUSE) && !c.Fixed && c.addr == "" {
		c.Console.Say("flaketap: %s, where the recording was made, is taken; using another port, which a suite with that address written in does not find", addr)
		ln, err = c.Client.Listen(anyPort, p)
	}
	if err != nil {
		return nil, err
	}
	c.addr = ln.Addr().String()
	return ln, nil
}

// runSuite runs the suite's command and reads its results.
func (c *Command) runSuite(ctx context.Context, x Execution, p *proxy.Proxy, ln net.Listener) (o Outcome, err error) {
	left, err := newArtifacts(filepath.Join(c.Dir, x.Name), x.Suite.Arg, c.Args, c.Results)
	if err != nil {
		return o, err
	}
	env, err := c.Client.Env(ln, p)
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
	begun := time.Now()
	status, err := c.Client.Start(limited, left.command(c.Args), left.env(env), stdout, stderr)
	o = Outcome{Status: status, Took: time.Since(begun), TimedOut: limited.Err() != nil && ctx.Err() == nil, Addr: ln.Addr().String()}
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
	r := results.FromStatus(filepath.Base(c.Args[0]), o.Status, o.Took)
	if r.Failed() && o.LastWords != "" {
		r.Message += ": " + o.LastWords
	}
	o.Results = []results.Result{r}
}
