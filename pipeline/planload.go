package pipeline

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// LoadPlan reads plan.json and the order.csv beside it, and believes neither:
// the hashes, the floor and the factor are computed again and compared.
func LoadPlan(path string) (*Plan, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, faultf(Input, "check the path given to --plan", "%s cannot be read: %v", path, pathCause(err))
	}
	p, err := decodePlan(data, filepath.Dir(path))
	if err != nil {
		return nil, &Fault{Input, path + ": " + err.Error(), "make the plan again with tacet design", err}
	}
	return p, nil
}

func decodePlan(data []byte, folder string) (*Plan, error) {
	var f planFile
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return nil, fmt.Errorf("is no plan: %v", err)
	}
	if f.Schema != PlanSchema {
		return nil, fmt.Errorf("is a plan of format %q, not %s", f.Schema, PlanSchema)
	}
	end := bytes.LastIndex(data, []byte(`"plan_sha256"`))
	sum := sha256.Sum256(data[:max(end, 0)])
	if hex.EncodeToString(sum[:]) != f.Plan {
		return nil, fmt.Errorf("was changed after it was written (plan_sha256 differs)")
	}
	p := &Plan{Column: f.Column, Null: f.Null, Kind: f.Mechanism.Kind, Stopped: f.Mechanism.Stopped, Target: f.Epsilon.Target, Hash: f.Plan,
		Rank: f.Floor.Rank, Value: f.Floor.Value, Words: f.Floor.Words, Asked: f.Floor.Asked, NextRank: f.Floor.NextRank,
		Expected: f.Utility.Expected, UpperBound: f.Utility.UpperBound,
		Gap: f.Utility.Gap, Prefer: f.Utility.Prefer, Share: f.Utility.Share, ShareBound: f.Utility.ShareBound, Spec: OrderSpec(f.Order)}
	if err := p.restore(&f, folder); err != nil {
		return nil, err
	}
	if p.designHash() != f.Design {
		return nil, fmt.Errorf("its design_sha256 is not that of its rows")
	}
	p.DesignHash = f.Design
	return p, p.verify(f.Epsilon)
}

// restore turns the file's texts into the plan's values.
func (p *Plan) restore(f *planFile, folder string) (err error) {
	if p.Inputs, err = letters(f.Inputs); err != nil {
		return fmt.Errorf("inputs: %w", err)
	}
	if p.Outputs, err = letters(f.Outputs); err != nil {
		return fmt.Errorf("outputs: %w", err)
	}
	if p.Epsilon, err = mechanism.ParseEpsilon(f.Epsilon.Target); err != nil {
		return err
	}
	for _, r := range []struct {
		name, text string
		to         **big.Rat
	}{{"lower_factor", f.Proof.Lower, &p.Lower}, {"upper_factor", f.Proof.Upper, &p.Upper}, {"next_factor", f.Floor.NextFactor, &p.NextFactor}} {
		if r.text == "" && r.name == "next_factor" {
			continue
		}
		v, ok := new(big.Rat).SetString(r.text)
		if !ok {
			return fmt.Errorf("%s is no fraction", r.name)
		}
		*r.to = v
	}
	if len(f.Counts) != len(f.Inputs) {
		return fmt.Errorf("%d counts for %d inputs", len(f.Counts), len(f.Inputs))
	}
	if len(f.Inputs) == 0 {
		return nil
	}
	count := make([]int64, len(f.Counts))
	for x, c := range f.Counts {
		if count[x], err = strconv.ParseInt(c, 10, 64); err != nil {
			return fmt.Errorf("count %d is no number", x+1)
		}
	}
	if p.Prior, err = mechanism.NewPrior(count); err != nil {
		return err
	}
	if err = p.loadOrder(folder); err != nil {
		return err
	}
	if p.Floor = mechanism.RankFloor(int(f.Floor.At)); f.Floor.By == "value" {
		p.Floor = mechanism.ValueFloor(f.Floor.At)
	}
	for i, w := range f.Proof.Pi {
		v, err := strconv.ParseInt(w, 10, 64)
		if err != nil {
			return fmt.Errorf("weight %d of its certificate is no number", i+1)
		}
		p.Pi = append(p.Pi, v)
	}
	p.Mechanism, err = p.restoreRows(f)
	return err
}

