// Package handset has what the dialects of tests that people write share to give them set-ups: how a value that an
// answer gave comes into the place of one that is written out, and the JSON of a body, to write it as a language does.
//
//  1. [Holes] finds where in what was sent the values stand that variables take the place of.
//  2. [Bind] finds the literals of the test's own statement that these values come from. A value comes from a literal
//     that holds the text around it too, or is the value alone; where that is none or several, nothing is changed: it
//     comes from a constant or a function that tests share.
//  3. [Shared] finds what tests hand each other: such a test is given no set-up.
//  4. [PassInPython] and [PassInJavaScript] find the variables that paths are made with.
//  5. [JSON] and [Form] read a body with variables to an [Item].
//
// What is written is read again by package suite, which leaves it where another call would change.
package handset
