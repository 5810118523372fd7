// Package report writes what a [mapfile.Map] says: for people as [HTML], one page that needs nothing beside itself, and
// as [Text], a plain table for terminals and CI logs; for other tools in the forms that [MapForms] lists (forms.go, and
// a file for each).
//
// HTML and Text answer the same questions in the same order: what moved, why, how sure that is, and what still holds.
// Both only write what they are given: they judge nothing, have no clock of their own, and give the same bytes for the
// same input. All text from the map was once said by an API and is taken as hostile: it is escaped, made visible where
// it would not be, and shortened.
package report
