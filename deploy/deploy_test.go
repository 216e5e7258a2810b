// Package deploy_test checks the deployment files against the program: unknown
// settings, ports or paths that differ between files, and secrets with a
// default.
package deploy_test

import (
	"net/netip"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const root = ".."

// files are all files that contain settings of the program.
var files = []string{
	"Dockerfile", "deploy/compose.sqlite.yml", "deploy/compose.postgres.yml", "deploy/example.env", "deploy/fillbook.service",
	"deploy/Caddyfile", "deploy/nginx.conf", "deploy/litestream.yml",
}

var composeFiles = []string{"deploy/compose.sqlite.yml", "deploy/compose.postgres.yml"}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// one returns the group of a pattern that must match exactly once.
func one(t *testing.T, file, pattern string) string {
	t.Helper()
	found := regexp.MustCompile(`(?m)`+pattern).FindAllStringSubmatch(read(t, file), -1)
	if len(found) != 1 {
		t.Fatalf("%s has %d matches of %s, want one", file, len(found), pattern)
	}
	return found[0][1]
}

// settings returns the variables of the program with their defaults.
func settings(t *testing.T) map[string]string {
	t.Helper()
	known := map[string]string{}
	for _, tag := range regexp.MustCompile("env:\"(SVC_[A-Z_]+)\"(?: default:\"([^\"]*)\")?").FindAllStringSubmatch(read(t, "cmd/fillbook/settings.go"), -1) {
		known[tag[1]] = tag[2]
	}
	if len(known) < 15 {
		t.Fatalf("found %d settings in the code, want at least 15", len(known))
	}
	return known
}

func TestSettingsExist(t *testing.T) {
	t.Parallel()
	known := settings(t)
	for _, file := range files {
		for _, name := range regexp.MustCompile(`SVC_[A-Z_]+`).FindAllString(read(t, file), -1) {
			if _, ok := known[name]; !ok {
				t.Errorf("%s contains %s, which does not exist", file, name)
			}
		}
	}
}

// TestExampleShowsDefaults checks that the commented lines of the example show
// the defaults.
func TestExampleShowsDefaults(t *testing.T) {
	t.Parallel()
	known := settings(t)
	lines := regexp.MustCompile(`(?m)^#(SVC_[A-Z_]+)=(.*)$`).FindAllStringSubmatch(read(t, "deploy/example.env"), -1)
	if len(lines) < 10 {
		t.Fatalf("the example has %d settings, want at least 10", len(lines))
	}
	for _, line := range lines {
		if want := known[line[1]]; want != "" && line[2] != want {
			t.Errorf("%s is shown as %s, its default is %s", line[1], line[2], want)
		}
	}
}

func TestDockerfile(t *testing.T) {
	t.Parallel()
	port := one(t, "Dockerfile", `^EXPOSE (\d+)$`)
	if address := one(t, "Dockerfile", `SVC_HTTP_ADDR=(\S+)`); address != "0.0.0.0:"+port {
		t.Errorf("the image exposes port %s and listens on %s", port, address)
	}
	if data, volume := one(t, "Dockerfile", `SVC_DATA_DIR=(\S+)`), one(t, "Dockerfile", `^VOLUME (\S+)$`); data != volume {
		t.Errorf("SVC_DATA_DIR is %s, the volume is %s", data, volume)
	}
	if user := one(t, "Dockerfile", `^USER (\d+):\d+$`); user == "0" {
		t.Error("the image runs as root")
	}
	if user := one(t, "Dockerfile", `^USER (\d+):\d+$`); user != one(t, "scripts/release/main.go", `^const imageUser = (\d+)$`) {
		t.Errorf("Dockerfile runs as %s, scripts/release creates the data directory for another user", user)
	}
}

func TestComposeFiles(t *testing.T) {
	t.Parallel()
	port, data := one(t, "Dockerfile", `^EXPOSE (\d+)$`), one(t, "Dockerfile", `^VOLUME (\S+)$`)
	for _, file := range composeFiles {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			compose := readCompose(t, file)
			for name, service := range compose.Services {
				checkReferences(t, &compose, &service, name)
				checkSecrets(t, &service, name)
			}
			servers := compose.servers()
			if len(servers) == 0 {
				t.Error("no service uses the image")
			}
			for _, name := range servers {
				service := compose.Services[name]
				checkServer(t, &service, name)
				for _, published := range service.Ports {
					if !strings.HasPrefix(published, "127.0.0.1:") || !strings.HasSuffix(published, ":"+port) {
						t.Errorf("%s publishes %s", name, published)
					}
				}
				for _, volume := range service.Volumes {
					if !strings.HasSuffix(volume, ":"+data) {
						t.Errorf("%s mounts %s, the image keeps its data in %s", name, volume, data)
					}
				}
			}
		})
	}
}

// checkReferences checks that a service's secrets, networks, services and
// volumes are declared.
func checkReferences(t *testing.T, compose *compose, service *service, name string) {
	t.Helper()
	for _, secret := range service.Secrets {
		if compose.Secrets[secret] == nil {
			t.Errorf("%s uses the secret %s, which is not declared", name, secret)
		}
	}
	for network := range service.Networks {
		if _, ok := compose.Networks[network]; !ok {
			t.Errorf("%s uses the network %s, which is not declared", name, network)
		}
	}
	for other := range service.DependsOn {
		if _, ok := compose.Services[other]; !ok {
			t.Errorf("%s depends on %s, which is not declared", name, other)
		}
	}
	for _, volume := range service.Volumes {
		source, _, _ := strings.Cut(volume, ":")
		if strings.HasPrefix(source, ".") {
			if _, err := os.Stat(source); err != nil {
				t.Errorf("%s mounts %s: %v", name, source, err)
			}
		} else if _, ok := compose.Volumes[source]; !ok {
			t.Errorf("%s mounts %s, which is not declared", name, source)
		}
	}
}

