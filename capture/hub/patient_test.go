package hub_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/flaketap/flaketap/capture/hub"
	"github.com/flaketap/flaketap/capture/hub/server"
	"github.com/flaketap/flaketap/internal/testbed/cluster"
	"github.com/flaketap/flaketap/replay/queue"
)

// node has a node serve until the test ends.
func node(t *testing.T, n *cluster.Node) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var over sync.WaitGroup
	over.Go(func() {
		if err := n.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() { cancel(); over.Wait() })
}

// heard returns what hears the requests to JetStream that come to a node.
func heard(t *testing.T, address string) <-chan *nats.Msg {
	t.Helper()
	conn, err := nats.Connect(address, nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.ReconnectWait(10*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	all := make(chan *nats.Msg, 1000)
	if _, err := conn.ChanSubscribe("$JS.API.>", all); err != nil {
		t.Fatal(err)
	}
	for !conn.IsConnected() || conn.Flush() != nil {
		time.Sleep(time.Millisecond)
	}
	return all
}

// A node of a cluster that has no leader, before it ever had one and after all nodes were stopped, does not answer. What
// it was asked then is answered once there is one.
func TestRequestsWithoutLeader(t *testing.T) {
	nodes := cluster.NewNodes(t)
	address := "nats://" + nodes.Clients[0].Addr
	plans := func(l *hub.Link) error { _, err := l.Work().Plans(t.Context()); return err }
	status := func(l *hub.Link) error { _, err := l.Status(t.Context(), time.Now()); return err }
	for _, one := range []struct {
		name string
		asks []func(l *hub.Link) error
		come []*cluster.Node // so that there is a leader
	}{
		{"streams are made", []func(*hub.Link) error{plans}, nodes.All[1:]},
		{"streams are there", []func(*hub.Link) error{plans, status}, nodes.All[1:2]},
	} {
		t.Run(one.name, func(t *testing.T) {
			node(t, nodes.All[0])
			requests := heard(t, address)
			l, err := hub.Dial(address+"/n", hub.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			answer := make(chan error, len(one.asks))
			for _, ask := range one.asks {
				go func() { answer <- ask(l) }()
			}
			for range 2 * len(one.asks) {
				select {
				case <-requests:
				case err := <-answer:
					t.Fatalf("without a leader it answers: %v", err)
				}
			}
			for _, n := range one.come {
				node(t, n)
			}
			for range one.asks {
				if err := <-answer; err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// What is not answered is asked again until it is, sooner at first, and no longer than may be; the answer to an earlier
// request is taken too.
func TestAskedAgain(t *testing.T) {
	unavailable := &jetstream.APIError{Code: 503, ErrorCode: 10008}
	for _, one := range []struct {
		name          string
		lost, refused int32         // so many requests are
		takes         time.Duration // each of the others
		busy          time.Duration // the network, from when it is asked again on
		asked         int32
		after         time.Duration
	}{
		{"at once", 0, 0, time.Millisecond, 0, 1, time.Millisecond},
		{"lost", 3, 0, time.Millisecond, 0, 4, 1401 * time.Millisecond},
		{"refused for now", 0, 3, time.Millisecond, 0, 4, 1401 * time.Millisecond},
		{"slow", 0, 0, 2900 * time.Millisecond, 0, 5, 2900 * time.Millisecond},
		{"slow network", 0, 0, 2900 * time.Millisecond, 5 * time.Second, 1, 2900 * time.Millisecond},
		{"failed", 0, 0, 0, 0, 1, 0},
		{"never", 1000, 0, 0, 0, 14, 10 * time.Second},
		{"refused", 0, 1000, 0, 0, 14, 10 * time.Second},
	} {
		t.Run(one.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun, asked, pings := time.Now(), atomic.Int32{}, atomic.Int32{}
				heard := func(ctx context.Context) error {
					pings.Add(1)
					select {
					case <-time.After(one.busy):
					case <-ctx.Done():
					}
					return nil
				}
				got, err := hub.Answered(t.Context(), heard, func(ctx context.Context) (string, error) {
					n := asked.Add(1)
					switch {
					case n <= one.lost:
						<-ctx.Done()
						return "", ctx.Err()
					case n <= one.refused:
						return "", unavailable
					case one.takes == 0:
						return "", errors.ErrUnsupported
					}
					select {
					case <-time.After(one.takes):
						return "answer", nil
					case <-ctx.Done():
						return "", ctx.Err()
					}
				})
				if asked.Load() != one.asked || time.Since(begun) != one.after {
					t.Errorf("asked %d times, answered after %s", asked.Load(), time.Since(begun))
				}
				sent := pings.Load()
				time.Sleep(2 * time.Second)
				if pings.Load() != sent {
					t.Error("the server is still asked what it has heard")
				}
				var want error
				switch one.name {
				case "failed":
					want = errors.ErrUnsupported
				case "never":
					want = context.DeadlineExceeded
				case "refused":
					want = unavailable
				}
				if !errors.Is(err, want) || want == nil && got != "answer" {
					t.Errorf("%q, %v", got, err)
				}
			})
		})
	}
}

// elected is a stream that gets a leader while it is asked; before that, a node answers which has nothing of it.
type elected struct {
	jetstream.Stream
	asked atomic.Int32
}

func (e *elected) Info(context.Context, ...jetstream.StreamInfoOpt) (*jetstream.StreamInfo, error) {
	if e.asked.Add(1) < 3 {
		return &jetstream.StreamInfo{Cluster: &jetstream.ClusterInfo{Name: "ours"}}, nil
	}
	return &jetstream.StreamInfo{Cluster: &jetstream.ClusterInfo{Leader: "node-1"}, State: jetstream.StreamState{Msgs: 7}}, nil
}

// What a stream of a cluster holds is what its leader says.
func TestInfoOfLeader(t *testing.T) {
	dir := t.TempDir()
	s := start(t, server.Options{Dir: dir})
	info, err := dial(t, s.Address()+"/n", dir).InfoOf(t.Context(), &elected{})
	if err != nil || info.State.Msgs != 7 {
		t.Errorf("%+v, %v", info, err)
	}
}

// A ticket whose acknowledgement is lost is offered once: a worker that is done with it meanwhile does not see it again.
func TestOfferedOnce(t *testing.T) {
	dir := t.TempDir()
	s := start(t, server.Options{Dir: dir})
	l := dial(t, s.Address()+"/work", dir)
	there := dial(t, s.Address()+"/work", dir).Work()
	here := l.Work()
	ctx := t.Context()
	if _, err := here.Plans(ctx); err != nil { // which makes the streams
		t.Fatal(err)
	}
	take := func() queue.Ticket {
		lease, err := there.Lease(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if err := lease.Done(ctx); err != nil {
			t.Error(err)
		}
		return lease.Ticket()
	}
	first, second := queue.Ticket{Plan: "plan", Run: 1, Item: 1}, queue.Ticket{Plan: "plan", Run: 1, Item: 2}
	if err := l.Losing(func() { take() }); err != nil {
		t.Fatal(err)
	}
	for _, one := range []queue.Ticket{first, second, first} {
		if err := here.Offer(ctx, one); err != nil {
			t.Fatal(err)
		}
	}
	if got := take(); got != second {
		t.Errorf("%v is there again", got)
	}
	if got := take(); got != first {
		t.Errorf("what is offered anew is %v", got)
	}
}

// stuck are messages that are asked for anew, of a hub that is silent.
type stuck struct {
	jetstream.MessagesContext
	asked, over chan struct{}
}

func (s stuck) Next(...jetstream.NextOpt) (jetstream.Msg, error) {
	close(s.asked)
	<-s.over
	return nil, nats.ErrTimeout
}

// Who is interrupted does not wait for a hub that is silent.
func TestInterruptedWhereSilent(t *testing.T) {
	s := stuck{asked: make(chan struct{}), over: make(chan struct{})}
	defer close(s.over)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-s.asked; cancel() }()
	if _, err := hub.Next(ctx, s); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
