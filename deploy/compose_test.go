package deploy_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
)

// compose is the part of a compose file that the tests check.
type compose struct {
	Services map[string]service
	Networks map[string]struct {
		IPAM struct {
			Config []struct {
				Subnet string
				Range  string `yaml:"ip_range"`
			}
		}
	}
	Volumes, Secrets map[string]any
}

type service struct {
	Image, User             string
	ReadOnly                bool     `yaml:"read_only"`
	CapDrop                 []string `yaml:"cap_drop"`
	SecurityOpt             []string `yaml:"security_opt"`
	Ports, Volumes, Secrets []string
	Tmpfs                   []string
	Environment             map[string]string
	Networks                options
	DependsOn               options `yaml:"depends_on"`
	Healthcheck             struct {
		Test        []string
		Timeout     time.Duration
		StartPeriod time.Duration `yaml:"start_period"`
	}
}

// options are the options of networks and services by name. In the file they are
// a mapping, or a list of names.
type options map[string]option

type option struct {
	Address string `yaml:"ipv4_address"`
}

func (o *options) UnmarshalYAML(value *yaml.Node) error {
	if value.Kind == yaml.MappingNode {
		type mapping options
		return value.Decode((*mapping)(o))
	}
	*o = options{}
	for _, name := range value.Content {
		(*o)[name.Value] = option{}
	}
	return nil
}

// decodeYAML decodes a file.
func decodeYAML(t *testing.T, file string, into any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(read(t, file)), into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

func readCompose(t *testing.T, file string) (decoded compose) {
	t.Helper()
	decodeYAML(t, file, &decoded)
	return decoded
}

// servers returns the names of the services that use the image, sorted.
func (c *compose) servers() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(c.Services)), func(name string) bool {
		return c.Services[name].Image != "fillbook:latest"
	})
}
