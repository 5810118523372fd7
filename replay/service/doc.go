// Package service runs an API for a recording, a replay or a suite: it starts the API's command, waits until the API is
// ready, puts it back to its start, and stops it with everything that it started.
//
// A [Service] describes the API: its command, when it is ready, where its log goes. [Service.Start] makes an
// [Instance], one process of it:
//
//  1. A port is chosen where {port} stands in the command; the one of last time where that is free, because an API's
//     answers often hold it. Where another program takes the port meanwhile, the start is tried again at another.
//  2. The command runs under sh in a process group of its own, so that a Ctrl-C at the terminal does not reach it and
//     everything that it starts can be ended with it. Beside it waits a guard, a shell that ends the group if this
//     process is killed.
//  3. The API is asked until it is ready. If it ends before, or takes too long, the error has the last words of its
//     log.
//
// [Service.Apart] (apart.go) gives several services like one, each at a free port of its own: runs and trials that go
// side by side need an API each, as what one changes another would see.
//
// The log goes to a bounded file and, its end, to memory: [Instance.Annotate] adds to a fault what the API logged
// meanwhile, and [Instance.Died] says how it ended. [Reset] is how an API is put back to its start, whoever runs it. An
// [Environment] changes what the process finds (time zone, language, hostname, user, temporary folder, clock) to see
// which parts of the answers come from there.
//
// What an API logs may hold secrets: Service.RedactLog and Service.RedactMessage take them out.
//
// Limits: a process that leaves its group (a daemon, docker) is not seen; without process groups (Windows) only the
// command itself is ended. The clock of another process is changed by libfaketime, on Linux only, and a program that
// does not ask the C library for the time is refused instead of being taken for unchanged.
package service
