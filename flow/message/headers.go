package message

import "strings"

// ordinaryHeader reports whether a response header says nothing that a client hands back.
func ordinaryHeader(name string) bool {
	switch name {
	case "date", "server", "connection", "keep-alive", "transfer-encoding", "content-length", "content-type",
		"content-encoding", "content-language", "vary", "cache-control", "expires", "age", "pragma", "via", "allow",
		"accept", "accept-ranges", "accept-patch", "strict-transport-security", "referrer-policy",
		"content-security-policy", "permissions-policy", "alt-svc", "trailer", "upgrade", "x-powered-by":
		return true
	}
	return strings.HasPrefix(name, "access-control-") || strings.HasPrefix(name, "x-content-type") ||
		strings.HasPrefix(name, "x-frame") || strings.HasPrefix(name, "x-xss")
}

// OrdinaryField reports whether a request header is the client's own affair.
func OrdinaryField(name string) bool {
	switch strings.ToLower(name) {
	case "host", "connection", "content-length", "content-type", "content-encoding", "transfer-encoding", "te",
		"accept", "accept-encoding", "accept-language", "accept-charset", "user-agent", "cache-control", "pragma",
		"expect", "upgrade", "date", "origin", "referer", "keep-alive", "trailer":
		return true
	}
	return false
}
