package kubeconfig

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/decorum-go/decorum/internal/smallfile"
)

// InClusterOptions configure [InCluster]. The zero value works in a Pod as Kubernetes starts it.
type InClusterOptions struct {
	// Dir is the directory with the files token, ca.crt and namespace. Set it if the Pod mounts a projected volume
	// elsewhere. Default: /var/run/secrets/kubernetes.io/serviceaccount, where Kubernetes mounts it.
	Dir string
}

// serviceAccountDir is the default of [InClusterOptions].Dir.
const serviceAccountDir = "/var/run/secrets/kubernetes.io/serviceaccount"

// InCluster returns the configuration of a program in a Pod: the address of the cluster, from the environment variables
// KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT, and the credentials of the service account of the Pod. The
// Namespace is that of the Pod, and the Context is empty.
//
// Kubernetes replaces the token and the certificate authority while the Pod runs. The client reads the token at least
// once a minute and after the server has answered 401, and the authority for each new connection.
//
// InCluster returns an error if the program does not run in a Pod, or if the Pod has no token.
func InCluster(o InClusterOptions) (Config, error) {
	config, err := inCluster(cmp.Or(o.Dir, serviceAccountDir))
	if err != nil {
		return Config{}, fmt.Errorf("kubeconfig.InCluster: %w", err)
	}
	return config, nil
}

func inCluster(dir string) (Config, error) {
	host, port := os.Getenv("KUBERNETES_SERVICE_HOST"), os.Getenv("KUBERNETES_SERVICE_PORT")
	if host == "" || port == "" {
		return Config{}, errors.New("KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set, " +
			"so the program does not run in a Pod")
	}
	namespace, err := smallfile.Read(filepath.Join(dir, "namespace"))
	if err != nil {
		return Config{}, err
	}
	const name = "pod"
	m := merged{
		clusters: map[string]entry[cluster]{name: {value: cluster{Server: "https://" + net.JoinHostPort(host, port),
			CertificateAuthority: filepath.Join(dir, "ca.crt")}}},
		users: map[string]entry[user]{name: {value: user{TokenFile: filepath.Join(dir, "token")}}},
		contexts: map[string]entry[place]{name: {value: place{Cluster: name, User: name,
			Namespace: strings.TrimSpace(string(namespace))}}},
		current: name,
	}
	config, err := m.config(Options{})
	config.Context = ""
	return config, err
}
