package intercept

import (
	"net/netip"
	"slices"
	"strings"
)

// dnsPort is where name servers listen.
const dnsPort = 53

// kind is what a socket sends.
type kind int

const (
	unknownKind kind = iota // the system does not tell
	stream                  // TCP
	datagram                // UDP
	otherKind               // raw, SCTP, …
)

func (k kind) String() string {
	return [...]string{"connection", "tcp", "udp", "raw"}[k]
}

// action is what becomes of a system call.
type action int

const (
	refuse action = iota // the zero action: what nobody has thought of is refused
	pass                 // to the kernel, as it is
	hide                 // ENOENT: there is no such socket of this machine
	lead                 // to the listener of a service
	ask                  // to the name server
)

// verdict is an action with what it is about.
type verdict struct {
	action  action
	service Service // of lead
	why     string  // of refuse
}

// policy decides what becomes of the addresses that a process names. It has no state but the names that were looked up.
type policy struct {
	names *names
	local []uint16                   // ports of this machine that are services all the same
	own   func(addr netip.Addr) bool // addresses of this machine's interfaces
}

// resolvers are sockets of this machine whose owners look names up in the network, past our name server. A C library
// that does not find them asks by DNS.
var resolvers = []string{"/nscd/socket", "/systemd/resolve/", "/avahi-daemon/socket", "/sssd/pipes/", "/.nslcd", "/nslcd/socket"}

// judge decides about an address. k is what the socket sends.
func (p policy) judge(to endpoint, k kind) verdict {
	switch to.family {
	case familyNone:
		if k == datagram {
			return verdict{why: "a datagram's address without a family is one of IP to the kernel"}
		}
		return verdict{action: pass}
	case familyNetlink:
		return verdict{action: pass}
	case familyUnix:
		if slices.ContainsFunc(resolvers, func(part string) bool { return strings.Contains(to.path, part) }) {
			return verdict{action: hide}
		}
		return verdict{action: pass}
	case familyIPv4, familyIPv6:
		if to.ip.IsValid() {
			return p.judgeIP(to.ip, k)
		}
		return verdict{why: "the address cannot be read"}
	}
	return verdict{why: "sockets of this family are not led"}
}

// judgeIP decides about an address of IP.
func (p policy) judgeIP(to netip.AddrPort, k kind) verdict {
	addr, port := to.Addr().Unmap().WithZone(""), to.Port()
	if k == otherKind {
		return verdict{why: "only TCP is led"}
	}
	host, named := p.names.host(addr)
	switch here := addr.IsLoopback() || addr.IsUnspecified() || p.own(addr); {
	case ofNameServers(addr):
		return verdict{action: pass} // it was led before, or read of it in a file of ours
	case named && k == datagram:
		return verdict{action: pass} // nobody listens: what getaddrinfo(3) sorts addresses by sends nothing
	case named:
		p.names.lead(addr)
		return verdict{action: lead, service: Service{host, port}}
	case port == dnsPort && k != stream, port == dnsPort && here:
		return verdict{action: ask}
	case here && k != datagram && slices.Contains(p.local, port):
		return verdict{action: lead, service: Service{"localhost", port}}
	case here:
		return verdict{action: pass}
	case port == dnsPort:
		return verdict{action: ask}
	case k == datagram:
		return verdict{why: "datagrams leave this machine to name servers only, and those are ours"}
	case addr.IsMulticast():
		return verdict{why: "a multicast address is no service"}
	}
	return verdict{action: lead, service: Service{addr.String(), port}}
}
