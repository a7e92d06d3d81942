package main

import "github.com/tacet-privacy/tacet/pipeline/request"

// own are the options of commands that neither read nor release data.
var own = map[string][]*request.Option{
	"inspect": {
		{Name: "input", Need: "inspect", Example: "visits.parquet",
			Usage: "Parquet, Arrow IPC or CSV `FILE` to look at"},
		{Name: "column", Example: "diagnosis",
			Usage: "`NAME` of the only column to suggest a command for, and to judge the others beside as a " +
				"run does"},
		{Name: "epsilon", Default: "1",
			Usage: "leakage in nats by which the others are judged beside --column"},
		{Name: "show-values", Kind: request.Switch, Once: true,
			Usage: "show the commonest values of every column: what is printed is then as private as the " +
				"file"},
		request.Find("csv-delimiter"),
		request.Find("csv-header"),
		{Name: "format", Default: "text", Choices: []string{"text", "json"},
			Usage: "output format: text or json"},
	},
	"studio": {
		{Name: "input", Example: "visits.csv",
			Usage: "`FILE` to begin with, which needs no --input before it"},
		{Name: "folder", Kind: request.Names, Example: "data,keys",
			Usage: "`FOLDERS` below which files are read and written; without it, that of the file, or the " +
				"working folder"},
		{Name: "no-browser", Kind: request.Switch,
			Usage: "print the address, and open no browser"},
		request.Find("test-seed"),
	},
	"verify": {
		{Name: "report", Example: "published.report/report.json",
			Usage: "report.json `FILE` of the release, or its folder; without it, the folder that tacet run " +
				"makes beside the output"},
		{Name: "plan", Example: "plan.json",
			Usage: "plan `FILE`; without it, plan.json in the folder of the report"},
		{Name: "order",
			Usage: "order `FILE`; without it, order.csv in the folder of the report"},
		{Name: "input",
			Usage: "`FILE` that was privatized"},
		{Name: "output", Need: "verify", Example: "published.parquet",
			Usage: "`FILE` that was published"},
		{Name: "file",
			Usage: "`PATH`, in a release of many files, of the one that --output names: no other is read"},
		{Name: "since", Kind: request.Names,
			Usage: "report `FOLDERS` of other releases, or patterns of these: files that they list are left " +
				"out"},
		{Name: "ledger",
			Usage: "ledger `FILE`, or what tacet ledger export printed"},
		{Name: "history",
			Usage: "record history `FILE` or folder; without it, the folder next to the ledger"},
		{Name: "key-file", Kind: request.Secret,
			Usage: "draw key `FILE`, to repeat the draws of the input's records"},
		{Name: "threads", Kind: request.Whole, Default: "0",
			Usage: "number of row groups to check at once; 0 means one per processor"},
		{Name: "format", Default: "text", Choices: []string{"text", "json"},
			Usage: "form of the result: text, or json (one object)"},
		{Name: "trust",
			Usage: "public `KEY` that must have signed the release: a file, or its line that begins with RW"},
		{Name: "approver", Kind: request.Names,
			Usage: "public `KEYS` of who may decide: one of them must have signed every decision and " +
				"approved"},
		{Name: "approvals", Default: "1",
			Usage: "`NUMBER` of these keys that must approve"},
		{Name: "withdrawn",
			Usage: "`FILE` with public keys, or their ids, that are trusted no more, one a line"},
	},
	"sign-off": {
		{Name: "report", Need: "sign-off", Example: "report",
			Usage: "`FOLDER` of the internal report"},
		{Name: "decision", Once: true, Choices: []string{"approve", "reject"}, Example: "approve",
			Usage: "what was decided: approve or reject"},
		{Name: "output", Example: "published.parquet",
			Usage: "`FILE` that was published; needed to approve"},
		{Name: "by", Example: `"A. Approver"`,
			Usage: "`NAME` of who decides"},
		{Name: "key", Kind: request.Secret, Example: "approver.key",
			Usage: "signing key `FILE` that tacet key new made, or an open descriptor fd:3"},
		{Name: "public", Kind: request.Switch,
			Usage: "put an approval beside the public report, too, without a name"},
		{Name: "note", Once: true,
			Usage: "`TEXT` to keep with the decision"},
	},
	"key new": {
		{Name: "output", Need: "new", Example: "signing.key",
			Usage: "key `FILE` to write"},
		{Name: "type", Default: "signing", Choices: []string{"signing", "draw", "run"},
			Usage: "what the key is for: signing; draw (draws that repeat for the same record); run (runs " +
				"that can be repeated)"},
	},
	"key show-id": {
		{Name: "key", Kind: request.Secret, Need: "show-id", Example: "signing.key",
			Usage: "key `FILE`, or an open descriptor fd:3"},
	},
	"key rotate": {
		{Name: "key", Kind: request.Secret, Need: "rotate", Example: "signing.key",
			Usage: "key `FILE`"},
	},
	"ledger": {
		{Name: "ledger", Example: "ledger.db",
			Usage: "ledger `FILE`"},
	},
	"ledger list":   {ledgerOption},
	"ledger export": {ledgerOption},
	"ledger show":   {ledgerOption, idOption},
	"ledger verify": {ledgerOption,
		{Name: "head",
			Usage: "`HASH` of an event that must be in the chain, from a report or an export"},
	},
	"ledger void": {ledgerOption, idOption,
		{Name: "reason", Example: "the disk was full",
			Usage: "`TEXT` that says why"},
		{Name: "never-published", Kind: request.Switch,
			Usage: "confirm that no copy of this sealed release was ever published"},
	},
}

var (
	ledgerOption = &request.Option{Name: "ledger", Need: "list show verify export void", Example: "ledger.db",
		Usage: "ledger `FILE`"}
	idOption = &request.Option{Name: "id", Kind: request.Whole, Need: "show void", Example: "3",
		Usage: "`ID` of the release, as list shows it"}
)
