// Package mapfile is the volatile map: the judgements about one recording, by operation and place, as suites, reports
// and users have them. It holds, writes, reads, looks up and compares maps, and holds values against what they state;
// how a judgement comes about is for package volatility.
//
// A [Map] has an [Operation] for each operation and recorded status, with a [Field] for each place: its [Judgement]
// (does it move, and how), its [Category] (why), how sure that is, and what [Holds] of every value. [Operation.At]
// finds the field of a concrete place, [Operation.Volatile] what makes a place volatile in the answer to one request:
// the place itself, what it is in, or the status.
//
// [Map.Encode] writes the file that docs/map.md describes, and [Decode] reads it. [Diff] says what changed from one map
// to another. [Holds.Satisfied] holds one value against what is stated; relations between values have their own check
// ([relation.Relation.Check]).
//
// # What is always true
//
// The same map gives the same bytes. In memory a map has its stable places too; a file only where it was asked for, so
// [Map.Complete] tells which it is, and Diff takes what an incomplete map does not list for stable. What is
// decided by evidence is decided by its type ([Evidence]), never by how a code begins.
// Values of secret places are in no field.
//
// # What it refuses
//
// Decode refuses other files, other versions, files beyond 512 MiB, and what no map can hold; members that it does not
// know are passed over.
package mapfile
