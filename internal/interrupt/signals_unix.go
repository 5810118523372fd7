//go:build unix

package interrupt

import (
	"os"
	"os/signal"
	"syscall"
)

// catchFileLimit makes a limit on the size of files (ulimit -f) an error of the write that meets it, as a full disk is.
// Go would end the process. The signal is caught and not ignored: the client is to find it as it was.
func catchFileLimit() { signal.Notify(make(chan os.Signal, 1), syscall.SIGXFSZ) }

// CatchBrokenPipe makes the end of whoever reads stderr an error of the write, which is no reason to stop recording. Go
// would end the process.
func CatchBrokenPipe() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
