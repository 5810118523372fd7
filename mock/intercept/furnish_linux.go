package intercept

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"unsafe"

	"github.com/google/nftables"
	"github.com/google/nftables/binaryutil"
	"github.com/google/nftables/expr"
	"golang.org/x/sys/unix"
)

// furnish makes the network and the files of this process's namespaces such that every address is of this machine,
// every connection comes to homePort, and names are asked for there.
func furnish(socket string) error {
	if err := loopbackUp(); err != nil {
		return fmt.Errorf("bring loopback up: %w", err)
	}
	if err := everyAddress(unix.AF_INET); err != nil {
		return fmt.Errorf("add a route: %w", err)
	}
	_ = everyAddress(unix.AF_INET6) // where there is no IPv6, nobody connects by it
	if err := rules(); err != nil {
		return fmt.Errorf("add rules: %w", err)
	}
	if err := mounts(filepath.Join(filepath.Dir(socket), resolvConf)); err != nil {
		return fmt.Errorf("mount: %w", err)
	}
	return nil
}

// loopbackUp has the network's only interface work.
func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, request)
}

// everyAddress makes all addresses of a family those of loopback (rtnetlink(7)): a local route to everywhere.
func everyAddress(family byte) error {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_ROUTE)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	const loopback = 1 // the index of the first interface of a network
	route := unix.RtMsg{Family: family, Table: unix.RT_TABLE_LOCAL, Protocol: unix.RTPROT_STATIC,
		Scope: unix.RT_SCOPE_HOST, Type: unix.RTN_LOCAL}
	out := unix.RtAttr{Len: unix.SizeofRtAttr + 4, Type: unix.RTA_OIF}
	head := unix.NlMsghdr{Len: unix.SizeofNlMsghdr + unix.SizeofRtMsg + uint32(out.Len), Type: unix.RTM_NEWROUTE,
		Flags: unix.NLM_F_REQUEST | unix.NLM_F_CREATE | unix.NLM_F_ACK, Seq: 1}
	var message []byte
	for _, part := range [][]byte{bytesOf(&head), bytesOf(&route), bytesOf(&out)} {
		message = append(message, part...)
	}
	message = binary.NativeEndian.AppendUint32(message, loopback)
	if err := unix.Sendto(fd, message, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return err
	}
	answer := make([]byte, 4<<10)
	n, _, err := unix.Recvfrom(fd, answer, 0)
	if err != nil {
		return err
	}
	if n < unix.SizeofNlMsghdr+4 {
		return errors.New("the kernel's answer is too short")
	}
	if errno := -int32(binary.NativeEndian.Uint32(answer[unix.SizeofNlMsghdr:])); errno != 0 {
		return unix.Errno(errno)
	}
	return nil
}

// bytesOf is a structure as the kernel reads it.
func bytesOf[T any](v *T) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v)) }

// rules lead every TCP connection, and every question for a name, to homePort of loopback, but for the interceptor's
// own.
func rules() error {
	c, err := nftables.New()
	if err != nil {
		return err
	}
	table := c.AddTable(&nftables.Table{Family: nftables.TableFamilyINet, Name: "flaketap"})
	out := c.AddChain(&nftables.Chain{Name: "out", Table: table, Type: nftables.ChainTypeNAT,
		Hooknum: nftables.ChainHookOutput, Priority: nftables.ChainPriorityNATDest})
	home := []expr.Any{&expr.Immediate{Register: 1, Data: binaryutil.BigEndian.PutUint16(homePort)},
		&expr.Redir{RegisterProtoMin: 1}}
	protocol := func(number byte) []expr.Any {
		return []expr.Any{&expr.Meta{Key: expr.MetaKeyL4PROTO, Register: 1}, same([]byte{number})}
	}
	toNames := []expr.Any{&expr.Payload{DestRegister: 1, Base: expr.PayloadBaseTransportHeader, Offset: 2, Len: 2},
		same(binaryutil.BigEndian.PutUint16(dnsPort))}
	for _, rule := range [][]expr.Any{
		{&expr.Meta{Key: expr.MetaKeyMARK, Register: 1}, same(binaryutil.NativeEndian.PutUint32(homeMark)),
			&expr.Verdict{Kind: expr.VerdictAccept}},
		append(protocol(unix.IPPROTO_TCP), home...),
		append(append(protocol(unix.IPPROTO_UDP), toNames...), home...),
	} {
		c.AddRule(&nftables.Rule{Table: table, Chain: out, Exprs: rule})
	}
	return c.Flush()
}

func same(data []byte) expr.Any { return &expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: data} }

// resolverSockets are those of programs of this machine that look names up for others: a file system has them, which
// the new network does not close.
var resolverSockets = []string{"/run/nscd/socket", "/var/run/nscd/socket", "/run/systemd/resolve/io.systemd.Resolve",
	"/run/avahi-daemon/socket", "/var/lib/sss/pipes/nss", "/run/nslcd/socket"}

// mounts put a file in the place of the one that names name servers, and hide who would look names up elsewhere.
func mounts(conf string) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return err
	}
	over := map[string]string{"/etc/resolv.conf": conf}
	for _, socket := range resolverSockets {
		over[socket] = os.DevNull
	}
	for at, file := range over {
		real, err := filepath.EvalSymlinks(at)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err == nil {
			err = unix.Mount(file, real, "", unix.MS_BIND, "")
		}
		if err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
	}
	return nil
}
