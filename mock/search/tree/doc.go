// Package tree reads and changes values of JSON by their places. They are never changed themselves: [Put] and [Drop]
// return others, since one answer is the base of many that differ from it in one place. Of a list, a place with * is
// that of the first element, so that the others stay as they are.
package tree
