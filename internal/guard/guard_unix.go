//go:build unix

package guard

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// Guard is a shell that asks processes to end, and then kills them, when this one has gone: it waits at the end of a
// pipe that then closes. The nil Guard watches over nothing.
type Guard struct {
	cmd  *exec.Cmd
	held *os.File
}

// watching is what a guard does. $1 is what it ends: a group of processes, with a minus; or one process with what
// descends from it within the group $2, as /proc tells, and by itself where there is none. It is not for the signals of
// a terminal or a supervisor, which this process may outlive.
const watching = `trap '' HUP INT TERM
all=$1 group=$2
grow() {
	before=
	while test -n "$group" && test "$all" != "$before"; do
		before=$all
		for stat in /proc/[0-9]*/stat; do
			read -r line <"$stat" || continue
			set -- "${line%% *}" ${line##*) } # PID, state, parent, group: the name between may hold blanks
			case " $all " in *" $1 "*) continue ;; esac
			case " $all " in *" $3 "*) test "$4" = "$group" && all="$all $1" ;; esac
		done
	done
}
left() {
	for one in $all; do kill -s 0 -- "$one" && return; done
	return 1
}
same() { # what has ended since may have left its number to another one
	test -n "$group" || return
	before=$all all=
	for one in $before; do
		read -r line <"/proc/$one/stat" || continue
		set -- ${line##*) }
		test "$3" = "$group" && all="$all $one"
	done
}
read -r _
grow
kill -s TERM -- $all
for i in 1 2 3 4 5 6 7 8 9 10; do
	left || exit 0
	sleep 0.5 || sleep 1
done
left || exit 0
same
grow
kill -s KILL -- $all`

// OfGroup puts a guard beside a group of processes. Where none can be had, there is none: nil.
func OfGroup(group int) *Guard { return start("-"+strconv.Itoa(group), "") }

// OfFamily puts a guard beside a process that is in the group of this one, and what descends from it there: on Linux,
// elsewhere beside that process alone. What has left the group, or lost its parent before this process ends, is none of
// it. Where no guard can be had, there is none: nil.
func OfFamily(pid int) *Guard { return start(strconv.Itoa(pid), strconv.Itoa(syscall.Getpgrp())) }

func start(whom, within string) *Guard {
	r, w, err := os.Pipe()
	if err != nil {
		return nil
	}
	defer r.Close()
	cmd := exec.Command("sh", "-c", watching, "flaketap-guard", whom, within)
	cmd.Stdin, cmd.Dir = r, "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		_ = w.Close()
		return nil
	}
	return &Guard{cmd, w}
}

// Dismiss ends the guard: there is nothing left to watch over.
func (g *Guard) Dismiss() {
	if g == nil {
		return
	}
	_ = g.cmd.Process.Kill() // first, or it would take the closing for our end
	_ = g.cmd.Wait()
	_ = g.held.Close()
}
