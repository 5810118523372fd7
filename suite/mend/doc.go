// Package mend patches the files of a suite by what a recording of it and its runs show: assertions that flake are
// weakened, and tests get back the state that they depend on. It is what flaketap patch does between reading its flags
// and writing files.
//
// # The algorithm
//
//  1. [ReadFiles] reads the suite's files, those that may hold tests and those beside them.
//  2. [New] reads the tests to their assertions (package suite), and binds them to the recording: each call to the
//     exchange that it sent. A file that cannot be read is refused, and left alone byte for byte. This comes before all
//     else because a recording far larger than the suite is taken for the fuzzing session that the suite came from,
//     which only the number of its calls shows.
//  3. [Round.Find] finds, for each test that depends on what was there before it, the requests of the session
//     that bring it about: by the data flow of the session, or where there is an API to try on, by trials that prove
//     it, and the values that it has to draw anew. What a test leaves behind is looked at across files, so all of them
//     are searched before any is patched. Where trials are made on several APIs, as many tests are searched for at once
//     (turns.go): most of a search is waiting for answers, while what is known of the session is shared, so one search
//     at a time thinks and the others wait for theirs.
//  4. Then it plays each test with other tests before it, where assertions are to be added and there is an API to try
//     on: they are to hold whatever runs before the test.
//  5. [Round.Patch] patches each file. The others stay as they are.
//  6. [Round.WriteReport] says what was changed and why, and [Round.Summary] counts it.
//
// # What stays true
//
// A patched suite is a suite: another round, by new runs of the patched suite, patches it again. Nothing is written
// here, and nothing is sent but by the trials of a search that the caller makes. Secrets are tokens in the report.
package mend
