// Package whole finds, for behaviors that a search has found, stubs whose answers are whole: a good answer of each
// service, with as little changed as leads to the behavior.
//
// The smallest stubs of a behavior say what it needs. A test that is written with them says no more, either: where a
// charge has no id, since the API as it is does nothing with it, nobody sees that an API which is mended pays it back.
// So what good answers have, and what else is known of their fields, is added to the smallest stubs; all of it at once,
// and where another behavior comes of that, halves of it. What the behavior stays with is proven as the smallest stubs
// are. These stay beside: they tell what it is that leads to the behavior.
package whole
