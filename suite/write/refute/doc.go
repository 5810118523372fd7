// Package refute holds what a plan says of an answer against another answer to the same request, and takes back what
// that contradicts: a test that is to hold whatever others do can say no more than all its answers bear out.
//
// [Weaken] leaves of a list of checks what one answer bears. A check that it contradicts becomes the next weaker one
// that holds: a comparison of a body leaves out the place that differs, a value becomes its type, a digest a length,
// elements of a list those that are there. What has nothing weaker is a comment with the reason, or is gone where the
// place is asserted otherwise too. Where a check depends on what is not known, such as a value that no answer before
// gave, nothing is contradicted.
//
// [Differences] are the places where two answers differ, and what is left out for each; [Values] reads an answer by
// places, tokens within it included ([Token]).
package refute
