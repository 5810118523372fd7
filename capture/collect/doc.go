// Package collect makes one recording of what many recorders sent to a hub.
//
// The recording has the passes of one recorder behind each other, and recorders in the order in which they began,
// by their own clocks, then by name; within a recorder the order is that in which it recorded. So the file says the
// same whatever came first, and whether it was collected at once or bit by bit: content is what is exported and
// inspected of it. The bytes of two such files may differ, as those of two recordings of the same exchanges do.
//
// How far a recorder was collected stands in the passes of the file itself ([exchange.Origin]). No mark of a hub's
// can contradict it: a file that is lost is collected again from the beginning, and a collector that dies leaves
// the file as it was.
//
// What is new makes a new file, beside the old one, which then takes its place. A file that holds runs is left alone:
// what they observed belongs to exchanges at positions that would change.
package collect
