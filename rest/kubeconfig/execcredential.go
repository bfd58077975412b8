package kubeconfig

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	osexec "os/exec"
	"time"
)

// RunExec runs the program of an exec entry. Assign it to [Options].Run. It sets the variable KUBERNETES_EXEC_INFO and
// reads an ExecCredential from the output of the program, as client-go does (client.authentication.k8s.io, v1 and
// v1beta1). The program has no standard input, so RunExec returns an error for a program that must ask the user
// (InteractiveMode Always). It also returns an error for an auth-provider. When ctx ends, RunExec kills the program. If
// the program fails, the error contains its standard error. RunExec does not wait for processes that the program leaves
// behind.
func RunExec(ctx context.Context, p Plugin) (Credentials, error) {
	switch {
	case p.Command == "":
		return Credentials{}, fmt.Errorf("the auth-provider %q is not a program", p.Provider)
	case p.InteractiveMode == "Always":
		return Credentials{}, fmt.Errorf("the program %q requires a terminal (interactiveMode Always)", p.Command)
	case p.APIVersion != execV1 && p.APIVersion != execV1beta1:
		return Credentials{}, fmt.Errorf("the program %q has the unknown apiVersion %q", p.Command, p.APIVersion)
	}
	asked, err := json.Marshal(execCredential{APIVersion: p.APIVersion, Kind: execKind,
		Spec: execSpec{Cluster: p.Cluster.asked()}})
	if err != nil {
		return Credentials{}, err
	}
	var out, problems bytes.Buffer
	program := osexec.CommandContext(ctx, p.Command, p.Args...)
	program.Env = append(append(os.Environ(), p.Env...), "KUBERNETES_EXEC_INFO="+string(asked))
	program.Stdout, program.Stderr = &out, &problems
	program.WaitDelay = lateOutput
	if err := program.Run(); err != nil && !errors.Is(err, osexec.ErrWaitDelay) { // the program itself has succeeded
		return Credentials{}, p.failed(err, problems.String())
	}
	return p.read(out.Bytes())
}

const (
	execV1      = "client.authentication.k8s.io/v1"
	execV1beta1 = "client.authentication.k8s.io/v1beta1"
	execKind    = "ExecCredential"
	// maxProblems limits how many bytes of the program's standard error become part of an error.
	maxProblems = 2048
	// lateOutput is how long RunExec reads on after the program has ended. A process that the program leaves behind, such
	// as an agent that caches credentials, may keep its output open for ever.
	lateOutput = time.Second
)

// execCredential is the request to a program, in the spec, and the response, in the status.
type execCredential struct {
	APIVersion string      `json:"apiVersion"`
	Kind       string      `json:"kind"`
	Spec       execSpec    `json:"spec"`
	Status     *execStatus `json:"status,omitempty"`
}

type execSpec struct {
	Interactive bool         `json:"interactive"`
	Cluster     *execCluster `json:"cluster,omitempty"`
}

type execCluster struct {
	Server                   string `json:"server"`
	TLSServerName            string `json:"tls-server-name,omitempty"`
	InsecureSkipTLSVerify    bool   `json:"insecure-skip-tls-verify,omitempty"`
	CertificateAuthorityData []byte `json:"certificate-authority-data,omitempty"`
	ProxyURL                 string `json:"proxy-url,omitempty"`
}

type execStatus struct {
	Expires     *time.Time `json:"expirationTimestamp"`
	Token       string     `json:"token"`
	Certificate string     `json:"clientCertificateData"`
	Key         string     `json:"clientKeyData"`
}

func (c *Cluster) asked() *execCluster {
	if c == nil {
		return nil
	}
	return &execCluster{c.Server, c.TLSServerName, c.InsecureSkipTLSVerify, c.CertificateAuthority, c.ProxyURL}
}

// failed returns the error for a program that failed or could not be started.
func (p Plugin) failed(err error, problems string) error {
	err = fmt.Errorf("the program %q: %w", p.Command, err)
	if problems = problems[:min(len(problems), maxProblems)]; problems != "" {
		err = fmt.Errorf("%w: %s", err, problems)
	}
	if errors.Is(err, osexec.ErrNotFound) && p.InstallHint != "" {
		err = fmt.Errorf("%w\n%s", err, p.InstallHint)
	}
	return err
}

// read decodes the output of a program.
func (p Plugin) read(out []byte) (Credentials, error) {
	var answer execCredential
	switch err := json.Unmarshal(out, &answer); {
	case err != nil:
		return Credentials{}, fmt.Errorf("the program %q: its output is not an ExecCredential: %w", p.Command, err)
	case answer.Kind != execKind || answer.APIVersion != p.APIVersion:
		return Credentials{}, fmt.Errorf("the program %q: its output is a %s of %s, not an ExecCredential of %s", p.Command,
			answer.Kind, answer.APIVersion, p.APIVersion)
	case answer.Status == nil:
		return Credentials{}, fmt.Errorf("the program %q: its output has no status", p.Command)
	}
	c := Credentials{Token: answer.Status.Token, Certificate: []byte(answer.Status.Certificate),
		Key: []byte(answer.Status.Key)}
	if answer.Status.Expires != nil {
		c.Expires = *answer.Status.Expires
	}
	return c, nil
}