// checkSecrets checks that secrets are read from files.
func checkSecrets(t *testing.T, service *service, name string) {
	t.Helper()
	for _, variable := range []string{"SVC_JWT_SECRET", "SVC_DATABASE_URL", "POSTGRES_PASSWORD"} {
		if _, ok := service.Environment[variable]; ok {
			t.Errorf("%s contains the secret %s", name, variable)
		}
	}
}

// checkServer checks a server's restrictions and health check.
func checkServer(t *testing.T, service *service, name string) {
	t.Helper()
	if !service.ReadOnly || !slices.Equal(service.CapDrop, []string{"ALL"}) || !slices.Contains(service.SecurityOpt, "no-new-privileges:true") {
		t.Errorf("%s must have read_only, cap_drop ALL and no-new-privileges", name)
	}
	if probe := service.Healthcheck.Test; !slices.Equal(probe, []string{"CMD", "/fillbook", "healthcheck"}) {
		t.Errorf("%s has the health check %v", name, probe)
	}
}

// TestClusterAddresses compares the addresses in the cluster.
func TestClusterAddresses(t *testing.T) {
	t.Parallel()
	compose := readCompose(t, "deploy/compose.postgres.yml")
	proxy := compose.Services["proxy"]
	address := proxy.Networks["inner"].Address
	addresses := compose.Networks["inner"].IPAM.Config[0]
	subnet, err := netip.ParsePrefix(addresses.Subnet)
	if err != nil || !subnet.Contains(netip.MustParseAddr(address)) {
		t.Errorf("the proxy's address %s is not in %s (%v)", address, subnet, err)
	}
	others, err := netip.ParsePrefix(addresses.Range)
	if err != nil || !subnet.Overlaps(others) || others.Contains(netip.MustParseAddr(address)) {
		t.Errorf("ip_range is %s, which must not contain the proxy's address, %s (%v)", others, address, err)
	}
	var servers []string
	for _, name := range compose.servers() {
		service := compose.Services[name]
		servers = append(servers, name+":"+one(t, "Dockerfile", `^EXPOSE (\d+)$`))
		if trusted := service.Environment["SVC_TRUSTED_PROXIES"]; trusted != address+"/32" {
			t.Errorf("%s trusts %s, the proxy is %s", name, trusted, address)
		}
		for variable, secret := range map[string]string{"SVC_DATABASE_URL_FILE": "database-url", "SVC_JWT_SECRET_FILE": "server-secret"} {
			if service.Environment[variable] != "/run/secrets/"+secret || !slices.Contains(service.Secrets, secret) {
				t.Errorf("%s does not get %s from the secret %s", name, variable, secret)
			}
		}
	}
	if found := strings.Fields(proxy.Environment["FILLBOOK_SERVERS"]); len(servers) < 2 || !slices.Equal(found, servers) {
		t.Errorf("the proxy has the servers %v, want %v", found, servers)
	}
}

// TestProxies compares the proxy examples with the defaults of the program.
func TestProxies(t *testing.T) {
	t.Parallel()
	known := settings(t)
	for file, pattern := range map[string]string{
		"deploy/nginx.conf": `^    server (127\S+) `, "deploy/Caddyfile": `FILLBOOK_SERVERS:([^}]+)}`,
	} {
		if to := one(t, file, pattern); to != known["SVC_HTTP_ADDR"] {
			t.Errorf("%s forwards to %s, the program listens on %s", file, to, known["SVC_HTTP_ADDR"])
		}
	}
	for file, pattern := range map[string]string{
		"deploy/nginx.conf": `client_max_body_size (\d+)m;`, "deploy/Caddyfile": `max_size (\d+)MiB$`,
	} {
		allowed, err := strconv.Atoi(one(t, file, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"SVC_IMPORT_MAX_BYTES", "SVC_BARS_MAX_BYTES", "SVC_ATTACHMENT_MAX_BYTES"} {
			if needed, _ := strconv.Atoi(known[name]); allowed<<20 < needed+1<<20 {
				t.Errorf("%s allows %d MiB, %s needs more", file, allowed, name)
			}
		}
	}
}

// TestServiceAndReplication compares the paths of the unit and of Litestream
// with the program.
func TestServiceAndReplication(t *testing.T) {
	t.Parallel()
	data := one(t, "deploy/fillbook.service", `^Environment=SVC_DATA_DIR=(\S+)$`)
	if state := one(t, "deploy/fillbook.service", `^StateDirectory=(\S+)$`); data != path.Join("/var/lib", state) {
		t.Errorf("SVC_DATA_DIR is %s, the unit can write to /var/lib/%s", data, state)
	}
	file := one(t, "cmd/fillbook/open.go", `databaseFile += "([^"]+)"`)
	var litestream struct {
		Databases []struct{ Path string } `yaml:"dbs"`
	}
	decodeYAML(t, "deploy/litestream.yml", &litestream)
	if replicated := litestream.Databases[0].Path; replicated != path.Join(data, file) {
		t.Errorf("Litestream replicates %s, the database is %s", replicated, path.Join(data, file))
	}
	for _, rule := range []string{"NoNewPrivileges=yes", "ProtectSystem=strict", "ProtectHome=yes", "PrivateTmp=yes", "UMask=0077", "CapabilityBoundingSet="} {
		if !slices.Contains(strings.Split(read(t, "deploy/fillbook.service"), "\n"), rule) {
			t.Errorf("the unit lacks %s", rule)
		}
	}
}
