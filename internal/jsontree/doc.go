// Package jsontree reads JSON with the offsets at which its values stand, so that a text can be edited in its raw
// tokens: what is not edited stays as it was sent, byte for byte.
//
//	[Parse]   gives a text as a tree of [Node] values: for what is edited, or looked at more than once; [ParsePrefix]
//	          where other text follows, [Node.Source] where the bytes of a string stand
//	[Scalars] goes over the strings and numbers of a text without keeping any: for what is searched once
//	[Equal]   says whether two values say the same, however they are written
//	[Unquote], [Quote], [IsNumber] are about single tokens
//
// Each text is checked as a whole before it is walked (RFC 8259, as encoding/json reads it), so that the walks need not
// look for mistakes. Duplicate keys are kept, in order, and so is the spelling of numbers and keys.
//
// Bodies come from the network: nesting, the number of values and the size of a text are bounded ([Bounds]), and what
// is beyond them is no tree. Comparing two answers is not done here: package compare has a form of its own for that,
// which keeps no nodes; nor is reading files larger than memory, which package formats does as a stream.
package jsontree
