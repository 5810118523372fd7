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
		return errors.New("--transparent is for Linux alone, whose kernel tells where a redirected connection was going; here --target URL, or a proxy, is the way")
	case o.Target != nil || len(o.Routes) > 0:
		return errors.New("use either --transparent or --target: connections go where they were going, or to the target")
	case o.Reset != "":
		return errors.New("--transparent and --reset: what the reset sends would be redirected here before anything is served; reset the API first")
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

// redirectRules are the commands that redirect what programs of this machine send to the ports 80 and 443, but for what the
// recorder sends itself: its connections bear a mark, if it may mark them, or else they are known by their user.
func redirectRules(addr *net.TCPAddr, marks bool, uid int) string {
	if !addr.IP.IsLoopback() && !addr.IP.IsUnspecified() {
		return "flaketap: rules of the kernel redirect connections here; docs/recording.md has those for other machines and containers"
	}
	but := fmt.Sprintf("mark != %#x", tcp.Mark)
	var b strings.Builder
	b.WriteString("flaketap: once these have run as root, connections to the ports 80 and 443 come here (put in your API's own port):\n")
	if !marks {
		but = fmt.Sprintf("skuid != %d", uid)
	}
	b.WriteString("  nft add table inet flaketap\n" +
		"  nft add chain inet flaketap output '{ type nat hook output priority -100; }'\n")
	fmt.Fprintf(&b, "  nft add rule inet flaketap output meta %s tcp dport '{ 80, 443 }' redirect to :%d\n", but, addr.Port)
	if !marks {
		fmt.Fprintf(&b, "flaketap: those of user %d do not, for the recorder's own are among them: run the client as another user, or the recorder as root\n", uid)
	}
	b.WriteString("flaketap: nft delete table inet flaketap ends it")
	return b.String()
}
