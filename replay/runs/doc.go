// Package runs stores further executions of a recording as its runs: what the API answered then, step by step, in the
// place of what it answered when it was recorded.
//
// A replay knows which recorded exchange each of its requests is: its answers go to a [Sink]. A client that runs again,
// and a file of another tool, say what was sent and answered and no more. These take three passes over the run, because
// none of its messages is held in memory:
//
//  1. [TrackOf] reads what an alignment looks at, a few bytes for each exchange, of the recording and of the run.
//  2. [Align] puts the two beside each other (package flow), and [Alignment.Check] refuses a run of something else.
//  3. [Alignment.Store] goes over the run again and stores what it answered.
//
// [Alignment.Differences] tells people what was lost, added and changed.
//
// # Invariants
//
// A run begins with its first observation: one that reaches nobody leaves nothing behind. What a client could not send
// because nobody listened is not an observation. Nothing that is told of a run shows a secret, and where the recording
// holds none (package redact), neither do its runs.
package runs
