package intercept

import (
	"log/slog"
	"net"
	"sync"
)

// Way is how a connection is led to a listener of ours, by seccomp.
type Way int

// The ways. Duplicating leaves the process's memory as it is, and needs pidfd_getfd(2), which containers may refuse.
const (
	Auto Way = iota // the first that the system lets be
	Duplicate
	Rewrite
)

// Options say what becomes of connections.
type Options struct {
	// Self is a program with its arguments that calls [Stage] with the words that are given behind them.
	Self []string
	// Dir is the folder in which an interceptor makes its own; "" is that for temporary files.
	Dir string
	// Serve is given the listener of each service, before the first connection to it is led there; for sockets that
	// speak IPv6 alone there may be a second one. It returns at once. The listener is closed by [Interceptor.Close].
	Serve func(Service, net.Listener)
	// Local are ports of this machine that are services too; connections to its others pass.
	Local []uint16
	// Direct reports whether a host is one whose real service is connected to: who is led by variables alone may as well
	// go there. Nil is none.
	Direct func(host string) bool
	// Way is how connections are led.
	Way Way
	// Beside are the networks of the interceptors that are open at once; nil: this one is alone.
	Beside *Networks
	// Log tells of what goes wrong; nil discards it.
	Log *slog.Logger
}

// Networks are those in which processes of several interceptors live, so that none takes what another one has on this
// machine in a process's place for a process of this machine. The zero value is ready to be used.
type Networks struct {
	relaying sync.Mutex // of what follows: it is held while a network's relays of datagrams are opened and closed
	all      map[*home]bool
}
