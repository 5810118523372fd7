// Package proof shows by trial whether a reset resets: whether an API holds after it what it held after the one before,
// though requests have changed it in between.
//
// A [Trial] resets twice, and reads; sends what changes something, and reads; resets, and reads again. What differs
// between two reads or two resets with nothing sent in between moves by itself and counts for nothing. A reset does not
// reset where a list grows with each one, or where something that a write changed is, after the reset, as the write
// left it: not where it is merely another value, as a time of creation is, nor where it goes on with nothing sent, as a
// time in whole seconds does.
package proof
