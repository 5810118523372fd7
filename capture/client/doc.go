// Package client runs the command whose exchanges with an API are recorded, and gives it an environment in which it
// finds the recorder.
//
// [Environment] sets the variables by which clients of common languages use a proxy and trust its certificates. Where
// variables do not suffice, Node loads a small script first (preload.cjs) and a JVM gets options of its own.
//
// [Command.Run] runs the command and, where its context ends, ends it: it passes the signal on, or asks it to end
// (SIGTERM), then waits until the client and all that it started are gone, and kills what has not gone after a while. A
// further signal (package interrupt) kills at once. Which processes belong to the client is told in one of two ways:
//
//   - Without a terminal the client is a process group of its own, which signals reach whole.
//   - With one it stays in the group of the recorder, so that Ctrl-C reaches both once, Ctrl-Z stops both and the
//     client may read from the terminal. Its processes are then told by their descent, from /proc on Linux; elsewhere
//     the client alone is known.
//
// Not every client heeds what it is told. [Watch] looks at the connections of those processes while they run, so that
// it can be said which of them lead elsewhere than to the recorder.
//
// A process that has left the group, as a daemon does, is no longer the client's. A client that ends by itself leaves
// what it started alone. One that runs when this process is killed is ended by a guard (package internal/guard).
package client
