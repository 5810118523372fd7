// Package mutant plants faults in answers: one value changed, one member gone, one status another. A suite that still
// fails with the fault planted would see such a regression of the API; one that passes would not.
//
// A [Survey] gathers what the answers of a suite hold, and makes [Mutant] values of it: each is one fault at one place
// of the answers of one operation, chosen by a seed, over stable and volatile places alike. What moves anyway is not
// changed to another such value, which nobody could tell from an answer without fault: its type, format or range is
// broken. [Mutant.Apply] edits the raw tokens of an answer, so that all else of it stays as it was, byte for byte.
//
// What a kind of mutants does stands in a file of its own, as a fault value: where it breaks something, and what it
// puts in the place of a value, a body or a header. The list of them (faults) is all that surveys and Apply know of
// kinds.
package mutant
