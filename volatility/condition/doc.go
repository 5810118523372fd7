// Package condition counts what answers say of the conditions of their runs: what moves only where the clock of the API
// was moved, or where many ask at once.
//
//   - [Turns] are of one place: at which steps of the clock it moved and at which it stood still. The least step that
//     moved it says what it follows; one that stood still while the clock was moved by its unit follows no clock.
//   - [Crowd] is of one place, and of an operation: how it was answered alone and among others. Only what never moved
//     alone is due to the others.
//   - [Machines] are of one place: whether the machines that workers played on have their own there.
//   - [ByChance] weighs both against the runs in which the same could have come to pass.
//
// It leans on nothing but the exchanges' own words, and knows of no categories: what follows is for the judgement.
package condition
