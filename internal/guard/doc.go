// Package guard ends what this process has started where this process is killed (kill -9), and cannot do so itself. On
// Unix systems a shell stands beside for that; elsewhere there is none, and what was started goes on.
package guard
