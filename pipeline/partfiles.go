package pipeline

import (
	"bytes"
	"os"
	"path/filepath"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/io/store"
	"github.com/tacet-privacy/tacet/pipeline/account"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// planDocuments are the plan, whose hashes its report names from here on, and what
// lies beside it; both also in the place of a pinned plan.
func (p *part) planDocuments(at *place, rep *report.Report) (own, pinned []publish.Document, err error) {
	text := p.planText
	if text == nil {
		if text, err = p.Plan.Encode(); err != nil {
			return nil, nil, err
		}
	}
	rep.Plan = report.Hashes{Plan: p.Plan.Hash, Design: p.Plan.DesignHash}
	path := store.In(p.Options.Report, plan.File)
	if own, err = weightsBeside(at.set, path, at.overwrites(), p.Plan); err != nil {
		return nil, nil, err
	}
	if p.replaced[0] != nil {
		pinned, err = weightsBeside(at.set, p.Options.Plan, true, p.Plan)
	}
	for i, data := range [][]byte{p.Plan.OrderCSV, text} {
		if p.replaced[i] != nil {
			pinned = append(pinned, publish.Document{To: p.replaced[i], Data: data})
		}
	}
	return append(own, publish.Document{To: at.file[path], Data: text}), pinned, err
}

// documents are the files of the part's report but for its plan.
func (p *part) documents(at *place, rep *report.Report) ([]publish.Document, error) {
	account.Claim(rep)
	var data bytes.Buffer
	if err := rep.WriteJSON(&data); err != nil {
		return nil, err
	}
	texts, err := Views(rep)
	if err != nil {
		return nil, err
	}
	if texts[public+plan.OpenFile], err = p.opened(); err != nil {
		return nil, err
	}
	texts[plan.OrderFile], texts[jsonFile] = p.Plan.OrderCSV, data.Bytes()
	return at.documents(p.Options.Report, texts), nil
}

// opened is what everybody may see of the mechanism.
func (p *part) opened() ([]byte, error) {
	o := Opening{Person: p.Options.Person, Part: p.share != nil,
		Held: p.Options.OnChange == "hold" || p.Options.Memoised() && p.Options.TotalEpsilon != ""}
	return o.Of(p.Plan).Encode()
}

// An Opening is what a release decides of what everybody may see of its mechanism.
type Opening struct {
	Person string // column that identifies persons, whose rows share draws
	Held   bool   // rows may show earlier draws
	Part   bool   // the file is a part of the plan's data, of all of which the limit of the shift is
}

// Of is what everybody may see.
func (o Opening) Of(p *plan.Plan) *plan.Open {
	open := p.Open()
	if open.Person, open.Held = o.Person, o.Held; o.Part {
		open.Limit = nil
	}
	return open
}

// pinnedFiles opens the pinned plan and its order for a redesign: from the next
// night on they are the ones to follow. Where they lie in the report folder
// they are there already.
func (p *part) pinnedFiles(at *place) error {
	if !p.Options.Redesign || p.Options.Plan == "" {
		return nil
	}
	folder, err := os.Stat(filepath.Dir(p.Options.Plan))
	if err != nil {
		return fault.Unreadable("--plan", p.Options.Plan, err)
	}
	if into, err := os.Stat(p.Options.Report); err == nil && os.SameFile(into, folder) &&
		filepath.Base(p.Options.Plan) == plan.File {
		return nil
	}
	for i, path := range []string{filepath.Join(filepath.Dir(p.Options.Plan), plan.OrderFile), p.Options.Plan} {
		if p.replaced[i], err = at.set.Add(publish.Target{Path: path, Overwrite: true, Private: true}); err != nil {
			return err
		}
	}
	return nil
}

// weightsBeside are the weights that the plan at a path leaves out, to be put beside it;
// those of an earlier plan go where it is overwritten.
func weightsBeside(set *publish.Set, at string, overwrite bool, p *plan.Plan) ([]publish.Document, error) {
	path, data := filepath.Join(filepath.Dir(at), plan.WeightsFile), p.Weights()
	switch {
	case data == nil && overwrite:
		return nil, set.Outdated(path)
	case data == nil:
		return nil, nil
	}
	f, err := set.Add(publish.Target{Path: path, Overwrite: overwrite, Private: true})
	return []publish.Document{{To: f, Data: data}}, err
}
