// Package trial plays a client and its replays against an API in memory, on a clock that it moves itself, so that a
// judgement can be held against labels many times over in little time. The bytes are those that a recorder would have
// stored; no socket is opened, and nobody waits.
//
//	Clock    the time, for the API and for what is recorded of it
//	Subject  the API: its handler, its client, its reset
//	Session  the recording and its runs, as a store would give them back; Judge judges them
package trial
