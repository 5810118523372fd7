package intercept

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// What is said between a stage within a network and the interceptor.
const (
	stageNetwork = 'N' // the listeners of a network come along
	stageReady   = 'R' // the network is served
	stageSocket  = 'S' // a socket comes along
)

// homePort is where all connections of a network come to: a port that no program uses.
const homePort = 1

// homeMark is on the connections that are not to be led: the interceptor's own.
const homeMark = 0x666c6b74

// needed are the privileges of the stage within its network. The command has none of them.
var needed = []uintptr{unix.CAP_NET_ADMIN, unix.CAP_NET_BIND_SERVICE, unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP}

// enter is the first stage: it starts the second one, in namespaces of its own, and returns its status. Signals are the
// second one's affair, which is of the same group.
func enter(second []string) (status int, err error) {
	signal.Ignore(unix.SIGTERM, unix.SIGINT, unix.SIGHUP)
	all := mayMapAll()
	cmd := exec.Command(second[0], second[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  unix.CLONE_NEWUSER | unix.CLONE_NEWNET | unix.CLONE_NEWNS,
		UidMappings: mappings("/proc/self/uid_map", os.Geteuid(), all), GidMappings: mappings("/proc/self/gid_map", os.Getegid(), all),
		GidMappingsEnableSetgroups: all && setsGroups(), AmbientCaps: needed}
	err = cmd.Run()
	var ended *exec.ExitError
	switch {
	case errors.As(err, &ended) && ended.Exited():
		return ended.ExitCode(), nil
	case errors.As(err, &ended):
		return 128 + int(ended.Sys().(syscall.WaitStatus).Signal()), nil
	case err != nil:
		return 0, fmt.Errorf("make a network: %w", err)
	}
	return 0, nil
}

// mayMapAll reports whether this process may give a new namespace of users more ids than its own, as root may.
func mayMapAll() bool {
	var data [2]unix.CapUserData // which version 3 has two of
	if err := unix.Capget(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &data[0]); err != nil {
		return false
	}
	const both = 1<<unix.CAP_SETUID | 1<<unix.CAP_SETGID
	return data[0].Effective&both == both
}

// setsGroups reports whether processes here may set their groups: not where an ordinary user made root (unshare -r),
// nor in any namespace that is made in there.
func setsGroups() bool {
	said, err := os.ReadFile("/proc/self/setgroups")
	return err == nil && strings.TrimSpace(string(said)) == "allow"
}

// mappings are the ids of a new namespace of users, the same as here: its own, or all that there are, so that processes
// of root may become others.
func mappings(file string, own int, everyone bool) (all []syscall.SysProcIDMap) {
	text, err := os.ReadFile(file)
	if err != nil || !everyone {
		return []syscall.SysProcIDMap{{ContainerID: own, HostID: own, Size: 1}}
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) < 3 {
			continue
		}
		first, err1 := strconv.Atoi(fields[0])
		size, err2 := strconv.Atoi(fields[2])
		if err1 == nil && err2 == nil {
			all = append(all, syscall.SysProcIDMap{ContainerID: first, HostID: first, Size: size})
		}
	}
	return all
}

// inhabit is the second stage: it makes its network one in which every connection comes to the interceptor at the
// socket, starts the command in it, without privileges, and makes sockets of the network for the interceptor. It is the
// [parent] of the command.
func inhabit(socket string, command []string) (status int, err error) {
	program, err := exec.LookPath(command[0])
	if err != nil {
		return 0, fmt.Errorf("launch: %w", err)
	}
	life, err := dial(socket)
	if err != nil {
		return 0, err
	}
	defer life.Close()
	if err := furnish(socket); err != nil {
		return 0, fmt.Errorf("make a network: %w", err)
	}
	if err := handNetwork(life); err != nil {
		return 0, err
	}
	start := func() (*os.Process, error) { return startFrom(dropPrivileges, program, command) }
	return parent(start, func() { makeSockets(life) })
}

// dropPrivileges takes the privileges of this process from what this thread starts.
func dropPrivileges() error {
	err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
	for _, privilege := range []uintptr{unix.CAP_NET_ADMIN, unix.CAP_SYS_ADMIN} {
		if err == nil {
			err = unix.Prctl(unix.PR_CAPBSET_DROP, privilege, 0, 0, 0) // root would have them again
		}
	}
	if err != nil {
		return fmt.Errorf("give up privileges: %w", err)
	}
	return nil
}

