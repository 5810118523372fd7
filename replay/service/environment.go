package service

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
)

// Environment is what a [Service] finds other than usual, for one run, to see what of the answers comes from there. The
// zero Environment changes nothing. It is made of conditions by [Environment.Add], and cannot reach an API that the
// command only asks somebody else to run, as docker does.
type Environment struct {
	// FakeTime is the libfaketime to use for a condition of the clock; "" looks for it where systems keep it.
	FakeTime string

	names    []string
	vars     []string // further variables of the environment, as NAME=value
	hostname string
	user     string // whose name and home the process has; "" leaves that
	newTemp  bool   // a folder for temporary files of its own
	clock    clock
	restart  bool
	// what external services are like, and which value of their answers is another one
	externals, changed string
}

// Condition is one that an [Environment] can have, for people to choose from.
type Condition struct {
	Name  string
	Value string // what may follow =, "" where nothing may
	What  string
}

// Conditions lists what [Environment.Add] takes.
func Conditions() []Condition {
	return []Condition{
		{"tz", "ZONE", "another time zone (TZ) such as Asia/Tokyo"},
		{"lang", "LOCALE", "another language (LANG, LC_ALL) such as de_DE.UTF-8"},
		{"hostname", "NAME", "another host name (Linux)"},
		{"tmp", "DIR", "another folder for temporary files (TMPDIR)"},
		{"user", "NAME", "another user's name and home; for root, with a NAME, another user"},
		{"clock", "TIME", "another time such as +1d, -2h or midnight, by {clock} in the command or libfaketime"},
		{exchange.PerturbExternals, "HOW", "external services that are frozen, changed, down or slow (with --external); else each of these, and a run for each value that is changed"},
		{"restart", "", "a new process without a reset, which shows what is kept only in memory"},
	}
}

// Add adds a condition by its name, as "tz", with what it is to be, as "Asia/Tokyo"; "" takes a usual one. An error
// says why it is none, or why there can be no such condition on this machine; whether it reaches the API shows when
// that starts.
func (e *Environment) Add(name, value string) error {
	i := slices.IndexFunc(Conditions(), func(c Condition) bool { return c.Name == name })
	if i < 0 {
		return fmt.Errorf("unknown condition %q of an API that is started here", name)
	}
	if value == "" {
		value = usual(name)
	}
	var err error
	switch name {
	case "tz":
		err = e.addZone(value)
	case "lang":
		e.vars = append(e.vars, "LANG="+value, "LC_ALL="+value, "LANGUAGE="+value)
	case "hostname":
		err = e.addHostname(value)
	case "tmp":
		err = e.addTemp(value)
	case "user":
		err = e.addUser(value)
	case "clock":
		err = e.addClock(value)
	case exchange.PerturbExternals:
		err = e.addExternals(value)
	case "restart":
		if e.restart = true; value != "" {
			err = errors.New("it takes no value")
		}
	}
	if err != nil {
		return err
	}
	if value != "" {
		name += "=" + value
	}
	e.names = append(e.names, name)
	return nil
}

// usual is the value of a condition for which none is given: one that differs from what this machine has.
func usual(name string) string {
	switch name {
	case "tz":
		if _, offset := time.Now().Zone(); offset == (5*60+45)*60 {
			return "America/St_Johns"
		}
		return "Asia/Kathmandu" // 5:45 h east, without summer time: hours, minutes and often days differ
	case "lang":
		return other(cmp.Or(os.Getenv("LC_ALL"), os.Getenv("LANG")), "de_DE.UTF-8", "fr_FR.UTF-8")
	case "hostname":
		return "flaketap-other-host"
	case "user":
		return other(os.Getenv("USER"), "flaketap", "someone")
	case "clock":
		return "+25h"
	}
	return ""
}

// Names are the conditions, each with its value, for exchange.Conditions.
func (e Environment) Names() []string { return slices.Clone(e.names) }

// Restart reports whether a run is to begin with a new process and without the reset.
func (e Environment) Restart() bool { return e.restart }

// other returns the first of two values that does not begin as the usual one does.
func other(usual, first, second string) string {
	if len(usual) >= 2 && strings.HasPrefix(first, usual[:2]) {
		return second
	}
	return first
}

// Possible reports why the Environment of a service cannot be had, as far as that shows before it starts.
func (s *Service) Possible() error {
	if !s.Environment.clock.set || clockPlace.MatchString(s.Command) {
		return nil
	}
	_, err := s.Environment.library()
	return err
}

// zoneinfo is where systems keep the time zones. A program that does not find one there takes UTC, and says nothing.
const zoneinfo = "/usr/share/zoneinfo"

// addZone sets TZ.
func (e *Environment) addZone(zone string) error {
	if _, err := time.LoadLocation(zone); err != nil {
		return errors.New("unknown time zone; want a name such as Europe/Berlin")
	}
	if _, err := os.Stat(filepath.Join(zoneinfo, zone)); err != nil && runtime.GOOS != "windows" {
		return fmt.Errorf("this machine lacks time zone data (%s); install tzdata", zoneinfo)
	}
	e.vars = append(e.vars, "TZ="+zone)
	return nil
}

// addTemp gives the process a folder for temporary files: one of its own, unless one is named.
func (e *Environment) addTemp(dir string) error {
	if dir == "" {
		e.newTemp = true
		return nil
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if info, err := os.Stat(abs); err != nil || !info.IsDir() {
		return errors.New("the folder does not exist")
	}
	e.vars = append(e.vars, tempVars(abs)...)
	return nil
}

// tempVars are the variables by which programs of all systems find where temporary files go.
func tempVars(dir string) []string { return []string{"TMPDIR=" + dir, "TMP=" + dir, "TEMP=" + dir} }

// addUser sets whom the process takes itself to be run by.
func (e *Environment) addUser(name string) error {
	if strings.ContainsAny(name, "/:\x00") {
		return errors.New("not a user name")
	}
	e.user = name
	return nil
}

// apply changes a command that is about to be started. What has to be undone is left with the instance.
func (e Environment) apply(i *Instance, cmd *exec.Cmd) error {
	cmd.Env = append(cmd.Env, e.vars...)
	if e.newTemp {
		dir, err := i.folder("other-tmp")
		if err != nil {
			return err
		}
		cmd.Env = append(cmd.Env, tempVars(dir)...)
	}
	if e.user != "" {
		if err := e.applyUser(i, cmd); err != nil {
			return err
		}
	}
	if e.clock.set && !clockPlace.MatchString(i.service.Command) {
		lib, err := e.library()
		if err != nil {
			return err
		}
		cmd.Env = append(cmd.Env, e.clockVars(lib)...)
	}
	if e.hostname != "" {
		return applyHostname(cmd, e.hostname)
	}
	return nil
}

// applyUser gives the process another user's name and home, and where that is possible the user itself: as root, if
// there is one of that name.
func (e Environment) applyUser(i *Instance, cmd *exec.Cmd) error {
	home, err := becomeUser(cmd, e.user)
	if err != nil {
		return err
	}
	if home == "" {
		if home, err = i.folder("other-home"); err != nil {
			return err
		}
	}
	cmd.Env = append(cmd.Env, "USER="+e.user, "LOGNAME="+e.user, "USERNAME="+e.user, "HOME="+home)
	return nil
}

// folder makes a folder for the time that the instance runs.
func (i *Instance) folder(name string) (string, error) {
	dir, err := os.MkdirTemp("", "flaketap-"+name+"-*")
	if err != nil {
		return "", err
	}
	i.cleanup = append(i.cleanup, func() { _ = os.RemoveAll(dir) })
	return dir, nil
}
