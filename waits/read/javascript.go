package read

// noReceiver is what may stand before a function of everybody's.
const noReceiver = "- window global globalThis self timers timersPromises"

var javaScriptForms = map[string][]form{
	// Cypress, TestCafe and helpers: wait(500); selenium and Protractor: driver.wait(condition, 500)
	"wait": {{arg: 0, kind: Sleep}, {arg: 1, kind: Cap}},
	// Playwright, Puppeteer
	"waitForTimeout":              sleeps(0),
	"setDefaultTimeout":           caps(0),
	"setDefaultNavigationTimeout": caps(0),
	// Puppeteer before version 22, and helpers
	"waitFor": {{arg: 0, kind: Sleep}, {arg: 1, kind: Cap}},
	// WebdriverIO, Nightwatch
	"pause":                    sleeps(0),
	"waitUntil":                caps(1),
	"waitForDisplayed":         caps(0),
	"waitForVisible":           caps(0),
	"waitForExist":             caps(0),
	"waitForEnabled":           caps(0),
	"waitForClickable":         caps(0),
	"waitForSelected":          caps(0),
	"waitForStable":            caps(0),
	"waitForElementVisible":    caps(1),
	"waitForElementNotVisible": caps(1),
	"waitForElementPresent":    caps(1),
	"waitForElementNotPresent": caps(1),
	// selenium
	"sleep":          sleeps(0),
	"implicitlyWait": caps(0),
	// timers, and what sets the time that a test may take
	"setTimeout": {
		{arg: 1, kind: Sleep, of: noReceiver, kindOf: timerKind},
		{arg: 0, kind: Sleep, of: noReceiver},
		{arg: 0, kind: Cap, least: 1, of: "jest vi test this page context browser suite"},
	},
	"delay":   {{arg: 0, kind: Sleep}, {arg: 1, kind: Sleep, of: "_ lodash"}},
	"timeout": {{arg: 0, kind: Sleep, of: "-"}, {arg: 0, kind: Cap}},
	// runners: test(name, function, 500), beforeAll(function, 500)
	"it": caps(2), "test": caps(2), "specify": caps(2),
	"only":      {{arg: 2, kind: Cap, of: "it test"}},
	"skip":      {{arg: 2, kind: Cap, of: "it test"}},
	"beforeAll": caps(1), "beforeEach": caps(1), "afterAll": caps(1), "afterEach": caps(1),
}

var javaScriptProperties = map[string]property{
	"timeout":               {kind: Cap},
	"interval":              {kind: Interval, calls: "wait poll toPass eventually"},
	"implicit":              {kind: Cap, calls: "setTimeouts"},
	"pageLoad":              {kind: Cap, calls: "setTimeouts"},
	"script":                {kind: Cap, calls: "setTimeouts"},
	"defaultCommandTimeout": {kind: Cap, anywhere: true},
	"requestTimeout":        {kind: Cap},
	"responseTimeout":       {kind: Cap},
	"pageLoadTimeout":       {kind: Cap},
	"taskTimeout":           {kind: Cap},
	"testTimeout":           {kind: Cap},
	"actionTimeout":         {kind: Cap},
	"navigationTimeout":     {kind: Cap},
	"asyncUtilTimeout":      {kind: Cap},
}

// fails are names by which the function of a timer says that something did not come.
var fails = wordSet("reject fail abort kill Error TimeoutError")

// timerKind tells a timer that ends a wait, as it makes something fail, from one that lets time pass.
func timerKind(tokens []token, f frame) Kind {
	for _, t := range tokens[f.args[0][0]:f.args[0][1]] {
		if t.kind == name && fails[t.text] {
			return Cap
		}
	}
	return Sleep
}
