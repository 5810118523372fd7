package library

import (
	"strings"

	"github.com/flaketap/flaketap/suite/script"
)

// Joined is a URL behind a base.
func Joined(base, url string) string {
	if base == "" || script.SchemeAndHost.MatchString(url) {
		return url
	}
	return strings.TrimSuffix(base, "/") + "/" + strings.TrimPrefix(url, "/")
}

// Resolved is what a URL leads to that is seen from another one.
func Resolved(base, url string) string {
	if script.SchemeAndHost.MatchString(url) {
		return url
	}
	host := script.SchemeAndHost.FindString(base)
	switch dir := strings.LastIndex(base, "/"); {
	case host == "":
		return script.Unknown + "/" + strings.TrimPrefix(url, "/")
	case strings.HasPrefix(url, "/"), dir < len(host):
		return host + "/" + strings.TrimPrefix(url, "/")
	default:
		return base[:dir+1] + url
	}
}
