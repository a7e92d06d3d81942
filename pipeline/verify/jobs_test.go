package verify_test

import (
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// A job is an input and what is done with it.
type job struct {
	arrow   bool           // an Arrow file, else a Parquet file
	typ     arrow.DataType // of the private column c; nil: string
	cell    []string       // "" is null, written in turn; nil: skew
	rows    int            // 0: 3000; negative: none
	extend  bool           // all columns are of an extension type
	fresh   bool           // draws follow from no seed
	order   string         // a spec, or its form and below that its file; "": ordered, or the plan's
	prior   string         // text of the file of a declared prior
	domain  string         // text of the file of the values that there may be
	plan    string         // name of the release whose plan is followed
	options options
}

type options = pipeline.Options

const (
	ordered  = "ordered:a,b,c,d,e"
	circular = "circular:a,b,c,d,e"
	// hierarchy is one of the letters of skew.
	hierarchy = "hierarchy\na;ab;abc;*\nb;ab;abc;*\nc;c1;abc;*\nd;de;de1;*\ne;de;de1;*\n"
	positions = "positions\nlabel,lat,lon\na,10,179\nb,12,-179\nc,40,3\nd,-89,0\ne,51.5,0\n"
)

var (
	abcde       = []string{"a", "b", "c", "d", "e"}
	skew        = strings.Fields(strings.Repeat("a ", 16) + strings.Repeat("b ", 8) + strings.Repeat("c ", 4) + "d d e")
	withNulls   = append(slices.Clone(skew), "", "", "")
	abbc        = []string{"a", "b", "b", "c"}
	fiveLetters = []string{"a", "b", "b", "c", "d", "a", "e"}
	numbers     = []string{"-3", "2", "2", "2", "10", "10", "10", "10", "7"}
	days        = []string{"2024-02-29", "1969-12-31", "2024-03-01"}
)

// jobs are untouched releases of every kind.
var jobs = map[string]job{
	"safe":          {options: options{Epsilon: "2.5", Design: "safe"}},
	"optimal":       {options: options{Epsilon: "1.5", Design: "optimal"}},
	"weights":       {order: circular, options: options{Epsilon: "0.9", Design: "optimal"}},
	"by value":      {order: circular, options: options{Epsilon: "1.5", FloorBy: "value"}},
	"by level":      {order: hierarchy, options: options{Epsilon: "2.5"}},
	"level":         {order: hierarchy, options: options{Epsilon: "2.5", Design: "blocks", FloorBy: "level"}},
	"level by rank": {order: hierarchy, options: options{Epsilon: "2.5", Design: "blocks", FloorBy: "rank"}},
	"floor fixed":   {options: options{Epsilon: "log(30)", FloorRank: new(3)}},
	"map":           {order: positions, options: options{Epsilon: "1.5"}},
	"plane": {cell: withNulls, order: "positions\nlabel,x,y\na,1,1\nb,2,2\nc,3,4\nd,5,1\ne,9,9\n",
		options: options{Epsilon: "1.5", Null: "draw"}},
	"matrix": {order: "matrix\nin,x,\"y,z\",a\na,0,-1,2\nb,1,-inf,0\nc,1.5,0,0\nd,3,3,1\ne,0,1,2\n",
		options: options{Epsilon: "2"}},
	"letters":       {cell: withNulls, options: options{Epsilon: "1.5", Null: "draw"}},
	"public":        {cell: withNulls, options: options{Epsilon: "1.5", Null: "public"}},
	"shares":        {order: circular, options: options{Epsilon: "0.9", MaxShift: "8%"}},
	"kept":          {order: circular, options: options{Epsilon: "0.9", MaxShift: "8%", Prefer: "values"}},
	"near":          {order: circular, options: options{MaxFactor: "5/2", FloorRank: new(3), Prefer: "shares"}},
	"shares smooth": {order: circular, options: options{Epsilon: "1.2", MaxShift: "8%", Smooth: "50"}},
	"shares merged": {order: "circular:a,b,c,d,e,f",
		options: options{Epsilon: "1.2", MaxShift: "30%", MinCount: 300, Other: "f"}},
	"no rows":    {rows: -1, order: "ordered:a,b", options: options{Epsilon: "1", AllowEmpty: true}},
	"only nulls": {cell: []string{""}, rows: 50, order: "ordered:a,b", options: options{Epsilon: "1", Null: "public"}},
	"constant":   {cell: []string{"a"}, rows: 50, order: "ordered:a,b", options: options{Epsilon: "0"}},
	"numbers": {typ: arrow.PrimitiveTypes.Int16, cell: numbers, rows: 2000, order: "numeric",
		options: options{Epsilon: "1"}},
	"unsigned": {typ: arrow.PrimitiveTypes.Uint64, cell: []string{"18446744073709551615", "3", "4", "4"}, rows: 900,
		order: "numeric", options: options{Epsilon: "2", AllowUnchanged: true}},
	"bins": {typ: arrow.PrimitiveTypes.Float64, order: "ordered",
		cell:    []string{"0.5", "1", "7", "9.5", "20", "0.25", "3", "12", "15", "-1"},
		options: options{Epsilon: "1.5", Bins: "-inf,0,1,5,10,25"}},
	"bins arrow": {typ: arrow.FixedWidthTypes.Timestamp_ms, rows: 900, order: "ordered",
		cell:    []string{"2024-02-29T23:59:59.999Z", "1969-12-31T00:00:00Z", "2024-03-01T00:00:00Z"},
		options: options{Epsilon: "1", Bins: "month"}},
	"bins of integers": {typ: arrow.PrimitiveTypes.Int32, cell: []string{"-3", "4", "17", "29"}, rows: 900,
		order: "ordered", options: options{Epsilon: "1", Bins: "width:10"}},
	"bins of single floats": {typ: arrow.PrimitiveTypes.Float32, cell: []string{"0", "0.1", "0.3", "0.5", "-7", "0.2"},
		order: "ordered", options: options{Epsilon: "1.5", Bins: "width:0.1"}},
	"bins of half floats": {typ: arrow.FixedWidthTypes.Float16, cell: []string{"0", "0.1", "0.3", "0.5", "7", "0.2"},
		order: "ordered", options: options{Epsilon: "1.5", Bins: "0,0.1,0.3,1,25"}},
	"bins of wide decimals": {typ: &arrow.Decimal128Type{Precision: 38, Scale: 18}, order: "ordered",
		cell:    []string{"-33", "4", "17", "1000", "12.000000000000000001"},
		options: options{Epsilon: "1.5", Bins: "-1000,0,10,12.000000000000000001,2000"}},
	"dates": {typ: arrow.FixedWidthTypes.Date32, cell: days, rows: 900, order: "numeric", options: options{Epsilon: "1"}},
	"bins of dates": {typ: arrow.FixedWidthTypes.Date64, cell: days, rows: 900, order: "ordered",
		options: options{Epsilon: "1", Bins: "month"}},
	"booleans": {typ: arrow.FixedWidthTypes.Boolean, cell: []string{"true", "false", "true"}, rows: 900,
		order: "ordered:false,true", options: options{Epsilon: "0.6"}},
	"as string": {typ: arrow.PrimitiveTypes.Int64, cell: []string{"1", "2", "3"}, rows: 900,
		order: "matrix\n,1-2,3\n1,1,0\n2,1,0\n3,0,1\n", options: options{Epsilon: "0.9"}},
	"binary": {typ: arrow.BinaryTypes.Binary, cell: []string{"/w==", "MHhmZg==", "YQ==", "YQ=="}, rows: 900,
		order: "matrix\n,u,0xff\n0x30786666,1,0\na,0,1\n0xff,1,0\n", options: options{Epsilon: "1"}},
	"dropped":   {options: options{Epsilon: "1.5", Drop: []string{"d"}}},
	"no hash":   {options: options{Epsilon: "1.5", Hash: "none"}},
	"extension": {extend: true, options: options{Epsilon: "1.5"}},
	"beside":    {cell: withNulls, rows: 6000, options: options{Epsilon: "1.5", Null: "public", Audit: "full"}},
	"dictionary": {typ: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String},
		cell: withNulls, options: options{Epsilon: "1.5", Null: "draw"}},
}

