package kubeconfig

import (
	"errors"
	"fmt"
	"path/filepath"

	"sigs.k8s.io/yaml"
)

// file is the form of a kubeconfig file.
type file struct {
	APIVersion     string         `json:"apiVersion"`
	Kind           string         `json:"kind"`
	CurrentContext string         `json:"current-context"`
	Clusters       []namedCluster `json:"clusters"`
	Contexts       []namedPlace   `json:"contexts"`
	Users          []namedUser    `json:"users"`
}

// Each list has its own member name for the value of an entry.
type (
	namedCluster struct {
		Name    string  `json:"name"`
		Cluster cluster `json:"cluster"`
	}
	namedPlace struct {
		Name    string `json:"name"`
		Context place  `json:"context"`
	}
	namedUser struct {
		Name string `json:"name"`
		User user   `json:"user"`
	}
)

type cluster struct {
	Server                   string `json:"server"`
	TLSServerName            string `json:"tls-server-name"`
	InsecureSkipTLSVerify    bool   `json:"insecure-skip-tls-verify"`
	CertificateAuthority     string `json:"certificate-authority"`
	CertificateAuthorityData []byte `json:"certificate-authority-data"`
	ProxyURL                 string `json:"proxy-url"`
	DisableCompression       bool   `json:"disable-compression"`
}

// place is a context.
type place struct {
	Cluster   string `json:"cluster"`
	User      string `json:"user"`
	Namespace string `json:"namespace"`
}

type user struct {
	ClientCertificate     string              `json:"client-certificate"`
	ClientCertificateData []byte              `json:"client-certificate-data"`
	ClientKey             string              `json:"client-key"`
	ClientKeyData         []byte              `json:"client-key-data"`
	Token                 string              `json:"token"`
	TokenFile             string              `json:"tokenFile"`
	Username              string              `json:"username"`
	Password              string              `json:"password"`
	As                    string              `json:"as"`
	AsUID                 string              `json:"as-uid"`
	AsGroups              []string            `json:"as-groups"`
	AsUserExtra           map[string][]string `json:"as-user-extra"`
	Exec                  *exec               `json:"exec"`
	AuthProvider          *authProvider       `json:"auth-provider"`
}

type exec struct {
	APIVersion         string     `json:"apiVersion"`
	Command            string     `json:"command"`
	Args               []string   `json:"args"`
	Env                []variable `json:"env"`
	InstallHint        string     `json:"installHint"`
	ProvideClusterInfo bool       `json:"provideClusterInfo"`
	InteractiveMode    string     `json:"interactiveMode"`
}

type variable struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type authProvider struct {
	Name   string            `json:"name"`
	Config map[string]string `json:"config"`
}

// merged holds the entries of several files, each with the path of its file.
type merged struct {
	files    int
	current  string
	path     string // the path of the file that sets current
	clusters map[string]entry[cluster]
	contexts map[string]entry[place]
	users    map[string]entry[user]
}

type entry[V any] struct {
	path  string // empty for Parse
	value V
}

// resolve makes a path in an entry absolute, relative to the directory of the file. It returns the path of an entry of
// Parse unchanged.
func (e entry[V]) resolve(path string) string {
	if path == "" || e.path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(e.path), path)
}

// add adds the entries of a file. Entries of earlier files win.
func (m *merged) add(path string, text []byte) error {
	var f file
	if err := yaml.Unmarshal(text, &f); err != nil {
		return inFile(path, err)
	}
	if f.Kind != "" && f.Kind != "Config" || f.APIVersion != "" && f.APIVersion != "v1" {
		return inFile(path, fmt.Errorf("the kind is %s of %s, but must be Config of v1", f.Kind, f.APIVersion))
	}
	m.files++
	if m.current == "" {
		m.current, m.path = f.CurrentContext, path
	}
	return inFile(path, errors.Join(
		merge(&m.clusters, "clusters", path, f.Clusters, func(c namedCluster) (string, cluster) { return c.Name, c.Cluster }),
		merge(&m.contexts, "contexts", path, f.Contexts, func(c namedPlace) (string, place) { return c.Name, c.Context }),
		merge(&m.users, "users", path, f.Users, func(u namedUser) (string, user) { return u.Name, u.User })))
}

// merge adds the entries of a list of one file.
func merge[N, V any](into *map[string]entry[V], list, path string, entries []N, of func(N) (string, V)) error {
	if *into == nil {
		*into = map[string]entry[V]{}
	}
	seen := map[string]bool{}
	for _, e := range entries {
		name, value := of(e)
		if seen[name] {
			return fmt.Errorf("%s: duplicate name %q", list, name)
		}
		seen[name] = true
		if _, found := (*into)[name]; !found {
			(*into)[name] = entry[V]{path, value}
		}
	}
	return nil
}

// inFile adds the name of the file to an error.
func inFile(path string, err error) error {
	if err == nil || path == "" {
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}
