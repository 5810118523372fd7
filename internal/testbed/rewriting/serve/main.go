// Command serve starts json-server behind the rewriting proxy. It is a program
// of the tests.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	"github.com/flaketap/flaketap/internal/testbed/rewriting"
)

func main() {
	port := flag.Int("port", 0, "port to listen on")
	modules := flag.String("modules", ".tools/node/node_modules", "directory that holds json-server")
	name := flag.String("variant", "", "regression to plant")
	flag.Parse()
	variant, err := rewriting.Named(*name)
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	target, err := rewriting.Start(ctx, *modules)
	if err != nil {
		log.Fatal(err)
	}
	s := &http.Server{Addr: fmt.Sprintf("127.0.0.1:%d", *port), Handler: rewriting.Handler(target, variant)}
	go func() {
		<-ctx.Done()
		s.Close()
	}()
	if err := s.ListenAndServe(); err != http.ErrServerClosed {
		log.Fatal(err)
	}
}
