//go:build !linux

package intercept

import (
	"errors"
	"os/exec"
)

// errSystem says where connections can be intercepted without a process's knowledge.
var errSystem = errors.New("this takes Linux, on amd64 or arm64")

type home struct{}

func openSeccomp(Options) (Interceptor, error) { return nil, errSystem }

func openNamespace(Options) (Interceptor, error) { return nil, errSystem }

func ownGroup(*exec.Cmd) {}

func enter([]string) (status int, err error) { return 0, errSystem }

func inhabit(string, []string) (status int, err error) { return 0, errSystem }

func launch(string, []string) (status int, err error) { return 0, errSystem }
