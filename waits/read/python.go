package read

import "time"

var pythonForms = map[string][]form{
	"sleep": sleeps(0), // time, asyncio, anyio, trio, gevent
	// selenium
	"WebDriverWait":         caps(1),
	"implicitly_wait":       caps(0),
	"set_page_load_timeout": caps(0),
	"set_script_timeout":    caps(0),
	// Playwright
	"wait_for_timeout":               {{arg: 0, kind: Sleep, unit: time.Millisecond}},
	"set_default_timeout":            capIn(0, time.Millisecond),
	"set_default_navigation_timeout": capIn(0, time.Millisecond),
	// the standard library and pytest
	"wait_for": {{arg: 1, kind: Cap, of: "asyncio -"}},
	"timeout":  {{arg: 0, kind: Cap, of: "asyncio mark async_timeout"}},
	"wait":     {{arg: 0, kind: Cap}, {arg: 1, kind: Cap}},
	// tenacity
	"stop_after_delay": caps(0),
	"wait_fixed":       interval(0),
}

var pythonProperties = map[string]property{
	"timeout":        {kind: Cap},
	"poll_frequency": {kind: Interval},
	"interval":       {kind: Interval, calls: "wait poll retry eventually"},
	"delay":          {kind: Sleep, calls: "sleep"}, // asyncio, anyio
	"seconds":        {kind: Sleep, calls: "sleep"}, // trio, gevent
}

// inSeconds are the modules whose times are seconds in a file that speaks to Playwright too.
var inSeconds = wordSet("requests httpx asyncio subprocess socket queue threading mark aiohttp urllib")
