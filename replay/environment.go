package replay

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
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
}

// conditions are the names of what Add takes, with what each is for people.
var conditions = map[string]string{
	"tz":       "tz[=Asia/Tokyo]: another time zone (TZ)",
	"lang":     "lang[=de_DE.UTF-8]: another language (LANG, LC_ALL)",
	"hostname": "hostname[=NAME]: another name of the machine (Linux)",
	"tmp":      "tmp[=DIR]: another folder for temporary files (TMPDIR)",
	"user":     "user[=NAME]: another user's name and home (USER, LOGNAME, HOME); as root and with a NAME also the user itself",
	"clock":    "clock[=+1d|-2h|midnight]: another time of day, or one that passes midnight soon ({clock} in the command, or libfaketime)",
	"restart":  "restart: a new process without a reset, for what is kept in memory alone",
}

// EnvironmentConditions describes the conditions that [Environment.Add] takes, a line for each.
func EnvironmentConditions() []string {
	return slices.Sorted(maps.Values(conditions))
}

// NeedsService reports whether a condition is one of an API that is run here, as "tz" and "tz=Asia/Tokyo" are.
func NeedsService(condition string) bool {
	name, _, _ := strings.Cut(condition, "=")
	_, known := conditions[name]
	return known
}

// Add adds a condition by its name, as "tz", or with what it is to be, as "tz=Asia/Tokyo". An error says why it is none,
// or why there can be no such condition on this machine; whether it reaches the API shows when that starts.
func (e *Environment) Add(condition string) error {
	name, value, given := strings.Cut(condition, "=")
	if given && value == "" {
		return fmt.Errorf("%s: there is nothing behind the =", condition)
	}
	var err error
	switch name {
	case "tz":
		err = e.addZone(value)
	case "lang":
		if value == "" {
			value = other(cmp.Or(os.Getenv("LC_ALL"), os.Getenv("LANG")), "de_DE.UTF-8", "fr_FR.UTF-8")
		}
		e.vars = append(e.vars, "LANG="+value, "LC_ALL="+value, "LANGUAGE="+value)
	case "hostname":
		err = e.addHostname(value)
	case "tmp":
		err = e.addTemp(value)
	case "user":
		err = e.addUser(value)
	case "clock":
		err = e.addClock(value)
	case "restart":
		if e.restart = true; given {
			err = errors.New("it takes no value")
		}
	default:
		return fmt.Errorf("there is no condition %q of an API that is started here", condition)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", condition, err)
	}
	e.names = append(e.names, condition)
	return nil
}

// Names are the conditions as they were added, for exchange.Conditions.
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

// zoneinfo is where systems keep the time zones. A program that does not find one there takes UTC, and says nothing.
const zoneinfo = "/usr/share/zoneinfo"

// addZone sets TZ: by default to a zone whose hours, days and minutes differ from ours.
func (e *Environment) addZone(zone string) error {
	if zone == "" {
		zone = "Asia/Kathmandu" // 5:45 h east, without summer time
		if _, offset := time.Now().Zone(); offset == (5*60+45)*60 {
			zone = "America/St_Johns"
		}
	}
	if _, err := time.LoadLocation(zone); err != nil {
		return errors.New("there is no such time zone here; they are named as Europe/Berlin is")
	}
	if _, err := os.Stat(filepath.Join(zoneinfo, zone)); err != nil && runtime.GOOS != "windows" {
		return fmt.Errorf("this machine has no time zones for programs to find (%s): install tzdata", zoneinfo)
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
		return errors.New("there is no such folder")
	}
	e.vars = append(e.vars, tempVars(abs)...)
	return nil
}

// tempVars are the variables by which programs of all systems find where temporary files go.
func tempVars(dir string) []string { return []string{"TMPDIR=" + dir, "TMP=" + dir, "TEMP=" + dir} }

// addUser sets whom the process takes itself to be run by.
func (e *Environment) addUser(name string) error {
	if name == "" {
		name = other(os.Getenv("USER"), "flaketap", "someone")
	}
	if strings.ContainsAny(name, "/:\x00") {
		return errors.New("that is no user's name")
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
