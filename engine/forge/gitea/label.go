package gitea

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/forge/host"
)

// labelColor is the colour of new labels; people may change it.
const labelColor = "#6f7f8f"

// labelAPI sets labels.
type labelAPI struct{ *server }

// Label sets the labels that have our prefix and leaves all others alone.
func (api *labelAPI) Label(ctx context.Context, number int, labels []string) error {
	return api.repeat(ctx, func() error {
		var has []*sdk.Label
		err := api.ask(ctx, fmt.Sprintf("read the labels of #%d", number), func(c *sdk.Client) (resp *sdk.Response, err error) {
			has, resp, err = c.GetIssueLabels(api.Owner, api.Repo, int64(number), sdk.ListLabelsOptions{})
			return resp, err
		})
		if err != nil {
			return err
		}
		has = slices.DeleteFunc(has, func(l *sdk.Label) bool { return l == nil })
		if err := api.addLabels(ctx, number, labels, has); err != nil {
			return err
		}
		for _, l := range has {
			if strings.HasPrefix(l.Name, host.LabelPrefix) && !slices.Contains(labels, l.Name) {
				err := api.ask(ctx, fmt.Sprintf("remove a label from #%d", number), func(c *sdk.Client) (*sdk.Response, error) {
					return c.DeleteIssueLabel(api.Owner, api.Repo, int64(number), l.ID)
				})
				if err != nil && !missing(err) {
					return err
				}
			}
		}
		return nil
	})
}

// addLabels adds the missing labels in one request.
func (api *labelAPI) addLabels(ctx context.Context, number int, labels []string, has []*sdk.Label) error {
	var lacking []string
	for _, name := range labels {
		if !slices.ContainsFunc(has, func(l *sdk.Label) bool { return l.Name == name }) && !slices.Contains(lacking, name) {
			lacking = append(lacking, name)
		}
	}
	if len(lacking) == 0 {
		return nil
	}
	ids, err := api.labelIDs(ctx, lacking)
	if err != nil {
		return err
	}
	return api.ask(ctx, fmt.Sprintf("label #%d", number), func(c *sdk.Client) (*sdk.Response, error) {
		_, resp, err := c.AddIssueLabels(api.Owner, api.Repo, int64(number), sdk.IssueLabelsOption{Labels: ids})
		return resp, err
	})
}

// labelIDs finds labels of the repository and creates missing ones. The server allows two
// labels of one name; the older one is used.
func (api *labelAPI) labelIDs(ctx context.Context, names []string) ([]int64, error) {
	known, err := api.repoLabels(ctx)
	if err != nil {
		return nil, err
	}
	created := false
	for _, name := range names {
		if _, ok := known[name]; !ok {
			created = true
			err := api.ask(ctx, "create the label "+name, func(c *sdk.Client) (*sdk.Response, error) {
				_, resp, err := c.CreateLabel(api.Owner, api.Repo, sdk.CreateLabelOption{Name: name, Color: labelColor})
				return resp, err
			})
			if err != nil {
				return nil, err
			}
		}
	}
	if created { // another engine may have created it at the same moment
		if known, err = api.repoLabels(ctx); err != nil {
			return nil, err
		}
	}
	var ids []int64
	for _, name := range names {
		id, ok := known[name]
		if !ok {
			return nil, fmt.Errorf("label: %s does not show the label %s that was created", api.URL, name)
		}
		ids = append(ids, id)
	}
	return ids, nil
}

func (api *labelAPI) repoLabels(ctx context.Context) (map[string]int64, error) {
	list, err := pages(ctx, api.server, "read the repository's labels", func(l *sdk.Label) int64 { return l.ID },
		func(c *sdk.Client, o sdk.ListOptions) ([]*sdk.Label, *sdk.Response, error) {
			return c.ListRepoLabels(api.Owner, api.Repo, sdk.ListLabelsOptions{ListOptions: o})
		}, nil)
	order.Sort(list, func(a, b *sdk.Label) int { return cmp.Compare(b.ID, a.ID) })
	ids := map[string]int64{}
	for _, l := range list {
		ids[l.Name] = l.ID
	}
	return ids, err
}
