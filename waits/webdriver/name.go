package webdriver

import (
	"context"
	_ "embed"
	"encoding/json"
	"slices"
	"time"

	"github.com/flaketap/flaketap/waits/oracle"
)

// look is a function that says what an element may be found by.
//
//go:embed look.js
var look string

// Bounds of what is kept of the names of one element.
const (
	maxSteps = 8
	maxNames = 10
	maxName  = 300 // bytes of each of its texts
)

// lookTimeout is how long a suite waits for that: a page that is busy has no names.
const lookTimeout = 500 * time.Millisecond

// name notes what the element of a command may be found by, if the patience has time for that: of what is read or
// found as it is then, of what is acted on as it was when it was looked at last.
func (t *tap) name(u *turn, given reply) {
	if !t.patience.looks() || u.once {
		return
	}
	_, all := u.finds()
	switch element := u.element(); {
	case u.look != nil && given.Error == "" && u.command.Kind == oracle.Reads:
		u.command.Names = bare(u.look())
	case u.look != nil || all || u.command.Reads == "shadow":
	case u.command.Kind == oracle.Acts:
		u.command.Names = u.browser.namesOf(element)
	case given.Error != "" || u.browser.watcher == nil:
	case u.command.By.Using != "" && len(given.ids) == 1:
		u.command.Names = t.lookAt(u.browser, given.ids[0])
	case element != "":
		u.command.Names = t.lookAt(u.browser, element)
	}
}

// lookAt is what an element may be found by; nil where that is not known.
func (t *tap) lookAt(b *browser, element string) [][]oracle.Name {
	ctx, cancel := context.WithTimeout(t.over, lookTimeout)
	defer cancel()
	text, err := b.look(ctx, element)
	if err != nil { // the page is gone, busy, or shows a dialog: nothing is known of it then
		return nil
	}
	var names [][]oracle.Name
	if json.Unmarshal([]byte(text), &names) != nil {
		return nil
	}
	names = bare(names)
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.named) < maxElements {
		b.named[element] = names
	}
	return names
}

func (b *browser) namesOf(element string) [][]oracle.Name {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.named[element]
}

// bare is names as they are kept. They come from a page, so they may be anything.
func bare(names [][]oracle.Name) [][]oracle.Name {
	if len(names) > maxSteps {
		return nil
	}
	for i, step := range names {
		names[i] = slices.DeleteFunc(step[:min(len(step), maxNames)], func(n oracle.Name) bool {
			return max(len(n.By), len(n.Locator.Using), len(n.Locator.Value), len(n.Role), len(n.Tag), len(n.Text)) > maxName ||
				n.Locator.Nth != 0
		})
	}
	return names
}
