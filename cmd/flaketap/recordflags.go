package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/proxy"
	"github.com/flaketap/flaketap/store"
	"github.com/urfave/cli/v2"
)

// storingFlags are the flags of record that say how exchanges are stored.
func storingFlags() []cli.Flag {
	return []cli.Flag{
		maxBodyFlag(),
		redactAtRestFlag(),
		secretsFlag(),
		&cli.BoolFlag{Name: "sync", Usage: "pass an answer only once it is on disk, rather than have it there within 50 ms"},
		&cli.StringFlag{Name: "on-overload", Value: "wait", Usage: "when more comes than can be stored: make clients `wait`, or drop exchanges and count them"},
	}
}

func maxBodyFlag() cli.Flag {
	return &cli.StringFlag{Name: "max-body", Value: "64MiB", Usage: "store no more than `SIZE` of a body; all of it passes, and the record says how much was cut"}
}

// storing reads what storingFlags say: how much of a body is kept, and how the database is written.
func storing(c *cli.Context) (maxBody int64, o store.Options, err error) {
	if maxBody, err = bodyLimit(c); err != nil {
		return 0, o, err
	}
	o.Sync, o.Doing = c.Bool("sync"), "recording"
	switch c.String("on-overload") {
	case "wait":
	case "drop":
		o.Drop = true
	default:
		return 0, o, console.Usage(fmt.Errorf("--on-overload is wait or drop, not %q", c.String("on-overload")))
	}
	if o.Drop && o.Sync {
		return 0, o, console.Usage(errors.New("--sync stores every answer before it passes; it cannot go with --on-overload drop"))
	}
	return maxBody, o, nil
}

// bodyLimit reads how much of a body is kept.
func bodyLimit(c *cli.Context) (int64, error) {
	size, err := parseSize(c.String("max-body"))
	if err == nil && size > store.MaxBody {
		err = fmt.Errorf("no more than %d MiB of a body can be stored", store.MaxBody>>20)
	}
	if err != nil {
		return 0, console.Usage(fmt.Errorf("--max-body %s: %w", c.String("max-body"), err))
	}
	if size == 0 {
		return proxy.NoBodies, nil
	}
	return size, nil
}

// parseSize reads a number of bytes such as 500, 64KiB, 10M or 1g; the units are powers of 1024.
func parseSize(s string) (int64, error) {
	number := strings.TrimRight(s, "kKmMgGiIbB")
	unit := strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(s[len(number):]), "b"), "i")
	shift, known := map[string]uint{"": 0, "k": 10, "m": 20, "g": 30}[unit]
	n, err := strconv.ParseUint(number, 10, 63)
	if err != nil || !known || n > math.MaxInt64>>shift {
		return 0, errors.New("that is no size such as 500, 64KiB, 10M or 1G")
	}
	return int64(n) << shift, nil
}

// dropped returns how many exchanges of the last pass were lost, which --on-overload drop allows.
func dropped(db *store.Store) int {
	rec, err := db.Recording()
	if err != nil || len(rec.Passes) == 0 {
		return 0 // the recording is whole; only this cannot be told
	}
	return rec.Passes[len(rec.Passes)-1].Dropped
}
