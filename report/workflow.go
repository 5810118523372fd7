package report

import "strings"

// WorkflowText is a text as the runner of GitHub Actions reads it behind the second "::" of a workflow command, such as
// "::warning title=TITLE::TEXT".
func WorkflowText(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

// WorkflowProperty is a text as the runner reads it in one of the properties of such a command: file, line, title.
func WorkflowProperty(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}
