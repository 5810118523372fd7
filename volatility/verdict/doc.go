// Package verdict makes a map of what was found out about each operation by itself: the last passes of a judgement, for
// which all operations have to be there. What an operation is judged by is counted elsewhere (package volatility), in
// one piece or in several: a [Place] has all of it that the last passes ask for, and nothing else.
//
//  1. share (sameas.go), over all operations at once: a value that one answer gives and others repeat has one category,
//     that of its place with the strongest evidence. It needs the categories of all places, and the relations.
//  2. explainSize: the size of a body moves for the reason that what moves in it does.
//  3. write: evidence becomes codes, and keys that are secret become tokens, after the index of places was made.
//
// The same operations give the same map, whatever their order.
package verdict
