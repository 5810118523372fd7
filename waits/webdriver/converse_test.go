//go:build linux

package webdriver

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/waits/oracle"
)

// told are the answers of a suite, one after the other, the last of them from then on; it counts how often it is asked.
type told struct {
	answers []oracle.Answer
	asked   int
}

func (s *told) ask() (oracle.Answer, bool) {
	s.asked++
	if s.asked > len(s.answers) {
		return s.answers[len(s.answers)-1], true
	}
	return s.answers[s.asked-1], true
}

func values(all ...string) *told {
	s := &told{}
	for _, v := range all {
		s.answers = append(s.answers, oracle.Answer{Value: v})
	}
	return s
}

// conversing is a tap of a suite that tells of its commands, with a browser that is watched unless addr is "".
func conversing(t *testing.T, addr string, p patience) (conversed, int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	c := conversed{&tap{over: ctx, began: time.Now(), patience: p, say: t.Logf, browsers: map[string]*browser{}}}
	t.Cleanup(func() { cancel(); c.end() })
	return c, c.Starts(addr)
}

// A read of a suite that tells of its commands is asked again until it is answered as it is to be, and given that; what
// is to be carried out once, an action, and a read of a browser that nobody knows are not.
func TestToldReads(t *testing.T) {
	read := oracle.Command{Kind: oracle.Reads, Does: "text of locator('#age')", Reads: "text"}
	for _, tt := range []struct {
		name         string
		kind         oracle.Kind
		once         bool
		says         *told
		given, asked int
	}{
		{"ready", oracle.Reads, false, values(`"23"`), 0, 1},
		{"late", oracle.Reads, false, values(`""`, `"1"`, `"23"`), 2, 3},
		{"not there for a while", oracle.Reads, false, &told{answers: []oracle.Answer{{Value: `""`}, {Error: "TimeoutError"}, {Value: `"23"`}}}, 2, 3},
		{"once", oracle.Reads, true, values(`""`, `"23"`), 0, 1},
		{"an action", oracle.Acts, false, &told{answers: []oracle.Answer{{Error: "TimeoutError"}, {Value: `"23"`}}}, 0, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, n := conversing(t, "", until{value: `"23"`})
			read.Browser, read.Kind = n, tt.kind
			if given := c.Command(read, tt.once, tt.says.ask, nil); given != tt.given || tt.says.asked != tt.asked {
				t.Errorf("answer %d is given after %d, want %d after %d", given, tt.says.asked, tt.given, tt.asked)
			}
			if run := c.end(); len(run.Commands) != 1 || run.Commands[0].Given.Value != tt.says.answers[tt.given].Value {
				t.Errorf("noted: %v", run.Commands)
			}
		})
	}
	c, n := conversing(t, "", until{value: `"23"`})
	read.Browser = n + 1
	if says := values(`""`, `"23"`); c.Command(read, false, says.ask, nil) != 0 || says.asked != 1 {
		t.Errorf("a browser that nobody knows: asked %d times", says.asked)
	}
}

// What a suite tells of a command is kept within bounds: so many callers, without the names of drivers, and so much of
// each text. The suite's own command stays as it is.
func TestToldCommandsAreBounded(t *testing.T) {
	c, n := conversing(t, "", none{})
	long := strings.Repeat("x", maxText+1)
	read := oracle.Command{Browser: n, Kind: oracle.Reads, Does: long, Source: long, Reads: long, Driver: long}
	for range maxCallers + 5 {
		read.Callers = append(read.Callers, oracle.Caller{Place: long, Driver: long})
	}
	c.Command(read, false, values(`"23"`).ask, nil)
	is := c.end().Commands[0]
	short := long[:maxText]
	if is.Does != short || is.Source != short || is.Reads != short || is.Driver != "" {
		t.Errorf("texts of %d, %d, %d and %d bytes", len(is.Does), len(is.Source), len(is.Reads), len(is.Driver))
	}
	if diff := cmp.Diff(slices.Repeat([]oracle.Caller{{Place: short}}, maxCallers), is.Callers); diff != "" {
		t.Error(diff)
	}
	if read.Callers[0].Place != long {
		t.Error("the suite's own command is changed")
	}
}

