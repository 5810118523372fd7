package webdriver

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/waits/oracle"
	"github.com/flaketap/flaketap/waits/playwright"
)

// tap stands between a suite and its driver. What it passes is always what the one said to the other; all that it
// may do is to have a command wait, and to ask again what a page is asked.
type tap struct {
	driver   *url.URL // who is asked what no suite asks; only commands that came by way of a driver need one
	again    func(context.Context, *exchange.Exchange, []byte) (*exchange.Response, error)
	over     context.Context // done once nothing is to be held any more
	began    time.Time
	patience patience
	say      func(format string, args ...any)

	mu       sync.Mutex
	asked    int                 // for how many sessions the suite did
	told     int                 // how many of these the driver has answered
	begun    int                 // how many browsers
	browsers map[string]*browser // by the ids of their sessions
	keys     oracle.Keys
	run      oracle.Run
}

// browser is one session of WebDriver.
type browser struct {
	number int
	*watcher
	prompts prompts // which flaketap heeds in the driver's stead; nil where that does so itself
	mu      sync.Mutex
	found   map[string][]oracle.Locator // how elements were found, by their ids
	named   map[string][][]oracle.Name  // what they could be found by when that was looked at last
	act     act                         // the last that did something to it
	last    oracle.Kind                 // of the last command that was about a page
}

// act is when an action went to the browser, and when it was carried out: what it brings about begins in between. One
// of Playwright may wait for its element for long until it is.
type act struct{ sent, done time.Time }

// Bounds of what is kept of one run.
const (
	maxCommands = 50_000
	maxElements = 50_000
)

// turn is a command under way.
type turn struct {
	request
	browser *browser
	oracle.Key
	began   time.Time
	act     act // the last one before it; once it has been carried out itself, that
	command oracle.Command
	once    bool // it is neither held nor asked again
	// look says what its element may be found by, where the suite does so itself; nil elsewhere.
	look func() [][]oracle.Name
}

// since is when the last action before a command was carried out; where there is none, it is when the command came.
func (u *turn) since() time.Time {
	if u.act.done.IsZero() {
		return u.began
	}
	return u.act.done
}

// Request has a command wait, where it is to. A driver that is asked to end by its suite is another's: it stays.
func (t *tap) Request(e *exchange.Exchange) []byte {
	if target, _, _ := strings.Cut(e.Request.Target, "?"); strings.HasSuffix(target, "/shutdown") {
		return []byte("GET /status HTTP/1.1\r\nHost: " + e.Addr + "\r\n\r\n")
	}
	c, ok := readRequest(&e.Request)
	if ok && c.begins() {
		t.mu.Lock()
		t.asked++
		t.mu.Unlock()
		if w := readWish(&e.Request); w.besides() {
			return w.withSocket(&e.Request)
		}
	}
	b := t.browserOf(c.session)
	if !ok || b == nil {
		return nil
	}
	if c.ends() {
		b.close()
		return nil
	}
	if c.kind() == oracle.Acts {
		t.goesOn(b.turn(c, time.Now()))
	}
	return nil
}

// goesOn has an action wait before it goes to the browser, where it follows another one.
func (t *tap) goesOn(u *turn) {
	b := u.browser
	b.mu.Lock()
	u.act = b.act
	last := b.last
	b.mu.Unlock()
	t.mu.Lock()
	u.Key = t.keys.Peek(&u.command)
	t.mu.Unlock()
	if last == oracle.Acts && !u.once {
		t.waitBefore(u)
	}
	b.mu.Lock()
	b.act.sent, b.last = time.Now(), oracle.Acts
	b.mu.Unlock()
}

// waitBefore has an action wait until what came before it is over.
func (t *tap) waitBefore(u *turn) {
	ctx, cancel := context.WithTimeout(t.over, t.patience.most(u))
	defer cancel()
	for waited := false; !t.patience.before(u); waited = true {
		if waited && ctx.Err() != nil {
			return
		}
		pause(ctx, u.browser.next(), 20*time.Millisecond)
	}
}

