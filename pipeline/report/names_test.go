package report

import (
	"slices"
	"testing"
)

// Lists of names are read as they are written, whatever the names hold.
func TestNames(t *testing.T) {
	for list, want := range map[string][]string{
		"": nil, "a": {"a"}, "a,b": {"a", "b"}, `"a,b",c`: {"a,b", "c"}, `c,"a,b"`: {"c", "a,b"}, `a"b,c`: {`a"b`, "c"},
		`"say ""x, y""","",z`: {`say "x, y"`, "", "z"}, "a,": {"a", ""}, " a, b": {"a", "b"}, `" a"," b"`: {" a", " b"},
	} {
		if got, ok := Names(list); !ok || !slices.Equal(got, want) {
			t.Errorf("%s gives %q, %v", list, got, ok)
		}
		if got, ok := Names(NameList(want)); !ok || !slices.Equal(got, want) {
			t.Errorf("%q is written %s and read as %q", want, NameList(want), got)
		}
	}
	for _, list := range []string{`"a`, `"a"b,c`, `a,"`, `"a""`} {
		if got, ok := Names(list); ok {
			t.Errorf("%s is read as %q", list, got)
		}
	}
}

// Folders, stores and buckets are nobody's business.
func TestFileName(t *testing.T) {
	for path, want := range map[string]string{"/a/b/c.parquet": "c.parquet", "c": "c", "/a/set/": "set", "s3://b/k/x.csv": "x.csv",
		"s3://b/k/": "k", "s3://b/": "b", "/x:y/in/ordered:a": "ordered:a", "ordered:a/b": "b", "-": "-"} {
		if got := FileName(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
