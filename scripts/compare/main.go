// Command compare runs two versions of the program on the same demo journal, sends both
// the same requests and prints where their answers differ. It is for changes that must
// not change behavior:
//
//	go run ./scripts/compare old-binary new-binary
//
// Ids and the times of writes differ in every run, so each is replaced by the order in
// which it first appears.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"
)

const (
	writes    = 500
	startTime = 2 * time.Minute
	email     = "demo@example.org"
	password  = "fillbook-demo"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "Usage: go run ./scripts/compare old-binary new-binary")
		os.Exit(2)
	}
	differences, err := compare(os.Args[1], os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if differences > 0 {
		os.Exit(1)
	}
}

// compare returns the number of requests with different answers.
func compare(before, after string) (differences int, err error) {
	var pair [2]*server
	for i, binary := range []string{before, after} {
		if pair[i], err = start(binary); err != nil {
			return 0, err
		}
		defer pair[i].stop()
	}
	run := &comparison{pair: pair, random: rand.New(rand.NewPCG(1, 2))} // it repeats a sequence
	if err := run.readAll(); err != nil {
		return 0, err
	}
	for range writes {
		if err := run.write(); err != nil {
			return 0, err
		}
	}
	if err := run.readAll(); err != nil {
		return 0, err
	}
	fmt.Printf("%d requests, %d of them with different answers\n", run.sent, run.differences)
	return run.differences, nil
}

// server is one running version.
type server struct {
	url, token, folder string
	process            *exec.Cmd
	client             http.Client
	names              map[string]string
}

func start(binary string) (*server, error) {
	folder, err := os.MkdirTemp("", "compare-")
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it only finds a free port
	if err != nil {
		return nil, err
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		return nil, err
	}
	s := &server{url: "http://" + address, folder: folder, names: map[string]string{}}
	s.process = exec.Command(binary, "demo", "--dir", folder) //nolint:noctx // the caller names the program
	s.process.Env = append(os.Environ(), "SVC_HTTP_ADDR="+address, "SVC_RATE_LIMIT_AUTH=off")
	s.process.Stderr = os.Stderr
	if err := s.process.Start(); err != nil {
		return nil, err
	}
	for end := time.Now().Add(startTime); ; time.Sleep(100 * time.Millisecond) {
		if answer, err := s.client.Get(s.url + "/readyz"); err == nil { //nolint:noctx // the program waits for it
			_ = answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				break
			}
		}
		if time.Now().After(end) {
			s.stop()
			return nil, errors.New(binary + " did not start")
		}
	}
	_, body, err := s.send(http.MethodPost, "/api/v1/auth/login", map[string]any{"email": email, "password": password})
	if err != nil {
		return nil, err
	}
	var session struct {
		Token string `json:"access_token"`
	}
	if err := json.Unmarshal(body, &session); err != nil {
		return nil, err
	}
	s.token = session.Token
	return s, nil
}

func (s *server) stop() {
	_ = s.process.Process.Signal(os.Interrupt)
	_ = s.process.Wait()
	_ = os.RemoveAll(s.folder)
}

func (s *server) send(method, path string, body any) (status int, answer []byte, err error) {
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return 0, nil, err
		}
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequest(method, s.url+path, content) //nolint:noctx // the program waits for it
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Authorization", "Bearer "+s.token)
	request.Header.Set("Content-Type", "application/json")
	response, err := s.client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close() //nolint:errcheck // it was read
	answer, err = io.ReadAll(response.Body)
	return response.StatusCode, answer, err
}

// varying matches ids, secrets, instants of this run and hashes.
var varying = regexp.MustCompile(
	`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9a-f]{32,64}\b|` +
		time.Now().UTC().Format("2006-01-02") + `T[0-9:.]+Z|"cursor":"[^"]*"|127\.0\.0\.1:[0-9]+`)

// normalize replaces what differs in every run.
func (s *server) normalize(answer []byte) string {
	return varying.ReplaceAllStringFunc(string(answer), func(text string) string {
		if strings.HasSuffix(text, "Z") && strings.Contains(text, "T") {
			return "NOW"
		}
		if s.names[text] == "" {
			s.names[text] = fmt.Sprintf("ID%d", len(s.names))
		}
		return s.names[text]
	})
}

