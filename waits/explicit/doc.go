// Package explicit writes explicit waits into suites of Selenium, WebdriverIO and Playwright: before a command that may
// come too early, a wait until what it reads is as in passing runs.
//
// What is waited for comes from package oracle. A wait never decides: where its time is over, the suite goes on,
// and its own assertion says what is wrong. It stands before the statement that sends the command, in the words of
// its library in that language, and finds the element by the best name that the session knows, or as the suite does
// (selector.go). All else stays, byte for byte; waits that were written before are taken out first, so that a file
// that is patched twice is patched once.
//
// The commands of Cypress are not recorded: [Cypress] has assertions ask again by the text of a spec alone. Its
// sleeps get
// a wait for the requests that they are for, which package marked tells from a recording of the marks of [MarkCypress].
//
// A command is left alone where the place of its wait is not clear: in a loop's head, behind an arrow, in a helper
// that reads another thing each time, in a file that has changed. What is left is said with the reason.
package explicit
