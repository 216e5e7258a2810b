package watch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"text/template"
	"time"

	"github.com/BurntSushi/toml"

	"fillbook/internal/intake/parse"
)

// ErrConfig marks errors that only a configuration change ends, such as a refused token
// or an unknown account.
var ErrConfig = errors.New("configuration")

// configError returns an error that is ErrConfig without naming it in its text.
func configError(format string, args ...any) error {
	return &wrongConfig{fmt.Errorf(format, args...)}
}

type wrongConfig struct{ error }

func (e *wrongConfig) Is(target error) bool { return target == ErrConfig }
func (e *wrongConfig) Unwrap() error        { return e.error }

// Config is an agent's configuration.
type Config struct {
	Server string `toml:"server"`
	Token  string `toml:"token"`
	// CAFile is a PEM file with certificates trusted besides the system's.
	CAFile string `toml:"ca_file"`
	// AllowHTTP allows plain http to another machine, where everybody on the way
	// can read the token.
	AllowHTTP bool     `toml:"allow_http"`
	Folders   []Folder `toml:"folder"`
}

// Folder is a watched folder. Its files belong to one account.
type Folder struct {
	Path      string `toml:"path"`
	AccountID string `toml:"account_id"`
	// TZ is the time zone for times without one; empty leaves it to the file.
	TZ string `toml:"tz"`
	// Pattern is a glob for file names, in any case. Empty selects the file types brokers
	// write.
	Pattern   string `toml:"pattern"`
	Recursive bool   `toml:"recursive"`
	// Quiet is how long a growing file must be unchanged before it is sent again.
	Quiet Duration `toml:"quiet"`
}

// Duration is a duration in Go notation, such as 2m or 90s.
type Duration time.Duration

// UnmarshalText parses a duration.
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	if err != nil || parsed < 0 {
		return fmt.Errorf("%q is not a length of time such as 2m or 90s", text)
	}
	*d = Duration(parsed)
	return nil
}

// defaultQuiet is the default for Folder.Quiet.
const defaultQuiet = 2 * time.Minute

// quiet returns how long a growing file in the folder must be unchanged.
func (f *Folder) quiet() time.Duration {
	if f.Quiet == 0 {
		return defaultQuiet
	}
	return time.Duration(f.Quiet)
}

// settings identifies the folder settings an import's result depends on.
func (f *Folder) settings() string { return f.AccountID + "|" + f.TZ }

// DefaultConfigFile returns the configuration's usual place.
func DefaultConfigFile() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", configError("the configuration directory of this user is unknown; use --config: %w", err)
	}
	return filepath.Join(dir, "fillbook-watch.toml"), nil
}

// LoadConfig reads and checks a configuration. Warnings are problems that do not prevent
// its use.
func LoadConfig(file string) (config Config, warnings []string, err error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return Config{}, nil, configError("%s does not exist. Create it with 'fillbook watch init'", file)
	}
	if err != nil {
		return Config{}, nil, configError("reading the configuration: %w", err)
	}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")) // Windows editors write it
	meta, err := toml.Decode(string(text), &config)
	if err != nil {
		return Config{}, nil, configError("%s: %s", file, describeTOML(err))
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return Config{}, nil, configError("%s: %s is not a setting", file, unknown[0])
	}
	if err := config.check(filepath.Dir(file)); err != nil {
		return Config{}, nil, configError("%s: %w", file, err)
	}
	info, err := os.Stat(file)
	if err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		warnings = append(warnings, fmt.Sprintf("Other users can read %s, which contains the token. Run: chmod 600 %q", file, file))
	}
	return config, warnings, nil
}

// describeTOML returns the reason why a file is not valid TOML, with its line.
func describeTOML(err error) string {
	if wrong, ok := errors.AsType[toml.ParseError](err); ok {
		return fmt.Sprintf("line %d: %s", wrong.Position.Line, strings.TrimSpace(wrong.Message))
	}
	return strings.TrimPrefix(err.Error(), "toml: ")
}

// check validates the configuration and makes its paths absolute. Relative paths start at
// the configuration's directory.
func (c *Config) check(dir string) error {
	if err := c.checkServer(); err != nil {
		return err
	}
	if c.Token == "" {
		return errors.New("token is missing. Create one in the browser under Settings, Access tokens")
	}
	if strings.ContainsFunc(c.Token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return errors.New("token contains characters that no token has. Copy it again")
	}
	if c.CAFile != "" {
		c.CAFile = resolvePath(dir, c.CAFile)
	}
	if len(c.Folders) == 0 {
		return errors.New("there is no [[folder]] to watch")
	}
	seen := map[string]bool{}
	for i := range c.Folders {
		folder := &c.Folders[i]
		if err := folder.check(dir); err != nil {
			return fmt.Errorf("[[folder]] %d: %w", i+1, err)
		}
		key := folder.Path + "\x00" + folder.Pattern
		if seen[key] {
			return fmt.Errorf("[[folder]] %d: %s is there twice. One file can belong to one account only", i+1, folder.Path)
		}
		seen[key] = true
	}
	return nil
}

