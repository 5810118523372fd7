//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// catchFileLimit makes a limit on the size of files (ulimit -f) an error of the write that meets it, as a full disk is.
// Go would end the process. The signal is caught and not ignored: the client is to find it as it was.
func catchFileLimit() { signal.Notify(make(chan os.Signal, 1), syscall.SIGXFSZ) }

// catchBrokenPipe makes the end of whoever reads stderr an error of the write, which is no reason to stop recording. Go
// would end the process.
func catchBrokenPipe() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
