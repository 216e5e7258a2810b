package deploy_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// imageVersion is the version that the tested image reports.
const imageVersion = "v0.0.0-image"

// imageConfig is the part of the configuration of an image that decides how a
// container is run.
type imageConfig struct {
	User         string
	Env          []string
	Entrypoint   []string
	Cmd          []string
	Volumes      map[string]any
	ExposedPorts map[string]any
	StopSignal   string
	Healthcheck  struct {
		Test                           []string
		Interval, Timeout, StartPeriod time.Duration
		Retries                        int
	}
}

// env returns the value of an environment variable of the image.
func (c *imageConfig) env(name string) string {
	for _, variable := range c.Env {
		if key, value, _ := strings.Cut(variable, "="); key == name {
			return value
		}
	}
	return ""
}

// builtImage is an image in a temporary storage of buildah.
type builtImage struct {
	config imageConfig
	root   string // of a container made from the image
}

// buildah runs the tool and returns its standard output.
func buildah(t *testing.T, args ...string) string {
	t.Helper()
	return runCommand(t, os.Getenv("SVC_TEST_BUILDAH"), args...)
}

func runCommand(t *testing.T, name string, args ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), name, args...)
	command.Dir = root
	var stderr strings.Builder
	command.Stderr = &stderr
	output, err := command.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", filepath.Base(name), strings.Join(args, " "), err, stderr.String())
	}
	return strings.TrimSpace(string(output))
}

// buildImage builds the image as make image does.
func buildImage(t *testing.T) *builtImage {
	t.Helper()
	if os.Getenv("SVC_TEST_BUILDAH") == "" {
		t.Skip("SVC_TEST_BUILDAH is not set; run the test with scripts/with-buildah")
	}
	dir := t.TempDir()
	storage := fmt.Sprintf("[storage]\ndriver = \"vfs\"\ngraphroot = %q\nrunroot = %q\n", filepath.Join(dir, "storage"), filepath.Join(dir, "run"))
	if err := os.WriteFile(filepath.Join(dir, "storage.conf"), []byte(storage), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CONTAINERS_STORAGE_CONF", filepath.Join(dir, "storage.conf"))
	t.Setenv("BUILDAH_ISOLATION", "chroot")
	t.Setenv("VERSION", imageVersion)
	t.Setenv("PATH", filepath.Dir(os.Getenv("SVC_TEST_BUILDAH"))+":"+os.Getenv("PATH"))
	runCommand(t, "scripts/image", "buildah")

	var inspected struct {
		Docker struct {
			Config imageConfig `json:"config"`
		}
	}
	if err := json.Unmarshal([]byte(buildah(t, "inspect", "--type", "image", "fillbook:latest")), &inspected); err != nil {
		t.Fatal(err)
	}
	container := buildah(t, "from", "fillbook:latest")
	return &builtImage{config: inspected.Docker.Config, root: buildah(t, "mount", container)}
}

// TestImage builds the container image, compares it with the compose files, and
// runs the program in it: as the image's user, without capabilities, on a
// read-only root file system, with a volume for the data.
func TestImage(t *testing.T) {
	image := buildImage(t)
	t.Run("files", image.testFiles)
	t.Run("configuration", image.testConfig)
	t.Run("compose files", image.testComposeFiles)
	t.Run("version", func(t *testing.T) {
		container := buildah(t, "from", "fillbook:latest")
		if got := buildah(t, "run", container, "--", image.config.Entrypoint[0], "version"); !strings.Contains(got, imageVersion) {
			t.Errorf("version = %q, want %s", got, imageVersion)
		}
	})
	t.Run("server", image.testServer)
}

// testFiles checks that the image contains the program, its license and the data
// directory, and that only the latter is writable by the user of the image.
func (i *builtImage) testFiles(t *testing.T) {
	want := map[string]string{"LICENSE": "0:0 -rw-r--r--", "data": "10001:10001 drwx------", "fillbook": "0:0 -rwxr-xr-x"}
	entries, err := os.ReadDir(i.root)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			t.Fatal(err)
		}
		owner, ok := info.Sys().(*syscall.Stat_t)
		if !ok {
			t.Fatalf("no owner of %s", entry.Name())
		}
		if got := fmt.Sprintf("%d:%d %s", owner.Uid, owner.Gid, info.Mode()); got != want[entry.Name()] {
			t.Errorf("%s is %s, want %q", entry.Name(), got, want[entry.Name()])
		}
		delete(want, entry.Name())
	}
	for name := range want {
		t.Errorf("%s is missing", name)
	}
}

