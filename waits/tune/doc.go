// Package tune answers flaketap waits tune: it finds a time for a sleep by running its test with others in copies of
// the suite, or does away with the sleep, says what that proves, and writes the file with what is best.
//
// What is tried is a list of strategies, the best first: polling in the place of the sleep, a time from what a
// recording knows of the read behind it ([learned]), and the searches of [search] between the sleep's own time and one
// that is suggested ([suggest]) or that a developer chose. A cap is not tuned: it costs nothing where the test passes,
// so the time that is suggested is tried, and stays.
package tune
