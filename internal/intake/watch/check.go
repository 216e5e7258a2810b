package watch

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Check tests a configuration with its server and its folders and prints what it
// finds. It returns ErrConfig if something must be changed, and another error if
// the server cannot be reached.
func Check(ctx context.Context, config Config, state *State, version string, out io.Writer) error {
	client, err := newClient(&config, version, 30*time.Second)
	if err != nil {
		return err
	}
	accounts, err := client.accounts(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "server  %s: the token works\n", config.Server)
	for _, a := range accounts {
		fmt.Fprintf(out, "account %s: %s, %s\n", a.ID, oneLine(a.Name), a.Currency)
	}
	if err := checkAccounts(config.Folders, accounts); err != nil {
		return err
	}
	var missing []string
	for i := range config.Folders {
		folder := &config.Folders[i]
		text, err := describeFolder(folder, state)
		if err != nil {
			missing = append(missing, folder.Path)
			text = "cannot be read: " + reason(err)
		}
		fmt.Fprintf(out, "folder  %s: %s\n", folder.Path, text)
	}
	refused := state.Refused()
	slices.SortFunc(refused, func(x, y Record) int { return strings.Compare(x.Path, y.Path) })
	for _, r := range refused {
		fmt.Fprintf(out, "refused %s: %s\n", oneLine(r.Path), r.Message)
	}
	if len(missing) > 0 {
		return configError("cannot read %s", strings.Join(missing, ", "))
	}
	return nil
}

// describeFolder returns how many files in a folder are handled and how many are not.
func describeFolder(folder *Folder, state *State) (string, error) {
	files, handled := 0, 0
	_, err := folder.scan(func(path string, info fs.FileInfo) {
		files++
		r, ok := state.Find(path)
		if ok && r.Size == info.Size() && r.ModTime == info.ModTime().UnixNano() && r.Settings == folder.settings() {
			handled++
		}
	})
	if err != nil {
		return "", err
	}
	pattern := folder.Pattern
	if pattern == "" {
		pattern = "usual types"
	}
	return fmt.Sprintf("%s (%s), %d new or changed", count(files, "file"), pattern, files-handled), nil
}

// StateFile returns the name of a configuration's state file.
func StateFile(configFile string) string { return filepath.Clean(configFile) + ".state" }
