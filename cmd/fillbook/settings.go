package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"strings"

	"fillbook/internal/base/history"
	"fillbook/internal/base/outbound"
	"fillbook/internal/base/secrets"
	"fillbook/internal/intake/channels"
	"fillbook/internal/providers"
	"fillbook/internal/transport"
)

// settings are read once from flags and SVC_* variables. The README has the
// same table; a test compares them.
type settings struct {
	HTTPAddr           string         `name:"http-addr" env:"SVC_HTTP_ADDR" default:"127.0.0.1:8080" help:"Address to serve on."`
	DataDir            string         `name:"data-dir" env:"SVC_DATA_DIR" default:"./data" help:"Directory for the SQLite file, the server secret and attachments."`
	DatabaseURL        secrets.Secret `name:"database-url" env:"SVC_DATABASE_URL" help:"postgres://… for PostgreSQL. Default: SQLite in the data directory."`
	DatabaseURLFile    string         `name:"database-url-file" env:"SVC_DATABASE_URL_FILE" placeholder:"FILE" help:"File with the database URL."`
	DatabaseConns      int            `name:"database-conns" env:"SVC_DATABASE_CONNS" default:"0" help:"PostgreSQL connections or SQLite readers. 0: automatic."`
	JWTSecret          secrets.Secret `name:"jwt-secret" env:"SVC_JWT_SECRET" help:"Server secret of at least 32 bytes. Default: one is created in the data directory."`
	JWTSecretFile      string         `name:"jwt-secret-file" env:"SVC_JWT_SECRET_FILE" placeholder:"FILE" help:"File with the server secret."`
	RegistrationOpen   bool           `name:"registration-open" env:"SVC_REGISTRATION_OPEN" default:"false" help:"Allow anyone to register."`
	ShareLinksEnabled  bool           `name:"share-links-enabled" env:"SVC_SHARE_LINKS_ENABLED" default:"false" help:"Allow public share links."`
	ImportMaxBytes     int64          `name:"import-max-bytes" env:"SVC_IMPORT_MAX_BYTES" default:"10485760" help:"Largest import file, in bytes."`
	BarsMaxBytes       int64          `name:"bars-max-bytes" env:"SVC_BARS_MAX_BYTES" default:"268435456" help:"Largest file of price bars, in bytes."`
	BarsPerUser        int64          `name:"bars-per-user" env:"SVC_BARS_PER_USER" default:"50000000" help:"Price bars that one user may store."`
	AttachmentMaxBytes int64          `name:"attachment-max-bytes" env:"SVC_ATTACHMENT_MAX_BYTES" default:"10485760" help:"Largest attachment, in bytes."`
	PublicURL          string         `name:"public-url" env:"SVC_PUBLIC_URL" placeholder:"URL" help:"Address of this installation for users, used in links."`
	TrustedProxies     []network      `name:"trusted-proxies" env:"SVC_TRUSTED_PROXIES" placeholder:"NETWORK" help:"Networks or addresses of trusted proxies, for example 10.0.0.0/8."`
	CORSOrigins        []string       `name:"cors-origins" env:"SVC_CORS_ORIGINS" placeholder:"ORIGIN" help:"Origins whose pages may call the API."`
	LogLevel           level          `name:"log-level" env:"SVC_LOG_LEVEL" default:"info" help:"debug, info, warn or error."`
	LogFormat          string         `name:"log-format" env:"SVC_LOG_FORMAT" default:"text" enum:"text,json" help:"text or json."`
	MetricsAddr        string         `name:"metrics-addr" env:"SVC_METRICS_ADDR" placeholder:"ADDRESS" help:"Address for Prometheus metrics. Default: none."`
	MinFreeBytes       uint64         `name:"min-free-bytes" env:"SVC_MIN_FREE_BYTES" default:"67108864" help:"Free disk space that imports and migrations leave with SQLite, in bytes."`
	RateAuth           transport.Rate `name:"rate-limit-auth" env:"SVC_RATE_LIMIT_AUTH" default:"0.3333/20" help:"Failed sign-ins per address: RATE/BURST allows BURST failures within BURST/RATE seconds; or off."`
	RateShare          transport.Rate `name:"rate-limit-share" env:"SVC_RATE_LIMIT_SHARE" default:"2/10" help:"Calls of public share links per address: RATE per second, BURST at once; or off."`
	RateHook           transport.Rate `name:"rate-limit-hook" env:"SVC_RATE_LIMIT_HOOK" default:"1/60" help:"Wrong hook secrets per address: RATE per second, BURST at once; or off."`
	RateMCP            transport.Rate `name:"rate-limit-mcp" env:"SVC_RATE_LIMIT_MCP" default:"1/60" help:"Tool calls of assistants per access token: RATE per second, BURST at once; or off."`
	RateMCPWrite       transport.Rate `name:"rate-limit-mcp-write" env:"SVC_RATE_LIMIT_MCP_WRITE" default:"0.0084/30" help:"What an assistant stores per access token: RATE per second, BURST at once; or off."`
	RateSecrets        transport.Rate `name:"rate-limit-secrets" env:"SVC_RATE_LIMIT_SECRETS" default:"0.1667/10" help:"Failed password and code checks of a signed-in user, as for sign-ins."`
	MCP                bool           `name:"mcp" env:"SVC_MCP" default:"false" help:"Let assistants use the journal with access tokens, at /mcp."`
	MCPOAuth           bool           `name:"mcp-oauth" env:"SVC_MCP_OAUTH" default:"false" help:"Let apps ask users for access to /mcp through OAuth. Needs SVC_MCP and SVC_PUBLIC_URL."`
	Outbound           bool           `name:"outbound" env:"SVC_OUTBOUND" default:"false" help:"Allow requests to providers that users choose, for example of prices."`
	OutboundEndpoints  []string       `name:"outbound-endpoints" env:"SVC_OUTBOUND_ENDPOINTS" placeholder:"PROVIDER=URL" help:"Other addresses of providers, for example of a proxy."`
	OutboundPrivate    []string       `name:"outbound-private" env:"SVC_OUTBOUND_PRIVATE" placeholder:"NETWORK" help:"Networks, and single ADDRESS:PORT, inside your network that channels of users may reach, for example 192.168.1.0/24 or 127.0.0.1:8090."`
	SMTPHost           string         `name:"smtp-host" env:"SVC_SMTP_HOST" placeholder:"HOST" help:"Mail server for email channels. Default: none."`
	SMTPPort           int            `name:"smtp-port" env:"SVC_SMTP_PORT" default:"0" help:"Port of the mail server. 0: 587, or 465 with implicit TLS."`
	SMTPUser           string         `name:"smtp-user" env:"SVC_SMTP_USER" help:"User at the mail server. Default: none, no sign-in."`
	SMTPPassword       secrets.Secret `name:"smtp-password" env:"SVC_SMTP_PASSWORD" help:"Password at the mail server."`
	SMTPPasswordFile   string         `name:"smtp-password-file" env:"SVC_SMTP_PASSWORD_FILE" placeholder:"FILE" help:"File with the password at the mail server."`
	SMTPFrom           string         `name:"smtp-from" env:"SVC_SMTP_FROM" placeholder:"ADDRESS" help:"Sender of mails, for example fillbook@example.org."`
	SMTPTLS            string         `name:"smtp-tls" env:"SVC_SMTP_TLS" default:"starttls" enum:"starttls,implicit,none" help:"How the connection to the mail server is encrypted: starttls, implicit or none."`
	ImportsAtOnce      int            `name:"imports-at-once" env:"SVC_IMPORTS_AT_ONCE" default:"2" help:"Files of one user that are imported at the same time; others wait. 0: no limit."`
	UndoDays           int            `name:"undo-days" env:"SVC_UNDO_DAYS" default:"30" help:"Days for which deleted content is kept, so that a deletion can be undone. 0: none is kept."`
	WatchDir           string         `name:"watch-dir" env:"SVC_WATCH_DIR" placeholder:"DIR" help:"Directory with a folder for each account, named after its id, whose files are imported. Default: none."`
}