func (c *Config) checkServer() error {
	address, err := url.Parse(c.Server)
	switch {
	case c.Server == "":
		return errors.New("server is missing. It is the address of Fillbook in your browser, such as https://journal.example.org")
	case err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https":
		return fmt.Errorf("server must be an address such as https://journal.example.org, not %q", c.Server)
	case address.User != nil || address.RawQuery != "" || address.Fragment != "":
		return errors.New("server must be an address without a user, a query or a fragment")
	case address.Scheme == "http" && !c.AllowHTTP && !isThisMachine(address.Hostname()):
		return errors.New("server uses http, so others could read the token on the way. Use https, or set allow_http = true in a network that you trust")
	}
	c.Server = strings.TrimRight(c.Server, "/")
	return nil
}

// isThisMachine reports whether a host name is this machine's.
func isThisMachine(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}

func (f *Folder) check(dir string) error {
	if f.Path == "" {
		return errors.New("path is missing")
	}
	if f.AccountID == "" {
		return errors.New("account_id is missing. 'fillbook watch check' lists the accounts")
	}
	if _, err := filepath.Match(f.Pattern, ""); err != nil {
		return fmt.Errorf("pattern %q is not valid. Use a pattern such as *.csv", f.Pattern)
	}
	if f.TZ != "" {
		if _, err := parse.LoadZone(f.TZ); err != nil {
			return fmt.Errorf("tz %q is not a time zone. Use a name such as America/New_York", f.TZ)
		}
	}
	f.Path = resolvePath(dir, f.Path)
	return nil
}

// resolvePath makes a path in the configuration absolute.
func resolvePath(dir, path string) string {
	if rest, ok := strings.CutPrefix(filepath.ToSlash(path), "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, filepath.FromSlash(rest))
		}
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	if absolute, err := filepath.Abs(path); err == nil {
		return absolute
	}
	return filepath.Clean(path)
}

// NewConfig are a new configuration's initial values; each may be empty.
type NewConfig struct {
	Server, Token, Folder, Account, TZ string
}

var configTemplate = template.Must(template.New("").Funcs(template.FuncMap{"quote": quoteTOML}).Parse(
	`# The configuration of 'fillbook watch'. Test it with 'fillbook watch check'.
# It contains a token, so only you should be able to read it.

# The address of Fillbook, as in your browser.
server = {{quote .Server}}

# An access token that may import. Create one in the browser under Settings,
# Access tokens.
token = {{quote .Token}}

# Certificates of your own authority, if the server uses them:
# ca_file = "ca.pem"

# Plain http to another machine shows the token to everybody on the way:
# allow_http = true

# One block for each folder. Files are read, never changed, moved or deleted.
[[folder]]
path = {{quote .Folder}}

# The account that the files belong to. 'fillbook watch check' lists the accounts.
account_id = {{quote .Account}}

# The time zone of times that name none. Leave it out if the files of several
# brokers are in this folder.
{{if .TZ}}tz = {{quote .TZ}}{{else}}# tz = "America/New_York"{{end}}

# Only files with such names. Without it: csv, tsv, tab, txt, log, htm, html, xml, xlsx.
# pattern = "Fills*.csv"

# Also the folders inside:
# recursive = true

# How long a growing file must be unchanged before it is sent again:
# quiet = "2m"
`))

// quoteTOML returns a text as a TOML string. Literal strings keep backslashes in paths
// readable.
func quoteTOML(text string) string {
	if strings.Contains(text, `\`) && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == '\'' || r == 0x7f }) {
		return "'" + text + "'"
	}
	var quoted strings.Builder
	quoted.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			quoted.WriteByte('\\')
			quoted.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&quoted, `\u%04X`, r)
		default:
			quoted.WriteRune(r)
		}
	}
	quoted.WriteByte('"')
	return quoted.String()
}

// WriteConfig creates a configuration with comments, readable only to its owner.
// It never replaces a file.
func WriteConfig(file string, values NewConfig) (err error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return configError("creating the directory of the configuration: %w", err)
	}
	out, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return configError("%s exists already. Change it with an editor, or choose another file with --config", file)
	}
	if err != nil {
		return configError("creating the configuration: %w", err)
	}
	defer func() {
		if failed := errors.Join(err, out.Close()); failed != nil {
			err = configError("writing the configuration: %w", failed)
		}
	}()
	return writeTemplate(out, values)
}

func writeTemplate(out io.Writer, values NewConfig) error { return configTemplate.Execute(out, values) }
