//go:build !linux

package service

import (
	"errors"
	"os/exec"
)

func (e *Environment) addHostname(string) error {
	return errors.New("it is not possible here: only Linux lets one process have another name of the machine")
}

func applyHostname(*exec.Cmd, string) error { return nil }

// reached cannot be found out.
func (e Environment) reached(i *Instance) error {
	if e.clock.set && !clockPlace.MatchString(i.service.Command) {
		return errors.New("clock: libfaketime is used on Linux only; {clock} in the command sets a dial that the API has itself")
	}
	return nil
}
