package main

import "github.com/urfave/cli/v2"

// pinFlags are those of a run that follows the plan of an earlier night. A
// redesign is meant for one night: neither a job file nor the environment asks
// for it.
var pinFlags = []cli.Flag{
	text("plan", "", "follow the plan in `FILE`, that tacet design wrote, as long as it keeps epsilon under tonight's counts"),
	&cli.BoolFlag{Name: "redesign", Usage: "make a new plan in place of the one that --plan names or the ledger holds", DisableDefaultText: true},
}
