package plan

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// gone are members that plans of earlier versions have.
var gone = []string{"sets", "design_factor", "asked", "least", "tried"}

// nullRule reports whether a text says what nulls are; "" does where there are none.
func nullRule(text string) bool {
	return slices.Contains([]string{"", "refuse", "draw", "public"}, text)
}

// Decode reads plan.json and, through read, the files beside it. It believes
// neither: the hashes, the floor and the factor are computed again and
// compared.
func Decode(data []byte, read func(name string) ([]byte, error)) (*Plan, error) {
	var f file
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	err := d.Decode(&f)
	if err == nil && len(bytes.TrimSpace(data[d.InputOffset():])) > 0 {
		err = fmt.Errorf("something stands behind it")
	}
	if err != nil {
		return nil, unlike(data, err)
	}
	if f.Schema != Schema {
		return nil, fmt.Errorf("is of format %q, not %s", f.Schema, Schema)
	}
	end := bytes.LastIndex(data, []byte(`"plan_sha256"`))
	sum := sha256.Sum256(data[:max(end, 0)])
	if hex.EncodeToString(sum[:]) != f.Hash {
		return nil, fmt.Errorf("was changed after it was written (plan_sha256 differs)")
	}
	if q := f.Population; q != nil && len(q.Rules) > 0 && !slices.Equal(q.Rules, []string{"letters"}) {
		return nil, fmt.Errorf("bounds the population by other rules than \"letters\"; make the plan anew")
	}
	if !nullRule(f.Null) {
		return nil, fmt.Errorf("says %q of nulls, which no plan says now; make the plan anew", f.Null)
	}
	p := &Plan{Column: f.Column, Null: f.Null, Target: f.Epsilon.Target, Hash: f.Hash, Design: f.Design,
		KeptFloor: f.Floor, Bracket: f.Proof, Worth: f.Utility, Shares: f.Shares, Spec: f.Order,
		Population: f.Population, Stated: f.Stated, Other: f.Other}
	if err := f.Bins.restore(p); err != nil {
		return nil, err
	}
	if err := p.restore(&f, read); err != nil {
		return nil, err
	}
	if err := f.Prior.restore(p); err != nil {
		return nil, err
	}
	if err := f.Headroom.restore(p); err != nil {
		return nil, err
	}
	if err := p.Shares.restore(p.Floor.ByValue); err != nil {
		return nil, err
	}
	if p.HashDesign() != f.DesignHash {
		return nil, fmt.Errorf("its design_sha256 is not that of its rows")
	}
	p.DesignHash = f.DesignHash
	return p, p.verify(f.Epsilon)
}

// unlike says what is wrong with a file that cannot be decoded.
func unlike(data []byte, err error) error {
	var head struct {
		Schema string `json:"schema"`
	}
	switch {
	case !json.Valid(data):
		return fmt.Errorf("is not a plan: it is no JSON document")
	case json.Unmarshal(data, &head) == nil && head.Schema != Schema && head.Schema != "":
		return fmt.Errorf("is of format %q, not %s", head.Schema, Schema)
	}
	for _, name := range gone {
		if strings.HasSuffix(err.Error(), fmt.Sprintf("unknown field %q", name)) {
			return fmt.Errorf("holds %q, which plans of this version do not have; make the plan anew", name)
		}
	}
	return fmt.Errorf("is not a plan: %v", err)
}

// restore turns the file's texts into the plan's values.
func (p *Plan) restore(f *file, read func(string) ([]byte, error)) (err error) {
	if p.Inputs, err = letters(f.Inputs); err != nil {
		return fmt.Errorf("inputs: %w", err)
	}
	if p.Outputs, err = letters(f.Outputs); err != nil {
		return fmt.Errorf("outputs: %w", err)
	}
	if p.Epsilon, err = mechanism.ParseEpsilon(f.Epsilon.Target); err != nil {
		return err
	}
	if p.Lower == nil || p.Upper == nil {
		return fmt.Errorf("it has no bounds of the factor at its floor")
	}
	if len(f.Inputs) == 0 {
		return nil
	}
	if p.Prior, err = f.Counts.of(len(f.Inputs)); err != nil {
		return err
	}
	if err = p.loadOrder(read); err != nil {
		return err
	}
	p.Floor = floorAt(f.Floor.At, f.Floor.By == "value")
	if f.Proof.Prices != nil {
		return fmt.Errorf("its certificate has prices of two priors, which are no longer read: make a new plan with " +
			"tacet design")
	}
	if f.Given != nil {
		if p.Given = *f.Given; p.Given.Column == "" {
			return fmt.Errorf("its strata are of no column")
		}
	}
	return p.restoreGroups(f, read)
}

// floorAt is the floor that stands in a file as a number.
func floorAt(at float64, byValue bool) mechanism.Floor {
	if byValue {
		return mechanism.ValueFloor(at)
	}
	return mechanism.RankFloor(int(at))
}

// loadOrder reads order.csv, whose hash the plan holds.
func (p *Plan) loadOrder(open func(string) ([]byte, error)) error {
	read := func(name string) ([]byte, error) {
		data, err := open(name)
		if err != nil {
			return nil, fmt.Errorf("%s must be in the folder of the plan: %w", name, err)
		}
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != p.Spec.SHA256 {
			return nil, fmt.Errorf("%s is not the order of this plan (sha256 differs)", name)
		}
		return data, nil
	}
	data, err := read(OrderFile)
	if err != nil {
		return err
	}
	p.OrderCSV = data
	kind := utility.KindNamed(p.Spec.Kind)
	order, err := utility.Build(p.Spec.Load, utility.Input{Letters: p.Inputs, Kind: kind, Outputs: p.Outputs.Label,
		ReadFile: read, Place: BinPlace(p.Bins)})
	if err != nil {
		return err
	}
	if p.Spec.Load == "matrix:"+OrderFile && order.Ties != p.Spec.Ties || p.Spec.Kind != kind.String() {
		return fmt.Errorf("its order has other ties than it states, or labels of no kind")
	}
	p.Order, p.Lowest = order.Order, order.Lowest
	if p.Order.Inputs() != p.Prior.Letters() || p.Order.Outputs() != len(p.OutputLabels()) {
		return fmt.Errorf("%s has %d rows and %d columns for %d inputs and %d outputs", OrderFile,
			p.Order.Inputs(), p.Order.Outputs(), p.Prior.Letters(), len(p.OutputLabels()))
	}
	return nil
}

// letters splits labels into texts and null, which must come last.
func letters(labels []report.Label) (utility.Letters, error) {
	l := utility.Letters{Label: []string{}}
	seen := map[report.Label]bool{}
	for i, label := range labels {
		switch {
		case seen[label]:
			return l, fmt.Errorf("value %d appears twice", i+1)
		case label.Null && i < len(labels)-1:
			return l, fmt.Errorf("null is not the last value")
		case label.Null:
			l.Null = true
		default:
			l.Label = append(l.Label, label.Text)
		}
		seen[label] = true
	}
	return l, nil
}
