// Package mapfile is the volatile map: the judgements about one recording, by operation and place, as suites, reports
// and users have them. It holds, writes, reads, looks up and compares maps, and holds values against what they state;
// how a judgement comes about is for package volatility.
//
// A [Map] has an [Operation] for each operation and recorded status, with a [Field] for each place: its [Judgement]
// (does it move, and how), its [Category] (why), how sure that is, and what [Holds] of every value. [Operation.At]
// finds the field of a concrete place, [Operation.Volatile] what makes a place volatile in the answer to one request:
// the place itself, what it is in, or the status.
//
// [Map.Encode] writes the file that docs/map.md describes, and [Decode] reads it, those of version 1 and locks as well.
// A place that most operations share ([Common]) stands once in a file; [Map.Fold] folds it for those that write, and
// reading gives it back to each operation, so that nobody who asks a map has to know.
//
// [Map.EncodeLock] writes the lock: what the map says without what belongs to one recording. [Holds.Canonical] puts
// what holds into words that no sample decides on; the map keeps the exact ones, as suites assert more than a lock
// says; a rare event that was seen at one of several things of a kind is told of all. [Map.Settle] keeps in a new lock
// what an earlier one says and nothing speaks against.
//
// [Diff] says what changed from one map to another, by [Holds.Canonical], and tells what began to move from what was
// never seen before: that it takes the old map's observations to show. [Holds.Satisfied] holds one value against what
// is stated; relations between values have their own check ([relation.Relation.Check]).
//
// # What is always true
//
// The same map gives the same bytes, in the lock too. In memory a map has its stable places too; a file only where it
// was asked for, so [Map.Complete] tells which it is, and Diff takes what an incomplete map does not list for stable.
// What is decided by evidence is decided by its type ([Evidence]), never by how a code begins. Values of secret places
// are in no field.
//
// # What it refuses
//
// Decode refuses other files, other versions, files beyond 512 MiB, and what no map can hold; members that it does not
// know are passed over. A lock has no figures: who needs those, or the exact statements, refuses a [Map] that is
// Locked.
package mapfile
