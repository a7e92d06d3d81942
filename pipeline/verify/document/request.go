package document

// A Request names the files of a release.
type Request struct {
	Report string // Required. report.json.
	Plan   string // "": plan.json beside the report
	Order  string // "": order.csv beside the report
	Input  string // "": what needs the input is not checked
	Output string // Required.
	Trust  string // public key, or a file that holds it; "": signatures are not checked

	Ledger  string // ledger, or its export; "": the releases before are not looked at
	History string // record history, or the folder where it lies; "": beside the ledger
	Key     string // draw key: with it and the input every draw is made again
}
