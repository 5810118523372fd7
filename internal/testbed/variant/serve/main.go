// Command serve is a labelled API as a program of its own: serve shop|ward ADDRESS. Variants of an API are built as it,
// in a tenth of the time that all of flaketap takes.
package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/flaketap/flaketap/internal/testbed/demoapi"
	"github.com/flaketap/flaketap/internal/testbed/wardapi"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := serve(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "serve:", err)
		os.Exit(1)
	}
}

// serve serves the API of a name at an address, until ctx ends.
func serve(ctx context.Context, args []string) error {
	if len(args) != 2 || args[0] != "shop" && args[0] != "ward" {
		return fmt.Errorf("want shop or ward, and an address, got %q", args)
	}
	ln, err := net.Listen("tcp", args[1])
	if err != nil {
		return err
	}
	if args[0] == "ward" {
		return wardapi.Serve(ctx, ln, wardapi.Dials{})
	}
	return demoapi.Serve(ctx, ln, demoapi.Dials{})
}
