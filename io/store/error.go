package store

import "fmt"

// A Kind is what can go wrong with an object.
type Kind string

// The kinds; those but the last are the program's own words.
const (
	Address   Kind = "address" // it names no bucket
	Missing   Kind = "missing" // there is no such object or bucket
	Denied    Kind = "denied"  // the store does not let us
	Exists    Kind = "exists"  // an object stands there already
	Broken    Kind = "broken"  // the store did not answer, or broke off
	Changed   Kind = "changed" // it is not the object that was listed or opened
	unable    Kind = "unable"  // the store cannot do what was asked; not told
	NoProgram Kind = "program" // tacet-cloud is not there
)

// An Error is what a store refused or could not do.
type Error struct {
	Kind Kind
	Code string // of the store, may be empty
	URL  string // as given, without its parameters
}

func (e *Error) Error() string {
	text := map[Kind]string{
		Address:   "%s is no address of an object: it names no bucket that can be opened",
		Missing:   "%s does not exist",
		Denied:    "%s: the store denies access",
		Exists:    "%s exists already",
		Broken:    "%s: the store did not answer, or broke off",
		Changed:   "%s changed while it was read",
		NoProgram: "the program " + Program + " is not there, which reads and writes in stores",
	}[e.Kind]
	if e.Kind != NoProgram {
		text = fmt.Sprintf(text, e.URL)
	}
	if e.Code != "" {
		text += " (" + e.Code + ")"
	}
	return text
}

// Advice is what to do.
func (e *Error) Advice() string {
	return map[Kind]string{
		Address: "write it as s3://bucket/path, gs://bucket/path or azblob://container/path",
		Missing: "check bucket, path, and the region of the account",
		Denied:  "check the credentials in the environment, and what they may do with the bucket",
		Exists: "give --overwrite, or another address; if somebody has that object, two draws of the same data together " +
			"leak more than epsilon",
		Broken:  "run again when the store can be reached; a run with --run-key and --run-id writes the same bytes again",
		Changed: "run again when no other program writes to it",
		NoProgram: "put " + Program + " beside tacet or on the path: it is in the release archives, or build it in cmd/" +
			Program,
	}[e.Kind]
}
