// Package process lists the processes of this machine, as /proc tells of them on Linux. There is no such list
// elsewhere.
package process