// removedSettings maps unused variables to the reason.
var removedSettings = map[string]string{
	"SVC_RATE_LIMIT_IMPORT": "imports have no rate limit; files of one user are queued, see SVC_IMPORTS_AT_ONCE",
}

// warnRemovedSettings logs a line for each variable set but no longer read.
func warnRemovedSettings(log *slog.Logger) {
	for name, reason := range removedSettings {
		if os.Getenv(name) != "" {
			log.Warn("setting is no longer used", "name", name, "reason", reason)
		}
	}
}

// errCannotStart marks errors the operator must fix before a start.
var errCannotStart = errors.New("cannot start")

// check validates the settings and reads those given as files.
func (s *settings) check() error {
	if err := readSecret(&s.JWTSecret, s.JWTSecretFile, "SVC_JWT_SECRET"); err != nil {
		return err
	}
	if err := readSecret(&s.DatabaseURL, s.DatabaseURLFile, "SVC_DATABASE_URL"); err != nil {
		return err
	}
	if err := readSecret(&s.SMTPPassword, s.SMTPPasswordFile, "SVC_SMTP_PASSWORD"); err != nil {
		return err
	}
	switch {
	case s.JWTSecret != "" && len(s.JWTSecret.Reveal()) < 32:
		return errors.New("SVC_JWT_SECRET must be at least 32 bytes long")
	case s.DatabaseURL != "" && !isPostgres(s.DatabaseURL):
		return errors.New("SVC_DATABASE_URL must start with postgres://")
	case s.ImportMaxBytes < 1<<10 || s.ImportMaxBytes > 1<<30:
		return errors.New("SVC_IMPORT_MAX_BYTES must be between 1 KiB and 1 GiB")
	case s.BarsMaxBytes < 1<<10 || s.BarsMaxBytes > 1<<30:
		return errors.New("SVC_BARS_MAX_BYTES must be between 1 KiB and 1 GiB")
	case s.BarsPerUser < 1 || s.BarsPerUser > 10_000_000_000:
		return errors.New("SVC_BARS_PER_USER must be between 1 and 10000000000")
	case s.AttachmentMaxBytes < 1<<10 || s.AttachmentMaxBytes > 1<<30:
		return errors.New("SVC_ATTACHMENT_MAX_BYTES must be between 1 KiB and 1 GiB")
	case s.ImportsAtOnce < 0 || s.ImportsAtOnce > 1000:
		return errors.New("SVC_IMPORTS_AT_ONCE must be between 0 and 1000")
	case s.UndoDays < 0 || s.UndoDays > history.MaxUndoDays:
		return errors.New("SVC_UNDO_DAYS must be between 0 and 3650")
	case s.DatabaseConns < 0 || s.DatabaseConns > 1000:
		return errors.New("SVC_DATABASE_CONNS must be between 0 and 1000")
	}
	if err := checkOrigin("SVC_PUBLIC_URL", s.PublicURL); err != nil {
		return err
	}
	if _, err := s.endpoints(); err != nil {
		return err
	}
	if _, err := s.private(); err != nil {
		return err
	}
	if err := s.mailServer().Check(); err != nil {
		return err
	}
	for _, origin := range s.CORSOrigins {
		if err := checkOrigin("SVC_CORS_ORIGINS", origin); err != nil {
			return err
		}
	}
	return nil
}

