package plan

import (
	"fmt"

	"github.com/tacet-privacy/tacet/io/table"
)

// BinAs is what is published of a bin, as files say it: its label. Earlier versions could
// publish its lower end or its middle, too.
const BinAs = "text"

// ParseBins is a spec in the one way in which plans have it, "" for no bins.
func ParseBins(text string) (spec string, err error) {
	if text == "" {
		return "", nil
	}
	return table.ParseBins(text)
}

// BinsOf is the rule of a spec for what a column holds, where as is BinAs.
func BinsOf(spec, of, as string) (*table.Bins, error) {
	if as != BinAs {
		return nil, fmt.Errorf("bins are published as their labels alone")
	}
	return table.BinsOf(spec, of)
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
	return &binsFile{p.Bins.Spec, p.Bins.Of, BinAs}
}

// restore takes over the rule, which must be written in the one way that it is.
func (f *binsFile) restore(p *Plan) (err error) {
	if f == nil {
		return nil
	}
	if p.Bins, err = BinsOf(f.Spec, f.Of, f.As); err != nil {
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