// pause waits for news, or for a time.
func pause(ctx context.Context, news <-chan struct{}, most time.Duration) {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-news:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// Response remembers what a command was answered, and asks again where that is not to be the last word.
func (t *tap) Response(e *exchange.Exchange) []byte {
	c, ok := readRequest(&e.Request)
	if !ok {
		return nil
	}
	if c.begins() {
		return t.begin(e)
	}
	b := t.browserOf(c.session)
	if b == nil {
		return nil
	}
	u := b.turn(c, e.Start)
	t.went(u)
	again := func(ctx context.Context) (*exchange.Response, error) {
		r, err := t.again(ctx, e, slices.Concat(e.Request.Head, e.Request.Body))
		if err != nil {
			return nil, err
		}
		if a, _ := answer(r); a.Error == stale {
			if instead := t.insteadOf(ctx, u, &e.Request); instead != nil {
				return t.again(ctx, e, instead)
			}
		}
		return r, nil
	}
	r, text := t.meets(b, c.session, e.Response, again)
	first := u.reply(r)
	first.text = text
	given := t.ask(u, first, func(ctx context.Context) (reply, error) {
		r, err := again(ctx)
		if err != nil {
			return reply{}, err
		}
		if _, open := dialogOf(r); open && b.prompts != nil {
			return reply{}, errors.New("a dialog is open, which is left to the suite")
		}
		next := u.reply(r)
		next.text = slices.Concat(r.Head, r.Body)
		return next, nil
	})
	t.note(u)
	return given.text
}

// asking asks a driver once more what a suite asked it.
type asking func(context.Context) (*exchange.Response, error)

// reply is what a driver answered to a command.
type reply struct {
	oracle.Answer
	ids  []string // of the elements that it names
	text []byte   // all of the message; nil for the first, which passes as it came
	turn int      // of a suite that tells of its commands: how many answers were before it
}

func (u *turn) reply(r *exchange.Response) (out reply) {
	out.Answer, out.ids = u.answered(r)
	return out
}

// begin watches a browser that a driver has started. It returns what the suite is told in place of the driver's
// answer; nil where that is to stay.
func (t *tap) begin(e *exchange.Exchange) []byte {
	t.mu.Lock()
	t.told++
	t.mu.Unlock()
	r := e.Response
	w := readWish(&e.Request)
	if name := w.other(); r.Status != http.StatusOK && name != "" {
		why, advice := refusal(r)
		t.say("flaketap: the suite asks for %s, and the driver refuses it: %s. %s", name, why, advice)
		return nil
	}
	var says struct {
		Value struct {
			ID           string `json:"sessionId"`
			Capabilities struct {
				Name    string `json:"browserName"`
				Version string `json:"browserVersion"`
				Socket  string `json:"webSocketUrl"`
				Chrome  struct {
					Addr string `json:"debuggerAddress"`
				} `json:"goog:chromeOptions"`
			} `json:"capabilities"`
		} `json:"value"`
	}
	if text, err := r.Payload(); err != nil || json.Unmarshal(text, &says) != nil || says.Value.ID == "" {
		return nil
	}
	is := &says.Value.Capabilities
	t.names(is.Name, is.Version)
	var open opener
	switch {
	case is.Chrome.Addr != "":
		open = chrome(is.Chrome.Addr)
	case is.Name == "firefox" && is.Socket != "":
		open = firefox(is.Socket)
	default:
		t.say("flaketap: what changes in the pages of %s is not seen, so nothing is known of when they come to rest. %s",
			cmp.Or(shortened(is.Name), "this browser"), proven)
	}
	b := t.start(open, func(int) string { return says.Value.ID })
	if w.besides() {
		b.prompts, _ = readPrompts(w.prompts)
		return w.withoutSocket(r)
	}
	return t.relayed(r, is.Socket, says.Value.ID, b)
}

// start watches a browser by the channel that is opened, and knows it by an id then, which may come from its number.
func (t *tap) start(open opener, id func(number int) string) *browser {
	t.mu.Lock()
	t.begun++
	b := &browser{number: t.begun, found: map[string][]oracle.Locator{}, named: map[string][][]oracle.Name{}}
	t.mu.Unlock()
	b.watcher = t.watch(open, b.number)
	t.mu.Lock()
	t.browsers[id(b.number)] = b
	t.mu.Unlock()
	return b
}

// watch watches a browser; nil where that cannot be.
func (t *tap) watch(open opener, number int) *watcher {
	if open == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(t.over, connectTimeout)
	defer cancel()
	w, err := watch(ctx, open, number, t.began)
	if err != nil {
		t.say("flaketap: what changes in the pages of browser %d is not seen: %v", number, err)
		return nil
	}
	return w
}

func (t *tap) browserOf(session string) *browser {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.browsers[session]
}

// turn is a command that came at a time.
func (b *browser) turn(c request, came time.Time) *turn {
	found := b.foundBy(c.element())
	u := &turn{request: c, browser: b, began: came}
	u.command = oracle.Command{Browser: b.number, Kind: c.kind(), Does: c.does(found), Source: c.source, Driver: c.driver,
		Callers: c.callers, Globals: c.globals, Found: found, Reads: c.reads()}
	if finds, _ := c.finds(); finds {
		u.command.By = c.by()
	}
	return u
}

// went notes that a command has been carried out, and which one it is.
func (t *tap) went(u *turn) {
	b := u.browser
	u.command.Start = t.at(u.began)
	if u.command.Kind == oracle.Acts {
		b.acts()
	}
	b.mu.Lock()
	u.act = b.act
	if u.command.Kind == oracle.Acts {
		u.command.Sent = t.at(b.act.sent)
	}
	if u.command.Kind == oracle.Reads {
		b.last = oracle.Reads
	}
	b.mu.Unlock()
	t.mu.Lock()
	u.Key = t.keys.Next(&u.command)
	t.mu.Unlock()
}

// acts notes that an action has been carried out, or refused.
func (b *browser) acts() {
	b.mu.Lock()
	b.act.done = time.Now()
	b.mu.Unlock()
	b.watcher.acts()
}

func (b *browser) foundBy(id string) []oracle.Locator {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.found[id]
}

func (t *tap) at(when time.Time) float64 { return float64(when.Sub(t.began).Microseconds()) / 1000 }

// passing are the errors of WebDriver and Playwright that may be gone when a command is sent again, and with which it
// has done nothing.
var passing = []string{"no such element", "no such shadow root", "no such frame", "no such alert", "element not interactable",
	"element click intercepted", playwright.TimeoutError, playwright.StrictModeViolation}

// mayPass reports whether an answer may be another one later.
func (u *turn) mayPass(a oracle.Answer) bool {
	if u.once {
		return false
	}
	if a.Error == stale {
		return u.command.Kind == oracle.Reads && len(u.command.Found) > 0
	}
	if a.Error != "" {
		return slices.Contains(passing, a.Error) && u.command.Kind != oracle.Neither
	}
	return u.command.Kind == oracle.Reads
}

// ask asks again until the patience has enough, and returns the answer that the suite is given.
func (t *tap) ask(u *turn, first reply, again func(context.Context) (reply, error)) (given reply) {
	secret := sync.OnceValue(func() bool { return t.readsPassword(u) })
	noted := func(r reply) reply {
		r.At = t.at(time.Now())
		if r.Error == "" && secret() {
			r.Value = password
		}
		return r
	}
	given = noted(first)
	u.command.First = given.Answer
	u.command.Requests, u.command.Timers = u.browser.underWay()
	most := t.patience.most(u)
	ctx, cancel := context.WithTimeout(t.over, most)
	defer cancel()
	looks, stop := context.WithTimeout(t.over, most+connectTimeout) // the last is taken once the time is up
	defer stop()
	news := u.browser.next() // from before an answer on: what comes with it, or just behind it, is news
	for latest := given; u.mayPass(latest.Answer) && !t.patience.enough(u, latest.Answer); {
		pause(ctx, news, max(20*time.Millisecond, min(time.Since(u.began)/8, 250*time.Millisecond)))
		last := ctx.Err() != nil
		if t.alertIsOpen(looks, u) {
			break
		}
		news = u.browser.next()
		next, err := again(looks)
		if err != nil {
			break
		}
		next = noted(next)
		if next.Error == stale && len(u.command.Found) > 0 && !last { // what comes in its place may not be there yet
			continue
		}
		if !next.Same(latest.Answer) {
			u.command.Later = append(u.command.Later, next.Answer)
		}
		latest = next
		if (next.Error == "" || given.Error != "") && !t.patience.gone(u, next.Answer) { // what was there and is gone was there
			given = next
		}
		if last {
			break
		}
	}
	if ctx.Err() != nil && t.over.Err() == nil {
		t.patience.tired(u)
	}
	if u.command.Kind == oracle.Acts && len(u.command.Later) > 0 {
		u.browser.acts()
	}
	u.command.Unseen = u.browser.missedSince(u.act.sent)
	u.command.Given = given.Answer
	u.command.Given.At = t.at(time.Now())
	u.browser.learn(u, given.ids)
	t.name(u, given)
	return given
}

// password stands in the place of the value of a password field.
const password = `{"password":"left out"}`

// readsPassword reports whether a command reads the value of a password field. The driver is asked what kind of field
// it is of; one of which it does not say is taken for a secret.
func (t *tap) readsPassword(u *turn) bool {
	if _, name, _ := strings.Cut(u.reads(), " "); !strings.EqualFold(name, "value") {
		return false
	}
	ctx, cancel := context.WithTimeout(t.over, connectTimeout)
	defer cancel()
	if t.alertIsOpen(ctx, u) {
		return true
	}
	r, err := t.look(ctx, "/session/"+u.session+"/element/"+url.PathEscape(u.element())+"/property/type")
	if err != nil {
		return true
	}
	kind, _ := answer(r)
	return kind.Value == `"password"` || kind.Value == ""
}

// learn remembers how the elements were found that an answer names.
func (b *browser) learn(u *turn, ids []string) {
	finds, all := u.finds()
	if !finds && u.command.Reads != "shadow" || len(ids) == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, id := range ids {
		if len(b.found) >= maxElements {
			return
		}
		step := oracle.Locator{Using: "shadow"}
		if finds {
			step = u.by()
		}
		if all {
			step.Nth = i + 1
		}
		b.found[id] = append(slices.Clone(u.command.Found), step)
	}
}

// note remembers a command.
func (t *tap) note(u *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.run.Commands) >= maxCommands {
		t.run.Dropped++
		return
	}
	t.run.Commands = append(t.run.Commands, u.command)
}

// end ends the watching, and returns all that was seen.
func (t *tap) end() oracle.Run {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, b := range t.browsers {
		if w := b.watcher; w != nil {
			w.close()
			t.run.Mutations = append(t.run.Mutations, w.mutations...)
			t.run.Requests = append(t.run.Requests, w.requests...)
			t.run.Dropped += w.dropped
		}
	}
	slices.SortStableFunc(t.run.Mutations, func(a, b oracle.Mutation) int { return cmp.Compare(a.At, b.At) })
	slices.SortStableFunc(t.run.Requests, func(a, b oracle.Request) int { return cmp.Compare(a.Start, b.Start) })
	return t.run
}
