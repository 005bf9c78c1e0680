package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/assent-dev/assent/engine/advice"
	"github.com/assent-dev/assent/engine/diag"
	"github.com/assent-dev/assent/engine/keys"
	"github.com/assent-dev/assent/engine/opinion"
	"github.com/assent-dev/assent/engine/scan"
)

// secondOpinion asks whom opinion.yaml of the user's own folder names, if anybody.
func (c *console) secondOpinion(ctx context.Context, id string, files []scan.File, found diag.List) (string, advice.Answer, bool, error) {
	config, is, err := adviser()
	if err == nil && (!is || !config.For(id)) {
		return "", advice.Answer{}, false, nil
	}
	if err != nil {
		return advice.ConfigFile, advice.Answer{}, true, err
	}
	ask := opinion.Program(config.Command)
	if config.URL != "" {
		key, err := secretIn(config.KeyFile)
		if err != nil {
			return config.Asked(), advice.Answer{}, true, err
		}
		ask = opinion.Endpoint(config.URL, config.Model, key)
	}
	c.progress("asking %s for a second opinion", oneLine(config.Asked()))
	a, err := opinion.Ask(ctx, ask, config.Timeout, files, found)
	return config.Asked(), a, true, err
}

// adviser reads opinion.yaml; is is false where there is none.
func adviser() (config advice.Config, is bool, err error) {
	home, err := keys.Home()
	if err != nil {
		return config, false, err
	}
	file := filepath.Join(home, advice.ConfigFile)
	src, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return config, false, nil
	}
	if err != nil {
		return config, false, fmt.Errorf("read who is asked for a second opinion: %w", err)
	}
	config, diags := advice.Parse(advice.ConfigFile, src)
	if diags.HasErrors() {
		return config, true, &failure{code: exitUsage, err: errors.New(diags[0].String()), hint: diags[0].Fix + ", in " + file}
	}
	return config, true, nil
}

// secretIn is the first line of a file; nothing where none is named.
func secretIn(file string) (string, error) {
	if file == "" {
		return "", nil
	}
	data, err := os.ReadFile(file) //nolint:gosec // the user's own file names it
	if err != nil {
		return "", fmt.Errorf("read the key of the model: %w", err)
	}
	first, _, _ := strings.Cut(string(data), "\n")
	return strings.TrimSpace(first), nil
}
