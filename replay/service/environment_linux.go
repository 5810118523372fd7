package service

import (
	"cmp"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/flaketap/flaketap/internal/process"
)

// addHostname names the machine anew. Whether that is possible depends on the kernel and on what this process may do,
// so it is tried.
func (e *Environment) addHostname(name string) error {
	if len(name) > 64 || strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789-.") != "" {
		return errors.New("not a host name")
	}
	cmd := exec.Command("sh", "-c", "uname -n")
	newGroup(cmd)
	if err := applyHostname(cmd, name); err != nil {
		return err
	}
	out, err := cmd.Output()
	if got := strings.TrimSpace(string(out)); err != nil || got != name {
		return fmt.Errorf("not possible here: it needs user and UTS namespaces (unshare(1)) and hostname(1)")
	}
	e.hostname = name
	return nil
}

// renaming gives the machine the name $2 as the processes of this namespace see it, then runs $1. For want of
// hostname(1) root may write it to /proc.
const renaming = `hostname "$2" 2>/dev/null || printf %s "$2" 2>/dev/null >/proc/sys/kernel/hostname || exit 1
exec sh -c "$1"`

// applyHostname lets a command run in a namespace of names of its own. Who is not root gets a namespace of users for
// that, in which it is who it was, and is allowed to do this one thing.
func applyHostname(cmd *exec.Cmd, name string) error {
	cmd.Args = []string{"sh", "-c", renaming, "sh", cmd.Args[2], name}
	attr := cmd.SysProcAttr
	attr.Cloneflags |= syscall.CLONE_NEWUTS
	if attr.Credential != nil {
		return errors.New("use either hostname or user, not both")
	}
	if uid, gid := os.Getuid(), os.Getgid(); os.Geteuid() != 0 {
		attr.Cloneflags |= syscall.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
		attr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN}
	}
	return nil
}

// reached finds out whether a condition that may pass an API by has reached it: libfaketime has to be loaded by the
// programs that do the work, those without children. One that is linked statically, as most in Go are, loads nothing.
func (e Environment) reached(i *Instance) error {
	if !e.clock.set || clockPlace.MatchString(i.service.Command) {
		return nil
	}
	lib, err := e.library()
	if err != nil {
		return err
	}
	all := members(i.cmd.Process.Pid)
	for _, m := range all {
		if slices.ContainsFunc(all, func(other process.Process) bool { return other.Parent == m.PID }) {
			continue
		}
		proc := "/proc/" + strconv.Itoa(m.PID)
		maps, err := os.ReadFile(proc + "/maps")
		if err != nil || len(maps) == 0 || strings.Contains(string(maps), lib) && deaf(proc+"/exe") == "" {
			continue // it has ended, is not ours to look into, or is reached
		}
		program, _ := os.Readlink(proc + "/exe")
		return ClockError{fmt.Errorf(
			"clock: %s still has the machine's time: %s; put {clock} into the command if the API takes an offset",
			program, cmp.Or(deaf(proc+"/exe"), "it has not loaded libfaketime"))}
	}
	return e.notMoved(i)
}

// deaf says why libfaketime cannot reach a program: one that names no loader loads no library, and one in Go asks the
// kernel for the time. "" means that it can.
func deaf(path string) string {
	f, err := elf.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	switch {
	case f.Section(".go.buildinfo") != nil:
		return "it is written in Go, which does not use the C library's clock"
	case !slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }):
		return "it is statically linked, so libfaketime cannot be loaded"
	}
	return ""
}
