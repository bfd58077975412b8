// Package kubeconfig reads and writes kubeconfig files, in which kubectl keeps the addresses of servers and the
// credentials of users, and returns a [rest.Endpoint] for [rest.ClientForEndpoint]. [Write] writes the file of a user.
//
//	config, err := kubeconfig.Default(kubeconfig.Options{})
//	…
//	widgets, err := rest.ClientForEndpoint(config.Server, rest.Resource[Widget]{…})
//	…
//	widget, err := widgets.Namespace(config.Namespace).Get(ctx, "a")
//
// It supports all fields of clusters, contexts and users. Errors name the file, the context and the field. The fields
// exec and auth-provider run another program; for these, set [Options].Run. A program in a Pod has no kubeconfig file:
// [InCluster] reads the credentials of its service account instead.
package kubeconfig

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/internal/smallfile"
	"github.com/decorum-go/decorum/rest"
)

// Options choose what to read from kubeconfig files.
type Options struct {
	// Context is the name of the context. Default: the current-context of the files.
	Context string
	// Run obtains the credentials of a user whose entry has the field exec or auth-provider (see [RunExec]). The client
	// calls it before the first request, after the credentials have expired, and after the server has answered 401, but
	// never concurrently. The context of Run ends with the request that needs the credentials. If Run is nil, Default,
	// Load and Parse return an error for such a user.
	Run func(ctx context.Context, p Plugin) (Credentials, error)
}

// Config is the configuration of one context: where the API is, and as whom to call it.
type Config struct {
	// Server has the URL of the cluster, and an http.Client that adds the credentials of the user. The client uses the
	// cluster's proxy-url. If that is not set, it uses the proxy of the environment, like http.DefaultTransport.
	Server rest.Endpoint
	// Namespace is the namespace of the context, or "default" if the context has no namespace.
	Namespace string
	// Context is the name of the context.
	Context string
}

// Default reads the files that kubectl reads: the files in the environment variable KUBECONFIG or, if that is not set,
// .kube/config in the home directory. At least one of the files must exist.
func Default(o Options) (Config, error) {
	if list := os.Getenv("KUBECONFIG"); list != "" {
		return load(o, filepath.SplitList(list), true)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return Config{}, fmt.Errorf("kubeconfig: %w", err)
	}
	return Load(o, filepath.Join(home, ".kube", "config"))
}

// Load reads and merges files as kubectl does for KUBECONFIG: if several files set the current-context, or have a
// cluster, context or user with the same name, the first file wins. Paths in a file are relative to its directory. All
// files must exist, and none may exceed 16 MiB.
func Load(o Options, paths ...string) (Config, error) { return load(o, paths, false) }

func load(o Options, paths []string, optional bool) (Config, error) {
	var merged merged
	for i, path := range paths {
		if path == "" || slices.Contains(paths[:i], path) {
			continue
		}
		text, err := smallfile.Read(path)
		if optional && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return Config{}, fmt.Errorf("kubeconfig: %w", err)
		}
		if err := merged.add(path, text); err != nil {
			return Config{}, fmt.Errorf("kubeconfig: %w", err)
		}
	}
	if merged.files == 0 {
		return Config{}, fmt.Errorf("kubeconfig: no file exists: %s", strings.Join(paths, ", "))
	}
	return merged.config(o)
}

// Parse reads the text of a kubeconfig file. Paths in the text are relative to the working directory.
func Parse(o Options, text []byte) (Config, error) {
	var merged merged
	if err := merged.add("", text); err != nil {
		return Config{}, fmt.Errorf("kubeconfig: %w", err)
	}
	return merged.config(o)
}