// loadOrder reads order.csv, whose hash the plan holds.
func (p *Plan) loadOrder(folder string) error {
	read := func(name string) ([]byte, error) {
		data, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return nil, fmt.Errorf("%s must lie beside the plan: %v", name, pathCause(err))
		}
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != p.Spec.SHA256 {
			return nil, fmt.Errorf("%s is not the order of this plan (sha256 differs)", name)
		}
		return data, nil
	}
	data, err := read(orderFile)
	if err != nil {
		return err
	}
	p.OrderCSV = data
	kind := utility.Kind(max(slices.Index(kindNames, p.Spec.Kind), 0))
	order, err := utility.Build(p.Spec.Load, utility.Input{Letters: p.Inputs, Kind: kind, Outputs: p.Outputs.Label, ReadFile: read})
	if err != nil {
		return err
	}
	p.Order = order.Order
	if p.Order.Inputs() != p.Prior.Letters() || p.Order.Outputs() != len(p.OutputLabels()) {
		return fmt.Errorf("%s has %d rows and %d columns for %d inputs and %d outputs", orderFile,
			p.Order.Inputs(), p.Order.Outputs(), p.Prior.Letters(), len(p.OutputLabels()))
	}
	return nil
}

func (p *Plan) restoreRows(f *planFile) (*mechanism.Mechanism, error) {
	if f.Mechanism.Rows == nil {
		if p.Kind != "safe" {
			return nil, fmt.Errorf("it holds no rows")
		}
		return mechanism.Safe(p.Prior, p.Order, p.Floor)
	}
	if len(f.Mechanism.Rows) != len(f.Inputs) {
		return nil, fmt.Errorf("%d rows for %d inputs", len(f.Mechanism.Rows), len(f.Inputs))
	}
	place := map[report.Label]int{}
	for y, l := range f.Outputs {
		place[l] = y
	}
	rows := make([]mechanism.Row, len(f.Inputs))
	for x, r := range f.Mechanism.Rows {
		if r.Input != f.Inputs[x] {
			return nil, fmt.Errorf("row %d is not that of input %d", x+1, x+1)
		}
		output, weight, equal := make([]uint16, len(r.Outputs)), make([]int64, len(r.Outputs)), true
		for i, c := range r.Outputs {
			y, ok := place[c.Label]
			w, err := strconv.ParseInt(c.Weight, 10, 64)
			if !ok || err != nil {
				return nil, fmt.Errorf("row %d cell %d is no output with a weight", x+1, i+1)
			}
			output[i], weight[i] = uint16(y), w
			equal = equal && w == 1
		}
		if rows[x] = mechanism.UniformRow(output); !equal {
			rows[x] = mechanism.WeightedRow(output, weight)
		}
		if strconv.FormatInt(rows[x].Total, 10) != r.Total {
			return nil, fmt.Errorf("row %d: its total is not the sum of its weights", x+1)
		}
	}
	return mechanism.New(len(f.Outputs), rows)
}

// verify recomputes what the plan claims.
func (p *Plan) verify(claim report.Epsilon) error {
	if p.Empty() {
		return nil
	}
	p.Leakage = p.Mechanism.Leakage(p.Prior)
	if p.Factor().RatString() != claim.Factor || p.Leakage.Nats() != claim.Nats {
		return fmt.Errorf("its rows do not have the factor it states")
	}
	if !p.Epsilon.Admits(p.Factor()) {
		return fmt.Errorf("its factor exceeds its own epsilon")
	}
	if rank, value := p.Mechanism.Floor(p.Order); rank != p.Rank || value != p.Value {
		return fmt.Errorf("its rows do not keep the floor it states")
	}
	return p.verifyProof()
}

// verifyProof recomputes the lower bound of the least factor at the floor.
func (p *Plan) verifyProof() error {
	s := mechanism.SupportOf(p.Order, p.Floor)
	if _, _, ok := p.Mechanism.Within(s); !ok {
		return fmt.Errorf("its rows leave the floor that they were designed for")
	}
	if p.Pi != nil {
		return mechanism.Certificate{Weight: p.Pi, Lower: p.Lower}.Verify(p.Prior, s)
	}
	bound, err := mechanism.LowerBound(p.Prior, s)
	if err != nil {
		return err
	}
	if bound.Cmp(p.Lower) < 0 {
		return fmt.Errorf("its lower_factor is not proven")
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
			return l, fmt.Errorf("letter %d stands twice", i+1)
		case label.Null && i < len(labels)-1:
			return l, fmt.Errorf("null is not the last letter")
		case label.Null:
			l.Null = true
		default:
			l.Label = append(l.Label, label.Text)
		}
		seen[label] = true
	}
	return l, nil
}
