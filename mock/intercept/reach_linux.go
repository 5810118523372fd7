package intercept

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
)

// maxSocketPath is how long, in bytes, the path of a Unix socket may be: sun_path without the zero behind it (unix(7)).
const maxSocketPath = 107

// named has something be done by a path of a socket that fits into an address, however deep its folder lies: that of
// the descriptor of the folder.
func named(path string, use func(name string) error) error {
	if len(path) <= maxSocketPath {
		return use(path)
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer dir.Close()
	return use(fmt.Sprintf("/proc/self/fd/%d/%s", dir.Fd(), filepath.Base(path)))
}

// listen opens the socket of an interceptor. It goes with its folder: the name that it was opened by may be another's
// by then.
func listen(path string) (socket *net.UnixListener, err error) {
	err = named(path, func(name string) (err error) {
		socket, err = net.ListenUnix("unix", &net.UnixAddr{Name: name, Net: "unix"})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("open interceptor: %w", err)
	}
	socket.SetUnlinkOnClose(false)
	return socket, nil
}

// dial connects to the interceptor.
func dial(path string) (c *net.UnixConn, err error) {
	err = named(path, func(name string) (err error) {
		c, err = net.DialUnix("unix", nil, &net.UnixAddr{Name: name, Net: "unix"})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("launch: reach the interceptor: %w", err)
	}
	return c, nil
}
