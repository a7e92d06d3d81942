package main

import (
	_ "embed"
	"sync"
	"text/template"

	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// lineWords are the lines that commands print for people above and below tables: a word, and what it is.
//
//go:embed words.tmpl
var lineWords string

// words are read by the first command that prints some.
var words = sync.OnceValue(func() *claim.Text {
	return claim.NewText(lineWords, template.FuncMap{"uncounted": claim.Constant(utility.Uncounted), "shell": report.Shell,
		"percent": percent, "mean": report.Mean, "figure": figure, "claimed": claimed})
})
