package server

import (
	"errors"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/flaketap/flaketap/internal/outfile"
)

// diskEvery is how often it is looked at how much room the disk has.
const diskEvery = time.Second

// mostReserve is how much of the disk is left free, or an eighth of what the hub could have in all, if that is less. A
// server whose disk is full stops all of its streams; one that may not take more refuses what is new, and goes on.
const mostReserve = 64 << 20

// room is how much all streams may take, of so much that was asked for, if they take used bytes now and the disk has
// free ones.
func room(asked, used, free int64) int64 {
	return min(asked, used+max(0, free-min(mostReserve, (used+free)/8)))
}

// bound tells clients how much all streams may take, which they are not told of a server's own bound, and holds them
// to it.
func (s *Server) bound() error {
	info, err := s.server.Jsz(nil)
	if err != nil || info.Disabled {
		return errors.Join(errors.New("its disk is full, or cannot be written to: give it room, and start it again"), err)
	}
	most := info.Config.MaxStore
	if free, ok := outfile.Free(s.dir); ok {
		most = room(most, int64(info.Store), free)
	}
	return s.server.GlobalAccount().UpdateJetStreamLimits(map[string]server.JetStreamAccountLimits{"": {
		MaxStore:  max(1, most-1), // one less, since -1 stands there for no bound, and counts as that
		MaxMemory: -1, MaxStreams: -1, MaxConsumers: -1, MaxAckPending: -1, MemoryMaxStreamBytes: -1, StoreMaxStreamBytes: -1,
	}})
}

// watch holds the streams to the room that the disk has, until the hub is closed, or can keep nothing any more.
func (s *Server) watch() {
	tick := time.NewTicker(diskEvery)
	defer tick.Stop()
	for {
		select {
		case <-s.closed:
			return
		case <-tick.C:
		}
		if err := s.bound(); err != nil {
			s.log.Fatalf("%v", err)
			s.server.Shutdown()
			return
		}
	}
}
