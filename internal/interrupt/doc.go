// Package interrupt tells the work of a command that the user wants it to end. The first signal asks it to store what
// it has and end; a further one, to end at once.
package interrupt
