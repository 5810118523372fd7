package serve

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/flaketap/flaketap/mock"
	"github.com/flaketap/flaketap/mock/warmup"
	"github.com/flaketap/flaketap/replay/service"
)

// maxStubs bounds what a client gives as stubs, in bytes.
const maxStubs = 64 << 20

// control is by what a client changes a run while it goes on: it puts stubs in the place of those there are, asks what
// was asked, and has the API reset or started anew. It listens on loopback, below a path that nobody guesses.
type control struct {
	server  *mock.Server
	service *service.Service
	reset   service.Reset
	// requests warm up an API that was started.
	requests []warmup.Request

	mu    sync.Mutex // of the API, which is asked one thing after the other, and of stubs
	api   *service.Instance
	stubs []mock.Stub // that answer, but while the API is warmed up

	base   string // its URL
	http   *http.Server
	served chan error
}

// open begins to listen.
func (c *control) open() error {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen for the client: %w", err)
	}
	secret := "/" + rand.Text()
	c.base = "http://" + ln.Addr().String() + secret
	mux := http.NewServeMux()
	mux.HandleFunc("PUT "+secret+"/stubs", c.putStubs)
	mux.HandleFunc("GET "+secret+"/calls", c.getCalls)
	mux.HandleFunc("POST "+secret+"/reset", c.doing((*control).resets))
	mux.HandleFunc("POST "+secret+"/restart", c.doing((*control).restarts))
	c.http = &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	c.served = make(chan error, 1)
	go func() { c.served <- c.http.Serve(ln) }()
	return nil
}

// close listens no more, and ends the API.
func (c *control) close() error {
	err := c.http.Close()
	if served := <-c.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.api != nil {
		err = errors.Join(err, c.api.Stop())
	}
	return err
}

// died says that the API ended by itself, and that the client, which has ended with a status, did not have it started
// anew; nil where it runs.
func (c *control) died(status int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.api != nil && status != 0 { // the client may have failed because of that
		c.api.Settle()
	}
	return c.api.Died("while the client ran")
}

// env are the variables by which the client finds it.
func (c *control) env() []string {
	env := []string{"FLAKETAP_MOCKS=" + c.base, "FLAKETAP_RESTART=" + c.base + "/restart"}
	if c.reset != "" {
		env = append(env, "FLAKETAP_RESET="+c.base+"/reset")
	}
	return env
}

// putStubs puts the stubs of a file of mappings in the place of all there are, and forgets what was asked.
func (c *control) putStubs(w http.ResponseWriter, r *http.Request) {
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxStubs))
	var stubs []mock.Stub
	if err == nil {
		stubs, err = mock.ParseStubs(data, mock.NoFile)
	}
	if err != nil {
		http.Error(w, "read stubs: "+err.Error(), http.StatusUnprocessableEntity)
		return
	}
	c.mu.Lock() // until an API is warm that is started anew
	defer c.mu.Unlock()
	c.stubs = stubs
	c.server.Book.Replace(stubs)
	c.server.Journal.Clear()
	w.WriteHeader(http.StatusNoContent)
}

// getCalls tells what was asked since the last stubs.
func (c *control) getCalls(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(c.server.Journal.JSON()) // a client that does not wait for it wants it no more
}

// doing answers a request by doing something to the API.
func (c *control) doing(do func(*control, context.Context) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if err := do(c, r.Context()); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}
}

// resets puts the API back to its start.
func (c *control) resets(ctx context.Context) error {
	if c.api == nil {
		return errors.New("the API does not run")
	}
	return c.api.Reset(c.reset).Run(ctx)
}

// restarts starts the API anew, where it was.
func (c *control) restarts(ctx context.Context) error {
	before := ""
	if c.api != nil {
		if target := c.api.Base(); target != nil {
			before = target.String()
		}
		stopping := c.api
		c.api = nil
		err := stopping.Stop()
		if c.server.Distrusts.Ended(); err != nil {
			return err
		}
	}
	api, err := c.service.Start(ctx)
	if err != nil {
		return err
	}
	c.api = api
	if target := api.Base(); target != nil && before != "" && target.String() != before {
		return fmt.Errorf("the API is at %s now, since its port was taken: run the tests again", target)
	}
	return c.begins(ctx)
}

// begins has an API that was just started be warm, and at its start, and its services answer as they did before.
func (c *control) begins(ctx context.Context) error {
	if at := c.api.Base(); len(c.requests) > 0 && at != nil {
		if err := warm(ctx, at, c.server, c.api.Reset(c.reset), c.requests); err != nil {
			return err
		}
		c.server.Book.Replace(c.stubs)
		c.server.Journal.Clear()
	}
	return c.resets(ctx)
}
