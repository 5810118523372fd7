package read

import "time"

var goForms = map[string][]form{
	"Sleep":     {{arg: 0, kind: Sleep, of: "time clock"}},
	"After":     {{arg: 0, of: "time clock", kindOf: channelKind}},
	"NewTimer":  {{arg: 0, of: "time clock", kindOf: madeTimerKind}},
	"NewTicker": {{arg: 0, kind: Interval, of: "time clock"}},
	"Tick":      {{arg: 0, kind: Interval, of: "time clock"}},
	// context, gomega, gotest.tools
	"WithTimeout":      {{arg: 1, kind: Cap, least: 2}, {arg: 0, kind: Cap}},
	"WithTimeoutCause": caps(1),
	"WithPolling":      interval(0),
	"WithDelay":        interval(0),
	// testify: Eventually(t, condition, waitFor, tick); gomega: Eventually(actual, timeout, polling)
	"Eventually":      eventually,
	"Eventuallyf":     eventually,
	"EventuallyWithT": eventually,
	"Never":           {{arg: 2, kind: Sleep, least: 3}, {arg: 3, kind: Interval}},
	"Consistently":    {{arg: 1, kind: Sleep, unit: time.Second}, {arg: 2, kind: Interval, unit: time.Second}},
	"Within":          caps(0),
	// Kubernetes
	"PollImmediate":           {{arg: 0, kind: Interval, least: 3}, {arg: 1, kind: Cap, least: 3}},
	"Poll":                    {{arg: 0, kind: Interval, least: 3}, {arg: 1, kind: Cap, least: 3}},
	"PollUntilContextTimeout": {{arg: 1, kind: Interval, least: 4}, {arg: 2, kind: Cap, least: 4}},
}

// eventually are the arguments of testify's, which come behind a condition, and of gomega's, whose plain numbers are
// seconds. Those of a suite's own method have no t.
var eventually = []form{
	{arg: 1, kind: Cap, unit: time.Second, least: 2},
	{arg: 2, unit: time.Second, kindOf: secondOfTwo, least: 3},
	{arg: 3, kind: Interval, least: 4},
}

// secondOfTwo tells a limit from the interval that stands behind one.
func secondOfTwo(tokens []token, f frame) Kind {
	before := tokens[f.args[1][0]:f.args[1][1]]
	if _, ok := spoken(before); ok {
		return Interval
	}
	if _, ok := evaluate(before, func(string) (value, bool) { return value{}, false }); ok {
		return Interval
	}
	return Cap
}

// spoken reads a time that is a text, as gomega takes it: "15s".
func spoken(tokens []token) (value, bool) {
	if len(tokens) != 1 || tokens[0].kind != text {
		return value{}, false
	}
	d, err := time.ParseDuration(tokens[0].text)
	return value{float64(d), true}, err == nil
}

var goProperties = map[string]property{
	"Timeout":           {kind: Cap},
	"ReadTimeout":       {kind: Cap},
	"WriteTimeout":      {kind: Cap},
	"ReadHeaderTimeout": {kind: Cap},
}

// channelKind tells a time that ends a select from one that is waited for.
func channelKind(tokens []token, f frame) Kind {
	if f.first >= 2 && tokens[f.first-1].text == "<-" && tokens[f.first-2].text == "case" {
		return Cap
	}
	return Sleep
}

// madeTimerKind tells a timer that is waited for as it is made, <-time.NewTimer(d).C, from one that limits something.
func madeTimerKind(tokens []token, f frame) Kind {
	if f.first >= 1 && tokens[f.first-1].text == "<-" {
		return channelKind(tokens, f)
	}
	return Cap
}
