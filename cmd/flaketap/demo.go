package main

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/demo"
	"github.com/flaketap/flaketap/internal/testbed/demoapi"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/volatility/analysis"
	"github.com/urfave/cli/v2"
)

func (t *tool) demoCommand() *cli.Command {
	return &cli.Command{
		Name:      "demo",
		Usage:     "run the whole workflow on an API whose volatile fields are known",
		UsageText: "flaketap demo [--out DIR] [--python PATH]\nflaketap demo api|client|truth|score",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "out", Value: "demo-out",
				Usage: "`DIR` for the results; results of an earlier demo are replaced"},
			&cli.StringFlag{Name: "python", Value: "python3", Usage: "`PYTHON` interpreter with Schemathesis and pytest"},
			&cli.IntFlag{Name: "runs", Value: 10, Usage: "`N`umber of replays"},
		},
		Action: t.demo,
		Subcommands: []*cli.Command{
			{
				Name:   "api",
				Usage:  "serve the truth API, a small service whose fields are all labeled stable or volatile",
				Flags:  demoAPIFlags(),
				Action: t.demoAPI,
			},
			{
				Name:      "client",
				Usage:     "run a client of the truth API",
				UsageText: "flaketap demo client [--set NAME] [--rounds N] [--url URL]",
				Flags: []cli.Flag{
					setFlag(),
					&cli.IntFlag{Name: "rounds", Value: 3, Usage: "`N`umber of rounds through its operations"},
					// Go clients go past a proxy for localhost, so it is told where the recorder listens.
					&cli.StringFlag{Name: "url", EnvVars: []string{"FLAKETAP_URL"}, Value: "http://127.0.0.1:8080",
						Usage: "the API's `URL`"},
				},
				Action: t.demoClient,
			},
			{
				Name:   "truth",
				Usage:  "print the labels of the truth API",
				Flags:  []cli.Flag{setFlag()},
				Action: t.demoTruth,
			},
			{
				Name:      "score",
				Usage:     "compare a map with the labels of the truth API",
				UsageText: "flaketap demo score [--set NAME] MAP",
				Flags:     []cli.Flag{setFlag()},
				Action:    t.demoScore,
			},
		},
	}
}

func (t *tool) demo(c *cli.Context) error {
	if c.Args().Present() {
		return console.Usage(fmt.Errorf("unknown subcommand %q of demo: want one of api, client, truth, score", c.Args().First()))
	}
	if _, err := t.arguments(c); err != nil {
		return err
	}
	if c.Int("runs") < 1 {
		return console.Usage(fmt.Errorf("--runs must be at least 1, got %d", c.Int("runs")))
	}
	return demo.Demo{Dir: c.String("out"), Python: c.String("python"), Runs: c.Int("runs"), Out: t.out, Err: t.err,
		Command: func(ctx context.Context, args ...string) int {
			return run(ctx, append([]string{"flaketap"}, args...), t.streams)
		},
		Source: func(db string) (suite.Source, error) {
			j, err := analysis.JudgeWithSteps(db, analysis.Options{})
			if err != nil {
				return suite.Source{}, err
			}
			return sourceFrom(j), nil
		}}.Run(c.Context)
}

// demoClient is a client of a labelled API, with the scenarios that belong to its labels.
func (t *tool) demoClient(c *cli.Context) error {
	if err := t.alone(c); err != nil {
		return err
	}
	if c.Int("rounds") < 1 {
		return console.Usage(fmt.Errorf("--rounds must be at least 1, got %d", c.Int("rounds")))
	}
	if _, err := service.BaseURL(c.String("url")); err != nil {
		return err
	}
	set, err := setOption(c)
	if err != nil {
		return err
	}
	return set.Drive(c.Context, c.String("url"), c.Int("rounds"))
}

// demoTruth prints the labels of a labelled API.
func (t *tool) demoTruth(c *cli.Context) error {
	if err := t.alone(c); err != nil {
		return err
	}
	set, err := setOption(c)
	if err != nil {
		return err
	}
	_, err = t.out.Write(set.Labels())
	return err
}

func demoAPIFlags() []cli.Flag {
	return []cli.Flag{
		setFlag(),
		&cli.StringFlag{Name: "listen", Value: "127.0.0.1:8080", Usage: "`ADDR`ess to listen on"},
		&cli.StringFlag{Name: "fault", Value: "none", Usage: "plant a regression of a `KIND`: field, status or drop"},
		&cli.DurationFlag{Name: "clock-offset", Usage: "shift its clock by a `TIME` such as -2h"},
		&cli.Uint64Flag{Name: "seed", Usage: "`SEED` of its random values; 0 for a random seed"},
		&cli.StringFlag{Name: "rates", Usage: "`URL` of the external service that the office asks"},
	}
}

func (t *tool) demoAPI(c *cli.Context) error {
	if err := t.alone(c); err != nil {
		return err
	}
	set, err := setOption(c)
	if err != nil {
		return err
	}
	dials, err := dialOptions(c, set)
	if err != nil {
		return err
	}
	ln, err := net.Listen("tcp", c.String("listen"))
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	fmt.Fprintf(t.err, "flaketap: truth API on http://%s\n", ln.Addr())
	return set.Serve(c.Context, ln, dials)
}

func (t *tool) demoScore(c *cli.Context) error {
	files, err := t.arguments(c)
	if err != nil {
		return err
	}
	if len(files) != 1 {
		return console.Usage(errors.New("demo score needs one MAP file"))
	}
	set, err := setOption(c)
	if err != nil {
		return err
	}
	m, err := analysis.ReadMap(files[0])
	if err != nil {
		return err
	}
	return set.Score(t.out, files[0], m)
}

// setFlag names a truth API.
func setFlag() cli.Flag {
	return &cli.StringFlag{Name: "set", Value: "shop", Usage: "`NAME` of the truth API: shop, ward or office"}
}

// setOption returns the truth API that --set names.
func setOption(c *cli.Context) (demo.Set, error) {
	set, err := demo.SetNamed(c.String("set"))
	if err != nil {
		return set, console.Usage(err)
	}
	return set, nil
}

// dialOptions reads the flags of demo api.
func dialOptions(c *cli.Context, set demo.Set) (demo.Dials, error) {
	d := demo.Dials{Seed: c.Uint64("seed"), ClockOffset: c.Duration("clock-offset"), Rates: c.String("rates")}
	var err error
	if d.Fault, err = demoapi.ParseFault(c.String("fault")); err == nil {
		err = set.Check(d)
	}
	if err != nil {
		return d, console.Usage(err)
	}
	return d, nil
}
