//go:build !linux

package service

import (
	"errors"
	"os/exec"
)

func (e *Environment) addHostname(string) error {
	return errors.New("not possible here: only Linux can give one process another host name")
}

func applyHostname(*exec.Cmd, string) error { return nil }

// reached cannot be found out.
func (e Environment) reached(i *Instance) error {
	if e.clock.set && !clockPlace.MatchString(i.service.Command) {
		return ClockError{
			errors.New("clock: libfaketime works on Linux only; put {clock} into the command if the API takes an offset")}
	}
	return nil
}
