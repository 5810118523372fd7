package serve

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/flaketap/flaketap/capture/client"
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/mock/search"
)

// fuzzer is a command that sends requests while a search goes on: each is answered by the API between two trials, as a
// trial of its own, and those that are new are searched. It is a search.Incoming. What is searched stays in a file, so
// that the same search finds it at the same trial when it goes on.
type fuzzer struct {
	o      *SearchOptions
	api    search.API
	chosen arrivals
	kept   *os.File
	past   []arrived // of an earlier search, that are not given yet
	resume int       // after how many trials that one ended
	idle   bool      // the search has nothing to try, though it got to other trials

	http    *http.Server
	served  chan error
	sent    chan *sent    // to be answered
	first   *sent         // which is answered first
	refuses chan struct{} // closed when no more is
	refuse  func()
	stop    context.CancelFunc // of the command
	ended   chan struct{}      // closed when it has, with
	status  int
	err     error

	answered int
}

// sent is a request that waits for its answer.
type sent struct {
	request search.Request
	answer  chan *exchange.Exchange // gets one, or is closed where none comes
}

// arrived is a line of the file: a request, what it was answered, and after how many trials.
type arrived struct {
	After    int              `json:"after"`
	Request  exchange.Message `json:"request"`
	Response exchange.Message `json:"response"`
}

func (a *arrived) exchange() *exchange.Exchange {
	return &exchange.Exchange{Request: exchange.ParseRequest(a.Request), Response: exchange.ParseResponse(a.Response)}
}

// fuzzedName is the file in the folder of what was found. It has secrets: what is sent again has to be whole.
const fuzzedName = "fuzzed.jsonl"

// startFuzzer listens, and starts the command. api runs what it sends; resume is how many trials an earlier search had.
func startFuzzer(ctx context.Context, o *SearchOptions, api search.API, resume int) (f *fuzzer, err error) {
	f = &fuzzer{o: o, api: api, resume: resume, sent: make(chan *sent), refuses: make(chan struct{}),
		ended: make(chan struct{}), served: make(chan error, 1)}
	f.refuse = sync.OnceFunc(func() { close(f.refuses) })
	for _, r := range o.Search.Requests {
		f.chosen.has(&exchange.Exchange{Request: request(r, "")})
	}
	if err := f.open(resume > 0); err != nil {
		return nil, err
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(fmt.Errorf("listen for the command: %w", err), f.kept.Close())
	}
	f.http = &http.Server{Handler: f, ReadHeaderTimeout: time.Minute}
	go func() { f.served <- f.http.Serve(ln) }()
	c := client.Command{Args: o.Serve.Command, Env: append(os.Environ(), "FLAKETAP_URL=http://"+ln.Addr().String()),
		Stdout: o.Serve.Stdout, Console: o.Serve.Console}
	if o.Serve.Console != nil {
		c.Stderr = o.Serve.Console.Err
	}
	ctx, f.stop = context.WithCancel(ctx)
	go func() {
		defer close(f.ended)
		f.status, f.err = c.Run(ctx)
	}()
	return f, nil
}

// open opens the file, and reads what an earlier search left where this one goes on with it. A last line that is not
// whole is left out.
func (f *fuzzer) open(again bool) (err error) {
	name := filepath.Join(f.o.Out, fuzzedName)
	if f.kept, err = os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600); err != nil {
		return fmt.Errorf("keep requests: %w", err)
	}
	var whole int64
	for lines := bufio.NewReader(f.kept); again; {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		var a arrived
		if err == nil {
			err = json.Unmarshal(line, &a)
		}
		if err != nil {
			return errors.Join(fmt.Errorf("read %s behind byte %d: %w; give another --out", name, whole, err), f.kept.Close())
		}
		f.past = append(f.past, a)
		whole += int64(len(line))
	}
	err = f.kept.Truncate(whole)
	if err == nil {
		_, err = f.kept.Seek(whole, io.SeekStart)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("keep requests: %w", err), f.kept.Close())
	}
	return nil
}

// maxSent bounds the body of a request, in bytes.
const maxSent = 8 << 20

