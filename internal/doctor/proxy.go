package doctor

import (
	"context"
	"net/url"
	"slices"
	"strings"
)

// proxy looks at what the environment tells clients of proxies. A client that record starts has all of it set anew.
func (v *visit) proxy(context.Context) (out []Finding, _ error) {
	const started = "a client that record starts does not see it"
	get := func(name string) string { return variable(v.Environ, name) }
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		if value := get(name); value != "" {
			f := Finding{About: name, Status: Note, Says: "is set: clients go past the recorder for what it names; " + started,
				Do: "for clients that you start yourself: NO_PROXY= no_proxy= CMD, or record --target URL"}
			if names := strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' }); !v.skips(names) {
				f = Finding{About: name, Status: OK, Says: "is set, and does not name the API"}
			}
			out = append(out, f)
		}
	}
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"} {
		if value := get(name); value != "" {
			out = append(out, Finding{About: name, Status: Note, Says: "leads to " + shownURL(value) + "; " + started,
				Do: "if the API is reached only through it: record --upstream-proxy URL"})
		}
	}
	if get("HTTP_PROXY") != "" && get("http_proxy") == "" {
		out = append(out, Finding{About: "curl", Status: Note, Says: "reads http_proxy in lower case only, which is not set",
			Do: "for curl: http_proxy=$HTTP_PROXY CMD"})
	}
	if strings.Contains(get("JAVA_TOOL_OPTIONS"), "roxyHost") {
		out = append(out, Finding{About: "JAVA_TOOL_OPTIONS", Status: Note, Says: "sets a proxy of its own for Java; record puts its own behind it, which wins"})
	}
	if out == nil {
		out = append(out, Finding{About: "variables", Status: OK, Says: "none set"})
	}
	return append(out, Finding{About: "Go, Java, Node", Status: Note,
		Says: "Go never uses a proxy for localhost; Java and Node read these variables only when told to, as record tells those that it starts",
		Do:   "record --target URL, and the recorder's address as the client's base URL, works for any client"}), nil
}

// skips reports whether what NO_PROXY names is the API, or a place where one under test is likely to be.
func (v *visit) skips(names []string) bool {
	hosts := []string{"localhost", "127.0.0.1", "::1", "[::1]", "127.0.0.0/8"}
	if v.Target != nil {
		hosts = append(hosts, strings.ToLower(v.Target.Hostname()))
	}
	return slices.ContainsFunc(names, func(name string) bool {
		host, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(name)), ":")
		host = strings.TrimPrefix(host, ".")
		return name == "*" || slices.Contains(hosts, strings.ToLower(name)) ||
			host != "" && slices.ContainsFunc(hosts, func(h string) bool { return h == host || strings.HasSuffix(h, "."+host) })
	})
}

// shownURL is a URL of the user's without its password.
func shownURL(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" {
		return "a proxy"
	}
	return u.Redacted()
}
