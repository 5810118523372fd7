package main

import (
	"github.com/flaketap/flaketap/capture/upstream"
	"github.com/urfave/cli/v2"
)

// upstreamFlags say how the API is spoken to, by the recorder and by a replay.
func upstreamFlags(more ...cli.Flag) []cli.Flag {
	return append(more,
		upstreamProxyFlag(),
		&cli.BoolFlag{Name: "insecure-upstream", Usage: "do not verify the API's certificate"},
		&cli.StringFlag{Name: "upstream-ca", EnvVars: []string{"FLAKETAP_UPSTREAM_CA"},
			Usage: "PEM `FILE` of authorities to trust for the API's certificate, in addition to the system's"},
		&cli.StringFlag{Name: "client-cert", EnvVars: []string{"FLAKETAP_CLIENT_CERT"},
			Usage: "PEM `FILE` of the client certificate for an API that asks for one"},
		&cli.StringFlag{Name: "client-key", EnvVars: []string{"FLAKETAP_CLIENT_KEY"},
			Usage: "PEM `FILE` of its key (default: in the certificate's file)"},
	)
}

func upstreamProxyFlag() cli.Flag {
	return &cli.StringFlag{Name: "upstream-proxy", EnvVars: []string{"FLAKETAP_UPSTREAM_PROXY"},
		Usage: "`URL` of the proxy to reach the API through, such as http://user:password@proxy:3128 (the variable keeps it out of the process list)"}
}

// upstreamOptions reads upstreamFlags.
func upstreamOptions(c *cli.Context) upstream.Options {
	return upstream.Options{
		Proxy: c.String("upstream-proxy"), Insecure: c.Bool("insecure-upstream"), CA: c.String("upstream-ca"),
		Cert: c.String("client-cert"), Key: c.String("client-key"), Mark: c.Bool("transparent"),
	}
}
