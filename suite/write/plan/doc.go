// Package plan is a test suite in no language: the [Plan] that package build makes of a recording, and that every form
// of suite is written from.
//
// A Plan has [Test]s, a Test has [Step]s: set-ups, what the test is about, clean-ups. A Step says what is sent, as
// [Text]s whose pieces are literals, values that answers gave, or secrets; what of the answer is kept, as [Capture]s;
// and what is asserted, as [Check]s in the order in which they are made.
//
// The package also holds what every form has to do alike: gather the tests by files ([Groups], [Together]), name the
// set-ups that tests share ([SharedSetUps]), gather what most answers have in common ([CommonOf]), make names and
// comments of recorded texts ([Slug], [Visible]), and read recorded JSON token by token ([ReadNode]), so that numbers
// and duplicate keys come out as they were sent.
//
// # Invariants
//
// Names of tests and values are unique and made of a-z, 0-9 and "_" (values: letters and digits), fit for any language.
// A value of a secret is in [Plan.Secrets] alone; texts name it. A text of a head holds a character for each
// byte. A clean-up takes away only what the same test made: each value in its target is one that the test's own answers
// give.
package plan