// ServeHTTP answers a request once the API has.
func (f *fuzzer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxSent))
	if err != nil {
		http.Error(w, "flaketap: read request: "+err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	one := &sent{request: received(r, body), answer: make(chan *exchange.Exchange, 1)}
	if why := (&exchange.Exchange{Request: request(one.request, r.Host)}).Unsendable(); why != "" {
		http.Error(w, "flaketap: the request cannot be sent on: "+why, http.StatusNotImplemented)
		return
	}
	select {
	case f.sent <- one:
	case <-r.Context().Done():
		return
	case <-f.refuses:
		over(w)
		return
	}
	e := <-one.answer
	switch {
	case e == nil:
		over(w)
	case e.Response != nil && e.Response.Status >= 200 && e.Response.Status <= 999:
		give(w, e.Response)
	case e.Fault != nil && e.Fault.Kind == exchange.FaultTimeout:
		late := fmt.Sprintf("flaketap: the API did not answer within %s", f.o.Search.Patience)
		http.Error(w, late, http.StatusGatewayTimeout)
	default:
		panic(http.ErrAbortHandler) // as the API ends the connection
	}
}

// over refuses a request.
func over(w http.ResponseWriter) {
	http.Error(w, "flaketap: the search takes no more requests, since it has ended or its budget is used up",
		http.StatusServiceUnavailable)
}

// received is a request as a search sends it.
func received(r *http.Request, body []byte) search.Request {
	out := search.Request{Method: r.Method, Target: r.RequestURI, Header: map[string]string{}, Body: body}
	if !strings.HasPrefix(out.Target, "/") {
		out.Target = r.URL.RequestURI()
	}
	for name, values := range r.Header {
		switch name {
		case "Connection", "Content-Length", "Keep-Alive", "Transfer-Encoding", "Expect", "Upgrade", "Te":
		default:
			out.Header[strings.ToLower(name)] = strings.Join(values, ", ")
		}
	}
	return out
}

// give answers as the API did.
func give(w http.ResponseWriter, r *exchange.Response) {
	body, err := r.Payload()
	if err != nil {
		panic(http.ErrAbortHandler) // it cannot be read whole
	}
	for _, field := range r.Header {
		switch strings.ToLower(field.Name) {
		case "connection", "content-length", "content-encoding", "keep-alive", "transfer-encoding", "trailer":
		default:
			w.Header().Add(field.Name, field.Value)
		}
	}
	w.WriteHeader(r.Status)
	_, _ = w.Write(body) // a client that does not wait for it wants it no more
}

// Bounds of the requests that are answered between two trials: so many, where each comes soon after the answer before.
const (
	mostBetween = 3
	soon        = 5 * time.Millisecond
)

// Next implements search.Incoming.
func (f *fuzzer) Next(ctx context.Context, trials int, best func() []byte) (out []search.Request, err error) {
	for len(f.past) > 0 && (f.idle || f.past[0].After <= trials) {
		if r, news := f.chosen.take(f.past[0].exchange()); news {
			out = append(out, r)
		}
		f.past = f.past[1:]
	}
	if trials < f.resume && !f.idle {
		return out, nil // these trials are known, and so is what came between them
	}
	for n := 0; n < mostBetween && f.comes(n > 0); n++ {
		one := f.first
		f.first = nil
		r, news, err := f.answer(ctx, one, trials, best)
		if err != nil {
			return out, err
		}
		if news {
			out = append(out, r)
		}
	}
	select {
	case <-f.ended:
		return out, f.err
	default:
		return out, nil
	}
}

// comes reports whether a request waits, or comes soon where that is likely.
func (f *fuzzer) comes(likely bool) bool {
	if f.first != nil {
		return true
	}
	select {
	case f.first = <-f.sent:
		return true
	default:
	}
	if !likely {
		return false
	}
	late := time.NewTimer(soon)
	defer late.Stop()
	select {
	case f.first = <-f.sent:
		return true
	case <-f.ended:
	case <-late.C:
	}
	return false
}

// answer has the API answer a request, and returns it where it is to be searched: where it is new, and the API asked a
// service for it.
func (f *fuzzer) answer(ctx context.Context, one *sent, trials int, best func() []byte) (
	r search.Request, news bool, err error,
) {
	defer close(one.answer)
	out, err := f.api.Try(ctx, search.Trial{Request: one.request, Stubs: best(), Anew: true})
	if err != nil {
		return r, false, err
	}
	f.answered++
	if len(out.Record) == 0 {
		return r, false, nil
	}
	e := out.Record[0]
	one.answer <- e
	if len(out.Calls) == 0 {
		return r, false, nil
	}
	if r, news = f.chosen.take(e); !news {
		return r, false, nil
	}
	line, err := json.Marshal(arrived{trials, e.Request.Message, e.Response.Message})
	if err == nil {
		_, err = f.kept.Write(append(line, '\n'))
	}
	if err != nil {
		return r, false, fmt.Errorf("keep requests: %w", err)
	}
	return r, true, nil
}

// Wait implements search.Incoming.
func (f *fuzzer) Wait(ctx context.Context) bool {
	if f.idle = true; len(f.past) > 0 || f.first != nil {
		return true
	}
	late := time.NewTimer(time.Second)
	defer late.Stop()
	select {
	case f.first = <-f.sent:
	case <-late.C:
	case <-ctx.Done():
	case <-f.ended:
		return f.err != nil // which Next tells
	}
	return true
}

// End implements search.Incoming: the command is ended, and what it sends until it has is refused.
func (f *fuzzer) End() {
	f.refuse()
	f.stop()
	if f.first != nil {
		close(f.first.answer)
		f.first = nil
	}
}

// Close waits until the command has ended, and says what came of it.
func (f *fuzzer) Close() error {
	f.End()
	<-f.ended
	err := f.http.Close()
	if served := <-f.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return errors.Join(err, f.kept.Close())
}

// tell says what the command sent, and how it ended.
func (f *fuzzer) tell(c *console.Console) {
	switch {
	case f.err != nil: // which is told as an error
	case f.answered == 0 && f.chosen.taken == 0:
		c.Warn("flaketap: the command sent no request; it finds the API at the URL in FLAKETAP_URL")
	default:
		c.Say("flaketap: the command sent %s, of which %d are searched: those that ask a service, and are new",
			console.Count(f.answered, "request"), f.chosen.taken)
	}
	if f.status != 0 && f.err == nil {
		c.Say("flaketap: the command ended with status %d", f.status)
	}
}
