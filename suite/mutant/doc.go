// Package mutant plants faults in answers: one value changed, one member gone, one status another. A suite that still
// fails with the fault planted would see such a regression of the API; one that passes would not.
//
// A [Survey] gathers what the answers of a suite hold, and makes [Mutant] values of it: each is one fault at one place
// of the answers of one operation, chosen by a seed, over stable and volatile places alike. What moves anyway is not
// changed to another such value, which nobody could tell from an answer without fault: its type, format or range is
// broken. [Mutant.Apply] edits the raw tokens of an answer, so that all else of it stays as it was, byte for byte.
//
// That holds of coarse faults. Small ones (off, element, empty) are planted on volatile places too, where a relation
// may tell them and no equality can: [Mutant.Assertion] says which assertion would tell a mutant, or that there is
// none.
//
// Some faults need more than one answer. A [Survey] that is given exchanges in order ([Survey.AddExchange]) knows which
// values repeat one of the request or of an earlier answer, and which answer could be given in the place of a later
// one; a [Past] gives it there ([Past.Plant]).
//
// What a kind of mutants does stands in a file of its own, as a fault value, or one for each way to do it: where it
// breaks something, what it puts in the place of a value, a body or a header, and which assertion tells it. The list of
// them (faults) is all that surveys and Apply know of kinds.
package mutant
