// Package trial runs a test with another text of one of its files, many times, in copies of its suite.
//
// A copy lies beside the suite's folder, so that what its files name by a path, and what a runner looks for in the
// folders above, is found from there too. Each worker has a copy of its own, and an API of its own where the API is
// started here. What was run is never the suite itself, and the copies are gone when the bench is closed.
package trial
