//go:build !unix

package service

import (
	"os/exec"
	"strconv"
)

// Where there are no process groups, the command alone is killed, and it is not asked first.

func newGroup(*exec.Cmd) {}

func ownGroup(*exec.Cmd) {}

func askGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

func groupAlive(*exec.Cmd) bool { return false }

func signalName(n int) string { return strconv.Itoa(n) }

// becomeUser changes nothing: only the name can be had.
func becomeUser(*exec.Cmd, string) (home string, err error) { return "", nil }
