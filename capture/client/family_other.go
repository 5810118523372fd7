//go:build !unix

package client

import (
	"os"
	"os/exec"
	"syscall"
)

// family is the client, where there are neither process groups nor signals to speak of.
type family struct{ process *os.Process }

// startFamily starts the client.
func startFamily(cmd *exec.Cmd) (*family, error) {
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &family{cmd.Process}, nil
}

func (f *family) leave()                {}
func (f *family) signal(syscall.Signal) { _ = f.process.Kill() }
func (f *family) alive() bool           { return false }
func (f *family) hearsTerminal() bool   { return true }
