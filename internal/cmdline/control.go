package cmdline

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/flaketap/flaketap/internal/console"
)

// ControlURL is the URL of a recorder's control address, as specs of Cypress are to speak to it.
func ControlURL(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil || u.Port() == "" || u.String() != "http://"+u.Host || strings.Contains(u.Host, "'") {
		return "", console.Usage(fmt.Errorf("--control must be a URL such as http://127.0.0.1:8878, got %q", text))
	}
	return text, nil
}
