// Package slip tells what a suite sends otherwise than the session that it came from, by the hand of its generator, and
// whether that is why it was answered otherwise.
//
// [Slip] is what one call sent. It tells two values apart that differ by nothing else: texts that quote what was sent
// or name places in it, lengths of it, answers of the types that were asked for.
package slip