// endpoints parses SVC_OUTBOUND_ENDPOINTS.
func (s *settings) endpoints() (outbound.Endpoints, error) {
	endpoints, err := outbound.ParseEndpoints(s.OutboundEndpoints, append(providers.Names(), channels.TelegramEndpoint))
	if err != nil {
		return nil, fmt.Errorf("SVC_OUTBOUND_ENDPOINTS: %w", err)
	}
	return endpoints, nil
}

// private parses SVC_OUTBOUND_PRIVATE.
func (s *settings) private() (outbound.Private, error) {
	private, err := outbound.ParsePrivate(s.OutboundPrivate)
	if err != nil {
		return outbound.Private{}, fmt.Errorf("SVC_OUTBOUND_PRIVATE: %w", err)
	}
	return private, nil
}

// mailServer returns the settings of the mail server.
func (s *settings) mailServer() *outbound.MailServer {
	return &outbound.MailServer{
		Host: s.SMTPHost, Port: s.SMTPPort, User: s.SMTPUser, Password: s.SMTPPassword, From: s.SMTPFrom, TLS: outbound.MailTLS(s.SMTPTLS),
	}
}

func isPostgres(address secrets.Secret) bool {
	return strings.HasPrefix(address.Reveal(), "postgres://") || strings.HasPrefix(address.Reveal(), "postgresql://")
}

func checkOrigin(name, text string) error {
	if text == "" {
		return nil
	}
	parsed, err := url.Parse(text)
	if err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https" {
		return fmt.Errorf("%s: %q is not an address such as https://journal.example.org", name, text)
	}
	return nil
}

func readSecret(into *secrets.Secret, file, name string) error {
	if file == "" {
		return nil
	}
	if *into != "" {
		return fmt.Errorf("%s and %s_FILE are both set; use one", name, name)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("%s_FILE: %w", name, err)
	}
	*into = secrets.Secret(strings.TrimSpace(string(text)))
	return nil
}

func (s *settings) logger(to io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: s.LogLevel.Level}
	if s.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(to, options))
	}
	return slog.New(slog.NewTextHandler(to, options))
}

// LogValue returns the settings without secrets.
func (s *settings) LogValue() slog.Value {
	database := "sqlite"
	if s.DatabaseURL != "" {
		database = "postgresql"
	}
	secret := "from the data directory"
	if s.JWTSecret != "" {
		secret = "given"
	}
	return slog.GroupValue(
		slog.String("http_addr", s.HTTPAddr), slog.String("data_dir", s.DataDir), slog.String("database", database),
		slog.String("secret", secret), slog.Bool("registration_open", s.RegistrationOpen),
		slog.Bool("share_links_enabled", s.ShareLinksEnabled), slog.Int64("import_max_bytes", s.ImportMaxBytes),
		slog.Int64("bars_max_bytes", s.BarsMaxBytes), slog.Int64("bars_per_user", s.BarsPerUser),
		slog.Int64("attachment_max_bytes", s.AttachmentMaxBytes), slog.String("public_url", s.PublicURL),
		slog.Any("trusted_proxies", s.TrustedProxies), slog.Any("cors_origins", s.CORSOrigins),
		slog.String("log_level", s.LogLevel.String()), slog.String("metrics_addr", s.MetricsAddr),
		slog.String("rate_limit_auth", s.RateAuth.String()), slog.String("rate_limit_share", s.RateShare.String()),
		slog.String("rate_limit_secrets", s.RateSecrets.String()),
		slog.Bool("mcp", s.MCP), slog.Bool("mcp_oauth", s.MCPOAuth), slog.Bool("outbound", s.Outbound), slog.Any("outbound_endpoints", s.OutboundEndpoints),
		slog.Any("outbound_private", s.OutboundPrivate), slog.String("smtp_host", s.SMTPHost),
		slog.Int("imports_at_once", s.ImportsAtOnce), slog.Uint64("min_free_bytes", s.MinFreeBytes),
	)
}
