package studio

import (
	"context"
	"encoding/json"
	"io"
	"math/big"
	"net/http"
	"regexp"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/floors"
	"github.com/tacet-privacy/tacet/pipeline/inspect"
	"github.com/tacet-privacy/tacet/pipeline/page"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// searchTimes are how long a search may take, the usual one first.
var searchTimes = []string{"20s", "1m", "5m"}

// searchWords are the command that searches what floors cost.
func (s *studio) searchWords(j job) []string {
	return s.words(j, "frontier", "--html", j.frontier(), "--overwrite")
}

// startSearch makes the page of the frontier.
func (s *studio) startSearch(r *http.Request) (string, error) {
	time := r.PostFormValue("time")
	if s.Built == nil || !slices.Contains(searchTimes, time) {
		return columnStep, nil
	}
	s.job.forget()
	s.Search, s.Shown, s.Judged, s.Done, s.job.Time = nil, "", nil, nil, time
	j := s.job
	s.start(chooseStep, "Searching for about "+time, func(ctx context.Context, t *task) (func(), error) {
		o, err := s.ask(ctx, t, j, s.searchWords(j))
		if err != nil {
			return nil, err
		}
		if _, err := floors.New(ctx, *o); err != nil {
			return nil, err
		}
		data, err := s.folders.read(j.frontier())
		return func() { s.Search = data }, err
	})
	return chooseStep, nil
}

// frontier is that page, which runs its own script and no other.
func (s *studio) frontier(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	data := s.Search
	s.mu.Unlock()
	frame(w, page.Policy(), data)
}

// frame serves a page of a release inside one of the studio.
func frame(w http.ResponseWriter, policy string, data []byte) {
	w.Header().Set("Content-Security-Policy", policy+"; frame-ancestors 'self'")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Write(data)
}

// fragment is what the page of the frontier puts behind its address.
var fragment = regexp.MustCompile(`^#?[A-Za-z0-9.,%&=()/_+-]{0,200}$`)

// takePoint takes a point of the frontier, and judges the other columns beside it.
func (s *studio) takePoint(r *http.Request) (string, error) {
	if s.Search == nil {
		return chooseStep, nil
	}
	epsilon := r.PostFormValue("epsilon")
	if _, err := mechanism.ParseEpsilon(epsilon); err != nil {
		return chooseStep, fault.New(fault.Usage, "choose a point on the picture", "no point was chosen")
	}
	number := func(name string) string {
		var n json.Number
		json.Unmarshal([]byte(r.PostFormValue(name)), &n)
		return n.String()
	}
	s.job.Epsilon, s.job.Shift = epsilon, r.PostFormValue("shift")
	s.job.FloorRank, s.job.FloorValue = number("floor-rank"), number("floor-value")
	if s.Shown = ""; fragment.MatchString(r.PostFormValue("shown")) {
		s.Shown = r.PostFormValue("shown")
	}
	s.Judged, s.Done = nil, nil
	delete(s.failed, releaseStep)
	if s.job.Bins != "" {
		return chooseStep, nil
	}
	j := s.job
	s.start(chooseStep, "Judging the other columns", func(ctx context.Context, _ *task) (func(), error) {
		if err := s.unchanged(j); err != nil {
			return nil, err
		}
		f, err := inspect.Look(ctx, inspect.Request{Path: j.Input, Column: j.Column, Epsilon: j.Epsilon,
			Delimiter: j.Delimiter, Header: j.Header})
		if err != nil {
			return nil, err
		}
		return func() { s.Judged = f.Judged }, nil
	})
	return chooseStep, nil
}

// takeColumns takes which other columns are published.
func (s *studio) takeColumns(r *http.Request) (string, error) {
	if s.Looked == nil || !s.job.Taken() {
		return chooseStep, nil
	}
	kept := r.PostForm["keep"]
	s.job.Drop = nil
	for _, c := range s.Looked.Columns {
		if c.Name != s.job.Column && !slices.Contains(kept, c.Name) {
			s.job.Drop = append(s.job.Drop, c.Name)
		}
	}
	s.Done = nil
	delete(s.failed, releaseStep)
	return releaseStep, nil
}

// worth is what an epsilon means for a guess.
func worth(epsilon string) (map[string]any, error) {
	e, err := mechanism.ParseEpsilon(epsilon)
	if err != nil {
		return nil, fault.New(fault.Usage, "choose a point on the picture", "this is no epsilon")
	}
	up := e.FactorUp()
	factor := new(big.Rat).SetFloat64(up)
	if e.Exact() {
		factor = e.Factor()
	}
	return map[string]any{"epsilon": epsilon, "times": report.RoundUp(up, 2), "before": request.Guesses,
		"after": request.Right(factor)}, nil
}

// inWords tells it to the page.
func (s *studio) inWords(r *http.Request) (any, error) {
	text, err := io.ReadAll(io.LimitReader(r.Body, 100))
	if err != nil {
		return nil, err
	}
	return worth(string(text))
}
