package outbound

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"
)

func TestParsePrivate(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"192.168.1.0/24", "10.0.0.0/8", "fd12:3456::/32", "127.0.0.1:8090", "[::1]:8090", "192.168.1.20/32", "10.1.2.3:80"} {
		if p, err := ParsePrivate([]string{text}); err != nil || p.IsEmpty() {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{
		"0.0.0.0/0", "::/0", "127.0.0.0/8", "127.0.0.1/32", "127.0.0.1", "::1", "[::1]", "169.254.0.0/16", "169.254.169.254:80", "169.254.169.254/32",
		"fe80::/10", "[fe80::1]:80", "0.0.0.0:80", "[::]:80", "100.64.0.0/10", "100.100.100.200:80", "fd00::/8", "fc00::/7", "[fd00:ec2::254]:80",
		"::ffff:169.254.169.254/128", "::ffff:10.0.0.0/104", "[::ffff:169.254.169.254]:80", "64:ff9b::/96", "[64:ff9b::a9fe:a9fe]:80", "2002::/16", "224.0.0.0/4",
		"192.168.1.20", "home.example:80", "localhost:80", "192.168.1.0/33", "x", "10.0.0.1:0", "10.0.0.1:99999", "168.63.129.16:80",
	} {
		if _, err := ParsePrivate([]string{"10.0.0.0/8", text}); err == nil {
			t.Errorf("%s was accepted", text)
		}
	}
}

func TestCheckURL(t *testing.T) {
	t.Parallel()
	private, err := ParsePrivate([]string{"192.168.1.0/24", "127.0.0.1:8090"})
	if err != nil {
		t.Fatal(err)
	}
	closed, opened := New(Options{Enabled: true}), New(Options{Enabled: true, Private: private})
	for address, want := range map[string][2]bool{ // without and with SVC_OUTBOUND_PRIVATE
		"https://example.org/hook?x=1":                     {true, true},
		"https://example.org:8443/":                        {true, true},
		"http://example.org/":                              {false, true}, // its name is looked up, by CheckPlainHost
		"http://192.168.1.5/x":                             {false, true},
		"https://192.168.1.5:8443/":                        {false, true},
		"https://192.168.1.5:22/":                          {false, false},
		"https://192.168.2.5/":                             {false, false},
		"http://127.0.0.1:8090/":                           {false, true},
		"http://127.0.0.1:8091/":                           {false, false},
		"https://2130706433/":                              {false, false},
		"https://0x7f000001/":                              {false, false},
		"https://0177.0.0.1/":                              {false, false},
		"https://127.1/":                                   {false, false},
		"https://localhost/":                               {false, false},
		"https://[::ffff:127.0.0.1]/":                      {false, false},
		"https://[fe80::1%25eth0]/":                        {false, false},
		"https://169.254.169.254/":                         {false, false},
		"https://8.8.8.8/":                                 {true, true},
		"https://8.8.8.8:25/":                              {false, false},
		"https://user@example.org/":                        {false, false},
		"https://example.org/#x":                           {false, false},
		"https://example.org/#":                            {false, false},
		"https://example.org/\n":                           {false, false},
		"https://example.org/ x":                           {false, false},
		"ftp://example.org/":                               {false, false},
		"example.org":                                      {false, false},
		"https://":                                         {false, false},
		"https://example.org:0/":                           {false, false},
		"https://example.org/" + strings.Repeat("x", 2100): {false, false},
	} {
		for i, n := range []*Network{closed, opened} {
			if err := n.CheckURL(address); (err == nil) != want[i] {
				t.Errorf("%.60q, opened %t: %v", address, i == 1, err)
			}
		}
	}
}

// TestCheckPlainHost: without TLS, a name is allowed only if all its addresses were opened.
func TestCheckPlainHost(t *testing.T) {
	t.Parallel()
	private, err := ParsePrivate([]string{"192.168.1.0/24", "10.0.0.5:8090"})
	if err != nil {
		t.Fatal(err)
	}
	names := map[string][]netip.Addr{
		"gotify.example":  {netip.MustParseAddr("192.168.1.5")},
		"exact.example":   {netip.MustParseAddr("10.0.0.5")},
		"both.example":    {netip.MustParseAddr("192.168.1.5"), netip.MustParseAddr("8.8.8.8")},
		"outside.example": {netip.MustParseAddr("8.8.8.8")},
		"none.example":    {},
	}
	lookup := func(_ context.Context, _, host string) ([]netip.Addr, error) {
		if found, known := names[host]; known {
			return found, nil
		}
		return nil, errors.New("no such host")
	}
	n := New(Options{Enabled: true, Private: private, Lookup: lookup})
	for address, allowed := range map[string]bool{
		"http://gotify.example/": true, "http://gotify.example.:8080/x": true, "http://gotify.example:22/": false, "http://exact.example:8090/": true,
		"http://exact.example/": false, "http://both.example/": false, "http://outside.example/": false, "http://none.example/": false,
		"http://unknown.example/": false, "https://outside.example/": true, "http://192.168.1.5/": true,
	} {
		if err := n.CheckPlainHost(t.Context(), address); (err == nil) != allowed {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// newReceiver returns a server, and a client that may reach it if isOpen.
func newReceiver(t *testing.T, isOpen bool, serve http.HandlerFunc) (*UserClient, string) {
	t.Helper()
	server := httptest.NewServer(serve)
	t.Cleanup(server.Close)
	options := Options{Enabled: true}
	opened := "127.0.0.1:1" // an opened address does not open others
	if isOpen {
		opened = strings.TrimPrefix(server.URL, "http://")
	}
	private, err := ParsePrivate([]string{opened})
	if err != nil {
		t.Fatal(err)
	}
	options.Private = private
	return New(options).UserClient(), server.URL
}

func sendTo(t *testing.T, c *UserClient, address string) (Reply, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	return c.Do(request)
}

// TestUserClient: redirects are not followed, large and slow bodies do not change what the
// status says.
func TestUserClient(t *testing.T) {
	t.Parallel()
	calls := 0
	client, address := newReceiver(t, true, func(w http.ResponseWriter, r *http.Request) {
		calls++
		_, _ = io.Copy(io.Discard, r.Body) // a server notices that its client left only after that
		switch r.URL.Path {
		case "/redirect":
			http.Redirect(w, r, "/", http.StatusFound)
		case "/large":
			_, _ = w.Write(make([]byte, 1<<20))
		case "/slow":
			_, _ = io.WriteString(w, "half")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		case "/hang":
			<-r.Context().Done()
		}
	})
	client.wholeTime = 200 * time.Millisecond
	if reply, err := sendTo(t, client, address+"/redirect"); err != nil || reply.Status != http.StatusFound || calls != 1 {
		t.Errorf("%+v, %v after %d calls", reply, err, calls)
	}
	if reply, err := sendTo(t, client, address+"/large"); err != nil || reply.Status != http.StatusOK || len(reply.Body) != 64<<10 {
		t.Errorf("%d with %d bytes, %v", reply.Status, len(reply.Body), err)
	}
	if reply, err := sendTo(t, client, address+"/slow"); err != nil || reply.Status != http.StatusOK || string(reply.Body) != "half" {
		t.Errorf("%+v, %v", reply, err)
	}
	if _, err := sendTo(t, client, address+"/hang"); !errors.Is(err, ErrTimeout) {
		t.Error(err)
	}
}

// TestUserClientRefusesPrivateAddresses: the address decides when dialing, also for a name.
func TestUserClientRefusesPrivateAddresses(t *testing.T) {
	t.Parallel()
	client, address := newReceiver(t, false, func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") })
	for _, to := range []string{address, strings.Replace(address, "127.0.0.1", "ip6-localhost.", 1), strings.Replace(address, "127.0.0.1", "localhost.localdomain", 1)} {
		if _, err := sendTo(t, client, to); err == nil {
			t.Errorf("%s was reached", to)
		}
	}
	if err := client.network.options.Private.control(true)("tcp", strings.TrimPrefix(address, "http://"), nil); !errors.Is(err, ErrRefused) {
		t.Error(err)
	}
	if err := client.network.options.Private.control(false)("tcp", "8.8.8.8:80", nil); !errors.Is(err, ErrRefused) {
		t.Errorf("without TLS to a public address: %v", err)
	}
	if err := client.network.options.Private.control(true)("tcp", "8.8.8.8:443", nil); err != nil {
		t.Error(err)
	}
}
