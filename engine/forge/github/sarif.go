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

// Limits of code scanning: results per run, and bytes of the compressed log.
//
// Source: https://docs.github.com/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning
const (
	maxResults = 5000
	maxSARIF   = 10 << 20
)

// UploadSARIF uploads a SARIF 2.1.0 log to code scanning as the findings in a commit. ref
// is a full name, such as refs/heads/main or refs/pull/7/head. The first 5 000 results of
// each run are sent; dropped counts the others. id identifies the upload at GitHub.
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
		return "", 0, fmt.Errorf("%s: the log has %d bytes when compressed; GitHub accepts %d", doing, packed.Len(), maxSARIF)
	}
	// Uploading the same log again replaces its earlier results.
	got, _, err := api.repeatable.CodeScanning.UploadSarif(ctx, api.owner, api.repo, &github.SarifAnalysis{
		CommitSHA: github.String(commit.String()), Ref: &ref,
		Sarif: github.String(base64.StdEncoding.EncodeToString(packed.Bytes())),
	})
	if err != nil {
		return "", 0, explain(doing, err)
	}
	return got.GetID(), dropped, nil
}

// fewer removes the results of each run that exceed the limit.
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
