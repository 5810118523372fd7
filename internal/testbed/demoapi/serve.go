package demoapi

import (
	"context"
	"fmt"
	"net"

	"github.com/flaketap/flaketap/internal/testbed/service"
)

// Serve answers requests on ln until ctx ends, then lets those under way finish, for five seconds at most. It closes
// ln. It returns nil where it ended because ctx did.
func Serve(ctx context.Context, ln net.Listener, d Dials) error {
	if err := service.Serve(ctx, ln, New(d)); err != nil {
		return fmt.Errorf("demo API: %w", err)
	}
	return nil
}

// Start serves on a free port, until ctx ends or stop is called, which waits for the end.
func Start(ctx context.Context, d Dials) (url string, stop func(), err error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("serve demo API: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = Serve(ctx, ln, d) // whoever asks it notices when it is gone
	}()
	return "http://" + ln.Addr().String(), func() {
		cancel()
		<-done
	}, nil
}
