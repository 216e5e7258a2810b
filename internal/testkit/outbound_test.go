package testkit_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// connecting are the standard library names connecting to other servers, by package.
var connecting = map[string][]string{
	"net/http": {
		"Get", "Post", "PostForm", "Head", "Client", "DefaultClient", "Transport", "DefaultTransport", "RoundTripper", "ProxyFromEnvironment",
	},
	"net": {
		"Dial", "DialTimeout", "DialTCP", "DialUDP", "DialUnix", "DialIP", "Dialer", "Resolver", "DefaultResolver", "LookupHost", "LookupIP",
		"LookupAddr", "LookupCNAME", "LookupMX", "LookupNS", "LookupPort", "LookupSRV", "LookupTXT",
	},
	"crypto/tls": {"Dial", "DialWithDialer", "Dialer", "Client"},
}

// connectingPackages connect as a whole.
var connectingPackages = []string{"net/smtp", "net/rpc", "net/rpc/jsonrpc", "net/http/httputil", "net/textproto"}

// mayConnect are the files using them, and why.
var mayConnect = map[string]string{
	"internal/base/outbound/outbound.go": "it is the client that checks every request",
	"internal/base/outbound/users.go":    "it checks the address of every connection",
	"internal/base/outbound/mail.go":     "it sends to the mail server of the operator",
	"cmd/fillbook/healthcheck.go":        "it calls the server of this machine",
	"internal/assistants/forward.go":     "it calls the server that its user chose, and is not part of a server",
	"internal/intake/watch/client.go":    "the agent calls the server that its user chose; inside the server it calls a handler and connects to nothing",
	"internal/base/db/postgres.go":       "it connects to the database that the operator chose",
}

// TestOnlyOutboundConnects checks that only package outbound sends requests to other
// servers, apart from the database.
func TestOnlyOutboundConnects(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	used := map[string]bool{}
	for _, top := range []string{"cmd", "internal"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(file string, entry fs.DirEntry, err error) error {
			relative := filepath.ToSlash(strings.TrimPrefix(file, root+string(filepath.Separator)))
			switch {
			case err != nil:
				return err
			case entry.IsDir() && (entry.Name() == "testdata" || isIn(relative, testPackages)):
				return filepath.SkipDir
			case entry.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go"):
				return nil
			}
			names, err := findConnecting(file)
			for _, name := range names {
				if used[relative] = true; mayConnect[relative] == "" {
					t.Errorf("%s uses %s: send requests with package outbound", relative, name)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for file := range mayConnect {
		if !used[file] {
			t.Errorf("%s does not connect and need not be listed", file)
		}
	}
}

// findConnecting returns what a file uses to connect to other servers.
func findConnecting(file string) (names []string, err error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	packages := map[string]string{} // by the name in the file
	for _, spec := range parsed.Imports {
		full, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		name := path.Base(full)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		if slices.Contains(connectingPackages, full) {
			names = append(names, full)
		}
		packages[name] = full
	}
	ast.Inspect(parsed, func(node ast.Node) bool {
		selector, ok := node.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		of, ok := selector.X.(*ast.Ident)
		if ok && slices.Contains(connecting[packages[of.Name]], selector.Sel.Name) {
			names = append(names, of.Name+"."+selector.Sel.Name)
		}
		return true
	})
	return names, nil
}
