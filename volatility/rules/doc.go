// Package rules has the user's rules over places: to ignore a place, to pin it as stable, or to force it to be
// volatile, whatever the runs say.
//
// [Rule.Check] refuses what could be about nothing. [Apply] goes over the map once: of the rules that are about an
// operation, the first that covers a place decides on it; all that cover it count as matched, so that a rule which
// others forestall is told apart from one that is about nothing. What a rule keeps from being seen (a pin over what
// moved) is returned as [Hidden], and stands among the warnings of the field: a rule never hides anything silently.
//
// What the runs say stays in the field's [mapfile.Ruling]: rules applied again, or others to a decoded map, begin from
// it. Expressions are made of the user's globs with everything quoted, so no rule takes longer than its length; at most
// 1000 rules are applied, and no text of one is longer than 4096 bytes.
package rules