// An action waits for what came before it, but for one that is to be carried out at once, as a dialog is answered.
func TestToldActions(t *testing.T) {
	var asked atomic.Int32
	c, n := conversing(t, "", counted{n: &asked})
	act := oracle.Command{Browser: n, Kind: oracle.Acts, Does: "click locator('#go')"}
	for i, once := range []bool{false, true, false} {
		c.Command(act, once, values("").ask, nil)
		if want := []int32{0, 0, 1}[i]; asked.Load() != want {
			t.Errorf("action %d: asked %d times whether it may go on, want %d", i+1, asked.Load(), want)
		}
	}
}

// A page is not at rest as soon as an action is over that took long.
func TestActionsStir(t *testing.T) {
	c, n := conversing(t, newFakeBrowser(t).addr, none{})
	b := c.browserOf(id(n))
	b.channel.catchUp(t.Context())
	b.begins("t1") // a document that is watched from its beginning
	before := time.Now().Add(-time.Hour)
	if is := b.quietFor(before); is < time.Hour {
		t.Fatalf("at rest for %s before anything has happened", is)
	}
	c.Command(oracle.Command{Browser: n, Kind: oracle.Acts, Does: "click locator('#go')"}, false, values("").ask, nil)
	if is := b.quietFor(before); is >= time.Hour {
		t.Errorf("at rest for %s after an action", is)
	}
}

// A look is taken once the time is up: it may have been long since the one before. What was there for a while only stays
// the answer once it is gone, but for that which is looked for.
func TestLastLook(t *testing.T) {
	read := oracle.Command{Kind: oracle.Reads, Does: "all texts of locator('#toast')", Reads: "text"}
	one := read
	one.First, one.Later = oracle.Answer{Value: `[]`}, []oracle.Answer{{Value: `["23"]`}, {Value: `[]`}}
	one.Given = one.Later[0]
	m := oracle.Learn(&oracle.Session{Runs: []oracle.Run{{Commands: []oracle.Command{one}}}})
	for _, tt := range []struct {
		name        string
		most        time.Duration
		says        *told
		asks        int // after which there is no more
		want, asked int
	}{
		{"late", 0, values(`[]`, `["23"]`), 9, 1, 2},
		{"never", 0, values(`[]`, `["1"]`, `["2"]`), 9, 1, 2},
		{"gone", time.Minute, values(`[]`, `["24"]`, `[]`), 3, 1, 3},
		{"there again", time.Minute, values(`[]`, `["24"]`, `[]`, `["23"]`), 9, 3, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, n := conversing(t, "", asksFor{expected{m}, tt.most, tt.says, tt.asks})
			read.Browser = n
			if given := c.Command(read, false, tt.says.ask, nil); given != tt.want || tt.says.asked != tt.asked {
				t.Errorf("answer %d is given of %d, want %d of %d", given, tt.says.asked, tt.want, tt.asked)
			}
		})
	}
}

// asksFor waits as is expected, for a time, and so many answers.
type asksFor struct {
	expected
	time time.Duration
	says *told
	asks int
}

func (a asksFor) most(*turn) time.Duration { return a.time }
func (a asksFor) enough(u *turn, is oracle.Answer) bool {
	return a.expected.enough(u, is) || a.says.asked >= a.asks
}

// What passes on the way is given from the run on after the one that has seen it, whichever that is.
func TestWhatPassesIsLearned(t *testing.T) {
	toast := oracle.Command{Kind: oracle.Reads, Does: "text", Reads: "text", First: oracle.Answer{Value: `""`},
		Later: []oracle.Answer{{Value: `"Saved"`}, {Value: `""`}}, Given: oracle.Answer{Value: `""`}}
	q, missed := quiet{transient: map[oracle.Key]bool{}}, oracle.Run{}
	for i, tt := range []struct {
		run  oracle.Run
		want string
	}{{missed, "rest"}, {oracle.Run{Commands: []oracle.Command{toast}}, "rest, what passes on the way"}, {missed, "rest, what passes on the way"}} {
		if w := q.seen(&tt.run).way(); w.name != tt.want {
			t.Errorf("after run %d: %s, want %s", i+1, w.name, tt.want)
		}
	}
	if len(q.transient) != 1 {
		t.Errorf("%v passes", q.transient)
	}
}

