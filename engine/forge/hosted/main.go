package hosted

import (
	"context"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/hub"
)

// seenThere refuses to attest what the service made unless main there is what was judged
// here: whoever took it back meanwhile is not overruled.
func (f *Forge) seenThere(ctx context.Context, id string) error {
	here, err := f.repo.Ref(hub.MainRef)
	if err != nil {
		return err
	}
	at, err := f.hub.Main(ctx)
	if err != nil || at == here {
		return err
	}
	if err := f.hub.NotAhead(at, here); err != nil {
		return err
	}
	if err := f.hub.Sync(ctx, id); err != nil {
		return err
	}
	return &forge.ErrStale{Ref: hub.MainRef, Want: here, Got: at}
}
