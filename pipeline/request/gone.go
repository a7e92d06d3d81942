package request

// gone are flags and commands of earlier versions, and values that have another name now.
var gone = map[string]string{
	"over-budget": "leave it out: where a draw would exceed --total-epsilon, the record shows its last output again",
	"keep-earlier": "leave it out: rows that show an earlier draw that leaks more than epsilon end the run, so choose a " +
		"larger epsilon, or another --dataset",
	"independent-releases": "name the records with --record-id and --key-file, so that unchanged ones keep their " +
		"outputs, or begin another series with another --dataset",
	"bin-as": "leave it out: a bin is published as its label, such as 10-19 or 2020-01",
	"memory": "leave it out: no run holds the file in memory",
	"shuffle": "shuffle the rows before the run, such as by ORDER BY random() in DuckDB: docs/neighbours.md has the " +
		"line for each format",
	"ties": "leave it out: of tied outputs the lower value ranks lower, and tacet order counts such rows",
	"strata-min": "leave it out: strata of fewer than 100 records are merged where their column " +
		"is dropped, and no others",
	"as-string":         "leave it out: a column whose output labels are no values of its type is written as text",
	"dry-run":           "tacet simulate with the same flags shows what a run would do to the data, and writes nothing",
	"metrics":           "leave it out: --log-format json ends with a line of rows, epsilon, room and exit code",
	"at-most":           "leave it out: tacet frontier shows the least epsilon of every floor, to give with --epsilon",
	"quiet":             "it is --log-format errors now",
	"allow-identifier":  "it is --allow identifier now",
	"allow-sorted":      "it is --allow sorted now",
	"allow-unchanged":   "it is --allow unchanged now",
	"list-unknown":      "leave it out: tacet order --new writes what an order lacks, tacet estimate all values of a file",
	"keep-values":       "it is --prefer values now",
	"tacet report":      "read report.html or report.txt in the folder of the report; those in public are for all",
	"ready":             "docs/orders/us-states.md and docs/orders/countries.md have the tables",
	"plot":              "leave it out: --html writes a page with the picture",
	"null letter":       "it is --null draw now",
	"on-change publish": "it is --on-change draw now",
}

// Gone says what to do instead of a flag, of a command with the program before it, or of a flag and its
// value with a blank between, that earlier versions had; "" where they had none.
func Gone(name string) string { return gone[name] }
