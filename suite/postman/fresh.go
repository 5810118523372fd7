package postman

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/jsontree"
	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/script"
)

// fresh is the statement of a script that gives a collection variable a text which is another in each run.
func (*file) fresh(_ *script.Script, _ *script.Test, v script.FreshText) string {
	text := js.Drawn(v)
	if v.Before != "" {
		text = literal.JavaScript(v.Before) + " + " + text
	}
	if v.After != "" {
		text += " + " + literal.JavaScript(v.After)
	}
	return "pm.collectionVariables.set(" + literal.JavaScript(variableKey(v.Name)) + ", " + text + ");"
}

// draws is a statement of fresh.
var draws = regexp.MustCompile(`^pm\.collectionVariables\.set\("` + variable + `(` + script.FreshPrefix + `\w+)", `)

// drawn notes the variables that the script of an event draws.
func (r *reader) drawn(event *jsontree.Node) {
	for _, line := range elements(event.At("script", "exec")) {
		if m := draws.FindStringSubmatch(line.Text()); m != nil {
			r.set[m[1]]++
		}
	}
}

// apart tells the statements of a script from the items behind them.
func apart(open []string) (statements, items []string) {
	n := slices.IndexFunc(open, func(line string) bool { return strings.HasPrefix(line, "{") })
	if n < 0 {
		n = len(open)
	}
	return open[:n], open[n:]
}

// before has a script run before a request: that of a new item, which is given as JSON.
func before(item string, statements []string) string {
	var x newItem
	if len(statements) == 0 || json.Unmarshal([]byte(item), &x) != nil {
		return item
	}
	x.Event = append([]itemEvent{preRequest(statements)}, x.Event...)
	return encoded(x)
}

func preRequest(statements []string) itemEvent {
	return itemEvent{"prerequest", sentScript{"text/javascript", statements}}
}

// beforeFirst has a script run before the first request of a test, written as what stands around it is.
func (l *file) beforeFirst(s *script.Script, t *script.Test, statements []string) []script.Edit {
	item, text := l.first[t], s.Text
	if item == nil || len(statements) == 0 {
		return nil
	}
	event := encoded(preRequest(statements))
	if events := elements(item.At("event")); len(events) > 0 {
		at := events[0].Start
		gap := spaceBefore(text, at)
		return []script.Edit{{Start: at, End: at, Text: laidOut(event, gap, spaceAt(text, at+1)) + "," + gap}}
	}
	at := item.Start + 1
	inside := spaceAt(text, at)
	indent := inside[strings.LastIndexAny(inside, "\r\n")+1:]
	outer := strings.TrimLeft(spaceBefore(text, item.Start), "\r\n")
	events := laidOut("["+event+"]", inside, inside+strings.TrimPrefix(indent, outer))
	if old := item.At("event"); old != nil { // an empty list
		return []script.Edit{{Start: old.Start, End: old.End, Text: events}}
	}
	return []script.Edit{{Start: at, End: at, Text: inside + `"event": ` + events + ","}}
}

// spaceBefore is the white space before a place of a text.
func spaceBefore(text string, at int) string {
	return text[len(strings.TrimRight(text[:at], " \t\r\n")):at]
}

// spaceAt is the white space at a place of a text.
func spaceAt(text string, at int) string {
	return text[at : len(text)-len(strings.TrimLeft(text[at:], " \t\r\n"))]
}
