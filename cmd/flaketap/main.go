// Flaketap records what a REST API fuzzer (or any test suite) says to an API, replays it, learns which parts of the
// responses are volatile and why, and writes a volatile-field map and a suite that no longer flakes.
//
//	flaketap record --target http://127.0.0.1:8080 -- schemathesis run http://127.0.0.1:8080/openapi.json
//	flaketap replay --runs 10 --reset ./reset-db.sh
//	flaketap map    --out volatile.json
//	flaketap suite  --format pytest --out suite/
//
// Data goes to stdout, talk and progress to stderr. Exit codes: 0 done, 1 failed, 2 wrong usage, 3 a gate that the
// user asked for tripped; record with a command returns that command's own status. The first SIGINT, SIGTERM or SIGHUP
// asks a command to store what it has and end; a second one ends it at once, with 128 and the signal's number.
package main

import (
	"context"
	"os"
	"time"

	"github.com/flaketap/flaketap/internal/interrupt"
)

func main() {
	signals := interrupt.Catch()
	ctx, cancel := context.WithCancelCause(context.Background())
	again := make(chan struct{})
	done := make(chan int, 1)
	go func() { done <- run(ctx, os.Args, streams{out: os.Stdout, err: os.Stderr}) }()
	select {
	case status := <-done:
		os.Exit(status)
	case first := <-signals:
		cancel(&interrupt.Stop{Signal: first, Again: again})
	}
	select {
	case status := <-done:
		os.Exit(status)
	case second := <-signals:
		close(again)
		lastMoment(done)
		os.Exit(128 + int(second))
	}
}

// lastMoment waits, after a second signal, for what must not be left behind: a client that still runs, a line on the
// terminal. It is over before anybody calls it waiting.
func lastMoment(done <-chan int) {
	select {
	case <-done:
	case <-time.After(500 * time.Millisecond):
	}
}
