package intercept

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/flaketap/flaketap/internal/process"
	"golang.org/x/sys/unix"
)

// ownGroup has the stages of a command in a group of their own, which ends at once when its context does: a terminal
// tells all processes of a group that they are interrupted, and this one is to hear of it first.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return unix.Kill(-cmd.Process.Pid, unix.SIGKILL) }
}

// What is said between the interceptor and a stage that starts a command under a filter. The stage is told what the
// filter is to ask about; it says that the filter's listener comes along, and is answered with the same. What was
// launched lives as long as the connection.
const (
	stageConnections = 'C' // what names another end
	stageOpened      = 'O' // that, and files that are opened to be read
	stageFilter      = 'F'
)

// endGrace is how long processes may take to end once they are asked to.
const endGrace = 5 * time.Second

// launch is the stage that starts a command under a filter whose listener the interceptor at the socket has. It is the
// [parent] of the command as long as that is there.
func launch(socket string, command []string) (status int, err error) {
	program, err := exec.LookPath(command[0])
	if err != nil {
		return 0, fmt.Errorf("launch: %w", err)
	}
	life, err := dial(socket)
	if err != nil {
		return 0, err
	}
	defer life.Close()
	start := func() (*os.Process, error) {
		return startFrom(func() error { return putUnderFilter(life) }, program, command)
	}
	return parent(start, func() { _, _ = life.Read(make([]byte, 1)) }) // it says nothing
}

// startFrom starts a program in a thread that is prepared for it: what a thread has, a filter or privileges, what it
// starts has too, and no other thread.
func startFrom(prepare func() error, program string, args []string) (*os.Process, error) {
	type started struct {
		process *os.Process
		err     error
	}
	done := make(chan started)
	go func() {
		runtime.LockOSThread() // for good: the thread ends with the goroutine
		if err := prepare(); err != nil {
			done <- started{nil, err}
			return
		}
		p, err := os.StartProcess(program, args, &os.ProcAttr{Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}})
		if err != nil {
			err = fmt.Errorf("launch: %w", err)
		}
		done <- started{p, err}
	}()
	s := <-done
	return s.process, s.err
}

// parent starts a process, and returns its status once all that it started has ended. It is the parent of daemons too.
// When served returns, which it does when the interceptor has gone, or this process is asked to end, it ends them all.
func parent(start func() (*os.Process, error), served func()) (status int, err error) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return 0, fmt.Errorf("launch: keep daemons: %w", err)
	}
	asked := make(chan os.Signal, 4)
	signal.Notify(asked, unix.SIGTERM, unix.SIGINT, unix.SIGHUP)
	child, err := start()
	if err != nil {
		return 0, err
	}
	gone := make(chan struct{})
	go func() {
		served()
		close(gone)
	}()
	go watchOver(gone, asked)
	return reap(child.Pid)
}

// watchOver ends all that was launched when the interceptor has gone, or when this process is asked to end. The other
// processes of its group are asked by whoever asks it.
func watchOver(gone <-chan struct{}, asked <-chan os.Signal) {
	for {
		select {
		case <-gone:
			endAll(unix.SIGTERM, func(process.Process) bool { return true })
			return
		case s := <-asked:
			own := unix.Getpgrp()
			go endAll(s.(syscall.Signal), func(p process.Process) bool { return p.Group != own })
		}
	}
}

// endAll sends a signal to what descends from this process, and kills what has not ended a while later. Where all has,
// this process ends by itself before (see [reap]).
func endAll(s syscall.Signal, tell func(process.Process) bool) {
	for _, p := range process.Descendants(os.Getpid(), process.All()) {
		if tell(p) {
			_ = unix.Kill(p.PID, s) // that it has gone is what is wanted; so below
		}
	}
	time.Sleep(endGrace)
	for _, p := range process.Descendants(os.Getpid(), process.All()) {
		_ = unix.Kill(p.PID, unix.SIGKILL)
	}
}

// reap waits for every process that is this one's child, or becomes it, and returns the status of the first.
func reap(first int) (status int, err error) {
	for {
		var ws unix.WaitStatus
		pid, err := unix.Wait4(-1, &ws, 0, nil)
		switch {
		case err == unix.EINTR:
			continue
		case err == unix.ECHILD:
			return status, nil
		case err != nil:
			return status, fmt.Errorf("launch: wait: %w", err)
		case pid == first && ws.Signaled():
			status = 128 + int(ws.Signal())
		case pid == first:
			status = ws.ExitStatus()
		}
	}
}

// putUnderFilter puts the filter on this thread, and gives its listener to the interceptor, which answers calls once it
// returns. This process keeps none: with the interceptor goes the last one, and calls fail.
func putUnderFilter(life *net.UnixConn) error {
	wanted, fds, err := receiveWord(life)
	closeAll(fds)
	if err != nil {
		return fmt.Errorf("launch: learn what to ask about: %w", err)
	}
	fd, err := install(wanted == stageOpened)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	handed := make(chan error)
	go func() { handed <- handOver(life, fd) }() // in another thread: this one is asked about what it sends
	return <-handed
}

// handOver gives a filter's listener to the interceptor, and waits until that answers calls.
func handOver(c *net.UnixConn, fd int) error {
	_, _, err := c.WriteMsgUnix([]byte{stageFilter}, unix.UnixRights(fd), nil)
	if err == nil {
		_, err = c.Read(make([]byte, 1))
	}
	if err != nil {
		return fmt.Errorf("launch: hand the filter over: %w", err)
	}
	return nil
}

// maxHanded bounds how many descriptors come along with a word.
const maxHanded = 4

// receiveWord receives what a stage says, and the descriptors that came along.
func receiveWord(c *net.UnixConn) (word byte, fds []int, err error) {
	b, oob := make([]byte, 1), make([]byte, unix.CmsgSpace(maxHanded*4))
	n, size, _, _, err := c.ReadMsgUnix(b, oob)
	if err == nil && n == 0 {
		err = errors.New("it said nothing")
	}
	if err != nil {
		return 0, nil, err
	}
	messages, err := unix.ParseSocketControlMessage(oob[:size])
	if err != nil || len(messages) == 0 {
		return b[0], nil, err
	}
	fds, err = unix.ParseUnixRights(&messages[0])
	return b[0], fds, err
}
