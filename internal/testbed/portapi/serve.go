package portapi

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
		return fmt.Errorf("port API: %w", err)
	}
	return nil
}
