// Package ui is a page on this machine that shows a recording while others work on it: the stream of its exchanges, one
// exchange raw and decoded, two answers beside each other, why a place is judged as it is, what depends on what, what
// the user's rules would change, replays that are started and stopped, and exports (docs/ui.md).
//
// # The way of the data
//
// [live] has a copy of the recording, which keeps nobody from writing into it, and makes a new one when the file has
// changed, or is handed what is new by who writes, at most ten times a second. Who listens to /events is told. A
// [panel] is a function that looks at that copy and returns what its template shows; the list of them is in panels.go,
// and each has a file and a template of its name. The page's script only moves what the server wrote: it asks for rows
// of the stream and for the panel that the address names, and knows none of them.
//
// # Who may see it
//
// The server listens on this machine alone. The address that the user is given has a token behind its #, which a
// browser sends to nobody; the script exchanges it for a cookie that no script can read, and for a key that belongs to
// this origin, port included. Whoever asks for data shows both, as cookies are sent to other ports of a machine too.
// Requests under another name of the host (DNS rebinding), and those of another origin, are refused before anything
// else. What changes something, or takes work that nobody should cause by a link, is a POST.
//
// # What stays true
//
//   - Nothing of a recording is shown before the secrets of all of it are known; they are tokens wherever they stand.
//   - What a recording holds is text on the page: templates escape it, the script sets it as text, no script but the
//     page's own runs (Content-Security-Policy), and none of it is served under a type of its own.
//   - The token and the key are in no log, and in no address that a server is sent.
//   - A command line comes from the user who started the server, never from the page: the page chooses how many runs
//     there are, and under which of the known conditions.
package ui
