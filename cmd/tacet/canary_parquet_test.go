package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	arrowparquet "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/parquet-go/parquet-go"
)

// A canary is an input whose private column "secret" holds letters that are
// tokens, with further tokens in every place where raw values may hide.
type canary struct {
	name    string
	file    []byte
	integer bool
	letter  []token // every one occurs
	planted []token // all tokens that the file holds
}

// canaryRow is row i: its letter, -1 for null, and what stands beside it.
func canaryRow(i int) (letter int, beside int64, note string) {
	if i%7 == 4 {
		return -1, int64(i), "n"
	}
	return (i + i/9) % 12, int64(i), fmt.Sprint("note ", i%5)
}

type canaryOf[V any] struct {
	K      int64  `parquet:"k"`
	Secret *V     `parquet:"secret,optional"`
	Note   string `parquet:"note"`
}

// writeCanary writes rows with these letters.
func writeCanary[V any](b *bytes.Buffer, rows int, letter []V, option []parquet.WriterOption) error {
	all := make([]canaryOf[V], rows)
	for i := range all {
		x, k, note := canaryRow(i)
		if all[i] = (canaryOf[V]{K: k, Note: note}); x >= 0 {
			all[i].Secret = &letter[x]
		}
	}
	return parquet.Write(b, all, option...)
}

// parquetGoCanary holds a dictionary (of texts), bounds in chunks, pages and
// page index, a bloom filter, sorting columns and metadata.
func parquetGoCanary(t *testing.T, integer bool, rows, perGroup int, option ...parquet.WriterOption) canary {
	t.Helper()
	letter, at := tokens(integer, 12)
	said, err := json.Marshal(map[string]any{"columns": []string{"secret"}, "index": at["pandas"].text})
	must(t, err)
	option = append([]parquet.WriterOption{
		parquet.MaxRowsPerRowGroup(int64(perGroup)), parquet.PageBufferSize(2000),
		parquet.DataPageStatistics(true), parquet.DeprecatedDataPageStatistics(true),
		parquet.BloomFilters(parquet.SplitBlockFilter(10, "secret")),
		parquet.KeyValueMetadata("pandas", string(said)), parquet.KeyValueMetadata("custom", at["custom"].text),
		parquet.SortingWriterConfig(parquet.SortingColumns(parquet.Ascending("secret"), parquet.Ascending("k"))),
	}, option...)
	var b bytes.Buffer
	if numbers, texts := []int64{}, []string{}; integer {
		for _, k := range letter {
			numbers = append(numbers, k.number())
		}
		err = writeCanary(&b, rows, numbers, option)
	} else {
		for _, k := range letter {
			texts = append(texts, k.text)
		}
		option = append(option, parquet.DefaultEncodingFor(parquet.ByteArray, &parquet.RLEDictionary))
		err = writeCanary(&b, rows, texts, option)
	}
	must(t, err)
	return canary{fmt.Sprintf("parquet-go integer=%v", integer), b.Bytes(), integer, letter,
		append([]token{at["pandas"], at["custom"]}, letter...)}
}

// arrowGoCanary is the record of arrowRecord as Parquet: an Arrow schema with
// metadata, a dictionary with an entry that no row uses, bounds, page index,
// bloom filter and sorting columns.
func arrowGoCanary(t *testing.T, integer, dictionary bool, option ...arrowparquet.WriterProperty) canary {
	t.Helper()
	rec, c := arrowRecord(t, integer, dictionary)
	option = append([]arrowparquet.WriterProperty{
		arrowparquet.WithPageIndexEnabled(true), arrowparquet.WithBloomFilterEnabledFor("secret", true),
		arrowparquet.WithStats(true),
		arrowparquet.WithMaxRowGroupLength(1000), arrowparquet.WithDataPageSize(500),
		arrowparquet.WithSortingColumns([]arrowparquet.SortingColumn{{ColumnIdx: 1}}),
	}, option...)
	var b bytes.Buffer
	w, err := pqarrow.NewFileWriter(rec.Schema(), &b, arrowparquet.NewWriterProperties(option...),
		pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema()))
	must(t, err)
	must(t, w.Write(rec))
	must(t, w.Close())
	c.name, c.file = fmt.Sprintf("arrow-go %s dictionary=%v", rec.Schema().Field(1).Type, dictionary), b.Bytes()
	return c
}

// gapped is a canary with gaps.
func gapped(t *testing.T, c canary) canary {
	t.Helper()
	_, at := tokens(c.integer, 12)
	c.name += " with gaps"
	c.file = withGaps(t, c.file, at["gap"])
	c.planted = append([]token{at["gap"]}, c.planted...)
	return c
}

var snappy, zstd = arrowparquet.WithCompression(compress.Codecs.Snappy),
	arrowparquet.WithCompression(compress.Codecs.Zstd)

// canaries are all inputs of the canary tests.
func canaries(t *testing.T) []canary {
	t.Helper()
	v2 := arrowparquet.WithDataPageVersion(arrowparquet.DataPageV2)
	list := []canary{
		parquetGoCanary(t, false, 3000, 1000, parquet.Compression(&parquet.Zstd)),
		parquetGoCanary(t, true, 3000, 1000, parquet.DataPageVersion(1), parquet.Compression(&parquet.Gzip)),
		gapped(t, parquetGoCanary(t, false, 3000, 1000, parquet.DataPageVersion(1))),
		gapped(t, parquetGoCanary(t, true, 3000, 1000)),
		arrowGoCanary(t, false, true, zstd),
		arrowGoCanary(t, true, false, snappy, v2),
		arrowGoCanary(t, false, false, zstd, v2, arrowparquet.WithDictionaryDefault(false)),
		gapped(t, arrowGoCanary(t, false, true, snappy)),
	}
	for _, integer := range []bool{false, true} {
		for _, dictionary := range []bool{false, true} {
			for _, codec := range arrowCodecs {
				list = append(list, arrowCanary(t, integer, dictionary, codec))
			}
		}
	}
	return list
}

func metadata(k token) arrow.Metadata {
	return arrow.NewMetadata([]string{"pandas", "raw"}, []string{`{"columns": ["` + k.text + `"]}`, k.text})
}
