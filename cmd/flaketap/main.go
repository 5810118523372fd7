// Flaketap records what a REST API fuzzer (or any test suite) says to an API, replays it, learns which parts of the
// responses are volatile and why, and writes a volatile-field map and a suite that no longer flakes.
//
//	flaketap record --target http://127.0.0.1:8080 -- schemathesis run http://127.0.0.1:8080/openapi.json
//	flaketap replay --runs 10 --reset ./reset-db.sh
//	flaketap map    --out volatile.json
//	flaketap suite  --format pytest --out suite/
//
// Data goes to stdout, talk and progress to stderr. Exit codes: 0 done, 1 failed, 2 wrong usage, 3 a gate that the
// user asked for tripped; record with a command returns that command's own status.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-signals
		cancel() // the first asks every command to drain and store
		<-signals
		os.Exit(130) // the second leaves
	}()
	os.Exit(run(ctx, os.Args, streams{out: os.Stdout, err: os.Stderr}))
}
