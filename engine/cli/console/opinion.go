package console

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/format/advice"
	"github.com/assent-dev/assent/engine/home"
	"github.com/assent-dev/assent/engine/home/ask"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/scan"
)

// secondOpinion asks the reviewer named in opinion.yaml of the user's own folder, if any.
func secondOpinion(ctx context.Context, c *Console, id string, files []scan.File, found diag.List) (string, advice.Answer, bool, error) {
	config, is, err := WhoIsAsked(advice.OpinionFile)
	if err == nil && (!is || !config.For(id)) {
		return "", advice.Answer{}, false, nil
	}
	if err != nil {
		return advice.OpinionFile, advice.Answer{}, true, err
	}
	key, err := SecretIn(ctx, c, config.KeyFile)
	if err != nil {
		return config.Asked(), advice.Answer{}, true, err
	}
	c.Progress("asking %s for a second opinion", OneLine(config.Asked()))
	a, err := ask.OpinionForm().Of(config, key).Opinion(ctx, config.Timeout, files, found)
	return config.Asked(), a, true, err
}

// maxAskedFile bounds opinion.yaml and drafter.yaml, in bytes.
const maxAskedFile = 1 << 20

// WhoIsAsked reads opinion.yaml or drafter.yaml; is is false if there is none.
func WhoIsAsked(name string) (config advice.Config, is bool, err error) {
	dir, err := keys.Home()
	if err != nil {
		return config, false, err
	}
	store := home.At(dir)
	src, err := store.Read(name, maxAskedFile)
	if errors.Is(err, fs.ErrNotExist) {
		return config, false, nil
	}
	if err != nil {
		return config, false, fmt.Errorf("read who is asked: %w", err)
	}
	config, diags := advice.Parse(name, src)
	if diags.HasErrors() {
		return config, true, &Failure{Code: ExitUsage, Err: errors.New(diags[0].String()), Hint: diags[0].Fix + ", in " + store.Path(name)}
	}
	return config, true, nil
}

// SecretIn is the first line of a file; nothing where none is named.
func SecretIn(ctx context.Context, c *Console, file string) (string, error) {
	if file == "" {
		return "", nil
	}
	data, err := ReadFile(ctx, c, file, maxAskedFile)
	if err != nil {
		return "", fmt.Errorf("read the key of the model: %w", err)
	}
	first, _, _ := strings.Cut(string(data), "\n")
	return strings.TrimSpace(first), nil
}