// comparison is a run against both versions.
type comparison struct {
	pair              [2]*server
	random            *rand.Rand
	sent, differences int
}

// request sends a request whose path and body depend on the server, and compares the answers.
func (c *comparison) request(method string, path func(s *server) (string, error), body any) error {
	var statuses [2]int
	var texts, paths [2]string
	for i, s := range c.pair {
		var err error
		if paths[i], err = path(s); err != nil || paths[i] == "" {
			return err
		}
		var answer []byte
		if statuses[i], answer, err = s.send(method, paths[i], body); err != nil {
			return err
		}
		texts[i] = s.normalize(answer)
	}
	c.sent++
	if statuses[0] == statuses[1] && texts[0] == texts[1] {
		return nil
	}
	c.differences++
	at := 0
	for at < min(len(texts[0]), len(texts[1])) && texts[0][at] == texts[1][at] {
		at++
	}
	show := func(text string) string { return text[max(0, at-80):min(len(text), at+120)] }
	fmt.Printf("%s %s: %d and %d\n  before: %s\n  after:  %s\n", method, paths[0], statuses[0], statuses[1], show(texts[0]), show(texts[1]))
	return nil
}

func same(path string) func(*server) (string, error) {
	return func(*server) (string, error) { return path, nil }
}

// recordOf returns the path of the record at a place of a list.
func recordOf(list, rest string, place int) func(*server) (string, error) {
	return func(s *server) (string, error) {
		id, err := s.pick(list, place)
		if id == "" {
			return "", err
		}
		return list + "/" + id + rest, nil
	}
}

// pick returns the id of the record at a place of a list, or "" for an empty list.
func (s *server) pick(list string, place int) (string, error) {
	_, answer, err := s.send(http.MethodGet, list+"?limit=200", nil)
	if err != nil {
		return "", err
	}
	var records []struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(answer, &records) != nil || len(records) == 0 {
		return "", nil //nolint:nilerr // not a list of records
	}
	return records[place%len(records)].ID, nil
}

// readAll sends every GET request of the older version's description: without parameters,
// for one record of each list, and with filters.
func (c *comparison) readAll() error {
	_, text, err := c.pair[0].send(http.MethodGet, "/openapi.json", nil)
	if err != nil {
		return err
	}
	var description struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal(text, &description); err != nil {
		return err
	}
	for _, path := range slices.Sorted(maps.Keys(description.Paths)) {
		if _, reads := description.Paths[path]["get"]; !reads || strings.Contains(path, "/public/") || strings.HasSuffix(path, "/me/sessions") {
			continue
		}
		list, rest, isRecord := strings.Cut(path, "/{id}")
		for i := range 3 {
			target := same(path + []string{"", "?limit=7", "?from=2026-01-01T00:00:00Z&tz=America/New_York"}[i])
			if isRecord {
				target = recordOf(list, rest, i*11)
			}
			if strings.Contains(path, "{") && !isRecord {
				continue
			}
			if err := c.request(http.MethodGet, target, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// write sends one of the usual writes.
func (c *comparison) write() error {
	place, number := c.random.IntN(200), c.random.IntN(1000)
	record := func(list string) func(*server) (string, error) { return recordOf(list, "", place) }
	const api = "/api/v1"
	switch c.random.IntN(8) {
	case 0:
		return c.request(http.MethodPatch, record(api+"/trades"), map[string]any{"notes": fmt.Sprint("note ", number)})
	case 1:
		return c.request(http.MethodPost, same(api+"/notes"), map[string]any{"title": fmt.Sprint("Note ", number), "body": "text", "day": "2026-05-04"})
	case 2:
		return c.request(http.MethodPost, same(api+"/tags"), map[string]any{"name": fmt.Sprint("tag", number)})
	case 3:
		return c.request(http.MethodPatch, record(api+"/executions"), map[string]any{"fees": float64(number) / 100})
	case 4:
		return c.request(http.MethodDelete, record(api+"/notes"), nil)
	case 5:
		return c.request(http.MethodDelete, record(api+"/executions"), nil)
	case 6:
		return c.request(http.MethodGet, same(fmt.Sprintf("%s/analytics/summary?q=%d", api, number)), nil)
	default:
		return c.request(http.MethodPost, same(api+"/setups"), map[string]any{"name": fmt.Sprint("Setup ", number)})
	}
}
