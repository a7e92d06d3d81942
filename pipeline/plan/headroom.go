package plan

import (
	"fmt"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/composition"
)

// headroomFile is what a plan was designed for so that ordinary drift of the
// counts does not stop it.
type headroomFile struct {
	Share  *big.Rat `json:"share"`  // "1/10": shares of letters may fall by so much of what is left
	Target string   `json:"target"` // epsilon that was designed for, e^epsilon / (1 + share)
}

// Spare sets the headroom and returns the epsilon to design for: e^epsilon /
// (1 + share). A share of 0 is none. It fails where epsilon leaves no such
// headroom.
func (p *Plan) Spare(share *big.Rat) (mechanism.Epsilon, error) {
	if share.Sign() == 0 {
		return p.Epsilon, nil
	}
	p.Headroom = share
	return composition.Target(p.Epsilon, share)
}

// headroomFile is nil where there is none.
func (p *Plan) headroomFile() *headroomFile {
	if p.Headroom == nil {
		return nil
	}
	target, err := composition.Target(p.Epsilon, p.Headroom)
	if err != nil {
		panic("plan: headroom that Spare refused")
	}
	return &headroomFile{p.Headroom, target.String()}
}

func (f *headroomFile) restore(p *Plan) error {
	if f == nil {
		return nil
	}
	if f.Share == nil || f.Share.Sign() <= 0 {
		return fmt.Errorf("its headroom is not a share")
	}
	target, err := p.Spare(f.Share)
	if err != nil || target.String() != f.Target {
		return fmt.Errorf("its headroom is not what it was designed for")
	}
	return nil
}