// further are releases that are only altered: by strata of column d, of eleven; of a prior
// that is not the counts of the file, or of a claim of the population; of which some, all or no records
// stand without doubt; by the plan of another one; and small ones, of which every member is changed.
var further = map[string]job{
	"strata apart":     stratified(options{GivenOnly: true}),
	"strata both":      stratified(options{}),
	"strata merged":    stratified(options{StrataMin: 273, GivenOnly: true, Drop: []string{"d"}}),
	"strata preferred": stratified(options{Prefer: "unchanged"}),
	"strata spare":     stratified(options{Headroom: "10%"}),
	"strata smoothed":  stratified(options{Smooth: "2"}),
	"strata applied":   {cell: lopsided(), rows: 2500, plan: "strata both", options: options{Audit: "off"}},
	"prior smoothed":   {order: circular, options: options{Epsilon: "0.9", Smooth: "3/2", Audit: "off"}},
	"prior claim":      {order: circular, options: options{Epsilon: "0.9", Confidence: "1e-3", Audit: "off"}},
	"prior rare": {options: options{Epsilon: "1.5", MinCount: 500, Other: "e", Audit: "off",
		AllowUnchanged: true}},
	"prior declared": {order: circular, prior: evenly, options: options{Epsilon: "0.9", Audit: "off"}},
	"prior given up": {order: circular, prior: evenly, options: options{Epsilon: "0.9", PriorOnly: true, Audit: "off"}},
	"certain some": {cell: []string{"a", "a", "a", "a", "b", "b", "c", "d"}, rows: 800, order: "ordered:a,b,c,d",
		options: options{Epsilon: "1.9"}},
	"certain all": {cell: abbc, rows: 400, order: "ordered:a,b,c", options: options{Epsilon: "1.4", AllowUnchanged: true}},
	"open": {domain: "a\nb\nc\nd\ne\n", options: options{Epsilon: "2.5", Design: "safe",
		Settings: []report.Setting{{Name: "design", Value: "safe", Origin: "flag"}}}},
	"elsewhere": {cell: strings.Fields(strings.Repeat("a ", 15) + strings.Repeat("b ", 8) + strings.Repeat("c ", 4) +
		"d d d e"), rows: 3100, plan: "optimal"},
	"part": {cell: []string{"a", "b", "e", "e"}, rows: 40, plan: "optimal", options: options{PartOfPlan: true}},
	"neighbours": {cell: fiveLetters, rows: 700, options: options{Epsilon: "0.9", Audit: "full",
		About: &report.About{Owner: "me", Date: "2026-01-01"}, Inside: &report.Inside{Reviewer: "you"},
		Settings: []report.Setting{{Name: "epsilon", Value: "0.9", Origin: "flag"},
			{Name: "threads", Value: "2", Origin: "default"}}}},
	"places": {cell: fiveLetters, rows: 700, order: positions, options: options{Epsilon: "1.5"}},
	"nulls":  {cell: withNulls, rows: 700, options: options{Epsilon: "1.5", Null: "public"}},
	"plain":  {cell: abbc, rows: 400, order: "ordered:a,b,c", options: options{Epsilon: "0.9", AllowUnchanged: true}},
	"strata": {cell: lopsided(), rows: 1100, options: options{Epsilon: "1.3", Strata: "d", Confidence: "1e-3",
		GivenOnly: true, Audit: "off"}},
}

// evenly is a prior that gives all five letters the same.
const evenly = "label,probability\na,1/5\nb,1/5\nc,1/5\nd,1/5\ne,1/5\n"

// stratified is a job by strata with some options.
func stratified(o options) job {
	o.Epsilon, o.Strata, o.Audit = "1.3", "d", "off"
	return job{cell: lopsided(), options: o}
}

// lopsided has other letters in the first five strata of column d than in the
// other six.
func lopsided() (cell []string) {
	for i := range 11 * 9 {
		letters := "aaaaabbcd"
		if i%11 >= 5 {
			letters = "eeeeddcba"
		}
		cell = append(cell, letters[i/11:i/11+1])
	}
	return cell
}
