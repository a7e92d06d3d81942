package trust

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/subject"
	"github.com/tacet-privacy/tacet/pipeline/verify/verdict"
)

// Where a run leaves the commitment that ties the public report to the
// internal one, and its key, from the folder of report.json.
const (
	CommitmentFile = "public/commitment.txt"
	CommitmentKey  = "commitment.key"
	CommitmentHead = "hmac-sha256 of the internal report.json: "
)

// CheckCommitment recomputes the public commitment to the report: its
// HMAC-SHA-256 [RFC 2104] under the key beside it.
func CheckCommitment(v *subject.View, q document.Request, report []byte) {
	const name = "commitment"
	folder := filepath.Dir(q.Report)
	stated, err := small(filepath.Join(folder, filepath.FromSlash(CommitmentFile)))
	if errors.Is(err, fs.ErrNotExist) {
		v.Skip(name, "no "+CommitmentFile+" beside the report")
		return
	}
	key, keyErr := small(filepath.Join(folder, CommitmentKey))
	if errors.Is(keyErr, fs.ErrNotExist) {
		v.Skip(name, "no "+CommitmentKey+" beside the report")
		return
	}
	sum, known := strings.CutPrefix(strings.TrimSuffix(stated, "\n"), CommitmentHead)
	secret, bad := hex.DecodeString(strings.TrimSuffix(key, "\n"))
	want, worse := hex.DecodeString(sum)
	if err != nil || keyErr != nil || !known || bad != nil || worse != nil || len(secret) != sha256.Size || len(want) != sha256.Size {
		v.Add(name, false, "%s or %s does not hold 32 bytes in hex", CommitmentFile, CommitmentKey)
		return
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write(report)
	ok := hmac.Equal(mac.Sum(nil), want)
	v.Add(name, ok, "%s", verdict.Either(ok, "under commitment.key the report is the one that "+CommitmentFile+" was made of", "the report is another than the one that "+CommitmentFile+" was made of, or the key is"))
}

// small reads a file of one line.
func small(path string) (string, error) {
	st, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if st.Size() > 4096 {
		return "", errors.New("it is too long")
	}
	data, err := os.ReadFile(path)
	return string(data), err
}
