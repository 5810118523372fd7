package service

import (
	"fmt"
	"os"
)

// Environment is what an answer tells of the machine and the process. A field left zero is that of this process.
type Environment struct {
	Hostname string
	PID      int
	TempDir  string
	User     string
}

// WithDefaults returns e with the values of this process where it has none.
func (e Environment) WithDefaults() Environment {
	if e.Hostname == "" {
		if e.Hostname, _ = os.Hostname(); e.Hostname == "" {
			e.Hostname = "localhost"
		}
	}
	if e.PID == 0 {
		e.PID = os.Getpid()
	}
	if e.TempDir == "" {
		e.TempDir = os.TempDir()
	}
	if e.User == "" {
		e.User = fmt.Sprintf("uid-%d", os.Getuid())
	}
	return e
}
