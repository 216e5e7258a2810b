package main

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/testkit"
)

// keptRelease is a version's description by scripts/keep-release.
type keptRelease struct {
	Token    string                     `json:"access_token"`
	Guest    string                     `json:"guest"`
	Password string                     `json:"password"`
	Answers  map[string]json.RawMessage `json:"answers"`
}

// TestReleases migrates and checks every released version's data directory, and compares
// the responses with that version's: nothing may be missing. For PostgreSQL the data is
// copied first.
func TestReleases(t *testing.T) {
	archives, err := filepath.Glob("testdata/releases/*.tar.gz")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no release is stored: %v", err)
	}
	for _, archive := range archives {
		version := strings.TrimSuffix(filepath.Base(archive), ".tar.gz")
		t.Run(version, func(t *testing.T) {
			eachEngine(t, func(t *testing.T, engine db.Engine) {
				var release keptRelease
				if err := json.Unmarshal([]byte(readText(t, "testdata/releases/"+version+".json")), &release); err != nil {
					t.Fatal(err)
				}
				env := upgraded(t, archive, engine)
				release.want(t, env)
				// This opens everything sealed with the old secret.
				mustRun(t, env, "rotate-secret")
			})
		})
	}
}

// upgraded unpacks a stored data directory and migrates it. It returns the settings to
// open it.
func upgraded(t *testing.T, archive string, engine db.Engine) []string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	untar(t, archive, dir)
	env := []string{"SVC_DATA_DIR=" + dir, "SVC_SHARE_LINKS_ENABLED=true"}
	mustRun(t, env, "migrate")
	mustRun(t, env, "check")
	if engine == db.PostgreSQL {
		address := testkit.Empty(t, engine).URL
		mustRun(t, env, "copy-db", "--from", filepath.Join(dir, databaseFile), "--to", address)
		env = append(env, "SVC_DATABASE_URL="+address)
		mustRun(t, env, "check")
	}
	return env
}

func untar(t *testing.T, archive, dir string) {
	t.Helper()
	file, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // it is only read
	plain, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for entries := tar.NewReader(plain); ; {
		header, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(entries)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(dir, filepath.FromSlash(header.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// want signs in with a stored password, and compares all responses with a stored token.
func (r keptRelease) want(t *testing.T, env []string) {
	t.Helper()
	p := serve(t, env)
	defer p.stop()
	p.must("POST", "/auth/login", "", map[string]any{"email": r.Guest, "password": r.Password}, http.StatusOK)
	reader := &victim{t: t, p: p, token: r.Token}
	// Public addresses go last: opening them is counted.
	paths := slices.SortedFunc(maps.Keys(r.Answers), func(a, b string) int {
		if one, other := strings.HasPrefix(a, "/public/"), strings.HasPrefix(b, "/public/"); one != other {
			return map[bool]int{true: 1, false: -1}[one]
		}
		return strings.Compare(a, b)
	})
	for _, path := range paths {
		content, status, err := reader.send("GET", path, http.NoBody, "")
		if err != nil || status != http.StatusOK {
			t.Errorf("GET %s: %d %v", path, status, err)
			continue
		}
		var then, now any
		if err := errors.Join(json.Unmarshal(r.Answers[path], &then), json.Unmarshal(content, &now)); err != nil {
			t.Fatal(err)
		}
		for _, lost := range missing(then, now, path) {
			if !isRedefined(lost) {
				t.Error(lost)
			}
		}
	}
}

// redefined are the figures whose definition has changed since the stored releases; see
// CHANGELOG.md. All other figures, and everything entered by users, must be equal.
var redefined = []string{"max_drawdown_pct", "kelly_pct", "sharpe", "sortino", "sqn"}

// isRedefined reports whether a difference concerns a redefined figure.
func isRedefined(difference string) bool {
	place, _, changed := strings.Cut(difference, " was ")
	return changed && slices.Contains(redefined, place[strings.LastIndexByte(place, '.')+1:])
}

// missing returns what a response contained then and does not contain now. Objects may
// have new fields; nothing else may differ.
func missing(then, now any, place string) (found []string) {
	switch was := then.(type) {
	case map[string]any:
		is, ok := now.(map[string]any)
		if !ok {
			return []string{fmt.Sprintf("%s is no object any more: %v", place, now)}
		}
		for _, key := range slices.Sorted(maps.Keys(was)) {
			found = append(found, missing(was[key], is[key], place+"."+key)...)
		}
	case []any:
		is, ok := now.([]any)
		if !ok || len(is) != len(was) {
			return []string{fmt.Sprintf("%s has not the %d items it had: %v", place, len(was), now)}
		}
		for i := range was {
			found = append(found, missing(was[i], is[i], fmt.Sprintf("%s[%d]", place, i))...)
		}
	default:
		if then != now {
			return []string{fmt.Sprintf("%s was %v and is %v", place, then, now)}
		}
	}
	return found
}

func TestMissingFindsWhatIsLost(t *testing.T) {
	t.Parallel()
	parse := func(text string) (value any) {
		if err := json.Unmarshal([]byte(text), &value); err != nil {
			t.Fatal(err)
		}
		return value
	}
	for _, c := range []struct {
		then, now string
		want      int
	}{
		{`{"a":1,"b":[{"c":"x"}]}`, `{"a":1,"b":[{"c":"x","d":2}],"e":3}`, 0},
		{`{"a":1}`, `{"a":1.5}`, 1},
		{`{"a":1,"b":2}`, `{"c":3}`, 2},
		{`[1,2]`, `[1]`, 1},
		{`{"a":{}}`, `{"a":[]}`, 1},
		{`{"a":null}`, `{"a":0}`, 1},
	} {
		if got := missing(parse(c.then), parse(c.now), ""); len(got) != c.want {
			t.Errorf("from %s to %s: %q, want %d", c.then, c.now, got, c.want)
		}
	}
}

// TestReleasesAreInTheChangelog checks that the changelog contains every stored version.
func TestReleasesAreInTheChangelog(t *testing.T) {
	t.Parallel()
	changelog := strings.ToLower(readText(t, "../../CHANGELOG.md"))
	archives, err := filepath.Glob("testdata/releases/*.tar.gz")
	if err != nil {
		t.Fatal(err)
	}
	for _, archive := range archives {
		version := strings.TrimPrefix(strings.TrimSuffix(filepath.Base(archive), ".tar.gz"), "v")
		if !strings.Contains(changelog, "\n## "+version) && !strings.Contains(changelog, "\n## ["+version) {
			t.Errorf("%s is stored and not in CHANGELOG.md", version)
		}
	}
}
