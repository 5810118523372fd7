// Package form has the forms in which a report is written: the page for people (package page), text and Markdown for
// terminals and job summaries, and what CI systems and editors read: SARIF, JUnit XML, the workflow commands of GitHub,
// JSON.
//
// Each form shows the same [findings.Findings], and has a file of its own with a function that writes them; [Forms]
// lists them. What these forms point to is the same everywhere: a problem is a place that moves, or an assertion of a
// test that was read ([problems]), and its name is the id that the page's link has.
//
// All text is taken as hostile: it is shown by package report, and escaped by the rules of its form.
package form
