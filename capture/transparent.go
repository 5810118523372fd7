package capture

import (
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/flaketap/flaketap/internal/tcp"
)

// checkTransparent refuses what cannot go with redirected connections. supported says that the system tells where those
// were going.
func (o *Options) checkTransparent(supported bool) error {
	switch {
	case !o.Transparent:
		return nil
	case !supported:
		return errors.New("--transparent works on Linux only; use --target URL, or set the client's proxy")
	case o.Target != nil || len(o.Routes) > 0:
		return errors.New("use either --transparent or --target, not both: connections keep their destination, or go to the target")
	case o.Reset != "":
		return errors.New("use either --transparent or --reset, not both: requests of the reset would be redirected here; reset the API first")
	}
	return nil
}

// redirected says where a connection was going.
func redirected(conn net.Conn) (string, bool) {
	t, ok := conn.(*net.TCPConn)
	if !ok {
		return "", false
	}
	to, ok := tcp.Redirected(t)
	return to.String(), ok
}

// redirectRules are the commands that redirect what programs of this machine send to the ports 80 and 443, but for what
// the recorder sends itself, which bears a mark.
func redirectRules(addr *net.TCPAddr) string {
	return redirectAllBut(addr, fmt.Sprintf("mark != %#x", tcp.Mark))
}

// redirectRulesFor are those of a recorder that may not mark its connections: they are known by their user.
func redirectRulesFor(addr *net.TCPAddr, uid int) string {
	return redirectAllBut(addr, fmt.Sprintf("skuid != %d", uid),
		fmt.Sprintf("flaketap: connections of user %d, whom the recorder runs as, are left alone: run the client as another user, or the recorder as root", uid))
}

// redirectAllBut are the commands, with remarks. Connections that the condition does not hold for are left alone.
func redirectAllBut(addr *net.TCPAddr, condition string, remarks ...string) string {
	if !addr.IP.IsLoopback() && !addr.IP.IsUnspecified() {
		return "flaketap: redirect connections here with firewall rules; docs/recording.md has those for other machines and containers"
	}
	lines := append([]string{
		"flaketap: run these as root to redirect connections to ports 80 and 443 here (add your API's port):",
		"  nft add table inet flaketap",
		"  nft add chain inet flaketap output '{ type nat hook output priority -100; }'",
		fmt.Sprintf("  nft add rule inet flaketap output meta %s tcp dport '{ 80, 443 }' redirect to :%d", condition,
			addr.Port),
	}, remarks...)
	return strings.Join(append(lines, "flaketap: to undo: nft delete table inet flaketap"), "\n")
}
