//go:build unix

package proxy_test

import (
	"syscall"
	"testing"
	"time"
)

// cpuTime returns the processor time that the process has used, the kernel's part included.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