func (i *builtImage) testConfig(t *testing.T) {
	user, group, _ := strings.Cut(i.config.User, ":")
	for _, id := range []string{user, group} {
		if number, err := strconv.Atoi(id); err != nil || number == 0 {
			t.Errorf("user = %q, want numeric ids other than root", i.config.User)
		}
	}
	data := i.config.env("SVC_DATA_DIR")
	if _, ok := i.config.Volumes[data]; !ok || len(i.config.Volumes) != 1 {
		t.Errorf("volumes = %v, want only SVC_DATA_DIR, %s", i.config.Volumes, data)
	}
	if temporary := i.config.env("TMPDIR"); temporary != data {
		t.Errorf("TMPDIR = %s, want a directory that is writable: %s", temporary, data)
	}
	if address, ok := strings.CutPrefix(i.config.env("SVC_HTTP_ADDR"), "0.0.0.0:"); !ok || i.config.ExposedPorts[address+"/tcp"] == nil {
		t.Errorf("SVC_HTTP_ADDR = %s, exposed ports = %v, want the same port", i.config.env("SVC_HTTP_ADDR"), i.config.ExposedPorts)
	}
	if i.config.StopSignal != "SIGTERM" {
		t.Errorf("stop signal = %q, want SIGTERM", i.config.StopSignal)
	}
	if command := slices.Concat(i.config.Entrypoint, i.config.Cmd); !slices.Equal(command, []string{"/fillbook", "serve"}) {
		t.Errorf("command = %v, want /fillbook serve", command)
	}
}

// testComposeFiles compares the services that use the image with its
// configuration.
func (i *builtImage) testComposeFiles(t *testing.T) {
	for _, file := range composeFiles {
		compose := readCompose(t, file)
		for _, name := range compose.servers() {
			service := compose.Services[name]
			i.compareService(t, file+": "+name, &service)
		}
	}
}

func (i *builtImage) compareService(t *testing.T, name string, service *service) {
	t.Helper()
	if service.User != "" && service.User != i.config.User {
		t.Errorf("%s runs as %s, the image as %s", name, service.User, i.config.User)
	}
	for _, published := range service.Ports {
		if _, ok := i.config.ExposedPorts[published[strings.LastIndex(published, ":")+1:]+"/tcp"]; !ok {
			t.Errorf("%s publishes %s, the image exposes %v", name, published, i.config.ExposedPorts)
		}
	}
	for _, mounted := range slices.Concat(service.Volumes, service.Tmpfs) {
		if _, ok := i.config.Volumes[mounted[strings.LastIndex(mounted, ":")+1:]]; !ok {
			t.Errorf("%s mounts %s, the image has the volumes %v", name, mounted, i.config.Volumes)
		}
	}
	health, check := service.Healthcheck, i.config.Healthcheck
	if !slices.Equal(health.Test, check.Test) {
		t.Errorf("%s has the health check %v, the image %v", name, health.Test, check.Test)
	}
	if health.Timeout != check.Timeout || health.StartPeriod != check.StartPeriod {
		t.Errorf("%s has a health check of %s after %s, the image one of %s after %s", name, health.Timeout, health.StartPeriod, check.Timeout, check.StartPeriod)
	}
}

// command returns a command that runs in the root file system of the image as its
// user. The root is mounted read-only, and volume is mounted as the data
// directory. The process id of the command is that of the program.
func (i *builtImage) command(t *testing.T, volume, address string, args ...string) *exec.Cmd {
	t.Helper()
	const script = `
		mount --bind "$1" "$1"
		mount -o remount,bind,ro "$1"
		mount --bind "$2" "$1$3"
		root=$1 user=$4
		shift 4
		exec chroot --groups= --userspec="$user" "$root" "$@"`
	data := i.config.env("SVC_DATA_DIR")
	command := exec.CommandContext(t.Context(), "unshare", append([]string{
		"--mount", "sh", "-euc", script, "sh", i.root, volume, data, i.config.User,
	}, args...)...)
	command.Env = append(slices.Clone(i.config.Env), "SVC_HTTP_ADDR="+address)
	if !slices.ContainsFunc(command.Env, func(v string) bool { return strings.HasPrefix(v, "PATH=") }) {
		command.Env = append(command.Env, "PATH="+os.Getenv("PATH"))
	}
	return command
}

// newVolume creates a directory with the owner and mode of the data directory of
// the image, as container engines do for a new volume.
func (i *builtImage) newVolume(t *testing.T) string {
	t.Helper()
	info, err := os.Stat(filepath.Join(i.root, i.config.env("SVC_DATA_DIR")))
	if err != nil {
		t.Fatal(err)
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		t.Fatal("the data directory has no owner")
	}
	volume := t.TempDir()
	if err := os.Chmod(volume, info.Mode().Perm()); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(volume, int(owner.Uid), int(owner.Gid)); err != nil {
		t.Fatal(err)
	}
	return volume
}

