//go:build unix

package capture

import "syscall"

// filesAside is how many files a recorder may have open beside the connections that it serves.
const filesAside = 64

// maxConnections is how many connections of clients the system lets this process serve at once: each takes two files.
// The Go runtime has raised the limit as far as it may by now. 0 is no bound.
func maxConnections() int {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil || limit.Cur > 1<<30 {
		return 0
	}
	return max(1, (int(limit.Cur)-filesAside)/2) //nolint:unconvert // its type is another on some systems
}
