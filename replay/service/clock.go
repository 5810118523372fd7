package service

import (
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// clock is how far the clock of an API is off.
type clock struct {
	set      bool
	shift    time.Duration
	midnight bool // shift is from now to a while before the next midnight, and that while is below
	before   time.Duration
	at       time.Time // shift is from now to this; the zero Time: it is not
}

// beforeMidnight is how long before midnight a clock begins that is to pass it, by default: an API takes a while until
// it is ready.
const beforeMidnight = 10 * time.Second

var errNoTime = errors.New("not a time such as +1d, -2h or midnight")

// maxShift is how far a clock may be off either way.
const maxShift = 100 * 366 * 24 * time.Hour

// addClock reads how far the clock is to be off: "+1d", "-90m", "midnight", "midnight-30s", or the time that it is to
// show as RFC 3339 has it.
func (e *Environment) addClock(value string) error {
	c := clock{set: true, before: beforeMidnight}
	before, passes := strings.CutPrefix(value, "midnight")
	at, err := time.Parse(time.RFC3339, value)
	switch {
	case err == nil:
		if c.at = at; time.Until(at).Abs() > maxShift {
			return errNoTime
		}
	case passes && before == "":
		c.midnight = true
	case passes:
		d, err := parseShift(before)
		if c.midnight, c.before = true, -d; err != nil || d >= 0 {
			return errors.New("write how long before midnight the clock begins as midnight-30s")
		}
	default:
		d, err := parseShift(value)
		if err != nil {
			return err
		}
		c.shift = d
	}
	e.clock = c
	return nil
}

// parseShift reads a signed duration, which may have days.
func parseShift(s string) (time.Duration, error) {
	text := s
	if n, isDays := strings.CutSuffix(s, "d"); isDays {
		days, err := strconv.ParseFloat(n, 64)
		if err != nil {
			return 0, errNoTime
		}
		text = strconv.FormatFloat(days*24, 'f', -1, 64) + "h"
	}
	d, err := time.ParseDuration(text)
	if err != nil || d == 0 || d.Abs() > maxShift {
		return 0, errNoTime
	}
	return d.Round(time.Second), nil
}

// offset is how far the clock is to be off if the API starts now, in a zone.
func (c clock) offset(now time.Time, zone *time.Location) time.Duration {
	switch {
	case !c.set:
		return 0
	case !c.at.IsZero():
		return c.at.Sub(now).Round(time.Second)
	case !c.midnight:
		return c.shift
	}
	local := now.In(zone)
	next := time.Date(local.Year(), local.Month(), local.Day()+1, 0, 0, 0, 0, zone)
	return next.Sub(local).Round(time.Second) - c.before
}

// zone is the time zone that the API has.
func (e Environment) zone() *time.Location {
	for _, v := range e.vars {
		if name, isZone := strings.CutPrefix(v, "TZ="); isZone {
			if zone, err := time.LoadLocation(name); err == nil {
				return zone
			}
		}
	}
	return time.Local
}

// ownZone is a command's own word on its time zone.
var ownZone = regexp.MustCompile(`(?:^|[\s;&])TZ=["']?([\w+/-]+)`)

// Zone is the time zone that the API has, as far as its command and its environment tell.
func (s *Service) Zone() *time.Location {
	if own := ownZone.FindStringSubmatch(s.Command); own != nil {
		if zone, err := time.LoadLocation(own[1]); err == nil {
			return zone
		}
	}
	return s.Environment.zone()
}

// ClockError says that the clock of an API that was started is not moved: it still has the machine's time.
type ClockError struct{ Err error }

func (e ClockError) Error() string { return e.Err.Error() }

// Unwrap returns why.
func (e ClockError) Unwrap() error { return e.Err }

// notMoved says so of an API whose first answer has the machine's time in its header Date, in place of the other that
// its clock was to have. It says nothing where there is no such header, or where a command took the offset: the header
// is the web server's then, and the offset for what stands behind it.
func (e Environment) notMoved(i *Instance) error {
	const near = time.Minute // to the machine's time, give or take what the answer took
	off := e.clock.offset(time.Now(), e.zone())
	if clockPlace.MatchString(i.service.Command) || i.dated.IsZero() || off.Abs() < 2*near ||
		time.Since(i.dated).Abs() > near {
		return nil
	}
	return ClockError{fmt.Errorf("clock: the API still has the machine's time: GET %s is dated %s; "+
		"put {clock} into the command if the API takes an offset", i.ready.Redacted(), i.dated.Format(http.TimeFormat))}
}

// dial is the clock's offset as a command gets it for {clock}, in seconds.
func (e Environment) dial() string {
	return strconv.FormatInt(int64(e.clock.offset(time.Now(), e.zone())/time.Second), 10) + "s"
}

// fakeTimes are where systems keep libfaketime, the variant for programs with threads.
var fakeTimes = []string{
	"/usr/lib/*/faketime/libfaketimeMT.so.1",
	"/usr/lib64/faketime/libfaketimeMT.so.1",
	"/usr/lib/faketime/libfaketimeMT.so.1",
	"/usr/local/lib/faketime/libfaketimeMT.so.1",
	"/usr/local/lib/*/faketime/libfaketimeMT.so.1",
}

// FindFakeTime returns the file of libfaketime where systems keep it. The error says what to do without one.
func FindFakeTime() (string, error) { return Environment{}.library() }

// library finds libfaketime, by the name that the kernel has for its file.
func (e Environment) library() (string, error) {
	if e.FakeTime != "" {
		if file, err := filepath.EvalSymlinks(e.FakeTime); err == nil {
			return filepath.Abs(file)
		}
		return filepath.Abs(e.FakeTime)
	}
	for _, pattern := range fakeTimes {
		if found, _ := filepath.Glob(pattern); len(found) > 0 {
			return filepath.EvalSymlinks(found[0])
		}
	}
	return "", errors.New("changing the clock needs libfaketime: install it (Debian: libfaketime), " +
		"or put {clock} into the command if the API takes an offset")
}

// clockVars are the variables by which libfaketime moves the clock. Timers run on by the clock that is not moved.
func (e Environment) clockVars(lib string) []string {
	return []string{
		"LD_PRELOAD=" + lib,
		fmt.Sprintf("FAKETIME=%+d", int64(e.clock.offset(time.Now(), e.zone())/time.Second)),
		"FAKETIME_DONT_FAKE_MONOTONIC=1", "DONT_FAKE_MONOTONIC=1",
	}
}
