// Package report writes what a [mapfile.Map] says: for people as [Text], a plain table for terminals and CI logs; for
// other tools in the forms that [MapForms] lists (forms.go, and a file for each). The words that it has for judgements,
// reasons and what to do are those of all reports: package findings gathers more than the map has for the page (package
// page) and for the forms that CI systems show (package form).
//
// It only writes what it is given: it judges nothing, has no clock of its own, and gives the same bytes for the same
// input. All text from the map was once said by an API and is taken as hostile: it is escaped, made visible where it
// would not be, and shortened.
package report