// servingAddress matches the address in the log line of a started server.
var servingAddress = regexp.MustCompile(`address=http://(\S+)`)

// testServer starts the server, sends requests, runs the health check of the
// image, and stops the server with the stop signal.
func (i *builtImage) testServer(t *testing.T) {
	volume := i.newVolume(t)
	server := i.command(t, volume, "127.0.0.1:0", slices.Concat(i.config.Entrypoint, i.config.Cmd)...)
	stderr, err := server.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Process.Kill() })
	log := bufio.NewScanner(stderr)
	var address string
	var seen strings.Builder
	for address == "" && log.Scan() {
		fmt.Fprintln(&seen, log.Text())
		if found := servingAddress.FindStringSubmatch(log.Text()); found != nil {
			address = found[1]
		}
	}
	if address == "" {
		t.Fatalf("the server did not start: %v\n%s", server.Wait(), seen.String())
	}
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		_, _ = io.Copy(io.Discard, stderr)
	}()

	i.checkProcess(t, server.Process.Pid)
	if output, err := i.command(t, volume, address, i.config.Healthcheck.Test[1:]...).CombinedOutput(); err != nil {
		t.Errorf("health check: %v\n%s", err, output)
	}
	checkRequests(t, "http://"+address)
	info, err := os.Stat(filepath.Join(volume, "fillbook.db"))
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		t.Errorf("fillbook.db has the mode %s, want access for its owner only", info.Mode())
	}

	if err := server.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-drained
	if err := server.Wait(); err != nil {
		t.Errorf("after SIGTERM: %v, want exit code 0", err)
	}
	if output, err := i.command(t, volume, address, i.config.Healthcheck.Test[1:]...).CombinedOutput(); err == nil {
		t.Errorf("the health check passes without a server: %s", output)
	}
}

// checkProcess checks user, capabilities and root file system of the server.
func (i *builtImage) checkProcess(t *testing.T, pid int) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	user, group, _ := strings.Cut(i.config.User, ":")
	for field, want := range map[string]string{
		"Name": "fillbook", "Uid": strings.Repeat("\t"+user, 4), "Gid": strings.Repeat("\t"+group, 4), "Groups": "", "CapEff": "0000000000000000",
	} {
		found := regexp.MustCompile(`(?m)^` + field + `:(.*)$`).FindSubmatch(status)
		if found == nil || strings.TrimSpace(string(found[1])) != strings.TrimSpace(want) {
			t.Errorf("%s of the server is %q, want %q", field, found, want)
		}
	}
	var system syscall.Statfs_t
	if err := syscall.Statfs(fmt.Sprintf("/proc/%d/root/", pid), &system); err != nil {
		t.Fatal(err)
	}
	const readOnly = 1 // ST_RDONLY
	if system.Flags&readOnly == 0 {
		t.Error("the root file system of the server is writable")
	}
	probe := fmt.Sprintf("/proc/%d/root/probe", pid)
	if err := os.WriteFile(probe, nil, 0o600); err == nil {
		t.Error("root can write to the root file system of the server")
	} else if !isReadOnly(err) {
		t.Errorf("writing to the root file system: %v, want a read-only error", err)
	}
}

func isReadOnly(err error) bool {
	return errors.Is(err, syscall.EROFS)
}

// checkRequests sets up a journal and calls what depends on files outside of the
// program on other systems: time zones.
func checkRequests(t *testing.T, address string) {
	t.Helper()
	if page := request(t, http.MethodGet, address+"/", "", nil); !bytes.Contains(page, []byte("<html")) {
		t.Errorf("the page is %.100q, want HTML", page)
	}
	var session struct {
		Token string `json:"access_token"`
	}
	created := request(t, http.MethodPost, address+"/api/v1/setup", "", []byte(`{"email":"a@example.org","password":"a long enough sentence"}`))
	if err := json.Unmarshal(created, &session); err != nil || session.Token == "" {
		t.Fatalf("setup: %s (%v)", created, err)
	}
	request(t, http.MethodGet, address+"/api/v1/analytics/daily?tz=America/New_York", session.Token, nil)
}

func request(t *testing.T, method, url, token string, body []byte) []byte {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close() //nolint:errcheck // read only
	content, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode/100 != 2 {
		t.Fatalf("%s %s: %s %s (%v)", method, url, response.Status, content, err)
	}
	return content
}
