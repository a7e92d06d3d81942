package page

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// A Telling is a report in one of its profiles.
type Telling struct {
	Internal *report.Report
	Public   *report.Public
}

func (t Telling) document() *report.Document {
	if t.Internal != nil {
		return Internal(t.Internal)
	}
	return Public(t.Public)
}

// Views are the same report in several formats, each whole. Its words and
// pictures are made once.
func (t Telling) Views(formats ...string) ([][]byte, error) {
	document := sync.OnceValue(t.document)
	views := make([][]byte, len(formats))
	failed := make([]error, len(formats))
	var work sync.WaitGroup
	for i, format := range formats {
		work.Go(func() {
			var b bytes.Buffer
			switch format {
			case "text":
				failed[i] = report.Text(&b, document())
			case "html":
				failed[i] = report.HTML(&b, document())
			case "json":
				failed[i] = t.writeJSON(&b)
			}
			views[i] = b.Bytes()
		})
	}
	work.Wait()
	return views, errors.Join(failed...)
}

func (t Telling) writeJSON(w io.Writer) error {
	var err error
	if t.Internal != nil {
		err = t.Internal.WriteJSON(w)
	} else {
		err = t.Public.WriteJSON(w)
	}
	var unsupported *json.UnsupportedValueError
	if errors.As(err, &unsupported) {
		return fault.New(fault.Internal, "please report it", "the report holds a number that is none")
	}
	return err
}

// Before reads the report of the release before, nil where none is given. It
// is read before anything is written: it may be the one that is overwritten.
func Before(path string, columns int) (*report.Report, error) {
	switch {
	case path == "":
		return nil, nil
	case columns > 1:
		return nil, fault.New(fault.Usage, "leave it out, or release the columns one by one",
			"--previous is for one private column, and %d are given", columns)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fault.Unreadable("--previous", path, err)
	}
	r, _, err := report.Read(data)
	if err != nil {
		return nil, &fault.Fault{Class: fault.Input, What: path + ": " + err.Error(),
			Hint: "it was cut short, changed, or written by another version; give a report.json of this one", Err: err}
	}
	if r == nil {
		return nil, fault.New(fault.Input, "give the report.json beside the plan",
			"%s is a public report: it holds nothing internal", path)
	}
	return r, nil
}

// Summary writes what a run prints, in at most a dozen lines: what is promised and kept, what
// a count is worth, the largest risk, and what to look at in the report. Of several private
// columns it takes the reports of all.
func Summary(w io.Writer, all []*report.Report) error {
	var lines []report.Sentence
	add := func(head, body string) {
		if body != "" {
			lines = append(lines, report.Sentence{Head: head, Body: body})
		}
	}
	add("stamp", all[0].Stamp)
	var claims []claim.Claim
	accepted, undeclared := 0, 0
	for _, r := range all {
		accepted, undeclared = accepted+len(r.Warnings), max(undeclared, len(Undeclared(r)))
		claims = append(claims, r.Claims...)
		if len(all) > 1 {
			add(brisk(quoted(r.Column)), say("in short", r))
			continue
		}
		add("promised", wordsOf(r.Claims, "leakage"))
		add("kept", strings.TrimSpace(say("floor words", r)+" "+say("on average", r)))
		add("counting", wordsOf(r.Claims, "counting"))
		add("room", wordsOf(r.Claims, "shares.room"))
	}
	add("together", wordsOf(claims, "joint.reached"))
	lines = append(lines, largest(claims)...)
	if b := all[0].Beside; b.Looked < b.Possible {
		add("pairs", fmt.Sprintf("%d of %d pairs of the other columns were judged.", b.Looked, b.Possible))
	}
	add("look at", fmt.Sprintf("%s to accept, %s missing", count(accepted, "warning"), count(undeclared, "declaration")))
	return report.Lead(w, lines)
}
