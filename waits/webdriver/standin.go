package webdriver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/proxy"
	"github.com/flaketap/flaketap/waits/webdriver/hotspot"
)

// StandIn is what a suite starts in the place of a driver: it listens at the port that the suite names, and
// passes all on to an address, until it is asked to end, or what listens there does.
func StandIn(ctx context.Context, to string, args []string) error {
	port := 0
	for i, arg := range args {
		text, ok := strings.CutPrefix(arg, "--port=")
		if (arg == "--port" || arg == "-p") && i+1 < len(args) { // geckodriver takes it so, too
			text, ok = args[i+1], true
		}
		if ok {
			n, err := strconv.Atoi(text)
			if err != nil {
				return fmt.Errorf("--port must be a number, got %q", text)
			}
			port = n
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	line, err := net.Dial("tcp", to)
	if err != nil {
		return fmt.Errorf("reach flaketap: %w", err)
	}
	cut := make(chan struct{})
	go func() { // who is killed says no more than this
		_, _ = line.Read(make([]byte, 1))
		cancel()
		close(cut)
	}()
	defer func() { line.Close(); <-cut }()
	dir, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("find the suite's folder: %w", err)
	}
	target := &proxy.Proxy{Target: urlOf(to), ReverseOnly: true, Rewriter: standIn{hotspot.Of(os.Getppid(), dir), cancel}}
	served := make(chan error, 2)
	listening := 0
	for _, host := range []string{"127.0.0.1", "::1"} {
		ln, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
		if err != nil {
			if host == "127.0.0.1" {
				return fmt.Errorf("listen: %w", err)
			}
			continue // a machine may lack IPv6
		}
		listening++
		go func() { served <- target.Serve(ln) }()
	}
	<-ctx.Done()
	soon, stop := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer stop()
	err = target.Shutdown(soon)
	for range listening {
		err = errors.Join(err, <-served)
	}
	return err
}

// standIn says where in a suite of Java commands come from, and ends when it is asked to: the driver itself goes on.
type standIn struct {
	machine *hotspot.Machine
	end     func()
}

// Request names the place of a command: no client of Java does.
func (x standIn) Request(e *exchange.Exchange) []byte {
	if _, ok := readRequest(&e.Request); !ok {
		return nil
	}
	at := x.machine.Place()
	line, rest, ok := bytes.Cut(e.Request.Head, []byte("\r\n"))
	if at == "" || !ok {
		return nil
	}
	return slices.Concat(line, []byte("\r\n"+sourceHeader+": "+(&url.URL{Path: at}).EscapedPath()+"\r\n"), rest, e.Request.Body)
}

func (x standIn) Response(e *exchange.Exchange) []byte {
	if e.Request.Method == http.MethodGet && strings.HasSuffix(e.Request.Target, "/shutdown") {
		x.end()
	}
	return nil
}
