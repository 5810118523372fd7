package read

import "time"

// jvmForms are those of Java and Kotlin. A unit that an argument names, or a Duration, goes before theirs.
var jvmForms = map[string][]form{
	"sleep":                {{arg: 0, kind: Sleep}}, // Thread, Selenide, SystemClock, TimeUnit.SECONDS
	"sleepUninterruptibly": sleeps(0),
	"delay":                sleeps(0), // coroutines
	"waitForTimeout":       sleeps(0), // Playwright
	// Awaitility
	"atMost":            capIn(0, time.Second),
	"during":            {{arg: 0, kind: Sleep, unit: time.Second}},
	"pollDelay":         {{arg: 0, kind: Sleep}},
	"pollInterval":      interval(0),
	"withPollDelay":     {{arg: 0, kind: Sleep}},
	"withPollInterval":  interval(0),
	"setDefaultTimeout": caps(0),
	// selenium: numbers are seconds in version 3
	"WebDriverWait":    capIn(1, time.Second),
	"withTimeout":      caps(0), // FluentWait, and coroutines
	"pollingEvery":     interval(0),
	"implicitlyWait":   capIn(0, time.Second),
	"pageLoadTimeout":  capIn(0, time.Second),
	"scriptTimeout":    capIn(0, time.Second),
	"setScriptTimeout": capIn(0, time.Second),
	"setTimeout":       caps(0),
	// Selenide
	"shouldBe": {{arg: 1, kind: Cap, least: 2}}, "shouldHave": {{arg: 1, kind: Cap, least: 2}},
	// runners, Mockito, Kotest
	"Timeout":                   capIn(0, time.Second),
	"assertTimeout":             caps(0),
	"assertTimeoutPreemptively": caps(0),
	"timeout":                   caps(0),
	"after":                     {{arg: 0, kind: Sleep, of: "- Mockito"}},
	"eventually":                caps(0),
	"withTimeoutOrNull":         caps(0),
	// the standard library: each with a unit
	"await": {{arg: 0, kind: Cap, least: 2}},
	"get":   {{arg: 0, kind: Cap, least: 2}},
	"poll":  {{arg: 0, kind: Cap, least: 2}},
}

var jvmProperties = map[string]property{
	"timeout":       {kind: Cap},
	"timeoutMillis": {kind: Cap},
	"value":         {kind: Cap, unit: time.Second, calls: "Timeout"},
}
