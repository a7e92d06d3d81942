package request

import (
	"fmt"
	"math/big"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/io/store"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// Guesses are how often, of 100 cases, a guess about a record is right before anything is
// seen.
var Guesses = []int64{1, 5, 20}

// Scale is what factors allow, a row for each: the factor, and what Right says of it.
func Scale() (rows [][]string) {
	for _, factor := range []string{"3/2", "2", "4", "10", "20"} {
		f, _ := new(big.Rat).SetString(factor)
		rows = append(rows, append([]string{factor}, Right(f)...))
	}
	return rows
}

// Right is in how many of 100 cases at most each of Guesses is right once a value is seen
// that makes a guess factor times as likely to be right.
func Right(factor *big.Rat) (row []string) {
	for _, g := range Guesses {
		right := new(big.Rat).Mul(factor, big.NewRat(10*g, 1))
		tenths := new(big.Int).Sub(new(big.Int).Add(right.Num(), right.Denom()), big.NewInt(1))
		right.SetFrac(tenths.Quo(tenths, right.Denom()), big.NewInt(10)) // rounded up
		if always := big.NewRat(100, 1); right.Cmp(always) > 0 {
			right = always
		}
		row = append(row, strings.TrimSuffix(right.FloatString(1), ".0"))
	}
	return row
}

// factors say what a factor allows: a guess about a record is at most factor times as
// often right once its published value is seen, and never more than always.
func factors() []string {
	row := func(option string, cells []string) string {
		return fmt.Sprintf("%-46s %5s %5s %5s", option, cells[0], cells[1], cells[2])
	}
	out := []string{
		row("A guess about a record that is right in", []string{"1", "5", "20"}) + "  of 100 cases",
		"is, for whoever sees its published value, right in at most",
	}
	for _, r := range Scale() {
		out = append(out, row("  --max-factor "+r[0]+"  or  --epsilon 'log("+r[0]+")'", r[1:]))
	}
	return append(out, "That reader sees one published cell, and knows how common each value is in this file.")
}

// orders are the ways to give an order, one a line.
func orders() (out []string) {
	for _, f := range utility.Forms() {
		out = append(out, fmt.Sprintf("--utility %-39s %s", f.Syntax, f.Help))
	}
	return append(out, "FILE stands for a file of yours; docs/orders has an example of each")
}

// ReportOf is the folder of the report where none is given: the output's name, with
// .report in place of its extension.
func ReportOf(output string) string {
	if output == "" {
		return ""
	}
	if store.Is(output) { // reports are files of this machine
		output = store.Name(output)
	}
	return strings.TrimSuffix(output, filepath.Ext(filepath.Base(output))) + ".report"
}

// Settled are the options with the folder of the report, also where none is given.
func (o Options) Settled() *Options {
	if o.Report != "" || o.Output == Standard {
		return &o
	}
	o.Report, o.Settings = ReportOf(o.Output), slices.Clone(o.Settings)
	at := slices.IndexFunc(o.Settings, func(s report.Setting) bool { return s.Name == "report" })
	if at >= 0 {
		o.Settings[at].Value = o.Report
	}
	return &o
}
