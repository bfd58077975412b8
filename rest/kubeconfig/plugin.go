package kubeconfig

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

// Plugin is the field exec, or the older auth-provider, of a user. It describes how to obtain credentials from another
// program.
type Plugin struct {
	// Provider and Settings are the name and the config of auth-provider. They are empty for exec.
	Provider string
	Settings map[string]string

	// Command is the program of exec: a name to look up in PATH, or a path. Default and Load make the path absolute. Args
	// holds the arguments. Env holds additional environment variables, in the form NAME=VALUE.
	Command string
	Args    []string
	Env     []string
	// APIVersion is the version of the ExecCredential that the program reads and writes, such as
	// "client.authentication.k8s.io/v1".
	APIVersion string
	// InstallHint tells the user how to install the program.
	InstallHint string
	// InteractiveMode states whether the program uses standard input: Never, IfAvailable, Always, or empty.
	InteractiveMode string
	// Cluster describes the cluster if provideClusterInfo is set. Otherwise it is nil.
	Cluster *Cluster
}

// Cluster is the information about a cluster that a plugin can request.
type Cluster struct {
	Server, TLSServerName, ProxyURL string
	InsecureSkipTLSVerify           bool
	CertificateAuthority            []byte // text in PEM
}

// Credentials are what a plugin returns: a token, a client certificate with its key, or both.
type Credentials struct {
	Token string
	// Certificate and Key are in PEM.
	Certificate, Key []byte
	// Expires is the time at which the client runs the plugin again. The zero time means that the client runs it again
	// only after the server has answered 401.
	Expires time.Time
}

// runner is the type of [Options].Run.
type runner = func(ctx context.Context, p Plugin) (Credentials, error)

// pluginOf returns the plugin of a user.
func pluginOf(u entry[user], c entry[cluster]) (Plugin, error) {
	if provider := u.value.AuthProvider; provider != nil {
		return Plugin{Provider: provider.Name, Settings: provider.Config}, nil
	}
	e := u.value.Exec
	if e.Command == "" {
		return Plugin{}, errors.New("exec: command is missing")
	}
	p := Plugin{Command: e.Command, Args: e.Args, APIVersion: e.APIVersion, InstallHint: e.InstallHint,
		InteractiveMode: e.InteractiveMode}
	if strings.ContainsAny(p.Command, `/\`) { // otherwise a name to look up in PATH
		p.Command = u.resolve(p.Command)
	}
	for _, v := range e.Env {
		p.Env = append(p.Env, v.Name+"="+v.Value)
	}
	if e.ProvideClusterInfo {
		authority, err := c.read("certificate-authority", c.value.CertificateAuthority, c.value.CertificateAuthorityData)
		if err != nil {
			return Plugin{}, err
		}
		p.Cluster = &Cluster{Server: c.value.Server, TLSServerName: c.value.TLSServerName, ProxyURL: c.value.ProxyURL,
			InsecureSkipTLSVerify: c.value.InsecureSkipTLSVerify, CertificateAuthority: authority}
	}
	return p, nil
}

// refused returns the error for a plugin if Options.Run is not set.
func (p Plugin) refused() error {
	field, what := "exec", fmt.Sprintf("the program %q", p.Command)
	if p.Command == "" {
		field, what = "auth-provider", fmt.Sprintf("the provider %q", p.Provider)
	}
	return fmt.Errorf("%s: %s must obtain the credentials, but Options.Run is not set", field, what)
}

// plugged keeps the credentials of a plugin until they expire.
type plugged struct {
	plugin  Plugin
	run     runner
	renewed func() // called when a new certificate replaces another one

	running chan struct{} // holds a value while a request runs the plugin; the first request makes the channel
	mu      sync.Mutex
	last    *Credentials
	pair    *tls.Certificate
}

// token implements [tokens].
func (p *plugged) token(ctx context.Context) (string, error) {
	c, _, err := p.credentials(ctx)
	return c.Token, err
}

// certificate returns the certificate for a connection. If the plugin returned none, the result is empty, as crypto/tls
// requires.
func (p *plugged) certificate(info *tls.CertificateRequestInfo) (*tls.Certificate, error) {
	_, pair, err := p.credentials(info.Context())
	if pair == nil {
		pair = &tls.Certificate{}
	}
	return pair, err
}

// credentials returns the credentials. If they are missing or expired, it runs the plugin first. Concurrent requests
// wait for that run.
func (p *plugged) credentials(ctx context.Context) (Credentials, *tls.Certificate, error) {
	if c, pair := p.valid(); c != nil {
		return *c, pair, nil
	}
	select {
	case p.turn() <- struct{}{}:
		defer func() { <-p.turn() }()
	case <-ctx.Done():
		return Credentials{}, nil, context.Cause(ctx)
	}
	if c, pair := p.valid(); c != nil {
		return *c, pair, nil
	}
	c, err := p.run(ctx, p.plugin)
	if err != nil {
		return Credentials{}, nil, fmt.Errorf("kubeconfig: obtaining credentials: %w", err)
	}
	pair, err := c.pair()
	if err != nil {
		return Credentials{}, nil, fmt.Errorf("kubeconfig: obtaining credentials: %w", err)
	}
	p.mu.Lock()
	another := p.pair != nil && pair != nil
	p.last, p.pair = &c, pair
	p.mu.Unlock()
	if another {
		p.renewed()
	}
	return c, pair, nil
}

// turn returns the channel that lets one request at a time run the plugin.
func (p *plugged) turn() chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running == nil {
		p.running = make(chan struct{}, 1)
	}
	return p.running
}

// valid returns the credentials if they have not expired.
func (p *plugged) valid() (*Credentials, *tls.Certificate) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last == nil || !p.last.Expires.IsZero() && !time.Now().Before(p.last.Expires) {
		return nil, nil
	}
	return p.last, p.pair
}

// refused implements [tokens].
func (p *plugged) refused(token string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last != nil && p.last.Token == token {
		p.last = nil
	}
}

// pair returns the certificate with its key, or nil if the credentials contain only a token.
func (c Credentials) pair() (*tls.Certificate, error) {
	if len(c.Certificate) == 0 && len(c.Key) == 0 {
		if c.Token == "" {
			return nil, errors.New("the plugin returned neither a token nor a certificate")
		}
		return nil, nil
	}
	pair, err := tls.X509KeyPair(c.Certificate, c.Key)
	return &pair, err
}
