package local

import (
	"encoding/json"
	"fmt"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/journal"
)

// keepBehind adds the earlier pushers of the commits to the files of an opening event.
func keepBehind(kept *map[string][]byte, behind []forge.Actor) error {
	if len(behind) == 0 {
		return nil
	}
	data, err := json.Marshal(behind)
	if err != nil {
		return fmt.Errorf("encode earlier pushers: %w", err)
	}
	if *kept == nil {
		*kept = map[string][]byte{}
	}
	(*kept)[behindFile] = data
	return nil
}

// behind decodes the earlier pushers. Unreadable data counts as one unknown actor.
func behind(ev journal.Event) []forge.Actor {
	data, ok := ev.Files[behindFile]
	if !ok {
		return nil
	}
	var out []forge.Actor
	if json.Unmarshal(data, &out) != nil || len(out) == 0 {
		return []forge.Actor{{}}
	}
	return out
}
