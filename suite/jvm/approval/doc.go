// Package approval reads and writes the calls of ApprovalTests, in Java and in Kotlin: Approvals.verify, and verifyJson
// and verifyAsJson of JsonApprovals, which take scrubbers as options.
package approval
