package intercept

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/internal/tcp"
)

// Interceptor takes the connections of processes. Its methods may be called from several goroutines.
type Interceptor interface {
	// Through is a program with its arguments that starts the command which is given behind them; nil where a process is
	// started as ever.
	Through() []string
	// Variables are those of an environment (NAME=VALUE) that name a service and are to name another address instead,
	// and the proxy that processes are to use; none and nil where they are led without their knowledge.
	Variables(env []string) (redirected []string, proxy net.Addr)
	// Refused lists what was refused, in the order in which it first was.
	Refused() []Refusal
	// Close leads nothing any more, ends what Through started, and closes all listeners.
	Close() error
}

// Engine is a way to have the connections of processes come here.
type Engine struct {
	Name string
	// Open makes an interceptor.
	Open func(Options) (Interceptor, error)
	// Blind says what of the processes' connections it does not see, and lets go where they want; "" where that is
	// nothing.
	Blind string
}

// Engines are all of them, those first that [Choose] takes before others.
func Engines() []Engine {
	return []Engine{
		{Name: "seccomp", Open: openSeccomp},
		{Name: "namespace", Open: openNamespace},
		{Name: "env", Open: openProxy, Blind: proxyBlind},
	}
}

// AnyEngine is the name for the first engine that works here and sees every connection.
const AnyEngine = "auto"

// CheckName is an error where no engine has this name.
func CheckName(name string) error {
	names := []string{AnyEngine}
	for _, e := range Engines() {
		names = append(names, e.Name)
	}
	if name == "" || slices.Contains(names, name) {
		return nil
	}
	return fmt.Errorf("unknown --intercept %q: want one of %s", name, strings.Join(names, ", "))
}

// Choose returns the engine that has a name, or, of [AnyEngine], the first that works on this machine; why says then
// why it is none of those before it. self and dir are as in Options. An engine that does not work is an error. One that
// may miss connections is taken only where it is named: nothing leaves a machine unless somebody asks for that. Once
// ctx has ended no engine is found out about: that it does not work would not be its own fault.
func Choose(ctx context.Context, name string, self []string, dir string) (e Engine, why string, err error) {
	if err := CheckName(name); err != nil {
		return e, "", err
	}
	return choose(ctx, Engines(), cmp.Or(name, AnyEngine), self, dir)
}

func choose(
	ctx context.Context, engines []Engine, name string, self []string, dir string,
) (e Engine, why string, err error) {
	var missing []string
	for _, e := range engines {
		if name != e.Name && name != AnyEngine {
			continue
		}
		if name == AnyEngine && e.Blind != "" {
			missing = append(missing, "--intercept "+e.Name+" works by variables of the API's environment, and has to be named: what does not heed them goes out unseen")
			continue
		}
		if err = probe(ctx, e, self, dir); err == nil {
			return e, strings.Join(missing, "; "), nil
		}
		if ctx.Err() != nil {
			return Engine{}, "", fmt.Errorf("lead connections: %w", ctx.Err())
		}
		missing = append(missing, fmt.Sprintf("%s does not work here (%v)", e.Name, err))
	}
	return e, "", errors.New("lead connections: " + strings.Join(missing, "; "))
}

const (
	probePatience = 20 * time.Second
	probePort     = 9 // of this machine; nobody has to listen there
	probeAnswer   = "led"
)

// probe finds out whether an engine works: a process that it starts connects to a port of this machine, and is to be
// answered here.
func probe(ctx context.Context, e Engine, self []string, dir string) error {
	i, err := e.Open(Options{Self: self, Dir: dir, Local: []uint16{probePort}, Serve: func(_ Service, l net.Listener) {
		go tcp.Each(l, func(c net.Conn) {
			_, _ = io.WriteString(c, probeAnswer) // what is not sent is missed
			c.Close()
		})
	}})
	if err != nil {
		return err
	}
	through := i.Through()
	if through == nil {
		return i.Close() // there is nothing that could be missing
	}
	ctx, cancel := context.WithTimeout(ctx, probePatience)
	defer cancel()
	args := append(append(through, self...), stageProbe)
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	ownGroup(cmd)
	out, err := cmd.CombinedOutput()
	if err != nil {
		said, _, _ := strings.Cut(strings.TrimPrefix(string(out), "flaketap: "), "\n")
		err = errors.New(cmp.Or(said, err.Error()))
	}
	return errors.Join(err, i.Close())
}

// connectOnce is the process of a probe.
func connectOnce() error {
	c, err := net.DialTimeout("tcp", fmt.Sprintf("127.0.0.1:%d", probePort), probePatience)
	if err != nil {
		return err
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(probePatience)) // it is open
	if said, err := io.ReadAll(io.LimitReader(c, 100)); err != nil || string(said) != probeAnswer {
		return errors.New("its connections are not led")
	}
	return nil
}
