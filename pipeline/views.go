package pipeline

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"path/filepath"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/pipeline/documents"
	"github.com/tacet-privacy/tacet/pipeline/options"
	"github.com/tacet-privacy/tacet/pipeline/render"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// Names of the views. Those in publicFolder may be published, the others not.
const (
	publicFolder   = "public"
	commitmentFile = "commitment.txt" // in publicFolder
	commitmentKey  = "commitment.key"
)

// A viewFile is a view on its way.
type viewFile struct {
	*publish.File
	format string
}

// The profiles of a report, as places in views.file.
const (
	internal = iota
	public
)

// views are the files that say in other words what report.json says, and the
// commitment that ties the public ones to it.
type views struct {
	folder          string        // of the report
	file            [2][]viewFile // by profile
	commitment, key *publish.File
}

// addViews opens the temporary files of all views of the report in a folder.
func (r *release) addViews(report string) (*views, error) {
	folder := filepath.Join(report, publicFolder)
	if err := r.set.Folder(folder); err != nil {
		return nil, err
	}
	v := &views{folder: report}
	for _, f := range []struct {
		path    string
		profile int
		format  string
	}{
		{filepath.Join(report, textFile), internal, "text"},
		{filepath.Join(report, "report.md"), internal, "md"},
		{filepath.Join(report, "report.html"), internal, "html"},
		{filepath.Join(folder, textFile), public, "text"},
		{filepath.Join(folder, "report.md"), public, "md"},
		{filepath.Join(folder, "report.html"), public, "html"},
		{filepath.Join(folder, jsonFile), public, "json"},
	} {
		file, err := r.add(f.path, f.profile == internal)
		if err != nil {
			return nil, err
		}
		v.file[f.profile] = append(v.file[f.profile], viewFile{file, f.format})
	}
	if err := r.signed.addReport(r, filepath.Join(folder, jsonFile), false); err != nil {
		return nil, err
	}
	var err error
	if v.commitment, err = r.add(filepath.Join(folder, commitmentFile), false); err != nil {
		return nil, err
	}
	v.key, err = r.add(filepath.Join(report, commitmentKey), true)
	return v, err
}

func (r *release) add(path string, private bool) (*publish.File, error) {
	f, err := r.set.Add(publish.Target{Path: path, Overwrite: r.o.Overwrite, Private: private})
	if err != nil {
		return nil, r.overwriteHint(err)
	}
	return f, nil
}

// documents are the views of a report whose report.json is data, and the
// signatures of the public one.
func (v *views) documents(r *release, rep *report.Report, data []byte) ([]documents.Document, error) {
	var out []documents.Document
	for profile, tell := range []render.Telling{internal: {Internal: rep}, public: {Public: rep.Publish()}} {
		files := v.file[profile]
		var formats []string
		for _, f := range files {
			formats = append(formats, f.format)
		}
		texts, err := tell.Views(formats...)
		if err != nil {
			return nil, err
		}
		for i, f := range files {
			out = append(out, documents.Document{To: f.File, Data: texts[i]})
			if profile == public && f.format == "json" {
				signed, err := r.signed.signReport(r, filepath.Join(v.folder, publicFolder, jsonFile), texts[i], rep.Output.SHA256)
				if err != nil {
					return nil, err
				}
				out = append(out, signed...)
			}
		}
	}
	key := commitKey(r.o)
	mac := hmac.New(sha256.New, key)
	mac.Write(data)
	return append(out,
		documents.Document{To: v.commitment, Data: fmt.Appendf(nil, "hmac-sha256 of the internal report.json: %x\n", mac.Sum(nil))},
		documents.Document{To: v.key, Data: []byte(hex.EncodeToString(key) + "\n")}), nil
}

// commitKey is the secret of a commitment: without it, nobody can try what the
// internal report might say. Under a test seed it follows from that.
func commitKey(o *options.Options) []byte {
	key := make([]byte, 32)
	rand.Read(key) // never fails: crypto/rand ends the program instead
	if o.TestSeed != nil {
		sum := sha256.Sum256(binary.BigEndian.AppendUint64([]byte("tacet/v1 commitment under a test seed"), *o.TestSeed))
		copy(key, sum[:])
	}
	return key
}
