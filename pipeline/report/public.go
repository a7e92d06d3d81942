package report

import (
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/claim"
)

// PublicSchema names the format of public/report.json.
const PublicSchema = "tacet.public-report/v2"

// Public is what may be published of a release. Exact leakages, shares,
// utilities, bounds and hashes of what holds counts encode the counts: with the
// number of rows known, epsilon to three digits gives the records of the
// binding set, and a hash lets whoever knows all rows but one confirm the last
// by trial. So it holds choices that were declared, what the output shows to
// everyone, and the figures that were chosen from the data, which the claim
// "chosen" lists by name.
type Public struct {
	Schema   string        `json:"schema"`
	Version  string        `json:"version"`         // of Tacet
	Stamp    string        `json:"stamp,omitempty"` // "NOT A PRIVATE RELEASE" when a test seed was used
	About    *About        `json:"about,omitempty"`
	Claims   []claim.Claim `json:"claims"` // of the internal report, those that everybody may see
	Column   string        `json:"column"`
	Given    string        `json:"given,omitempty"` // column given which the promise holds
	Rows     int64         `json:"rows"`
	Columns  []Column      `json:"columns"` // of the output
	Dropped  []string      `json:"dropped"` // columns named to be dropped
	Kept     bool          `json:"kept"`    // an allow-list chose the columns: all others were dropped
	Domain   PublicDomain  `json:"domain"`
	Order    PublicOrder   `json:"order"`
	Declared []Source      `json:"declared"`
	Target   string        `json:"target"`        // epsilon, as the user wrote it
	Factor   float64       `json:"target_factor"` // e^epsilon, rounded up
	Floor    PublicFloor   `json:"floor"`
	Design   string        `json:"design"` // as asked for
	Grid     []GridCap     `json:"grid"`
	Draws    Draws         `json:"randomness"`
	Output   PublicFile    `json:"output"`
}

// PublicDomain is what was declared of the letters.
type PublicDomain struct {
	Rule     string `json:"rule"`
	Declared int    `json:"declared"`
	Null     string `json:"null"`
	// Where rare letters are treated alike: both were declared. Which letters
	// these are was chosen from the data, and is not told.
	Other *PublicOther `json:"other,omitempty"`
}

// PublicOther is how rare letters are treated.
type PublicOther struct {
	Label    string `json:"label"`
	MinCount int64  `json:"min_count"`
}

// PublicOrder is the form of the order and its spec, without folders.
type PublicOrder struct {
	Form string `json:"form"`
	Spec string `json:"spec"`
}

// PublicFloor is the floor that was declared, or else the one reached.
type PublicFloor struct {
	Declared string `json:"declared,omitempty"` // "rank >= 3"; then nothing else is told
	Rank     int    `json:"rank,omitempty"`
	Of       int    `json:"of,omitempty"`
	InWords  string `json:"in_words,omitempty"`

	Level *claim.Level `json:"level,omitempty"`
}

// PublicFile is the output.
type PublicFile struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
	Rows   int64  `json:"rows"`
	Bytes  int64  `json:"bytes"`
	Format string `json:"format"`
	Files  int    `json:"files,omitempty"` // of a data set, whose hash is that of the list of hashes and paths

	Dialect *Dialect `json:"dialect,omitempty"` // of CSV
}

// Publish leaves of a report what may be published.
func (r *Report) Publish() *Public {
	p := &Public{Schema: PublicSchema, Version: r.Version, Stamp: r.Stamp, About: r.About,
		Claims: claim.Published(r.Claims), Column: r.Column, Rows: r.Output.Rows,
		Columns: []Column{}, Dropped: []string{}, Domain: PublicDomain{Rule: r.Domain.Rule, Declared: r.Domain.Declared,
			Null: r.Domain.Null},
		Order: PublicOrder{r.Order.Form, bare(r.Order.Spec)}, Declared: r.Declared, Target: r.Epsilon.Target,
		Factor: r.Most,
		Design: r.Design.Asked, Grid: r.Grid, Draws: r.Draws,
		Output: PublicFile{FileName(r.Output.Path), r.Output.SHA256, r.Output.Rows, r.Output.Bytes, r.Output.Format,
			r.Output.Files, r.Output.Dialect}}
	for _, c := range r.Columns {
		if c.Fate != "dropped" {
			p.Columns = append(p.Columns, c)
		}
	}
	if o := r.Other; o != nil {
		p.Domain.Other = &PublicOther{o.Label, o.MinCount}
	}
	if drop := r.Setting("drop"); drop != "" {
		p.Dropped, _ = Names(drop)
	}
	p.Kept = r.Setting("keep") != ""
	p.Given = r.Strata.Given()
	p.Floor = PublicFloor{Rank: r.Floor.Rank, Of: r.Floor.Of, InWords: r.Floor.InWords, Level: r.Floor.Level}
	if r.Floor.Asked != "best" && r.Floor.Of > 0 {
		p.Floor = PublicFloor{Declared: r.Floor.Asked}
	}
	return p
}

// Whose are the records that shares and beliefs are about, in words.
func (r *Report) Whose() string { return whose(r.Domain.Null) }

// Whose are the records that shares and beliefs are about, in words.
func (p *Public) Whose() string { return whose(p.Domain.Null) }

func whose(nulls string) string {
	if nulls == "public" {
		return "records that have a value"
	}
	return "records"
}

// FileName takes the folders off the path of a file or a data set, or its address off
// the key of an object: where it lies is nobody's business but its owner's.
func FileName(path string) string { return base(strings.TrimRight(path, "/")) }

// base is what stands behind the last slash.
func base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// bare takes the folders off the path in a spec: "positions:/a/b.csv" is
// "positions:b.csv". A spec that holds its list itself stays as it is.
func bare(spec string) string {
	form, path, ok := strings.Cut(spec, ":")
	file, listed := strings.CutPrefix(path, "@")
	switch {
	case !ok:
		return base(spec)
	case form != "ordered" && form != "circular":
		return form + ":" + base(path)
	case listed:
		return form + ":@" + base(file)
	}
	return spec
}
