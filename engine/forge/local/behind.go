package local

import (
	"encoding/json"
	"fmt"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/journal"
)

// keepBehind adds those who pushed the commits before they were proposed to the files of
// an opening.
func keepBehind(kept *map[string][]byte, behind []forge.Actor) error {
	if len(behind) == 0 {
		return nil
	}
	data, err := json.Marshal(behind)
	if err != nil {
		return fmt.Errorf("encode who pushed it: %w", err)
	}
	if *kept == nil {
		*kept = map[string][]byte{}
	}
	(*kept)[behindFile] = data
	return nil
}

// behind reads them. What cannot be read is somebody whom nobody can name.
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
