// Package capture makes recordings: of one execution of a client that speaks to an API through a proxy ([Record]), of
// the same client run again ([Rerun]), and of what another tool recorded ([Import], [ImportRuns]). [Export] is the way
// back.
//
// [Options] say how client, proxy and API stand to each other; a [Session] is the three of them at work, whether what
// passes is recorded, held still or broken on purpose. One execution goes so:
//
//  1. [Open] listens for clients, before a recording is made that would be left behind where it fails.
//  2. Session.StartAPI starts the API, if it is to be started here, and ResetAPI puts it back to its start: what passes
//     from then on begins from a known state, and the pass says so.
//  3. [Session.Run] serves clients, and runs the client's command in an environment in which it finds the proxy
//     (package capture/client). It ends with the command, or with a signal (package internal/interrupt).
//  4. Exchanges that are under way get a few seconds to end; what has not ended by then is recorded as a fault.
//  5. [Session.Close] stops the API and everything that it started.
//
// An exchange goes from the proxy through a sequencer, which names its test case, to a keeper, which redacts it where
// the recording is to hold no secrets and stores it. Before that a fault gets what the API logged meanwhile. When the
// recording cannot be written, the session stops, or goes on unrecorded where the user wants that; it never drops
// exchanges in silence.
//
// A run of a client that is run again, or imported, is aligned with the recording first (align.Tracks), and is
// stored as observations of the recorded exchanges. Until then it is kept in a recording of its own beside the
// database, which is taken away afterwards.
//
// What a client is told, logs and messages hold no secrets: commands are stored without their arguments, targets
// without passwords, and the status line shows tokens.
//
// Refused: an address that other machines can reach without a password or a target; a control address that is not of
// this machine; secrets and their tokens in one recording.
package capture
