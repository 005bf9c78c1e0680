package github

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"

	"github.com/google/go-github/v60/github"

	"github.com/assent-dev/assent/engine/base/tree"
)

// What code scanning takes: results of a run, and megabytes of the compressed log.
//
// Source: https://docs.github.com/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning
const (
	maxResults = 5000
	maxSARIF   = 10 << 20
)

// UploadSARIF hands a SARIF 2.1.0 log to code scanning, as what was found in a
// commit. ref is a full name, such as refs/heads/main or refs/pull/7/head. Of each
// run the first 5 000 results are sent; dropped is how many were not. The answer is
// the id by which GitHub tells what became of it.
func (api *checkAPI) UploadSARIF(ctx context.Context, commit tree.Hash, ref string, log []byte) (id string, dropped int, err error) {
	const doing = "upload findings to code scanning"
	log, dropped, err = fewer(log)
	if err != nil {
		return "", 0, fmt.Errorf("%s: %w", doing, err)
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(log); err != nil {
		return "", 0, fmt.Errorf("%s: %w", doing, err)
	}
	if err := w.Close(); err != nil {
		return "", 0, fmt.Errorf("%s: %w", doing, err)
	}
	if packed.Len() > maxSARIF {
		return "", 0, fmt.Errorf("%s: the log has %d bytes when it is compressed, and GitHub takes %d", doing, packed.Len(), maxSARIF)
	}
	// The same log once more replaces what it gave.
	got, _, err := api.repeatable.CodeScanning.UploadSarif(ctx, api.owner, api.repo, &github.SarifAnalysis{
		CommitSHA: github.String(commit.String()), Ref: &ref,
		Sarif: github.String(base64.StdEncoding.EncodeToString(packed.Bytes())),
	})
	if err != nil {
		return "", 0, explain(doing, err)
	}
	return got.GetID(), dropped, nil
}

// fewer leaves the results of each run that are too many.
func fewer(log []byte) ([]byte, int, error) {
	var top map[string]json.RawMessage
	if err := json.Unmarshal(log, &top); err != nil {
		return nil, 0, fmt.Errorf("read the SARIF log: %w", err)
	}
	var runs []map[string]json.RawMessage
	if err := json.Unmarshal(top["runs"], &runs); err != nil {
		return nil, 0, fmt.Errorf("read the runs of the SARIF log: %w", err)
	}
	dropped := 0
	for _, run := range runs {
		var results []json.RawMessage
		if err := json.Unmarshal(run["results"], &results); err != nil {
			return nil, 0, fmt.Errorf("read the results of the SARIF log: %w", err)
		}
		if len(results) <= maxResults {
			continue
		}
		dropped += len(results) - maxResults
		kept, err := json.Marshal(results[:maxResults])
		if err != nil {
			return nil, 0, err
		}
		run["results"] = kept
	}
	if dropped == 0 {
		return log, 0, nil
	}
	var err error
	if top["runs"], err = json.Marshal(runs); err != nil {
		return nil, 0, err
	}
	out, err := json.Marshal(top)
	return out, dropped, err
}
