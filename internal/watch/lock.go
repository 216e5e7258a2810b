package watch

import (
	"fmt"
	"os"
)

// Lock prevents a second agent with the same configuration. The system releases
// the lock when the process ends, however it ends.
func Lock(configFile string) (release func(), err error) {
	name := configFile + ".lock"
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("creating the lock: %w", err)
	}
	if err := lockFile(file); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("another 'fillbook watch' runs with %s", configFile)
	}
	return func() { _ = file.Close() }, nil
}
