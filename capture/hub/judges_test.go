//go:build unix

package hub_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/flaketap/flaketap/capture/hub"
	"github.com/flaketap/flaketap/capture/hub/server"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/testbed/recorded"
	"github.com/flaketap/flaketap/replay/queue"
	"github.com/flaketap/flaketap/volatility/analysis"
	"github.com/flaketap/flaketap/volatility/analysis/parts"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// judges is a worker that judges parts of maps. One that stops does so for good in the middle of its first part, and
// says that by acknowledging it.
type judges struct {
	Hub, Credential string
	Stops           bool
}

// judgesKey is what they share with who wants the map.
func judgesKey() *queue.Key {
	key, err := queue.NewKey([]byte("a key of sixteen bytes"))
	if err != nil {
		panic(err) // it is long enough
	}
	return key
}

// judgesLeasing is how long the parts are leased.
const judgesLeasing = 500 * time.Millisecond

func (j *judges) run(ctx context.Context) error {
	l, err := hub.Dial(j.Hub, hub.Options{Credential: j.Credential})
	if err != nil {
		return err
	}
	defer l.Close()
	w := queue.Worker{Board: l.Judging().Leasing(judgesLeasing), Key: judgesKey(), Console: &console.Console{Err: os.Stderr},
		Role: queue.Judges, Judge: parts.Judge}
	if j.Stops {
		w.Judge = func(ctx context.Context, judging []byte, part int, content func(int) ([]byte, error)) ([]byte, error) {
			return parts.Judge(ctx, judging, part, func(number int) ([]byte, error) {
				if number != part { // its list is read, and the first block is next
					fmt.Println("acknowledged 1")
					select {}
				}
				return content(number)
			})
		}
	}
	return w.Run(ctx)
}

// judgedByKilled makes the map of a recording by two workers, of which the first is killed in the middle of a part.
func judgedByKilled(t *testing.T, address, dir, path string) []byte {
	t.Helper()
	own := judges{Hub: address, Credential: filepath.Join(dir, server.CredentialFile)}
	other := own
	own.Stops = true
	first := &process{t: t, name: "first", role: role{Judge: &own}}
	second := &process{t: t, name: "second", role: role{Judge: &other}}
	first.start()
	t.Cleanup(first.kill)
	t.Cleanup(func() {
		if second.cmd != nil {
			second.kill()
		}
	})
	lead := &parts.Lead{Board: dial(t, address, dir).Judging().Leasing(judgesLeasing), Key: judgesKey(),
		Console: &console.Console{}}
	got := make(chan []byte, 1)
	go func() { got <- mapOf(t, path, analysis.Options{Elsewhere: lead, Context: t.Context()}) }()
	for first.far() == 0 {
		select {
		case <-got:
			t.Fatal("the map is made before anybody judged")
		case <-first.ended:
			t.Fatalf("the first worker ended before it judged: %v, %q", first.err, first.said)
		case <-time.After(10 * time.Millisecond):
		}
	}
	first.kill()
	second.start()
	return <-got
}

// mapOf is the map of a recording, all places of it.
func mapOf(t *testing.T, path string, o analysis.Options) []byte {
	t.Helper()
	var b bytes.Buffer
	r, err := analysis.Judge(path, o)
	if err == nil {
		err = r.Map.Encode(&b, mapfile.EncodeOptions{All: true})
	}
	if err != nil {
		t.Error(err)
	}
	return b.Bytes()
}

// TestMapKilled: the map does not depend on who judges it, nor on who dies over it.
func TestMapKilled(t *testing.T) {
	dir := t.TempDir()
	s := start(t, server.Options{Dir: dir})
	path := recorded.Write(t, recorded.Market(), 3)
	if got := judgedByKilled(t, s.Address()+"/n", dir, path); !bytes.Equal(got, mapOf(t, path, analysis.Options{})) {
		t.Error("by workers it is another map")
	}
}