// A run that waits for rest may come too late for what is there for a while: where one fails, the next goes on once reads
// are answered as they were, and one that fails so too waits again. One that passes is made again.
func TestRestIsNotAlwaysRight(t *testing.T) {
	read := oracle.Command{Browser: 1, Kind: oracle.Reads, Does: "text", Reads: "text", Source: "a.js:1:1", Given: oracle.Answer{Value: `"23"`}}
	missing := oracle.Command{Browser: 1, Kind: oracle.Reads, Does: "find", Source: "a.js:2:1", Given: oracle.Answer{Error: "no such element"}}
	run := func(status int, patience string) *oracle.Run {
		return &oracle.Run{Status: status, Patience: patience, Commands: []oracle.Command{read, missing}}
	}
	q := quiet{transient: map[oracle.Key]bool{}}
	for i, tt := range []struct {
		run  *oracle.Run
		want bool
	}{{run(1, asItIs), false}, {run(1, "rest"), true}, {run(1, asItIs), true}, {run(1, "rest"), false}, {run(1, "rest"), true}, {run(0, "rest"), true}} {
		if q = q.seen(tt.run); (q.given != nil) != tt.want {
			t.Errorf("after run %d: %v", i+1, q.given)
		}
	}
	var keys oracle.Keys
	first, second := keys.Next(&read), keys.Next(&missing)
	for _, tt := range []struct {
		key  oracle.Key
		is   oracle.Answer
		want bool
	}{
		{first, oracle.Answer{Value: `"23"`}, true}, {first, oracle.Answer{Value: `"22"`}, false},
		{second, oracle.Answer{Value: anElement}, true},
	} {
		u := &turn{Key: tt.key, browser: &browser{}, began: time.Now(), command: oracle.Command{Kind: oracle.Reads, First: tt.is}}
		if got := q.enough(u, tt.is); got != tt.want {
			t.Errorf("%v: %v, want %v", tt.is, got, tt.want)
		}
	}
}

// notes is told of the turns that it is asked about, and when.
type notes struct {
	none
	turns chan *turn
	held  chan time.Time
}

func (n notes) before(u *turn) bool {
	n.held <- time.Now()
	return true
}

func (n notes) enough(u *turn, _ oracle.Answer) bool {
	n.turns <- u
	return true
}

// What follows an action is counted from when that was carried out, however long it was held, and took, before; what it
// brings about may come from when it went to the browser on.
func TestActionsEnd(t *testing.T) {
	p := notes{turns: make(chan *turn, 1), held: make(chan time.Time, 1)}
	c, n := conversing(t, "", p)
	var sent time.Time
	for range 2 {
		c.Command(oracle.Command{Browser: n, Kind: oracle.Acts, Does: "click locator('#go')"}, false, func() (oracle.Answer, bool) {
			sent = time.Now()
			return oracle.Answer{}, true
		}, nil)
	}
	c.Command(oracle.Command{Browser: n, Kind: oracle.Reads, Does: "title", Reads: "title"}, false, values(`"Ages"`).ask, nil)
	u, held := <-p.turns, <-p.held
	if u.act.sent.Before(held) || u.act.sent.After(sent) || u.act.done.Before(sent) || u.since() != u.act.done {
		t.Errorf("held at %s, carried out at %s: noted as sent at %s and over at %s, and what follows is counted from %s", held, sent, u.act.sent, u.act.done, u.since())
	}
	u.act = act{sent: time.Now().Add(-time.Hour), done: time.Now()}
	if (window{}).over(u) {
		t.Error("the paper's window is over as soon as an action is that took long")
	}
}