// handNetwork gives the listeners of this network to the interceptor, and waits until they are served.
func handNetwork(life *net.UnixConn) error {
	var fds []int
	defer func() { closeAll(fds) }()
	for _, want := range []struct{ family, kind int }{{unix.AF_INET, unix.SOCK_STREAM}, {unix.AF_INET, unix.SOCK_DGRAM},
		{unix.AF_INET6, unix.SOCK_STREAM}, {unix.AF_INET6, unix.SOCK_DGRAM}} {
		fd, err := homeSocket(want.family, want.kind)
		if err != nil && want.family == unix.AF_INET6 {
			continue // this machine does not have it, and so nobody connects by it
		}
		if err != nil {
			return fmt.Errorf("listen in a network: %w", err)
		}
		fds = append(fds, fd)
	}
	_, _, err := life.WriteMsgUnix([]byte{stageNetwork}, unix.UnixRights(fds...), nil)
	if err == nil {
		_, err = life.Read(make([]byte, 1))
	}
	if err != nil {
		return fmt.Errorf("launch: hand the network over: %w", err)
	}
	return nil
}

// homeSocket listens on loopback.
func homeSocket(family, kind int) (fd int, err error) {
	if fd, err = unix.Socket(family, kind|unix.SOCK_CLOEXEC, 0); err != nil {
		return -1, err
	}
	var at unix.Sockaddr = &unix.SockaddrInet4{Port: homePort, Addr: [4]byte{127, 0, 0, 1}}
	if family == unix.AF_INET6 {
		at = &unix.SockaddrInet6{Port: homePort, Addr: [16]byte{15: 1}}
	}
	if err = unix.Bind(fd, at); err == nil && kind == unix.SOCK_STREAM {
		err = unix.Listen(fd, unix.SOMAXCONN)
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// wantedSocket is a socket of a network that the interceptor asks for.
type wantedSocket struct {
	family family
	kind   byte           // SOCK_STREAM or SOCK_DGRAM
	at     netip.AddrPort // that it is bound to; of port 0: it is not
}

// wantedSize is how many bytes ask for a socket: its family, its kind, its port and its address.
const wantedSize = 1 + 1 + 2 + 16

func (w wantedSocket) encode() []byte {
	b := binary.BigEndian.AppendUint16([]byte{byte(w.family), w.kind}, w.at.Port())
	if !w.at.IsValid() {
		return append(b, make([]byte, 16)...)
	}
	address := w.at.Addr().As16()
	return append(b, address[:]...)
}

func decodeWanted(b [wantedSize]byte) wantedSocket {
	addr := netip.AddrFrom16([16]byte(b[4:])).Unmap()
	return wantedSocket{family(b[0]), b[1], netip.AddrPortFrom(addr, binary.BigEndian.Uint16(b[2:]))}
}

// open makes the socket. What it sends is not led.
func (w wantedSocket) open() (fd int, err error) {
	if fd, err = unix.Socket(int(w.family), int(w.kind)|unix.SOCK_CLOEXEC, 0); err != nil {
		return -1, err
	}
	err = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_MARK, homeMark)
	if err == nil && w.at.Port() != 0 {
		var at unix.Sockaddr = &unix.SockaddrInet6{Port: int(w.at.Port()), Addr: w.at.Addr().As16()}
		if w.family == familyIPv4 {
			at = &unix.SockaddrInet4{Port: int(w.at.Port()), Addr: w.at.Addr().As4()}
		}
		err = unix.Bind(fd, at)
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// makeSockets makes the sockets of this network that the interceptor asks for, until that has gone.
func makeSockets(life *net.UnixConn) {
	var ask [wantedSize]byte
	for {
		if _, err := io.ReadFull(life, ask[:]); err != nil {
			return
		}
		var rights []byte
		fd, err := decodeWanted(ask).open()
		if err == nil {
			rights = unix.UnixRights(fd)
		}
		_, _, failed := life.WriteMsgUnix([]byte{stageSocket}, rights, nil)
		if fd >= 0 {
			unix.Close(fd)
		}
		if failed != nil {
			return
		}
	}
}
