//go:build unix

package service

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// becomeUser lets a command run as another user where we are root and there is one of that name, and returns that one's
// home; "" where only the name can be had.
func becomeUser(cmd *exec.Cmd, name string) (home string, err error) {
	u, err := user.Lookup(name)
	if err != nil || os.Geteuid() != 0 {
		return "", nil
	}
	uid, uerr := strconv.ParseUint(u.Uid, 10, 32)
	gid, gerr := strconv.ParseUint(u.Gid, 10, 32)
	if uerr != nil || gerr != nil {
		return "", fmt.Errorf("user %s: %q and %q are not numbers", name, u.Uid, u.Gid)
	}
	cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return u.HomeDir, nil
}
