// Package doctor looks for what would keep flaketap from working here, before anything is recorded: ports, trust,
// clients that go past a proxy, the API, its clock, its reset, the tools around it, and the recording.
//
// A check is a file with one function, and a line in [checks]. It returns findings, each with what to do next where it
// is not all right. A check that changes something asks first ([Subject.Allow]), and none leaves anything behind.
package doctor
