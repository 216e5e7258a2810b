package watch

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestConfigRoundTrip(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sub", "watch.toml")
	values := NewConfig{Server: "https://journal.example.org/", Token: "svc_pat_x", Folder: filepath.Join(t.TempDir(), `it's "new"`), Account: "a1", TZ: "America/New_York"}
	if err := WriteConfig(file, values); err != nil {
		t.Fatal(err)
	}
	got, warnings, err := LoadConfig(file)
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	want := Config{Server: "https://journal.example.org", Token: "svc_pat_x", Folders: []Folder{{Path: values.Folder, AccountID: "a1", TZ: values.TZ}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
	if err := WriteConfig(file, values); !errors.Is(err, ErrConfig) {
		t.Fatalf("a second init: %v", err)
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, warnings, err = LoadConfig(file); err != nil || len(warnings) != 1 || strings.Contains(warnings[0], "svc_pat_x") {
		t.Fatal(err, warnings)
	}
}

func TestWrongConfigs(t *testing.T) {
	const folder = "[[folder]]\npath = 'x'\naccount_id = 'a'\n"
	const server = "server = 'http://127.0.0.1:8080'\ntoken = 't'\n"
	for text, want := range map[string]string{
		"":        "server is missing",
		"server":  "line 1",
		"x = 1\n": "x is not a setting",
		"server = 'journal.example.org'\ntoken = 't'\n" + folder:        "server must be an address",
		"server = 'http://journal.example.org'\ntoken = 't'\n" + folder: "Use https",
		"server = 'https://a@b'\ntoken = 't'\n" + folder:                "without a user",
		"server = 'http://localhost:1'\n" + folder:                      "token is missing",
		"server = 'http://localhost:1'\ntoken = 'a b'\n" + folder:       "Copy it again",
		server:                                  "no [[folder]]",
		server + folder + folder:                "there twice",
		server + "[[folder]]\npath = 'x'\n":     "account_id is missing",
		server + "[[folder]]\naccount_id = 'x'": "path is missing",
		server + folder + "pattern = '[a'\n":    "pattern",
		server + folder + "quiet = 'long'\n":    "length of time",
		server + folder + "tz = 'Mars/Olympus'": "not a time zone",
		server + folder + "tz = 'Local'":        "not a time zone",
		server + folder + "colour = 'blue'\n":   "folder.colour is not a setting",
	} {
		file := filepath.Join(t.TempDir(), "w.toml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := LoadConfig(file); !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestStateSurvivesCutAnywhere cuts a state file at every byte, as a crash can.
func TestStateSurvivesCutAnywhere(t *testing.T) {
	name := filepath.Join(t.TempDir(), "state")
	full := &State{byPath: map[string]Record{}, byHash: map[string]Record{}}
	whole, err := OpenState(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"a", "b", "c"} {
		r := Record{Path: path, Hash: "h" + path, Settings: "s", Outcome: Imported}
		if err := whole.Add(r); err != nil {
			t.Fatal(err)
		}
		full.remember(r)
	}
	content, err := os.ReadFile(name)
	if err := errors.Join(err, whole.Close()); err != nil {
		t.Fatal(err)
	}
	for cut := range len(content) + 1 {
		if err := os.WriteFile(name, content[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := OpenState(name)
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if lines := strings.Count(string(content[:cut]), "\n"); len(s.byPath) != lines {
			t.Fatalf("cut at %d: %d records, want %d", cut, len(s.byPath), lines)
		}
		for _, r := range full.byPath {
			if err := s.Add(r); err != nil {
				t.Fatal(err)
			}
		}
		again, err := LoadState(name)
		if err := errors.Join(err, s.Close()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(full.byPath, again.byPath); diff != "" {
			t.Fatalf("cut at %d: %s", cut, diff)
		}
	}
}

func TestStateIsCompacted(t *testing.T) {
	name := filepath.Join(t.TempDir(), "state")
	s, err := OpenState(name)
	if err != nil {
		t.Fatal(err)
	}
	for range compactAt + 1 {
		if err := writeRecord(s.file, Record{Path: "log.csv", Hash: "h"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = OpenState(name); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Add(Record{Path: "b"}), s.Close()); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(name)
	if n := strings.Count(string(content), "\n"); err != nil || n != 2 {
		t.Fatalf("%d lines %v", n, err)
	}
}

func TestTails(t *testing.T) {
	for content, want := range map[string]bool{
		"a,b\n1,2\n":          false,
		"a,b\n1,2":            false,
		"a,b\n1":              true,
		"a;b\n1,5;2,5\n1,5":   true,
		"a,b\n\"x,y\",2\n1,2": false,
		"a,b\n1,\"x":          true,
		"one line":            false,
	} {
		if got := hasShortTail([]byte(content)); got != want {
			t.Errorf("%q: %v", content, got)
		}
	}
	wide := "\xff\xfea\x00\n\x00b\x00"
	if got := lastLineEnd([]byte(wide)); got != 6 {
		t.Errorf("the line of UTF-16 ends at %d", got)
	}
	for name, content := range map[string]string{"a.html": "<html></HTML>\r\n", "b.htm": "<\x00/\x00h\x00t\x00m\x00l\x00>\x00", "c.csv": "a,b,c\n", "d.xml": "<a/>"} {
		if !isComplete(name, []byte(content)) || isComplete(name, []byte(content[:len(content)-3]+"x")) {
			t.Errorf("%s: the end is not recognized", name)
		}
	}
}
