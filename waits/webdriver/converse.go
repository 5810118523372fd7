package webdriver

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/flaketap/flaketap/waits/oracle"
)

// conversed is the tap of suites that tell of their commands themselves: no driver stands between these and browsers.
type conversed struct{ *tap }

// id is by which a browser is known that no driver has given an id to.
func id(number int) string { return "playwright " + strconv.Itoa(number) }

// Starts is told of a browser that a suite has started.
func (t conversed) Starts(addr string) int {
	var open opener
	if addr != "" {
		open = chrome(addr)
	}
	return t.start(open, id).number
}

// Opens has a page be watched before anything is done in it.
func (t conversed) Opens(browser int) {
	b := t.browserOf(id(browser))
	if b == nil || b.watcher == nil {
		return
	}
	ctx, cancel := context.WithTimeout(t.over, connectTimeout)
	defer cancel()
	b.catchUp(ctx)
}

// Ends is told of a browser that is about to end.
func (t conversed) Ends(browser int) {
	if b := t.browserOf(id(browser)); b != nil {
		b.close()
	}
}

// Command has a command wait, and be asked again, as the tap does with what goes to a driver.
func (t conversed) Command(c oracle.Command, once bool, ask func() (oracle.Answer, bool),
	look func() [][]oracle.Name) (given int) {
	b := t.browserOf(id(c.Browser))
	if b == nil {
		_, _ = ask()
		return 0
	}
	u := &turn{browser: b, began: time.Now(), command: bounded(c), once: once, look: look}
	if c.Kind == oracle.Acts {
		t.goesOn(u)
		u.once = true // Playwright itself tries again until it can be done
	}
	asked := -1
	again := func(context.Context) (reply, error) {
		a, ok := ask()
		if !ok {
			return reply{}, errors.New("the suite is gone")
		}
		asked++
		return reply{Answer: oracle.Answer{Error: shortened(a.Error), Value: kept(a.Value)}, turn: asked}, nil
	}
	first, err := again(t.over)
	if err != nil {
		return 0
	}
	t.went(u)
	given = t.ask(u, first, again).turn
	t.note(u)
	return given
}

func bounded(c oracle.Command) oracle.Command {
	c.Does, c.Source, c.Reads, c.Names = shortened(c.Does), shortened(c.Source), shortened(c.Reads), nil
	c.Driver, c.Callers = "", slices.Clone(c.Callers[:min(len(c.Callers), maxCallers)])
	for i := range c.Callers {
		c.Callers[i] = oracle.Caller{Place: shortened(c.Callers[i].Place)}
	}
	return c
}
