package main

import (
	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline"
)

// repeatFlags are those of a release that is made again and again.
var repeatFlags = []cli.Flag{
	list("record-id", "comma-separated columns that identify a record: an unchanged record keeps its output; dropped unless --keep names them"),
	text("person", "", "column `NAME` that identifies a person, who may have several rows: rows with one letter share a draw"),
	text("key-file", "", "draw by the key in `FILE`, or in an open descriptor fd:3; with --record-id or --person"),
	text("ledger", "", "`FILE` that remembers what was released, and refuses what a total does not admit"),
	text("dataset", "", "`NAME` of what is released again and again; with --ledger"),
	text("population", "", "`NAME` of the people or things that the file is about; with --ledger"),
	text("total-epsilon", "", "most that all releases may tell of a record, in nats, as --epsilon"),
	text("on-change", "", "records whose letter changed: publish, hold (repeat the first output for ever) or refuse"),
	text("over-budget", "", "where a draw would pass --total-epsilon: repeat the last output, suppress, or refuse the night"),
	text("previous-input", "", "`FILE` that the release before was made from, to count changed letters, inside only; with --record-id"),
	flag("degrade", "where the design changed: draw from what was published last, which tells nothing new, if the new design allows it"),
	flag("independent-releases", "draw every record anew though it was released before and there are no record ids"),
}

func repeatOf(c *cli.Context) pipeline.Repeat {
	return pipeline.Repeat{
		RecordID: split(c.String("record-id")), Person: c.String("person"), KeyFile: c.String("key-file"),
		Ledger: c.String("ledger"), Dataset: c.String("dataset"), Population: c.String("population"), TotalEpsilon: c.String("total-epsilon"),
		OnChange: c.String("on-change"), OverBudget: c.String("over-budget"), Degrade: c.Bool("degrade"), Independent: c.Bool("independent-releases"),
		PreviousInput: c.String("previous-input"),
	}
}
