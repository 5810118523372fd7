package stabilize

import (
	"fmt"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/mend"
)

// baseURL is the address of an API on this machine, as suites have it written in.
var baseURL = regexp.MustCompile(`https?://(?:localhost|127\.0\.0\.1|\[::1\]):(\d{1,5})\b`)

// Listen returns the address at which a suite expects the API, where one is written into it: the recorder is to listen
// there. It is "" for a suite that reads FLAKETAP_URL, or has none written in. target is where the API is, nil where it
// is started at any free port. The error, of the command line, says what to do where the API stands in the recorder's
// place, and where the suite has several addresses.
func Listen(files []mend.File, target *url.URL) (string, error) {
	var ports []string
	for _, f := range files {
		if !suite.Readable(f.Name) || strings.Contains(string(f.Data), "FLAKETAP_URL") {
			continue
		}
		for _, m := range baseURL.FindAllSubmatch(f.Data, -1) {
			if port := string(m[1]); !slices.Contains(ports, port) {
				ports = append(ports, port)
			}
		}
	}
	switch {
	case len(ports) == 0:
		return "", nil
	case len(ports) > 1:
		return "", console.Usage(fmt.Errorf("the suite has several addresses of this machine written in (ports %s): "+
			"name the API's with --listen 127.0.0.1:PORT",
			strings.Join(ports[:min(len(ports), 5)], ", ")))
	case target != nil && target.Port() == ports[0] && loopback(target.Hostname()):
		return "", console.Usage(fmt.Errorf("the suite has the API's own address written in (port %s), where flaketap "+
			"must listen: run the API on another port (--start with {port}, or --target), or have the suite read "+
			"FLAKETAP_URL", ports[0]))
	}
	return net.JoinHostPort("127.0.0.1", ports[0]), nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
