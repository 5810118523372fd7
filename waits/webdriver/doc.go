// Package webdriver runs a suite for a browser with flaketap between it and its driver.
//
//	suite ── proxy ── driver ────── browser
//	          │ tap                    │
//	          └── channel ─────────────┘
//
// A run starts a driver of its own, at a port of its own, and ends it with all browsers that it started. The suite
// finds flaketap in its place: by SELENIUM_REMOTE_URL, SE_CHROMEDRIVER or its like (drivers.go), or a stand-in in PATH
// ([StandIn]). What Node and Python load first has each command name its place in the suite; where Java starts the
// stand-in, that names it (package hotspot). A suite of Playwright has no driver, and converses with the tap (package
// playwright).
//
// Bytes pass as they are. The tap, a Rewriter of package proxy, sees commands and answers. It may have an action
// wait before it goes on, and ask again what a page was asked; what it gives the suite is always an answer of the
// driver. Which commands wait, and until when, is the business of a patience: none, until a page has come to rest,
// or until a command is answered as in passing runs ([Record], [Hold]).
//
// What changes in pages is pushed by page.js over a second connection to the browser, its channel (watch.go): by the
// Chrome DevTools Protocol (cdp.go), or by WebDriver BiDi in Firefox (firefox.go). It touches no cookies, answers no
// dialog and is not polled. A command that reads is not sent again while a dialog is open, as it would close it.
// Firefox closes dialogs by itself in a session that has a socket for BiDi, so it is told to leave them, and what the
// suite wants of them is done here (prompts.go).
//
// By what else an element could be found is asked beside the suite too, by look.js (name.go), in runs with patience.
//
// Limits: what changes is seen in Chrome, Chromium and Firefox alone. docs/waits.md says what a page could see of all
// this.
package webdriver
