package kubeconfig

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"sigs.k8s.io/yaml"

	"github.com/decorum-go/decorum/internal/smallfile"
)

// Entry is what a client needs to reach an API as one user: a cluster, a user and a context of a kubeconfig file.
type Entry struct {
	// Name is the name of the cluster and of the context, such as "platform". Required.
	Name string
	// Server is the URL of the API, with the prefix under which the host mounts it. Required.
	Server string
	// CertificateAuthority are the certificates, in PEM, that verify an https server. Default: those that the
	// client's system trusts.
	CertificateAuthority []byte
	// User is the name of the entry with the credentials. Default: Name.
	User string
	// Token is a bearer token. TokenFile is a file that another program keeps up to date with one; it wins over Token.
	Token, TokenFile string
	// ClientCertificate and ClientKey are a certificate and its private key, in PEM.
	ClientCertificate, ClientKey []byte
	// Namespace is the namespace of commands that name none. Default: "default".
	Namespace string
}

// Write writes an entry into a kubeconfig file, and makes it the current context. It creates the file and missing
// directories, readable by the owner only (modes 0600 and 0700). If the file exists, Write replaces the cluster, the
// user and the context of the same names, and keeps everything else but comments, as kubectl config does; the file
// gets the mode 0600 too. The file is replaced as a whole, so a reader never sees half of it. Of two programs that
// write at the same time, one wins.
//
// For an http server, the cluster says insecure-skip-tls-verify, without which some clients refuse the file. An https
// server is always verified.
//
// Write returns an error, and changes nothing, if the entry is incomplete, if the server is http and there are
// credentials, which kubectl would not send, or if the existing file is not a kubeconfig file.
func Write(path string, e Entry) error {
	text, err := write(path, e)
	if err != nil {
		return fmt.Errorf("kubeconfig.Write: %w", err)
	}
	if err := replaceFile(path, text); err != nil {
		return fmt.Errorf("kubeconfig.Write: %w", err)
	}
	return nil
}

// write returns the text of the file with the entry.
func write(path string, e Entry) ([]byte, error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	config := map[string]any{"apiVersion": "v1", "kind": "Config"}
	text, err := smallfile.Read(path)
	if err == nil {
		if err := new(merged).add(path, text); err != nil {
			return nil, err
		}
		err = yaml.Unmarshal(text, &config)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	config["clusters"] = replaced(config["clusters"], e.Name, "cluster", e.cluster())
	config["users"] = replaced(config["users"], cmp.Or(e.User, e.Name), "user", e.user())
	config["contexts"] = replaced(config["contexts"], e.Name, "context", present(map[string]any{
		"cluster": e.Name, "user": cmp.Or(e.User, e.Name), "namespace": e.Namespace,
	}))
	config["current-context"] = e.Name
	if text, err = yaml.Marshal(config); err != nil {
		return nil, err
	}
	_, err = Parse(Options{}, text) // finds what a client would refuse, such as a certificate that is not PEM
	return text, err
}

func (e Entry) check() error {
	if e.Name == "" {
		return errors.New("Name is missing")
	}
	if err := (cluster{Server: e.Server}).checkServer(); err != nil {
		return err
	}
	to, err := url.Parse(e.Server)
	if err != nil || to.Scheme == "https" {
		return err
	}
	if len(e.CertificateAuthority) > 0 {
		return errors.New("CertificateAuthority is set, but Server is http")
	}
	if e.Token != "" || e.TokenFile != "" || len(e.ClientKey) > 0 {
		return errors.New("Server is http, over which kubectl sends no credentials")
	}
	return nil
}

func (e Entry) cluster() map[string]any {
	to := map[string]any{"server": e.Server, "certificate-authority-data": e.CertificateAuthority}
	if u, err := url.Parse(e.Server); err == nil && u.Scheme == "http" {
		to["insecure-skip-tls-verify"] = true
	}
	return present(to)
}

func (e Entry) user() map[string]any {
	return present(map[string]any{
		"token": e.Token, "tokenFile": e.TokenFile,
		"client-certificate-data": e.ClientCertificate, "client-key-data": e.ClientKey,
	})
}

// present removes empty values.
func present(values map[string]any) map[string]any {
	for name, value := range values {
		switch value := value.(type) {
		case string:
			if value == "" {
				delete(values, name)
			}
		case []byte:
			if len(value) == 0 {
				delete(values, name)
			}
		}
	}
	return values
}

// replaced returns a list of named entries with a new one, in the place of the old one of the same name.
func replaced(list any, name, member string, value map[string]any) []any {
	entries, _ := list.([]any)
	entry := map[string]any{"name": name, member: value}
	for i, old := range entries {
		if old, ok := old.(map[string]any); ok && old["name"] == name {
			entries[i] = entry
			return entries
		}
	}
	return append(entries, entry)
}

// replaceFile writes a file through a temporary one beside it. If path is a symbolic link, it replaces the file to
// which the link leads.
func replaceFile(path string, text []byte) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".kubeconfig-*") // CreateTemp sets mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
