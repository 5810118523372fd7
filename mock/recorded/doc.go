// Package recorded answers in the place of external services as they answered when the API was recorded.
//
// A [Recording] is what the API asked then, with the answers that somebody had: the service itself, or a stub. For each
// start of the API [Recording.Begin] goes back to its beginning: equal requests get the recorded answers one after the
// other, and from then on the last, at once or as late as they came then ([Pace]).
//
// # Which recorded request is this one?
//
// The same service, that is scheme, name and port, and then, as package flow/match has it, the first that there is of:
// the same fingerprint; the same target and what says the same as a body; the same target, or else the same route, with
// other values where runs showed that they move ([Runs]); and the same with other values, too, of which
// runs say nothing, where both sides have values that somebody made up, or a time that was the present one when it was
// recorded. What runs showed to stay has to be equal. A request that has none of these was not recorded.
//
// Where one value of the answers is another one ([Recording.BeginChanged]), what the API was told in its place may
// stand in requests for the value itself, whatever runs showed, first of all: such a request is the one that it stems
// from.
//
// # What it refuses
//
// Answers of which not all is stored, and those that switch protocols. Beyond [MaxSize] no answers are held, and no
// requests compared.
package recorded
