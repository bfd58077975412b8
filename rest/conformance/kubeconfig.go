package conformance

import (
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"
)

// kubeconfig is the part of a kubeconfig that the suite understands.
type kubeconfig struct {
	CurrentContext string `yaml:"current-context"`
	Contexts       []struct {
		Name    string `yaml:"name"`
		Context struct {
			Cluster string `yaml:"cluster"`
			User    string `yaml:"user"`
		} `yaml:"context"`
	} `yaml:"contexts"`
	Clusters []struct {
		Name    string            `yaml:"name"`
		Cluster kubeconfigCluster `yaml:"cluster"`
	} `yaml:"clusters"`
	Users []struct {
		Name string         `yaml:"name"`
		User kubeconfigUser `yaml:"user"`
	} `yaml:"users"`
}

type kubeconfigCluster struct {
	Server    string `yaml:"server"`
	Insecure  bool   `yaml:"insecure-skip-tls-verify"`
	Authority string `yaml:"certificate-authority"`
	Data      string `yaml:"certificate-authority-data"`
}

type kubeconfigUser struct {
	Token           string    `yaml:"token"`
	TokenFile       string    `yaml:"tokenFile"`
	Certificate     string    `yaml:"client-certificate"`
	CertificateData string    `yaml:"client-certificate-data"`
	Key             string    `yaml:"client-key"`
	KeyData         string    `yaml:"client-key-data"`
	Exec            yaml.Node `yaml:"exec"`
	Username        string    `yaml:"username"`
}

// UseKubeconfig takes the server, its authorities and the credentials from a context
// of a kubeconfig; an empty name means the current context. It understands tokens and
// client certificates, and returns an error for users with a program (exec) or a
// password.
func (o *Options) UseKubeconfig(file, context string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var config kubeconfig
	if err := yaml.Unmarshal(text, &config); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if err := o.use(config, context, filepath.Dir(file)); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

func (o *Options) use(config kubeconfig, context, dir string) error {
	if context == "" {
		context = config.CurrentContext
	}
	for _, c := range config.Contexts {
		if c.Name != context {
			continue
		}
		for _, cluster := range config.Clusters {
			if cluster.Name == c.Context.Cluster {
				if err := o.useCluster(cluster.Cluster, dir); err != nil {
					return err
				}
			}
		}
		for _, user := range config.Users {
			if user.Name == c.Context.User {
				if err := o.useUser(user.User, dir); err != nil {
					return fmt.Errorf("user %s: %w", user.Name, err)
				}
			}
		}
		if o.Server == "" {
			return fmt.Errorf("the context %q names no cluster with a server", context)
		}
		return nil
	}
	return fmt.Errorf("the kubeconfig has no context %q", context)
}

func (o *Options) useCluster(c kubeconfigCluster, dir string) error {
	o.Server, o.Insecure = c.Server, c.Insecure
	var err error
	o.Authorities, err = dataOrFile(c.Data, c.Authority, dir)
	return err
}

func (o *Options) useUser(u kubeconfigUser, dir string) error {
	if u.Exec.Kind != 0 || u.Username != "" {
		return errors.New("only tokens and client certificates are supported; use --token for others")
	}
	o.Token = u.Token
	if u.TokenFile != "" {
		token, err := dataOrFile("", u.TokenFile, dir)
		if err != nil {
			return err
		}
		o.Token = strings.TrimSpace(string(token))
	}
	var err error
	if o.Certificate, err = dataOrFile(u.CertificateData, u.Certificate, dir); err != nil {
		return err
	}
	o.Key, err = dataOrFile(u.KeyData, u.Key, dir)
	return err
}

// dataOrFile returns decoded data, or else the content of a file, whose path may be
// relative to dir.
func dataOrFile(data, file, dir string) ([]byte, error) {
	switch {
	case data != "":
		return base64.StdEncoding.DecodeString(data)
	case file == "":
		return nil, nil
	case !filepath.IsAbs(file):
		file = filepath.Join(dir, file)
	}
	return os.ReadFile(file)
}
