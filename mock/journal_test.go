package mock

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Of very many calls the first alone are held, and after the journal is emptied those that come then.
func TestHolds(t *testing.T) {
	j := &Journal{Hold: time.Second}
	for range maxHeld {
		j.begin(Call{}, nil, opening{}, time.Now())
	}
	if j.holds() != time.Second {
		t.Error("the first calls are not held")
	}
	j.begin(Call{}, nil, opening{}, time.Now())
	if j.holds() != 0 {
		t.Error("many calls are held")
	}
	if j.Clear(); j.holds() != time.Second || (*Journal)(nil).holds() != 0 {
		t.Error("it goes on not to hold, or holds where nothing is noted")
	}
}

func TestJournal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var j Journal
		begin := func(target, body string) func() {
			answered := j.begin(Call{Service: "rates.example.com:443", Method: "POST", Target: target}, []byte(body), opening{}, time.Now())
			time.Sleep(time.Millisecond)
			return answered
		}
		want := func(calls string) {
			t.Helper()
			if diff := cmp.Diff(`{"calls":[`+calls+`]}`, string(j.JSON())); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
		}
		call := func(target, rest string) string {
			return `{"service":"rates.example.com:443","method":"POST","target":"` + target + `",` + rest + `}`
		}
		want("")
		begin("/b", "")()
		begin("/a", `{"x": 1}`)()
		begin("/a", `{"x":1}`)()
		begin("/a", "no JSON")()
		begin("/a", "\xff")()
		// Their order says nothing: each began before another was answered.
		third, second := begin("/3", ""), begin("/2", "")
		third()
		time.Sleep(time.Millisecond)
		first := begin("/1", "")
		second()
		first()
		// One that the API gave up is answered never, and what comes after it comes after it.
		begin("/z", "")
		begin("/y", "")()
		for range 2 * Often {
			begin("/again", "")()
		}
		want(call("/b", `"times":1`) + "," + call("/a", `"body":{"x":1},"times":2`) + "," + call("/a", `"body":"no JSON","times":1`) + "," +
			call("/a", `"times":1`) + "," + call("/1", `"times":1`) + "," + call("/2", `"times":1`) + "," + call("/3", `"times":1`) + "," +
			call("/z", `"times":1`) + "," + call("/y", `"times":1`) + "," + call("/again", `"times":10`))
		if diff := cmp.Diff([][2]int{{4, 6}}, j.Noted().Beside); diff != "" {
			t.Errorf("beside each other (-want +got):\n%s", diff)
		}
		late := begin("/late", "")
		j.Clear()
		begin("/new", "")
		late() // it is of those that are forgotten
		want(call("/new", `"times":1`))
	})
}

// A call began when its client connected, however long they shook hands; but where the connection waited for it as long as
// another call takes: a client may have made it long before it had anything to ask.
func TestJournalOfConnections(t *testing.T) {
	for name, c := range map[string]struct {
		shakes, waits time.Duration
		want          []string
		beside        int
	}{
		"shakes hands beside the first": {30 * time.Millisecond, time.Millisecond, []string{"/a", "/b"}, 1},
		"waits meanwhile":               {time.Millisecond, 30 * time.Millisecond, []string{"/b", "/a"}, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			j := Journal{Hold: 20 * time.Millisecond}
			by := opening{at: time.Now()}
			time.Sleep(time.Millisecond)
			first := j.begin(Call{Target: "/b"}, nil, opening{}, time.Now())
			time.Sleep(j.Hold)
			first()
			time.Sleep(time.Until(by.at.Add(c.shakes + c.waits)))
			by.ready = by.at.Add(c.shakes)
			j.begin(Call{Target: "/a"}, nil, by, time.Now())()
			var got []string
			noted := j.Noted()
			for _, call := range noted.Calls {
				got = append(got, call.Target)
			}
			if !cmp.Equal(got, c.want) || len(noted.Beside) != c.beside {
				t.Errorf("%s: asked is %q, beside each other %v", name, got, noted.Beside)
			}
		})
	}
}

// A server notes a call when it begins, also one that is not answered yet.
func TestJournalOfServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stubs, err := ParseStubs([]byte(`{"request": {"urlPath": "/late"}, "response": {"fixedDelayMilliseconds": 3600000}}`), nil)
		if err != nil {
			t.Fatal(err)
		}
		server := &Server{Book: NewBook(stubs), Calls: &Calls{}, Journal: &Journal{}}
		h := &handler{Server: server, host: "rates.example.com", port: 443}
		ctx, giveUp := context.WithCancel(t.Context())
		ended := make(chan int)
		go func() {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/late", http.NoBody))
			ended <- w.Body.Len()
		}()
		synctest.Wait()
		want := []Asked{{Service: "rates.example.com:443", Method: "GET", Target: "/late", Times: 1}}
		if diff := cmp.Diff(want, server.Journal.List()); diff != "" {
			t.Error(diff)
		}
		giveUp()
		if n := <-ended; n > 0 {
			t.Errorf("it is answered %d bytes", n)
		}
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/else", http.NoBody))
		want = append(want, Asked{Service: "rates.example.com:443", Method: "GET", Target: "/else", Times: 1})
		if diff := cmp.Diff(want, server.Journal.List()); diff != "" {
			t.Error(diff)
		}
		// One that is held back is under way until it is answered: what is asked meanwhile has no order with it.
		server.Journal.Clear()
		go func() {
			h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/late", http.NoBody))
			ended <- 0
		}()
		synctest.Wait()
		time.Sleep(time.Millisecond)
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/else", http.NoBody))
		<-ended
		want[0], want[1] = want[1], want[0]
		if diff := cmp.Diff(want, server.Journal.List()); diff != "" {
			t.Error(diff)
		}
	})
}
