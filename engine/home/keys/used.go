package keys

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"time"
)

// usable is longer than an approval of a job counts.
const usable = 366 * 24 * time.Hour

// UseApproval records that an attempt of a job in a run, which people approved, begins here. fresh is false
// if that attempt or a later one did before; then nothing is recorded.
func UseApproval(ctx context.Context, workspace, job string, attempt int) (fresh bool, err error) {
	own, err := store()
	if err == nil && !workspaceID().MatchString(workspace) {
		err = fmt.Errorf("%q is no workspace id", workspace)
	}
	if err != nil {
		return false, err
	}
	folder := "used/" + workspace
	files, _ := own.List(folder) // what cannot be listed stays
	for _, f := range files {
		if time.Since(f.ModTime()) > usable {
			_ = own.Remove(folder + "/" + f.Name())
		}
	}
	sum := sha256.Sum256([]byte(job))
	const most = 100
	err = own.Change(ctx, folder+"/"+hex.EncodeToString(sum[:]), most, func(old []byte) ([]byte, error) {
		before, err := strconv.Atoi(string(old))
		if len(old) > 0 && err != nil { // it is damaged
			return nil, err
		}
		if fresh = attempt > before; !fresh {
			return old, nil
		}
		return strconv.AppendInt(nil, int64(attempt), 10), nil
	})
	if err != nil {
		return false, fmt.Errorf("record that %s begins here: %w", job, err)
	}
	return fresh, nil
}
