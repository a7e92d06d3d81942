package plan

import (
	"cmp"
	"fmt"

	"github.com/tacet-privacy/tacet/io/table"
)

// A Binning is asked of a private column: bins, and what is published of them.
type Binning = table.Binning

// BinAs are what may be published of a bin, the default first.
var BinAs = []string{table.BinText, table.BinLower, table.BinMiddle}

// ParseBins reads a spec; as is one of BinAs, "" for the first. No bins are the zero
// value.
func ParseBins(text, as string) (b Binning, err error) {
	if text == "" {
		return b, nil
	}
	spec, err := table.ParseBins(text)
	return Binning{Spec: spec, As: cmp.Or(as, BinAs[0])}, err
}

// binsFile is what plan.json has of bins: the rule, exactly.
type binsFile struct {
	Spec string `json:"spec"`
	Of   string `json:"of"` // what the column holds
	As   string `json:"as"` // what is published of a bin
}

func (p *Plan) binsFile() *binsFile {
	if p.Bins == nil {
		return nil
	}
	return &binsFile{p.Bins.Spec, p.Bins.Of, p.Bins.As}
}

// restore takes over the rule, which must be written in the one way that it is.
func (f *binsFile) restore(p *Plan) (err error) {
	if f == nil {
		return nil
	}
	if p.Bins, err = table.BinsOf(f.Spec, f.Of, f.As); err != nil {
		return fmt.Errorf("bins: %w", err)
	}
	if p.Bins.Spec != f.Spec {
		return fmt.Errorf("its bins are not written as a plan writes them")
	}
	return nil
}

// BinPlace numbers bins by label; nil where values are in no bins.
func BinPlace(b *table.Bins) func(label string) (int64, bool) {
	if b == nil {
		return nil
	}
	return b.Place
}
