package watch

import (
	"errors"
	"fmt"

	"fillbook/internal/base/filelock"
)

// Lock prevents a second agent with the same configuration. The system releases
// the lock when the process ends, however it ends.
func Lock(configFile string) (release func(), err error) {
	release, err = filelock.Lock(configFile + ".lock")
	if errors.Is(err, filelock.ErrLocked) {
		return nil, fmt.Errorf("another 'fillbook watch' runs with %s", configFile)
	}
	return release, err
}
