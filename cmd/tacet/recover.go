package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/recover"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

var _ = does("recover", onData(found(recover.Run, recoverText, recoverRows)))

// recoverText prints a table for every cell, a line for each value or group.
func recoverText(w io.Writer, r *recover.Result) error {
	what := "value"
	if r.Groups {
		what = "group"
	}
	if err := words().Lines(w, "recover", r); err != nil {
		return err
	}
	for _, n := range r.Notes {
		fmt.Fprintf(w, "note:     %s\n", n)
	}
	for _, c := range r.Cells {
		fmt.Fprintln(w)
		if head := c.Head(r.By); head != "" {
			fmt.Fprintf(w, "%s, %d rows\n", head, c.Rows)
		}
		if c.Unique != nil && !*c.Unique && r.Method == request.Likely {
			fmt.Fprintln(w, "Other shares are as likely: where they differ there is no estimate.")
		}
		const line = "%10s  %10s  %10s  %19s  %10s  %s%s\n"
		mean := func(m, e string) string {
			if r.Mean == "" {
				return ""
			}
			return fmt.Sprintf("%10s  %10s  ", m, e)
		}
		fmt.Fprintf(w, line, "published", "estimate", "error", "interval", "rows",
			mean("mean", "error"), what)
		for _, f := range c.Figures {
			share, sd, interval, rows := "-", "-", "not identified", "-"
			if f.Share != nil {
				share, rows = percent(*f.Share, 3), strconv.FormatFloat(*f.Share*float64(c.Rows), 'f', 0, 64)
				interval = percent(f.Low, 3) + " - " + percent(f.High, 3)
			}
			if f.Error != nil {
				sd = percent(*f.Error, 3)
			}
			fmt.Fprintf(w, line, percent(f.Published, 3), share, sd, interval, rows,
				mean(short(f.Mean), short(f.MeanError)), f.Label.String())
		}
	}
	return nil
}

// short is a number for people, - where it is not known.
func short(v *float64) string {
	if v == nil {
		return "-"
	}
	return strconv.FormatFloat(*v, 'g', 6, 64)
}

func percent(share float64, digits int) string {
	return strconv.FormatFloat(100*share, 'f', digits, 64) + "%"
}

// recoverRows are a head and a row for every figure; what is not known is empty.
func recoverRows(r *recover.Result) [][]string {
	columns := len(r.By) + 8
	if r.Mean != "" {
		columns += 2
	}
	var head []string
	for _, name := range r.By {
		head = append(head, csvText(name))
	}
	rows := [][]string{append(head, "label", "null", "rows", "published", "share", "standard_error", "low", "high",
		"mean", "mean_standard_error")[:columns]}
	for _, cell := range r.Cells {
		var by []string
		for _, l := range cell.By {
			by = append(by, csvText(l.Text))
		}
		for _, f := range cell.Figures {
			null := ""
			if f.Label.Null {
				null = "1"
			}
			rows = append(rows, append(slices.Clone(by), csvText(f.Label.Text), null, strconv.FormatInt(cell.Rows, 10),
				exact(f.Published), given(f.Share), given(f.Error), exact(f.Low), exact(f.High), given(f.Mean),
				given(f.MeanError))[:columns])
		}
	}
	return rows
}

// csvText is a text of the data in a CSV file: a terminal acts on nothing of it, and a
// spreadsheet takes it for text.
func csvText(s string) string {
	if s = report.Clean(s); s != "" && strings.ContainsRune("=+-@", rune(s[0])) {
		if _, err := strconv.ParseFloat(s, 64); err != nil {
			return "'" + s
		}
	}
	return s
}

// given is a figure, "" where it is not known.
func given(v *float64) string {
	if v == nil {
		return ""
	}
	return exact(*v)
}
