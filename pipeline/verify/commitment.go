package verify

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Where a run leaves the commitment that ties the public report to the
// internal one, and its key, from the folder of report.json.
const (
	commitmentFile = "public/commitment.txt"
	commitmentKey  = "commitment.key"
	commitmentHead = "hmac-sha256 of the internal report.json: "
)

// checkCommitment recomputes the public commitment to the report: its
// HMAC-SHA-256 [RFC 2104] under the key beside it.
func (v *verifier) checkCommitment(q Request, report []byte) {
	const name = "commitment"
	folder := filepath.Dir(q.Report)
	stated, err := small(filepath.Join(folder, filepath.FromSlash(commitmentFile)))
	if errors.Is(err, fs.ErrNotExist) {
		v.skip(name, "no "+commitmentFile+" beside the report")
		return
	}
	key, keyErr := small(filepath.Join(folder, commitmentKey))
	if errors.Is(keyErr, fs.ErrNotExist) {
		v.skip(name, "no "+commitmentKey+" beside the report")
		return
	}
	sum, known := strings.CutPrefix(strings.TrimSuffix(stated, "\n"), commitmentHead)
	secret, bad := hex.DecodeString(strings.TrimSuffix(key, "\n"))
	want, worse := hex.DecodeString(sum)
	if err != nil || keyErr != nil || !known || bad != nil || worse != nil || len(secret) != sha256.Size || len(want) != sha256.Size {
		v.add(name, false, "%s or %s does not hold 32 bytes in hex", commitmentFile, commitmentKey)
		return
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write(report)
	ok := hmac.Equal(mac.Sum(nil), want)
	v.add(name, ok, "%s", either(ok, "under commitment.key the report is the one that "+commitmentFile+" was made of", "the report is another than the one that "+commitmentFile+" was made of, or the key is"))
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
