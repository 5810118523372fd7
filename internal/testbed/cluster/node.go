package cluster

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"testing"

	natsserver "github.com/nats-io/nats-server/v2/server"
)

// Node is a node of a cluster, as a company runs it: flaketap hub itself is one machine.
type Node struct {
	Name, Dir       string
	Client, Cluster string   // addresses to listen on
	Advertise       string   // where clients find it
	Routes          []string // to the other nodes
}

// Run serves until ctx ends.
func (n *Node) Run(ctx context.Context) error {
	host, client, err := hostPort(n.Client)
	if err != nil {
		return err
	}
	_, cluster, err := hostPort(n.Cluster)
	if err != nil {
		return err
	}
	var routes []*url.URL
	for _, r := range n.Routes {
		routes = append(routes, &url.URL{Scheme: "nats", Host: r})
	}
	s, err := natsserver.NewServer(&natsserver.Options{
		ServerName: n.Name, Host: host, Port: client, ClientAdvertise: n.Advertise,
		Cluster: natsserver.ClusterOpts{Name: "ours", Host: host, Port: cluster,
			Advertise: "127.0.0.1:1", PoolSize: -1}, // found by Routes alone
		Routes: routes, JetStream: true, StoreDir: n.Dir, JetStreamMaxStore: 1 << 30, SyncAlways: true, NoSigs: true,
		NoLog: true})
	if err != nil {
		return fmt.Errorf("start node %s: %w", n.Name, err)
	}
	go s.Start()
	<-ctx.Done()
	s.Shutdown()
	s.WaitForShutdown()
	return nil
}

func hostPort(address string) (string, int, error) {
	a, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return "", 0, fmt.Errorf("read address %s: %w", address, err)
	}
	return a.IP.String(), a.Port, nil
}

// Nodes are three nodes, with a wire from each to each other one, and one to each for its clients.
type Nodes struct {
	All     [3]*Node
	Clients [3]*Wire
	routes  map[[2]int]*Wire
}

// NewNodes makes them; nobody runs them yet.
func NewNodes(t testing.TB) *Nodes {
	t.Helper()
	n := &Nodes{routes: map[[2]int]*Wire{}}
	for i := range n.All {
		n.All[i] = &Node{Name: fmt.Sprint("node-", i), Dir: t.TempDir(), Client: FreeAddress(t), Cluster: FreeAddress(t)}
		n.Clients[i] = NewWire(t, n.All[i].Client)
		n.All[i].Advertise = n.Clients[i].Addr
	}
	for i, from := range n.All {
		for j, to := range n.All {
			if j != i {
				w := NewWire(t, to.Cluster)
				n.routes[[2]int{i, j}] = w
				from.Routes = append(from.Routes, w.Addr)
			}
		}
	}
	return n
}

// Part cuts a node off from the others, until mend is called.
func (n *Nodes) Part(node int) (mend func()) {
	var cut []*Wire
	for pair, w := range n.routes {
		if pair[0] == node || pair[1] == node {
			w.Cut()
			cut = append(cut, w)
		}
	}
	return func() {
		for _, w := range cut {
			w.Mend()
		}
	}
}

// FreeAddress is an address of this machine at which nobody listens.
func FreeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
