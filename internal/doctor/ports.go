package doctor

import (
	"context"
	"errors"
	"net"
	"syscall"
)

// ports tries to listen where record does, and on both loopback interfaces.
func (v *visit) ports(ctx context.Context) (out []Finding, _ error) {
	for _, p := range []struct {
		about, addr string
		without     Status // where it cannot be had
		do          string
	}{
		{"IPv4", "127.0.0.1:0", Problem, "give this machine, or container, a loopback interface: flaketap and what it records talk over it"},
		{"IPv6", "[::1]:0", Note, "nothing, unless a client asks for [::1]: give it 127.0.0.1 in the place of localhost"},
		{v.Listen, v.Listen, Problem, "give record another address: --listen 127.0.0.1:0 takes any free port"},
	} {
		f := Finding{About: p.about, Status: OK, Says: "can listen"}
		var config net.ListenConfig
		ln, err := config.Listen(ctx, "tcp", p.addr)
		switch {
		case err == nil:
			if err := ln.Close(); err != nil {
				return nil, err
			}
		case errors.Is(err, syscall.EADDRINUSE):
			f.Status, f.Says, f.Do = Problem, "another program listens there", p.do
		default:
			f.Status, f.Says, f.Do = p.without, "cannot listen: "+cause(err), p.do
		}
		out = append(out, f)
	}
	return out, nil
}

// cause is an error of the network without the operation and the addresses, which are said beside it.
func cause(err error) string {
	var op *net.OpError
	if errors.As(err, &op) {
		err = op.Err
	}
	return err.Error()
}
