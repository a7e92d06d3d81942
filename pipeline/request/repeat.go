package request

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/fault"
)

// Repeat is what a user asks for of a release that is made again and again.
// Without any of it every run draws anew and remembers nothing.
type Repeat struct {
	RecordID []string // columns that identify a record; dropped unless kept by name
	Person   string   // column that identifies a person, who may have several rows; dropped likewise
	KeyFile  string   // place of the key of memoised draws: a file or "fd:3"
	RunKey   string   // place of the key by which rows are drawn without ids, so that a run can be repeated
	RunID    string   // Required with RunKey. Name of the run.

	Ledger       string // file that remembers releases; made where there is none
	Dataset      string // Required with Ledger. Name of what is released again and again.
	Population   string // name of the people or things that the file is about
	TotalEpsilon string // most that all releases may tell of a record whose value never changes; "" sets no bound
	OnChange     string // of a record whose letter changed: "draw" (default), "hold" or "refuse"
}

// mostRunID bounds the name of a run, in bytes.
const mostRunID = 200

// Memoised reports whether draws are a function of ids.
func (r *Repeat) Memoised() bool { return len(r.RecordID) > 0 || r.Person != "" }

// Identifiers are the columns that ids are read from, each once.
func (r *Repeat) Identifiers() (names []string) {
	if r.Person != "" {
		names = append(names, r.Person)
	}
	for _, n := range r.RecordID {
		if n != r.Person {
			names = append(names, n)
		}
	}
	return names
}

// Handling is what happens to records whose letter changed, as the ledger
// writes it down.
func (r *Repeat) Handling() string {
	if r.OnChange == "" && r.Memoised() {
		return "draw"
	}
	return r.OnChange
}

// makeKey is what to do where draws by a key have none.
const makeKey = "make one with tacet key new --type draw --output draw.key, and give --key-file draw.key"

// checkRepeat finds contradictions that need no file.
func (o *Options) checkRepeat() []*fault.Fault {
	seen, twice := map[string]bool{}, false
	for _, n := range o.RecordID {
		twice = twice || n == "" || seen[n]
		seen[n] = true
	}
	private := slices.Contains(o.Identifiers(), o.Column) && o.Column != ""
	dataset := "give --dataset visits or another name, the same at every release"
	if o.Headroom == "" && o.Plan == "" {
		dataset += "; also --headroom 10%, so that the plan fits the counts of later releases"
	}
	faults := found([]conflict{
		{twice, "name each column once", "--record-id names a column twice, or none"},
		{private, "name another column, which identifies the record or the person",
			fmt.Sprintf("--record-id and --person cannot name the private column %q", o.Column)},
		{len(o.RecordID) > 0 && o.KeyFile == "", makeKey, "--record-id needs a key"},
		{o.Person != "" && len(o.RecordID) == 0 && o.KeyFile == "", makeKey, "--person needs a key"},
		{!o.Memoised() && o.KeyFile != "", "name the columns that identify a record with --record-id",
			"--key-file is given without --record-id or --person"},
		{o.Memoised() && o.TestSeed != nil, "remove --test-seed; for tests make a key with tacet key new --type draw " +
			"--output test.key", "--test-seed does not go with --key-file"},
		{(o.RunKey == "") != (o.RunID == ""), "give --run-id 2026-11-23 or another name, and the key of tacet key new " +
			"--type run --output run.key with --run-key run.key", "--run-key and --run-id go together"},
		{o.RunKey != "" && o.Memoised(), "remove --run-key: draws by id repeat under --key-file alone",
			"--run-key does not go with --record-id or --person"},
		{o.RunKey != "" && o.TestSeed != nil, "remove --test-seed", "--test-seed does not go with --run-key"},
		{o.Previous != "" && o.RunKey == "", "leave it out: diff of two report.json shows what differs",
			"--previous is for runs that can be repeated, by --run-key and --run-id"},
		{len(o.Since) > 0 && o.Hash == "none", "remove --hash none", "--since needs the hashes of the files"},
		{o.RunKey != "" && o.Hash == "none", "remove --hash none", "--run-key needs the hash of the input"},
		{len(o.RunID) > mostRunID || strings.ContainsFunc(o.RunID, func(c rune) bool { return !unicode.IsPrint(c) }),
			fmt.Sprintf("name the run with at most %d printable characters, such as its date", mostRunID),
			"--run-id is too long or has characters that cannot be printed"},
		{o.Ledger != "" && o.Dataset == "", dataset, "--ledger needs --dataset"},
		{o.Ledger != "" && o.Hash == "none", "remove --hash none", "--ledger needs the hashes that --hash none leaves out"},
		{o.Ledger != "" && o.TestSeed != nil, "leave --test-seed out",
			"--test-seed does not go with --ledger: a test release is not entered in a ledger"},
		{o.Ledger != "" && o.Person != "" && len(o.RecordID) == 0,
			"also name the columns that identify a record with --record-id",
			"--ledger needs --record-id: it remembers single records, and --person identifies none"},
		{o.Ledger == "" && (o.Dataset != "" || o.Population != "" || o.TotalEpsilon != "" || o.OnChange != ""),
			"name the ledger with --ledger", "--dataset, --population, --total-epsilon and --on-change need a ledger"},
		{!o.Memoised() && o.OnChange != "",
			"name the columns that identify a record with --record-id", "--on-change needs record ids"},
	})
	_, err := o.ParseTotal()
	return fault.And(faults, err)
}

// ParseTotal is the bound over all releases, nil where there is none.
func (r *Repeat) ParseTotal() (*mechanism.Epsilon, error) {
	return parseBound("--total-epsilon", r.TotalEpsilon)
}
