// Package book reads a ledger, or its export as JSON lines, as docs/ledger.md
// specifies them, and holds the chain and the order of events to their rules.
// It is part of the independent checker and shares nothing with the room that
// writes ledgers. It never writes: a database with a log beside it is read
// from a copy.
package book

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
)

// A Series is what is released again and again.
type Series struct {
	Dataset    string `json:"dataset"`
	Column     string `json:"column"`
	Population string `json:"population"`
}

// A Figure is the factor of a whole series.
type Figure struct {
	Factor string `json:"factor"`
	Label  string `json:"label"`
	Rule   string `json:"rule"`
}

// A Reserved is what a release was going to be.
type Reserved struct {
	Series
	Plan       string     `json:"plan_sha256"`
	Design     string     `json:"design_sha256"`
	Key        string     `json:"key_id"`
	Input      string     `json:"input_sha256"`
	Factor     string     `json:"factor"`
	Budget     string     `json:"budget"`
	OnChange   string     `json:"on_change"`
	OverBudget string     `json:"over_budget"`
	Documents  []Document `json:"documents"`
	Claim      Figure     `json:"claim"`
}

// A Document is a file that the ledger keeps.
type Document struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// A Sealed is what a release came to.
type Sealed struct {
	Output     string   `json:"output_sha256"`
	Rows       int64    `json:"rows"`
	Factor     string   `json:"factor"`
	Cumulative Figure   `json:"cumulative"`
	Changed    int64    `json:"changed"`
	Held       int64    `json:"held"`
	Limited    int64    `json:"limited"`
	New        int64    `json:"new"`
	Vanished   int64    `json:"vanished"`
	History    *Segment `json:"history"`
}

// A Segment is a record history.
type Segment struct {
	File    string `json:"file"`
	SHA256  string `json:"sha256"`
	Base    string `json:"base"`
	Records int64  `json:"records"`
	Entries int64  `json:"entries"`
}

// A Release with all that the ledger says of it.
type Release struct {
	ID    int64 // seq of its reservation
	Night int   // within its series, from 1 on
	When  string
	State string // reserved, sealed, committed or voided
	Reserved
	Sealed   *Sealed
	SealedAt int64 // seq of the event; 0 for none
}

// Counts reports whether the release counts: it is not voided.
func (r *Release) Counts() bool { return r.State != "voided" }

// A Book is a ledger whose chain holds as far as Broken says.
type Book struct {
	ID       string
	Hash     []string // of the events, in their order
	Releases []*Release
	Broken   string // what is wrong with the chain, and where; "" for nothing

	folder   string            // of the record histories; "" of an export
	document map[string][]byte // nil of an export
}

// An Error says why a file is no ledger.
type Error struct{ What string }

func (e *Error) Error() string { return e.What }

// Read reads a ledger or its export.
func Read(ctx context.Context, path string) (*Book, error) {
	kind, err := kindOf(path)
	switch {
	case err != nil:
		return nil, err
	case kind == database:
		return readDatabase(ctx, path)
	}
	return readExport(path)
}

// Release finds a release, nil where there is none.
func (b *Book) Release(id int64) *Release {
	for _, r := range b.Releases {
		if r.ID == id {
			return r
		}
	}
	return nil
}

// Document is a file that the ledger keeps; nil where it does not, as an
// export does not.
func (b *Book) Document(sha string) []byte { return b.document[sha] }

// Folder is where the record histories of a series lie, "" for an export.
func (b *Book) Folder(s Series) string {
	if b.folder == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(s.Dataset + "\x00" + s.Column + "\x00" + s.Population + "\x00"))
	return b.folder + "/" + hex.EncodeToString(sum[:8])
}
