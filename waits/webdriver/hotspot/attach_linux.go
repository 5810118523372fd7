package hotspot

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// asked reports whether a process is a machine that opens its socket when it is asked to: it has a handler for the
// signal, which would end it else, and has not been told to do without.
func asked(pid int) bool {
	proc := "/proc/" + strconv.Itoa(pid)
	exe, err := os.Readlink(proc + "/exe")
	if err != nil || filepath.Base(exe) != "java" {
		return false
	}
	args, err := os.ReadFile(proc + "/cmdline")
	if err != nil || bytes.Contains(args, []byte("-XX:+DisableAttachMechanism")) {
		return false
	}
	status, err := os.ReadFile(proc + "/status")
	return err == nil && catches(string(status), syscall.SIGQUIT)
}

// catches reports whether a file status says that a process has a handler for a signal.
func catches(status string, s syscall.Signal) bool {
	_, mask, _ := strings.Cut(status, "\nSigCgt:")
	mask, _, _ = strings.Cut(mask, "\n")
	bits, err := strconv.ParseUint(strings.TrimSpace(mask), 16, 64)
	return err == nil && bits&(1<<(s-1)) != 0
}

// Bounds of a conversation with a machine.
const (
	answers  = 5 * time.Second // it answers within
	maxBytes = 16 << 20        // its answer has at most
)

// dump asks a machine for the stacks of its threads.
func dump(pid int) (string, error) {
	deadline := time.Now().Add(answers)
	conn, err := connect(pid, deadline)
	if err != nil {
		return "", fmt.Errorf("connect to the Java machine: %w", err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(deadline); err != nil {
		return "", fmt.Errorf("ask for stacks: %w", err)
	}
	// The version of the protocol, the command, and its three arguments.
	if _, err := io.WriteString(conn, "1\x00threaddump\x00\x00\x00\x00"); err != nil {
		return "", fmt.Errorf("ask for stacks: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(conn, maxBytes))
	if err != nil {
		return "", fmt.Errorf("read stacks: %w", err)
	}
	status, stacks, _ := strings.Cut(string(text), "\n")
	if status != "0" {
		return "", errors.New("read stacks: the machine refused")
	}
	return stacks, nil
}

// connect connects to a machine's socket, which it opens once it is asked to: by a file of its user's, and a signal.
func connect(pid int, deadline time.Time) (net.Conn, error) {
	id := strconv.Itoa(pid)
	tmp := "/proc/" + id + "/root/tmp/"
	socket := tmp + ".java_pid" + id
	if conn, err := net.Dial("unix", socket); err == nil {
		return conn, nil
	}
	file := tmp + ".attach_pid" + id
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		return nil, err
	}
	defer os.Remove(file)
	if err := syscall.Kill(pid, syscall.SIGQUIT); err != nil {
		return nil, err
	}
	for {
		conn, err := net.Dial("unix", socket)
		if err == nil || time.Now().After(deadline) {
			return conn, err
		}
		time.Sleep(5 * time.Millisecond)
	}
}
