package wardapi

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// Serve answers requests on ln until ctx ends, then lets those under way finish, for five seconds at most. It closes
// ln. It returns nil where it ended because ctx did.
func Serve(ctx context.Context, ln net.Listener, d Dials) error {
	server := &http.Server{
		Handler: New(d), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
	}
	done := make(chan error, 1)
	go func() { done <- server.Serve(ln) }()
	select {
	case err := <-done:
		return fmt.Errorf("serve ward API: %w", err)
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := server.Shutdown(grace); err != nil {
		_ = server.Close()
	}
	if served := <-done; !errors.Is(served, http.ErrServerClosed) {
		return fmt.Errorf("stop ward API: %w", served)
	}
	return nil
}
