package recorded

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock"
)

var then = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// asked is a request to a service, "POST /path" or so, with a body.
func asked(line, body string) *exchange.External {
	head := line + " HTTP/1.1\r\nHost: rates.example.com\r\nContent-Type: application/json\r\n\r\n"
	return &exchange.External{Stub: "rates", Exchange: exchange.Exchange{Scheme: "https", Addr: "rates.example.com:443", Start: then,
		Request: exchange.ParseRequest(exchange.Message{Head: []byte(head), Body: []byte(body)})}}
}

// answered is one with its answer.
func answered(line, body, answer string) *exchange.External {
	x := asked(line, body)
	x.Response = exchange.ParseResponse(exchange.Message{
		Head: []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"), Body: []byte(answer)})
	return x
}

// recording numbers externals, and reads them.
func recording(all ...*exchange.External) *Recording { return Read(numbered(all), AtOnce, Runs{}) }

func numbered(all []*exchange.External) iter.Seq2[*exchange.External, error] {
	return func(yield func(*exchange.External, error) bool) {
		for i, x := range all {
			x.Seq = uint64(i + 1)
			if !yield(x, nil) {
				return
			}
		}
	}
}

func TestAnswer(t *testing.T) {
	of := recording(
		answered("GET /rates?base=EUR", "", "first"), answered("GET /rates?base=EUR", "", "second"),
		answered("POST /orders", `{"id":"0b8a6a4e-9a3f-4b1e-8d3a-0c5d7f6e1a2b","at":"2026-03-04T05:06:07Z","sku":"lamp"}`, "order"),
		answered("GET /orders/0b8a6a4e-9a3f-4b1e-8d3a-0c5d7f6e1a2b", "", "that order"),
		answered("GET /since/1772600767", "", "epoch"),
		answered("GET /born?on=1970-01-01", "", "born"),
		answered("POST /carts", `{"id":"0b8a6a4e-9a3f-4b1e-8d3a-0c5d7f6e1a2b"}`, "cart-1"),
		answered("POST /carts", `{"id":"1b8a6a4e-9a3f-4b1e-8d3a-0c5d7f6e1a2b"}`, "cart-2"),
		answered("POST /carts/0b8a6a4e-9a3f-4b1e-8d3a-0c5d7f6e1a2b", `{"of":"0b8a6a4e-9a3f-4b1e-8d3a-0c5d7f6e1a2c"}`, "line-1"),
		answered("POST /carts/1b8a6a4e-9a3f-4b1e-8d3a-0c5d7f6e1a2b", `{"of":"1b8a6a4e-9a3f-4b1e-8d3a-0c5d7f6e1a2c"}`, "line-2"),
	)
	for _, tt := range []struct{ line, body, want string }{
		{"GET /rates?base=EUR", "", "first second second"}, // one after the other, and then the last
		{"GET /rates?base=USD", "", ""},
		{"PUT /rates?base=EUR", "", ""},
		{"POST /orders", `{ "sku": "lamp", "at": "2026-03-04T05:06:07Z", "id": "0b8a6a4e-9a3f-4b1e-8d3a-0c5d7f6e1a2b" }`, "order"},
		{"POST /orders", `{"id":"7c1d2e3f-0a1b-4c2d-9e3f-4a5b6c7d8e9f","at":"2031-09-09T09:09:09Z","sku":"lamp"}`, "order"},
		{"POST /orders", `{"id":"7c1d2e3f-0a1b-4c2d-9e3f-4a5b6c7d8e9f","at":"2031-09-09T09:09:09Z","sku":"desk"}`, ""}, // another order
		{"POST /orders", `{"id":"7c1d2e3f-0a1b-4c2d-9e3f-4a5b6c7d8e9f","sku":"lamp"}`, ""},                             // another shape
		{"GET /orders/7c1d2e3f-0a1b-4c2d-9e3f-4a5b6c7d8e9f", "", "that order"},
		{"GET /since/1935392949", "", "epoch"},
		{"POST /carts", `{ "id": "1b8a6a4e-9a3f-4b1e-8d3a-0c5d7f6e1a2b" }`, "cart-2"},                                   // the same body before one that moved
		{"POST /carts/1b8a6a4e-9a3f-4b1e-8d3a-0c5d7f6e1a2b", `{"of":"7c1d2e3f-0a1b-4c2d-9e3f-4a5b6c7d8e9f"}`, "line-2"}, // the same target before one that moved
		{"GET /born?on=1980-02-02", "", ""},                                                                             // a date, but not that of the request
	} {
		answers := of.Begin()
		var got []string
		for range max(1, len(strings.Fields(tt.want))) {
			if tt.want == "that order" && len(got) > 0 {
				break
			}
			_, r, ok := answers.Answer(asked(tt.line, tt.body))
			if ok {
				got = append(got, string(r.Body))
			}
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s %s: got %q, want %q", tt.line, tt.body, got, tt.want)
		}
	}
}

// A service that was out of reach at times answers what it answered at others.
func TestOutOfReachAtTimes(t *testing.T) {
	away := asked("GET /a", "")
	away.Real, away.Fault, away.Request = true, &exchange.Fault{Kind: exchange.FaultDial}, exchange.Request{}
	answers := recording(away, answered("GET /a", "", "first")).Begin()
	if _, r, ok := answers.Answer(asked("GET /a", "")); !ok || string(r.Body) != "first" {
		t.Errorf("what it answered is %q, %v", r.Body, ok)
	}
	if _, r, ok := answers.Answer(asked("GET /b", "")); !ok || r.Fault != mock.Reset {
		t.Errorf("what it never answered is %+v, %v", r, ok)
	}
}

// An answer comes at once, or as late as it came then; one that is changed, too.
func TestPace(t *testing.T) {
	slow, reset := answered("GET /a", "", `"first"`), answered("GET /b", "", "")
	reset.Response, reset.Fault = nil, &exchange.Fault{Kind: exchange.FaultReset}
	slow.Latency, reset.Latency = 1500*time.Millisecond, 20*time.Millisecond
	for pace, want := range map[Pace][]time.Duration{AtOnce: {0, 0}, AsRecorded: {slow.Latency, reset.Latency}} {
		of := Read(numbered([]*exchange.External{slow, reset}), pace, Runs{})
		for _, answers := range []*Answers{of.Begin(), of.BeginChanged("rates.example.com/a#")} {
			for i, line := range []string{"GET /a", "GET /b"} {
				if _, r, ok := answers.Answer(asked(line, "")); !ok || r.Delay != want[i] {
					t.Errorf("%q: %s comes after %s, want %s", pace, line, r.Delay, want[i])
				}
			}
		}
	}
}

// Each start of the API has the answers from their beginning; the services are apart.
func TestBegin(t *testing.T) {
	of := recording(answered("GET /a", "", "first"), answered("GET /a", "", "second"))
	for range 2 {
		answers := of.Begin()
		other := asked("GET /a", "")
		other.Addr = "rates.example.com:8443"
		if _, _, ok := answers.Answer(other); ok {
			t.Error("another port is answered for")
		}
		if name, r, ok := answers.Answer(asked("GET /a", "")); !ok || string(r.Body) != "first" || name != "recorded 1" {
			t.Errorf("it begins with %q, %q", r.Body, name)
		}
	}
}

// What is answered is the answer, without what belongs to its connection; what cannot be given again is not there.
func TestReadAnswers(t *testing.T) {
	chunked := answered("GET /chunked", "", "3\r\nabc\r\n0\r\n\r\n")
	chunked.Response = exchange.ParseResponse(exchange.Message{Body: chunked.Response.Body,
		Head: []byte("HTTP/1.1 203 Odd\r\nTransfer-Encoding: chunked\r\nSet-Cookie: a=1\r\nset-cookie: b=2\r\n\r\n")})
	cut, run, nobody, switched := answered("GET /cut", "", "x"), answered("GET /run", "", "x"), answered("GET /nobody", "", "x"), answered("GET /ws", "", "")
	cut.Response.Cut, run.Run, nobody.Stub, switched.Response.Status = 1, 1, "", 101
	failed := func(kind exchange.FaultKind) *exchange.External {
		x := asked("GET /"+string(kind), "")
		x.Fault = &exchange.Fault{Kind: kind}
		return x
	}
	away := asked(" ", "")
	away.Addr, away.Real, away.Fault, away.Request = "away.example.com:443", true, &exchange.Fault{Kind: exchange.FaultDial}, exchange.Request{}
	if _, r, ok := recording(away).Begin().Answer(&exchange.External{Exchange: exchange.Exchange{Scheme: "https", Addr: away.Addr, Request: asked("GET /x", "").Request}}); !ok || r.Fault != mock.Reset {
		t.Errorf("a service that could not be reached is %+v, %t", r, ok)
	}
	gone := answered("GET /gone", "", "no order")
	gone.Stub, gone.Real = "", true
	of := recording(chunked, cut, run, nobody, switched, gone, failed(exchange.FaultReset), failed(exchange.FaultEOF), failed(exchange.FaultClient))
	got := map[string]string{}
	for _, path := range []string{"chunked", "cut", "run", "nobody", "ws", "gone", "reset", "eof", "client"} {
		if _, r, ok := of.Begin().Answer(asked("GET /"+path, "")); ok {
			got[path] = fmt.Sprintf("%d %s%s %d %v", r.Status, r.Body, r.Fault, len(r.Header), r.Header["Set-Cookie"])
		}
	}
	want := map[string]string{"chunked": "203 abc 1 [a=1 b=2]", "gone": "200 no order 1 []", "reset": "0 " + string(mock.Reset) + " 0 []", "eof": "0 " + string(mock.Empty) + " 0 []"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got\n%v, want\n%v", got, want)
	}
}

// What cannot be read is left out and counted; so is what is more than can be held.
func TestReadCounts(t *testing.T) {
	var damaged iter.Seq2[*exchange.External, error] = func(yield func(*exchange.External, error) bool) {
		large := answered("GET /large", "", "x")
		large.Response.Body = make([]byte, MaxSize)
		_ = yield(answered("GET /a", "", "x"), nil) && yield(nil, errors.New("damaged")) && yield(large, nil) && yield(answered("GET /b", "", "x"), nil)
	}
	if count, more := Read(damaged, AtOnce, Runs{}).Len(); count != 2 || more != 2 {
		t.Errorf("%d answers and %d more, want 2 and 2", count, more)
	}
}

// One value of answers is another one, as the service once said it or else of the same kind; all else stays, byte for byte.
func TestChanged(t *testing.T) {
	orders := []*exchange.External{
		answered("GET /orders/17", "", `{ "usd": 1.09, "n":17,"at":"2026-03-09","a/b":["x", "y"], "ok":true }`),
		answered("GET /orders/18", "", `{ "usd": 1.10 }`),
		answered("GET /plain", "", `usd`),
	}
	of := recording(orders...)
	values := of.Values()
	const at = "rates.example.com/orders/{id}#"
	if got, want := strings.Join(values, " "), at+"/usd "+at+"/n "+at+"/at "+at+"/a~1b/*"; got != want {
		t.Errorf("the values are %s, want %s", got, want)
	}
	for value, want := range map[string]string{
		"":             `{ "usd": 1.09, "n":17,"at":"2026-03-09","a/b":["x", "y"], "ok":true }`,
		at + "/usd":    `{ "usd": 1.10, "n":17,"at":"2026-03-09","a/b":["x", "y"], "ok":true }`,
		at + "/n":      `{ "usd": 1.09, "n":16,"at":"2026-03-09","a/b":["x", "y"], "ok":true }`,
		at + "/at":     `{ "usd": 1.09, "n":17,"at":"2026-03-19","a/b":["x", "y"], "ok":true }`,
		at + "/a~1b/*": `{ "usd": 1.09, "n":17,"at":"2026-03-09","a/b":["y", "x"], "ok":true }`,
	} {
		answers := of.BeginChanged(value)
		if _, r, ok := answers.Answer(asked("GET /orders/17", "")); !ok || string(r.Body) != want {
			t.Errorf("%s: got\n%s, want\n%s", value, r.Body, want)
		}
		if _, r, _ := answers.Answer(asked("GET /plain", "")); string(r.Body) != "usd" {
			t.Errorf("%s: text is %q", value, r.Body)
		}
	}
}

// A request that carries the other value is the recorded one that carried the value itself, in the query, the path or
// the body, where it was said so in this start of the API; one that differs in anything else is none.
func TestChangedValueIsCarried(t *testing.T) {
	const offer = `{"usd":1.10,"at":"Kiel","id":7}`
	of := recording(answered("GET /offer", "", offer),
		answered("GET /offers?usd=1.2", "", "dearer"), answered("GET /offers?usd=1.1", "", "query"), answered("GET /harbors/Kiel/ships", "", "path"), answered("GET /harbors/Kiel/ships?day=2026-03-04T05:06:07Z", "", "path and time"),
		answered("POST /trips", `{"from":"Kiel","of":{"rate":1.1},"n":2}`, "body"), answered("GET /find?q=harbor:Kiel,open", "", "within"),
		answered("GET /ids/7", "", "id"), answered("GET /ids/8", "", "another id"))
	const at = "rates.example.com/offer#"
	for _, tt := range []struct{ value, line, body, want string }{
		{at + "/usd", "GET /offers?usd=2.1", "", "query"},
		{at + "/usd", "GET /offers?usd=2.10", "", "query"},
		{at + "/usd", "GET /offers?usd=3.1", "", ""},
		{at + "/usd", "POST /trips", `{"from":"Kiel","of":{"rate":2.1},"n":2}`, "body"},
		{at + "/usd", "POST /trips", `{"from":"Kiel","of":{"rate":2.1},"n":3}`, ""},
		{at + "/usd", "GET /harbors/Kiel changed/ships", "", ""},
		{at + "/at", "GET /harbors/Kiel%20changed/ships", "", "path"},
		{at + "/at", "GET /harbors/Kiel%20changed/ships?day=2031-09-09T09:09:09Z", "", "path and time"},
		{at + "/at", "GET /harbors/Kiel%20changed/crews", "", ""},
		{at + "/at", "GET /harbors/Oslo/ships", "", ""},
		{at + "/at", "PUT /harbors/Kiel%20changed/ships", "", ""},
		{at + "/at", "POST /trips", `{"from":"Kiel changed","of":{"rate":1.1},"n":2}`, "body"},
		{at + "/at", "GET /find?q=harbor:Kiel+changed,open", "", "within"},
		{at + "/id", "GET /ids/6", "", "id"},
		{"", "GET /ids/6", "", ""},
		{"", "GET /harbors/Kiel%20changed/ships", "", ""},
	} {
		answers := of.BeginChanged(tt.value)
		if _, r, _ := answers.Answer(asked(tt.line, tt.body)); string(r.Body) == tt.want && tt.want != "" {
			t.Errorf("%s: %s, %s before it was told of the value gets %q", tt.value, tt.line, tt.body, r.Body)
		}
		_, _, _ = answers.Answer(asked("GET /offer", ""))
		if _, r, _ := answers.Answer(asked(tt.line, tt.body)); string(r.Body) != tt.want {
			t.Errorf("%s: %s %s gets %q, want %q", tt.value, tt.line, tt.body, r.Body, tt.want)
		}
	}
}

// It is that one rather than another that runs have shown to move; and what carries nothing is none of another route.
func TestChangedValueIsCarriedFirst(t *testing.T) {
	again := []*exchange.External{answered("GET /orders/13", "", ""), answered("GET /orders/14", "", "")}
	for _, x := range again {
		x.Run = 1
	}
	of := Read(numbered(append([]*exchange.External{answered("GET /offer", "", `{"order":7}`), answered("GET /orders/5", "", "another"),
		answered("GET /orders/7", "", "that")}, again...)), AtOnce, Runs{map[uint64]uint64{2: 1, 3: 2, 4: 1, 5: 2}, func(int) bool { return true }})
	answers := of.BeginChanged("rates.example.com/offer#/order")
	_, _, _ = answers.Answer(asked("GET /offer", ""))
	for _, tt := range []struct{ line, want string }{{"GET /orders/latest", ""}, {"GET /orders/6", "that"}, {"GET /orders/21", "another"}} {
		if _, r, _ := answers.Answer(asked(tt.line, "")); string(r.Body) != tt.want {
			t.Errorf("%s gets %q, want %q", tt.line, r.Body, tt.want)
		}
	}
}

// A member that is called as a list's elements are is told from them.
func TestValuesOfOddNames(t *testing.T) {
	of := recording(answered("GET /odd", "", `{"*":1,"a":[{"~/":2}]}`))
	if got, want := strings.Join(of.Values(), " "), "rates.example.com/odd#/~2 rates.example.com/odd#/a/*/~0~1"; got != want {
		t.Errorf("the values are %s, want %s", got, want)
	}
}

func TestAltered(t *testing.T) {
	for token, want := range map[string]string{`0`: `1`, `-7`: `-8`, `1.5`: `2.5`, `"a"`: `"a changed"`, `"9"`: `"9 changed"`, `"v1.2"`: `"v1.3"`, `1e400`: `1`} {
		if got := altered(token); got != want {
			t.Errorf("%s becomes %s, want %s", token, got, want)
		}
		if got := altered(token); !json.Valid([]byte(got)) || got == token {
			t.Errorf("%s becomes %s, which is no other JSON", token, got)
		}
	}
}

// A recording is somebody else's, and may be damaged: whatever was recorded, and in whichever order its runs say that it
// was, each request has an answer or none.
func FuzzAnswers(f *testing.F) {
	for _, kind := range []string{"", "reset", "dial", "client", "none"} {
		f.Add("POST /a/17?b=c HTTP/1.1\r\n\r\n", `{"n":1}`, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\n7\r\n", kind, uint64(1), 1)
	}
	f.Add("", "", "", "", "", uint64(0), -1)
	f.Fuzz(func(t *testing.T, head, body, answer, answered, fault string, seq uint64, run int) {
		one := func(seq uint64, run int, body string) *exchange.External {
			x := &exchange.External{Real: true, Run: run, Exchange: exchange.Exchange{Seq: seq, Scheme: "http", Addr: "a.example:80", Start: then,
				Request: exchange.ParseRequest(exchange.Message{Head: []byte(head), Body: []byte(body)})}}
			switch fault {
			case "":
				x.Response = exchange.ParseResponse(exchange.Message{Head: []byte(answer), Body: []byte(answered)})
			case "none": // of neither
			default:
				x.Fault = &exchange.Fault{Kind: exchange.FaultKind(fault)}
			}
			return x
		}
		all := []*exchange.External{one(1, 0, body), one(seq, run, body), one(seq, run, answered), one(2, 0, answered), one(2, 0, "")}
		of := Read(func(yield func(*exchange.External, error) bool) {
			for _, x := range all {
				if !yield(x, nil) {
					return
				}
			}
		}, AsRecorded, Runs{map[uint64]uint64{1: 1, 2: 1, seq: 1}, func(int) bool { return true }})
		for _, value := range append(of.Values(), "") {
			answers := of.BeginChanged(value)
			for _, x := range append(all, one(9, 0, body+"0")) {
				_, _, _ = answers.Answer(x)
			}
		}
		if count, _ := of.Len(); count > len(all) {
			t.Errorf("%d answers of %d", count, len(all))
		}
	})
}
