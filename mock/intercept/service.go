package intercept

import (
	"net"
	"strconv"
)

// Service is what a process connects to: a host, by the name that it looked up or the address that it had, and a port.
type Service struct {
	Host string // in lower case, without a final dot; an address where no name was looked up
	Port uint16
}

// String is the service as host:port.
func (s Service) String() string { return net.JoinHostPort(s.Host, strconv.Itoa(int(s.Port))) }

// Refusal is a wish of the process that was not granted.
type Refusal struct {
	Network string // "tcp", "udp", or what else the socket is of
	To      string // host:port, or what there was in its place
	Why     string
	Times   int
}
