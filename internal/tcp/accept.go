package tcp

import (
	"errors"
	"net"
	"time"
)

// acceptAgain is how long to wait where the system has no descriptor for a connection: it passes as others end.
const acceptAgain = 50 * time.Millisecond

// Each gives every connection that a listener accepts to a function, in a goroutine of its own, until the listener is
// closed.
func Each(l net.Listener, serve func(net.Conn)) {
	for {
		c, err := l.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil:
			time.Sleep(acceptAgain)
		default:
			go serve(c)
		}
	}
}