// A page is watched once it has opened; what was under way in one that is gone, or gave way to another, is over.
func TestPagesThatGo(t *testing.T) {
	b := newFakeBrowser(t)
	c, n := conversing(t, b.addr, none{})
	c.Opens(n)
	var last string
	for range 8 {
		last = <-b.calls
	}
	if diff := cmp.Diff("Target.getTargets", last); diff != "" {
		t.Error(diff)
	}
	w := c.browserOf(id(n)).watcher
	for _, tt := range []struct{ message, then string }{
		{"", `{"method":"Runtime.executionContextsCleared","sessionId":"t1"}`},
		{`{"method":"Network.requestWillBeSent","sessionId":"t1","params":{"requestId":"1","request":{"method":"GET","url":"http://x/"}}}`,
			`{"method":"Target.detachedFromTarget","params":{"sessionId":"t1"}}`},
	} {
		if tt.message == "" {
			b.says(`{"timers":2}`)
		} else {
			b.tell <- tt.message
		}
		await(t, w, 1)
		b.tell <- tt.then
		await(t, w, 0)
	}
	c.Ends(n)
}

// await waits until something is under way in a browser, or nothing is.
func await(t *testing.T, w *watcher, want int) {
	t.Helper()
	for {
		requests, timers := w.underWay()
		if min(requests+timers, 1) == want {
			return
		}
		select {
		case <-t.Context().Done():
			t.Fatal("it never is")
		case <-time.After(time.Millisecond):
		}
	}
}

// Where no driver is in PATH, a suite runs without one, and its environment names none.
func TestWithoutDriver(t *testing.T) {
	o, _, _ := playing(t, "")
	o.Driver, o.Args = "", []string{"/bin/sh", "-c", `test -z "$SELENIUM_REMOTE_URL$SE_CHROMEDRIVER" && test -n "$FLAKETAP_WAITS"`}
	t.Setenv("PATH", filepath.Join(t.TempDir(), "none"))
	if run, err := o.run(t.Context(), none{}); err != nil || run.Status != 0 {
		t.Errorf("status %d, %v", run.Status, err)
	}
}

// What is read behind an action that brought a page that is watched too late is noted as read of one that was not seen,
// also where it is there and cannot be watched yet; what is read once it is gone is not.
func TestWindowsThatAreWatchedTooLate(t *testing.T) {
	b := newFakeBrowser(t)
	c, n := conversing(t, b.addr, none{})
	w := c.browserOf(id(n)).watcher
	run := func(kind oracle.Kind) {
		c.Command(oracle.Command{Browser: n, Kind: kind, Does: string(kind)}, false, values(`"23"`).ask, nil)
	}
	run(oracle.Acts)
	run(oracle.Reads)
	for len(b.calls) > 0 {
		<-b.calls
	}
	b.tell <- `{"method":"Target.targetCreated","params":{"targetInfo":{"targetId":"` + busyPage + `","type":"page","url":"http://x/"}}}`
	<-b.calls
	run(oracle.Reads)
	if w.missedSince(time.Now()) {
		t.Error("it came with an action that came later")
	}
	c.Ends(n)
	run(oracle.Reads)
	var unseen []bool
	for _, command := range c.end().Commands {
		unseen = append(unseen, command.Unseen)
	}
	if diff := cmp.Diff([]bool{false, false, true, false}, unseen); diff != "" {
		t.Error(diff)
	}
}

// The names of what is read are asked of who finds it, where there is time for that, and what is acted on has those of
// the last look.
func TestNamesAreNoted(t *testing.T) {
	id := [][]oracle.Name{{{By: "id", Locator: oracle.Locator{Using: "css selector", Value: "#a"}}}}
	for _, p := range []patience{none{}, quiet{}} {
		c, n := conversing(t, "", p)
		read := oracle.Command{Browser: n, Kind: oracle.Reads, Does: "text of locator('#a')", Reads: "text", Names: id}
		c.Command(read, false, values(`"23"`).ask, func() [][]oracle.Name { return id })
		want := id
		if !p.looks() {
			want = nil
		}
		if diff := cmp.Diff(want, c.end().Commands[0].Names); diff != "" {
			t.Errorf("%T: %s", p, diff)
		}
	}
	b := &browser{named: map[string][][]oracle.Name{"e1": id}}
	tp := &tap{patience: quiet{}}
	u := &turn{request: request{about: "e1"}, browser: b, command: oracle.Command{Kind: oracle.Acts}}
	if tp.name(u, reply{}); !cmp.Equal(u.command.Names, id) {
		t.Errorf("an action: %v", u.command.Names)
	}
}
