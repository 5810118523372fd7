package serve

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock/search"
)

// echoing is an API that answers with its target and the stubs it runs under, and asks a service but for /plain.
type echoing struct{}

func (echoing) Try(_ context.Context, t search.Trial) (out search.Outcome, err error) {
	e := &exchange.Exchange{Request: request(t.Request, "api:80")}
	switch t.Request.Target {
	case "/hangs":
		e.Fault = &exchange.Fault{Kind: exchange.FaultTimeout}
	case "/breaks":
		e.Fault = &exchange.Fault{Kind: exchange.FaultReset}
	default:
		body := fmt.Sprintf("%s %s %s under %s", t.Request.Method, t.Request.Target, t.Request.Body, t.Stubs)
		e.Response = exchange.ParseResponse(exchange.Message{Body: []byte(body),
			Head: fmt.Appendf(nil, "HTTP/1.1 201 X\r\nX-From: api\r\nContent-Length: %d\r\n\r\n", len(body))})
	}
	if t.Request.Target != "/plain" {
		out.Calls = []search.Call{{Service: "a:80"}}
	}
	out.Record = []*exchange.Exchange{e}
	return out, nil
}

// fuzzing starts a command that says where it finds the API, and goes on.
func fuzzing(t *testing.T, dir string, resume int) (f *fuzzer, url string) {
	t.Helper()
	r, w := io.Pipe()
	o := &SearchOptions{Out: dir, Serve: Options{Command: []string{"sh", "-c", "echo $FLAKETAP_URL; exec sleep 1000"}, Stdout: w}}
	o.Search.Patience = time.Second
	f, err := startFuzzer(t.Context(), o, echoing{}, resume)
	if err != nil {
		t.Fatal(err)
	}
	url, err = bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return f, strings.TrimSpace(url)
}

// What a command sends is answered by the API between trials; what is new of it, and asks a service, is searched, now
// and when the search goes on. In the end the command is ended, and its requests are refused.
func TestFuzzer(t *testing.T) {
	dir := t.TempDir()
	f, url := fuzzing(t, dir, 0)
	best := func() []byte { return []byte("the best") }
	answers := make(chan string)
	send := func(method, path, body string) {
		req, err := http.NewRequestWithContext(t.Context(), method, url+path, strings.NewReader(body))
		if err != nil {
			t.Error(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			answers <- "broken"
			return
		}
		defer resp.Body.Close()
		said, _ := io.ReadAll(resp.Body)
		answers <- fmt.Sprintf("%d %s%s", resp.StatusCode, resp.Header.Get("X-From"), said)
	}
	for i, step := range []struct {
		method, path, body, answer string
		news                       bool
	}{
		{"GET", "/plain", "", "201 apiGET /plain  under the best", false},
		{"GET", "/items/1", "", "201 apiGET /items/1  under the best", true},
		{"GET", "/items/2", "", "201 apiGET /items/2  under the best", false},
		{"POST", "/items?x=1", "a=b", "201 apiPOST /items?x=1 a=b under the best", true},
		{"GET", "/hangs", "", "504 flaketap: the API did not answer within 1s\n", false},
		{"POST", "/breaks", "", "broken", false},
	} {
		go send(step.method, step.path, step.body)
		for f.first == nil {
			if !f.Wait(t.Context()) {
				t.Fatal("the command has ended")
			}
		}
		got, err := f.Next(t.Context(), 10*i, best)
		if err != nil || (len(got) == 1) != step.news || step.news && got[0].Target != step.path {
			t.Errorf("%s: taken as %+v, %v", step.path, got, err)
		}
		if answer := <-answers; answer != step.answer {
			t.Errorf("%s: answered %q, want %q", step.path, answer, step.answer)
		}
	}
	f.End()
	go send("GET", "/late", "")
	if answer := <-answers; !strings.HasPrefix(answer, "503 flaketap: the search takes no more requests") {
		t.Errorf("late: answered %q", answer)
	}
	if err := f.Close(); err != nil || f.status == 0 || f.answered != 6 || f.chosen.taken != 2 {
		t.Errorf("%v; status %d, %d answered, %d searched", err, f.status, f.answered, f.chosen.taken)
	}

	again, _ := fuzzing(t, dir, 40)
	for _, step := range []struct {
		trials int
		want   string
	}{{9, ""}, {10, "/items/1"}, {29, ""}, {30, "/items?x=1"}, {40, ""}} {
		got, err := again.Next(t.Context(), step.trials, best)
		if err != nil || len(got) != min(1, len(step.want)) || len(got) == 1 && got[0].Target != step.want {
			t.Errorf("after %d trials: %+v, %v; want %s", step.trials, got, err, step.want)
		}
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

// A command that cannot be started ends the search, and one that has ended is waited for no more.
func TestFuzzerEnds(t *testing.T) {
	for command, fails := range map[string]bool{"/no/such/program": true, "true": false} {
		o := &SearchOptions{Out: t.TempDir(), Serve: Options{Command: []string{command}}}
		f, err := startFuzzer(t.Context(), o, echoing{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		<-f.ended
		if more := f.Wait(t.Context()); more != fails {
			t.Errorf("%s: there may be more: %v", command, more)
		}
		if _, err := f.Next(t.Context(), 0, nil); (err != nil) != fails {
			t.Errorf("%s: %v", command, err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}
